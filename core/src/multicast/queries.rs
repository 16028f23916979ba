//! The queries of a group: its size, members and progress.

use super::{Group, Leadership, MemberId, option, stream};
use crate::options::OptionSet;
use core::time::Duration;

impl Group {
    /// Writes an OACK of [`Output::Oack`](super::Output::Oack) for members of the group at `address`; `None` if `buffer` is
    /// too short.
    pub fn encode_oack(
        options: &OptionSet,
        address: core::net::SocketAddr,
        master: bool,
        buffer: &mut [u8],
    ) -> Option<usize> {
        option::encode_oack(options, address, master, buffer)
    }

    /// Returns offset and length of a block.
    pub fn range(&self, position: u64) -> (u64, u16) {
        let offset = position.saturating_sub(1) * u64::from(self.blksize);
        (offset, self.size.saturating_sub(offset).min(self.blksize.into()) as u16)
    }

    /// Returns the bytes in a block.
    pub fn blksize(&self) -> u16 {
        self.blksize
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the last block that a member is known to have.
    pub fn blocks(&self, id: MemberId) -> u64 {
        self.members.get(&id).map_or(0, |member| member.acked)
    }

    /// Returns whether any member has answered from its address.
    pub fn is_proven(&self) -> bool {
        self.members.values().any(|member| member.proven)
    }

    /// Returns how long a master may be silent if no other member waits.
    pub fn give_up(&self) -> Duration {
        Duration::from_micros(self.timing.give_up().into())
    }

    /// Returns the most bytes in flight.
    pub fn most_in_flight(&self) -> usize {
        stream::MAX_IN_FLIGHT as usize
    }

    /// Returns the last block that the master has acknowledged, if there is a master.
    pub fn acked(&self) -> Option<(MemberId, u64)> {
        let Leadership::Led(term) = &self.leadership else { return None };
        Some((term.master, self.members.get(&term.master)?.acked))
    }

    /// Returns how many blocks were sent, and how many of these had been sent before.
    pub fn sent(&self) -> (u64, u64) {
        (self.stream.sent, self.stream.resent)
    }
}
