//! A checksum of what was read from the start of a file, to recognise it after the file has grown.
//!
//! An appended log and a file that is written anew with more bytes look the same: size and modification time have
//! changed. Only their first bytes tell them apart.

use crc32fast::Hasher;

/// The checksum of the bytes from the start of a file up to a position. CRC-32: it recognises changes, not forgeries.
#[derive(Debug, Clone, Default)]
pub struct Checksum {
    hasher: Hasher,
    length: u64,
}

impl Checksum {
    /// Adds bytes that were read from `offset` on. Those before the position were added earlier, and are left out. After
    /// a gap nothing is added.
    pub fn add(&mut self, offset: u64, bytes: &[u8]) {
        let known = self.length.checked_sub(offset).and_then(|known| usize::try_from(known).ok());
        if let Some(new) = known.and_then(|known| bytes.get(known..)) {
            self.hasher.update(new);
            self.length += new.len() as u64;
        }
    }

    /// The position.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether both are of the same bytes.
    pub(super) fn agrees(&self, other: &Checksum) -> bool {
        self.length == other.length && self.hasher.clone().finalize() == other.hasher.clone().finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[(u64, &[u8])]) -> Checksum {
        let mut sum = Checksum::default();
        pieces.iter().for_each(|(offset, bytes)| sum.add(*offset, bytes));
        sum
    }

    #[test]
    fn repeated_and_overlapping_reads_count_once() {
        let whole = of(&[(0, b"0123456789")]);
        for pieces in [
            &[(0, &b"01234"[..]), (5, b"56789")][..],
            &[(0, b"01234"), (0, b"01234"), (3, b"3456789")],
            &[(0, b""), (0, b"0123456789"), (2, b"xx"), (10, b"")],
        ] {
            assert!(of(pieces).agrees(&whole), "{pieces:?}");
        }
        for pieces in [&[(0, &b"0123456788"[..])][..], &[(0, b"01234"), (6, b"6789")], &[]] {
            assert!(!of(pieces).agrees(&whole), "{pieces:?}");
        }
        assert_eq!(of(&[(0, b"01234"), (6, b"6789")]).length(), 5);
    }
}
