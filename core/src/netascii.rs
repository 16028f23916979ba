//! Netascii (RFC 1350 section 1, RFC 764): lines end in CR LF, a bare CR is CR NUL.
//!
//! Both directions work on pieces of any size, because a pair may cross the edge of a block.

const CR: u8 = b'\r';
const LF: u8 = b'\n';
const NUL: u8 = 0;

/// Encodes the bytes of a file (lines end in LF) for the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Encoder {
    /// The second byte of a pair, if the first byte filled the output.
    pending: Option<u8>,
}

impl Encoder {
    /// Encodes until `input` is used up or `output` is full. Returns the bytes read and written.
    pub fn encode(&mut self, input: &[u8], output: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while written < output.len() {
            let byte = match self.pending.take() {
                Some(byte) => byte,
                None => {
                    let Some(&byte) = input.get(read) else { break };
                    read += 1;
                    match byte {
                        LF => {
                            self.pending = Some(LF);
                            CR
                        }
                        CR => {
                            self.pending = Some(NUL);
                            CR
                        }
                        other => other,
                    }
                }
            };
            output[written] = byte;
            written += 1;
        }
        (read, written)
    }

    /// Whether all consumed input has been written.
    pub fn is_done(&self) -> bool {
        self.pending.is_none()
    }

    /// Returns by how many bytes the encoding of `piece` is longer than `piece`.
    pub fn growth(piece: &[u8]) -> u64 {
        piece.iter().filter(|&&byte| byte == LF || byte == CR).count() as u64
    }
}

/// Decodes the bytes on the wire to those of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decoder {
    /// The last byte was a CR: its meaning depends on the next byte.
    cr: bool,
}

impl Decoder {
    /// Decodes a piece and appends it to `output`. A CR before anything but LF and NUL is kept: the standard
    /// does not allow it, but old senders do it.
    pub fn decode(&mut self, input: &[u8], output: &mut Vec<u8>) {
        for &byte in input {
            if core::mem::take(&mut self.cr) {
                match byte {
                    LF => {
                        output.push(LF);
                        continue;
                    }
                    NUL => {
                        output.push(CR);
                        continue;
                    }
                    _ => output.push(CR),
                }
            }
            if byte == CR {
                self.cr = true;
            } else {
                output.push(byte);
            }
        }
    }

    /// Ends the stream: keeps a final CR.
    pub fn finish(&mut self, output: &mut Vec<u8>) {
        if core::mem::take(&mut self.cr) {
            output.push(CR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encode(input: &[u8], block: usize) -> Vec<Vec<u8>> {
        let (mut encoder, mut at, mut blocks) = (Encoder::default(), 0, Vec::new());
        loop {
            let mut output = vec![0; block];
            let (read, written) = encoder.encode(&input[at..], &mut output);
            at += read;
            output.truncate(written);
            blocks.push(output);
            if written < block {
                return blocks;
            }
        }
    }

    fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
        let (mut decoder, mut output) = (Decoder::default(), Vec::new());
        for piece in pieces {
            decoder.decode(piece, &mut output);
        }
        decoder.finish(&mut output);
        output
    }

    #[test]
    fn the_rules() {
        assert_eq!(encode(b"a\nb\rc\r\n", 64).concat(), b"a\r\nb\r\0c\r\0\r\n");
        assert_eq!(decode([&b"a\r\nb\r\0c\r\0\r\n"[..]]), b"a\nb\rc\r\n");
        assert_eq!(decode([&b"x\ry\r\rz\r"[..]]), b"x\ry\r\rz\r", "CR that the standard does not allow");
    }

    #[test]
    fn a_pair_across_the_edge_of_a_block() {
        assert_eq!(encode(b"abc\nd", 4), [&b"abc\r"[..], b"\nd"]);
        assert_eq!(encode(b"abc\n", 4), [&b"abc\r"[..], b"\n"]);
        assert_eq!(decode([&b"abc\r"[..], b"\nd"]), b"abc\nd");
        assert_eq!(decode([&b"abc\r"[..], b"\0d"]), b"abc\rd");
    }

    proptest! {
        #[test]
        fn there_and_back(
            file in prop::collection::vec(prop::sample::select(vec![b'a', b'\r', b'\n', 0, 0xff]), 0..200),
            block in 1_usize..20,
            piece in 1_usize..20,
        ) {
            let wire = encode(&file, block).concat();
            prop_assert_eq!(wire.len() as u64, file.len() as u64 + Encoder::growth(&file));
            prop_assert_eq!(decode(wire.chunks(piece)), file);
        }
    }
}
