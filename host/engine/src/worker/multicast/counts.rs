//! Counts of groups, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts that the group thread alone writes.
#[derive(Debug, Default)]
pub struct GroupCounts {
    pub(super) groups: AtomicU64,
    pub(super) members: AtomicU64,
    pub(super) joined: AtomicU64,
    pub(super) declined: AtomicU64,
    pub(super) blocks: AtomicU64,
    pub(super) resent: AtomicU64,
    pub(super) bytes: AtomicU64,
}

impl GroupCounts {
    /// Groups that exist now.
    pub fn groups(&self) -> u64 {
        self.groups.load(Relaxed)
    }

    /// Members of all groups now.
    pub fn members(&self) -> u64 {
        self.members.load(Relaxed)
    }

    /// Clients that became members so far.
    pub fn joined(&self) -> u64 {
        self.joined.load(Relaxed)
    }

    /// Clients so far that requested a group and were served alone, because no group had room.
    pub fn declined(&self) -> u64 {
        self.declined.load(Relaxed)
    }

    /// Blocks sent to groups so far.
    pub fn blocks(&self) -> u64 {
        self.blocks.load(Relaxed)
    }

    /// Blocks among them that had been sent before.
    pub fn resent(&self) -> u64 {
        self.resent.load(Relaxed)
    }

    /// Bytes of the file in these blocks.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }
}
