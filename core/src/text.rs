//! Reading and writing the parts of packets: numbers, and texts that end with a NUL (RFC 1350 section 5).

/// Writes into a buffer, and records whether everything fitted.
pub(crate) struct Writer<'a> {
    buffer: &'a mut [u8],
    length: usize,
    fits: bool,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(buffer: &'a mut [u8]) -> Self {
        Writer { buffer, length: 0, fits: true }
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.bytes(&value.to_be_bytes());
    }

    pub(crate) fn string(&mut self, text: &[u8]) {
        self.bytes(text);
        self.bytes(&[0]);
    }

    pub(crate) fn number(&mut self, mut value: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.string(&digits[at..]);
    }

    pub(crate) fn finish(self) -> Option<usize> {
        self.fits.then_some(self.length)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        match self.buffer.get_mut(self.length..end) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.length = end;
            }
            None => self.fits = false,
        }
    }
}

/// Splits off a string; returns it with the bytes after its NUL.
pub(crate) fn take_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}
