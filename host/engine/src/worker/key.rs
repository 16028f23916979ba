//! Keys of transfers.

/// Identifies a transfer of one worker; a key outlives its transfer without identifying another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub(crate) index: u32,
    pub(crate) epoch: u32,
}
