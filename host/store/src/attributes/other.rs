//! Systems other than Linux: no safe call reads the lists there, so they count as lost, and no attribute is copied.

use std::fs::File;
use std::os::fd::AsFd;

use super::Lists;

/// Copies nothing.
pub(in super::super) fn carry_lists(_: &File, _: &File, _: bool) -> Lists {
    Lists::Lost
}

/// No list is read.
pub(in super::super) fn has_default_list(_: impl AsFd) -> bool {
    false
}

/// Copies nothing.
pub(in super::super) fn carry_others(_: &File, _: &File) {}
