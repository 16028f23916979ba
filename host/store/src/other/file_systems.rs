//! What the type of a file system tells on macOS and FreeBSD: statfs(2).

use rustix::fs::fstatfs;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// File systems with files that the kernel generates on reading; their sizes mean nothing.
const GENERATED: [&[u8]; 5] = [b"devfs", b"fdescfs", b"linprocfs", b"linsysfs", b"procfs"];

/// sys/mount.h: `MNT_LOCAL`, the same on both systems.
const LOCAL: u64 = 0x1000;

/// Whether the kernel generates files on reading.
pub(super) fn is_generated(file: impl AsFd) -> Result<bool, Errno> {
    let name = fstatfs(file)?.f_fstypename.map(|letter| letter.cast_unsigned());
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(GENERATED.contains(&name))
}

/// Whether a server or a program may be asked for data in memory.
#[allow(clippy::useless_conversion)] // The flags of macOS have 32 bits.
pub(super) fn is_remote(file: impl AsFd) -> Result<bool, Errno> {
    Ok(u64::from(fstatfs(file)?.f_flags) & LOCAL == 0)
}

/// Whether locks may not reach other machines.
pub(super) fn is_shared(file: impl AsFd) -> Result<bool, Errno> {
    is_remote(file)
}

/// Whether names are known to be compared byte by byte. APFS and ZFS are made with or without case folding, so the listing
/// of a folder has to tell.
pub(super) fn is_by_bytes(_: impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}
