//! Replaces `many` in a build without NATS.

use super::source::News;
use crate::features::how_to_get;
use crate::watch::Snapshot;
use std::io;
use std::path::Path;

/// Never created.
pub(super) struct Many {
    pub(super) url: String,
}

impl Many {
    pub(super) fn of(_: &str, _: &str, _: Option<&Path>) -> Result<Many, String> {
        Err(format!("--nats: this build of tuffet leaves out NATS; {}", how_to_get("nats")))
    }

    pub(super) fn first(&self) -> io::Result<Snapshot> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn follow(&self, _: impl FnMut(News) -> bool) {}
}
