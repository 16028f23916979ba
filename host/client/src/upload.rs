//! The bytes of an upload that are not acknowledged yet, as they appear on the wire.

use tuffet_core::netascii::Encoder;
use tuffet_core::{Mode, UNKNOWN_SIZE};

/// How many bytes are taken beyond those of a window, so that a source is read in large pieces.
const READ_AHEAD: usize = 128 << 10;

#[derive(Debug)]
pub(crate) struct Upload {
    bytes: Vec<u8>,
    /// The offset of the first of them.
    base: u64,
    /// The size of the whole, if it was known before or its end has been found.
    size: Option<u64>,
    /// Whether all bytes have been supplied.
    pub(crate) is_whole: bool,
    encoder: Option<Encoder>,
}

impl Upload {
    pub(crate) fn new(size: Option<u64>, mode: Mode) -> Self {
        let encoder = (mode == Mode::Netascii).then(Encoder::default);
        Upload { bytes: Vec::new(), base: 0, size, is_whole: size == Some(0), encoder }
    }

    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }

    /// The size as the protocol machine knows it.
    pub(crate) fn stream_size(&self) -> u64 {
        self.size.unwrap_or(UNKNOWN_SIZE)
    }

    /// How many bytes have been supplied.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Adds bytes of the file. Those beyond a known size are left out.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        if self.is_whole {
            return;
        }
        match &mut self.encoder {
            None => self.bytes.extend_from_slice(piece),
            Some(encoder) => {
                let start = self.bytes.len();
                self.bytes.resize(start + piece.len() + Encoder::growth(piece) as usize, 0);
                encoder.encode(piece, &mut self.bytes[start..]);
            }
        }
        if let Some(size) = self.size.filter(|size| *size <= self.end()) {
            self.bytes.truncate((size - self.base) as usize);
            self.is_whole = true;
        }
    }

    /// Takes the end of the file. Returns false if more bytes were announced.
    pub(crate) fn finish(&mut self) -> bool {
        let end = self.end();
        self.is_whole = true;
        *self.size.get_or_insert(end) == end
    }

    /// The bytes of a block.
    pub(crate) fn block(&self, (offset, length): (u64, u16)) -> &[u8] {
        let start = (offset - self.base) as usize;
        &self.bytes[start..start + usize::from(length)]
    }

    /// Forgets acknowledged bytes.
    pub(crate) fn release(&mut self, acknowledged: u64) {
        let gone = (acknowledged.saturating_sub(self.base) as usize).min(self.bytes.len());
        if gone >= READ_AHEAD {
            self.bytes.drain(..gone);
            self.base += gone as u64;
        }
    }

    /// How many bytes of the file should be supplied now. `in_flight`: the bytes of a window.
    pub(crate) fn room(&self, acknowledged: u64, in_flight: usize) -> usize {
        if self.is_whole {
            return 0;
        }
        let waiting = self.end().saturating_sub(acknowledged) as usize;
        let room = (in_flight + READ_AHEAD).saturating_sub(waiting);
        let room = if room < READ_AHEAD / 2 { 0 } else { room };
        match (&self.encoder, self.size) {
            // As much as fits if each byte becomes two.
            (Some(_), _) => room / 2,
            (None, Some(size)) => usize::try_from(size - self.end()).unwrap_or(usize::MAX).min(room),
            (None, None) => room,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_keeps_what_is_not_acknowledged() {
        let mut upload = Upload::new(None, Mode::Octet);
        let file: Vec<u8> = (0..600_000_u32).map(|n| (n / 7) as u8).collect();
        let (mut supplied, mut acknowledged) = (0, 0);
        while acknowledged < file.len() {
            let room = upload.room(acknowledged as u64, 4_000).min(file.len() - supplied);
            upload.push(&file[supplied..supplied + room]);
            supplied += room;
            assert!(upload.bytes.len() <= 4_000 + 2 * READ_AHEAD, "{}", upload.bytes.len());
            let length = (supplied - acknowledged).min(1_000);
            assert_eq!(
                upload.block((acknowledged as u64, length as u16)),
                &file[acknowledged..acknowledged + length]
            );
            acknowledged += length;
            upload.release(acknowledged as u64);
        }
        assert!(upload.finish());
        assert_eq!((upload.size(), upload.room(600_000, 4_000)), (Some(600_000), 0));
    }

    #[test]
    fn a_known_size_is_an_end() {
        let mut upload = Upload::new(Some(4), Mode::Octet);
        upload.push(b"abc");
        assert!(!upload.is_whole);
        upload.push(b"def");
        assert!(upload.is_whole);
        assert_eq!((upload.block((0, 4)), upload.end()), (&b"abcd"[..], 4));
        let mut upload = Upload::new(Some(4), Mode::Octet);
        upload.push(b"abc");
        assert!(!upload.finish(), "it is shorter");
        assert!(Upload::new(Some(0), Mode::Octet).is_whole);
    }

    #[test]
    fn netascii_is_as_on_the_wire() {
        let mut upload = Upload::new(None, Mode::Netascii);
        upload.push(b"a\n");
        upload.push(b"\rb");
        assert!(upload.finish());
        assert_eq!(upload.block((0, 6)), b"a\r\n\r\0b");
        assert_eq!(upload.size(), Some(6));
    }
}
