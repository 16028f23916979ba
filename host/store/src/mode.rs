//! Types and permissions of files, whose numbers have other types on each system.
#![allow(clippy::unnecessary_cast, clippy::useless_conversion)]

use rustix::fs::{FileType, Mode, RawMode, Stat};

/// Type and permissions.
pub(super) fn of(stat: &Stat) -> u32 {
    u32::from(stat.st_mode)
}

/// The type in a mode.
pub(super) fn kind(mode: u32) -> FileType {
    FileType::from_raw_mode(mode as RawMode)
}

/// The permissions in a mode.
pub(super) fn permissions(mode: u32) -> Mode {
    Mode::from_raw_mode(mode as RawMode)
}
