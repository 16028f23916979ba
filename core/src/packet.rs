//! Packets: parsed without allocation, written into the caller's buffer.

use crate::options::{OptionSet, Options};
use crate::text::{Writer, take_string};
use crate::types::{ErrorCode, Mode, Operation};
use core::fmt;

/// The size of the header of a DATA packet in bytes: opcode and block number.
pub const DATA_HEADER: usize = 4;

/// The longest ERROR text sent, in bytes.
pub const MAX_ERROR_TEXT: usize = 200;

/// A sufficient buffer for any packet that [`Control::encode`](crate::Control::encode) writes, in bytes.
pub const MAX_CONTROL: usize = 256;

pub(crate) const RRQ: u16 = 1;
pub(crate) const WRQ: u16 = 2;
const DATA: u16 = 3;
const ACK: u16 = 4;
const ERROR: u16 = 5;
const OACK: u16 = 6;

/// A parsed datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packet<'a> {
    /// RRQ or WRQ.
    Request(RequestPacket<'a>),
    /// A block of the file.
    Data {
        /// The number on the wire.
        block: u16,
        /// The bytes.
        payload: &'a [u8],
    },
    /// All blocks up to this one have arrived.
    Ack {
        /// The number on the wire.
        block: u16,
    },
    /// The peer has ended the transfer.
    Error {
        /// Its code, as sent.
        code: u16,
        /// Its text, as sent: neither bounded nor printable.
        text: &'a [u8],
    },
    /// The server granted these options (RFC 2347).
    Oack(Options<'a>),
}

/// RRQ or WRQ (RFC 1350 section 5, RFC 2347).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPacket<'a> {
    /// Read or write.
    pub operation: Operation,
    /// The name as sent: any bytes but NUL, at least one.
    pub name: &'a [u8],
    /// How the bytes appear on the wire.
    pub mode: Mode,
    /// The options that follow.
    pub options: Options<'a>,
}

/// The reason why a datagram is not a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// It is too short for its opcode.
    Short,
    /// No RFC defines the opcode.
    Opcode(u16),
    /// A request without a terminated, non-empty name.
    Name,
    /// A request without a mode.
    Mode,
    /// A request for a mode that is neither octet nor netascii.
    UnknownMode,
}

impl Malformed {
    /// Returns whether it was a request, which is answered with an ERROR. Other malformed packets are dropped: they
    /// may be answers, and an answer must not be answered.
    pub fn is_request(self) -> bool {
        matches!(self, Malformed::Name | Malformed::Mode | Malformed::UnknownMode)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Short => f.write_str("packet too short"),
            Malformed::Opcode(opcode) => write!(f, "unknown opcode {opcode}"),
            Malformed::Name => f.write_str("request without a file name"),
            Malformed::Mode => f.write_str("request without a mode"),
            Malformed::UnknownMode => f.write_str("mode is neither octet nor netascii"),
        }
    }
}

impl<'a> Packet<'a> {
    /// Parses one datagram.
    pub fn parse(datagram: &'a [u8]) -> Result<Self, Malformed> {
        let (opcode, rest) = take_u16(datagram)?;
        match opcode {
            RRQ => RequestPacket::parse(Operation::Read, rest).map(Packet::Request),
            WRQ => RequestPacket::parse(Operation::Write, rest).map(Packet::Request),
            DATA => take_u16(rest).map(|(block, payload)| Packet::Data { block, payload }),
            // Trailing bytes are ignored: with `msftwindow` every ACK has a fifth byte.
            ACK => take_u16(rest).map(|(block, _)| Packet::Ack { block }),
            ERROR => take_u16(rest).map(|(code, text)| Packet::Error { code, text: until_nul(text) }),
            OACK => Ok(Packet::Oack(Options::new(rest))),
            other => Err(Malformed::Opcode(other)),
        }
    }

    /// Returns whether it may be a server's first answer to a request (RFC 1350 section 4, RFC 2347). Another client
    /// may have had this port a moment ago, and its transfer may still send to it: a packet from the middle of a file
    /// is not for this client, and must not set the server's TID.
    pub fn may_answer(&self, operation: Operation) -> bool {
        match (self, operation) {
            (Packet::Oack(_) | Packet::Error { .. }, _)
            | (Packet::Data { block: 1, .. }, Operation::Read)
            | (Packet::Ack { block: 0 }, Operation::Write) => true,
            (Packet::Data { .. } | Packet::Ack { .. } | Packet::Request(_), _) => false,
        }
    }
}

impl<'a> RequestPacket<'a> {
    fn parse(operation: Operation, rest: &'a [u8]) -> Result<Self, Malformed> {
        let (name, rest) = take_string(rest).filter(|(name, _)| !name.is_empty()).ok_or(Malformed::Name)?;
        // DHCP option 67 is often copied with its NUL, so that an empty mode seems to follow the name; the
        // real mode comes after it.
        let rest = match rest {
            [0, more @ ..] => more,
            _ => rest,
        };
        // Some old ROMs leave out the last NUL.
        let (mode, rest) = take_string(rest).unwrap_or((rest, &[]));
        if mode.is_empty() {
            return Err(Malformed::Mode);
        }
        let mode = if mode.eq_ignore_ascii_case(b"octet") || mode.eq_ignore_ascii_case(b"binary") {
            Mode::Octet
        } else if mode.eq_ignore_ascii_case(b"netascii") {
            Mode::Netascii
        } else {
            return Err(Malformed::UnknownMode);
        };
        Ok(RequestPacket { operation, name, mode, options: Options::of_request(rest) })
    }

    /// Writes a request; `None` if `buffer` is too short or the name is empty or contains a NUL.
    pub fn encode(
        operation: Operation,
        name: &[u8],
        mode: Mode,
        options: &OptionSet,
        buffer: &mut [u8],
    ) -> Option<usize> {
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        let mut writer = Writer::new(buffer);
        writer.u16(if operation == Operation::Read { RRQ } else { WRQ });
        writer.string(name);
        writer.string(if mode == Mode::Octet { b"octet" } else { b"netascii" });
        options.write_request(&mut writer);
        writer.finish()
    }

    /// Adds the option `multicast` (RFC 2090) to a request of `length` bytes. Returns the new length, or `None` if
    /// the buffer is too short.
    pub fn add_multicast(buffer: &mut [u8], length: usize) -> Option<usize> {
        const OPTION: &[u8] = b"multicast\0\0";
        let end = length.checked_add(OPTION.len())?;
        buffer.get_mut(length..end)?.copy_from_slice(OPTION);
        Some(end)
    }
}

/// Returns the header of a DATA packet; its payload follows.
pub fn data_header(block: u16) -> [u8; DATA_HEADER] {
    let [o0, o1] = DATA.to_be_bytes();
    let [b0, b1] = block.to_be_bytes();
    [o0, o1, b0, b1]
}

pub(crate) fn write_ack(writer: &mut Writer<'_>, block: u16) {
    writer.u16(ACK);
    writer.u16(block);
}

pub(crate) fn write_oack(writer: &mut Writer<'_>, oack: &OptionSet) {
    writer.u16(OACK);
    oack.write_answer(writer);
}

/// Writes an ERROR packet; `None` if `buffer` is too short. The text is cut to [`MAX_ERROR_TEXT`].
pub fn encode_error(code: ErrorCode, text: &str, buffer: &mut [u8]) -> Option<usize> {
    let mut writer = Writer::new(buffer);
    write_error(&mut writer, code, text);
    writer.finish()
}

pub(crate) fn write_error(writer: &mut Writer<'_>, code: ErrorCode, text: &str) {
    let cut = text.floor_char_boundary(MAX_ERROR_TEXT);
    let text = text[..cut].split('\0').next().unwrap_or_default();
    writer.u16(ERROR);
    writer.u16(code as u16);
    writer.string(text.as_bytes());
}

fn take_u16(bytes: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    match bytes {
        [high, low, rest @ ..] => Ok((u16::from_be_bytes([*high, *low]), rest)),
        _ => Err(Malformed::Short),
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    take_string(bytes).map_or(bytes, |(text, _)| text)
}

#[cfg(test)]
#[allow(clippy::octal_escapes)] // a value follows a NUL
mod tests {
    use super::*;

    fn request(bytes: &[u8]) -> RequestPacket<'_> {
        match Packet::parse(bytes) {
            Ok(Packet::Request(request)) => request,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn requests() {
        let read = request(b"\0\x01boot/pxelinux.0\0OcTeT\0BLKSIZE\01432\0");
        assert_eq!(
            (read.operation, read.name, read.mode),
            (Operation::Read, &b"boot/pxelinux.0"[..], Mode::Octet)
        );
        assert_eq!(read.options.iter().collect::<Vec<_>>(), [(&b"BLKSIZE"[..], &b"1432"[..])]);
        assert_eq!(request(b"\0\x02a\0netascii\0").mode, Mode::Netascii);
        assert_eq!(request(b"\0\x01a\0\0octet\0").name, b"a", "a doubled NUL after the name");
        assert_eq!(request(b"\0\x01a\0octet").mode, Mode::Octet, "no last NUL");
        let last = request(b"\0\x02a\0netascii\0tsize\07");
        assert_eq!((last.mode, last.options.requested().tsize), (Mode::Netascii, Some(7)));
    }

    #[test]
    fn packets_that_answer_a_request() {
        let may = |bytes: &[u8]| {
            let packet = Packet::parse(bytes).expect("well formed");
            (packet.may_answer(Operation::Read), packet.may_answer(Operation::Write))
        };
        assert_eq!(may(b"\0\x06"), (true, true));
        assert_eq!(may(b"\0\x05\0\x01no\0"), (true, true));
        assert_eq!(may(b"\0\x03\0\x01x"), (true, false));
        assert_eq!(may(b"\0\x04\0\0"), (false, true));
        for other in [&b"\0\x03\0\x02x"[..], b"\0\x03\0\0x", b"\0\x04\0\x01", b"\0\x01name\0octet\0"] {
            assert_eq!(may(other), (false, false), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn malformed_requests_and_other_packets() {
        for (bytes, why) in [
            (&b"\0\x01"[..], Malformed::Name),
            (b"\0\x01\0octet\0", Malformed::Name),
            (b"\0\x01name", Malformed::Name),
            (b"\0\x01name\0", Malformed::Mode),
            (b"\0\x01name\0octe", Malformed::UnknownMode),
            (b"\0\x01name\0\0", Malformed::Mode),
            (b"\0\x02name\0mail\0", Malformed::UnknownMode),
        ] {
            assert_eq!(Packet::parse(bytes), Err(why), "{bytes:?}");
            assert!(why.is_request());
        }
        for (bytes, why) in [
            (&b""[..], Malformed::Short),
            (b"\0", Malformed::Short),
            (b"\0\x03", Malformed::Short),
            (b"\0\x03\0", Malformed::Short),
            (b"\0\x04\0", Malformed::Short),
            (b"\0\x05\0", Malformed::Short),
            (b"\0\0", Malformed::Opcode(0)),
            (b"\0\x07\0\0", Malformed::Opcode(7)),
            (b"\xff\xff\0\0", Malformed::Opcode(0xffff)),
        ] {
            assert_eq!(Packet::parse(bytes), Err(why), "{bytes:?}");
            assert!(!why.is_request());
        }
    }

    #[test]
    fn answers() {
        assert_eq!(Packet::parse(b"\0\x03\x01\x02xyz"), Ok(Packet::Data { block: 258, payload: b"xyz" }));
        assert_eq!(Packet::parse(b"\0\x04\xff\xff"), Ok(Packet::Ack { block: 65_535 }));
        assert_eq!(Packet::parse(b"\0\x04\0\x01\x10"), Ok(Packet::Ack { block: 1 }), "msftwindow");
        assert_eq!(Packet::parse(b"\0\x05\0\x01gone\0junk"), Ok(Packet::Error { code: 1, text: b"gone" }));
        assert_eq!(Packet::parse(b"\0\x05\0\x01"), Ok(Packet::Error { code: 1, text: b"" }));
        for cut in [&b"\0\x05"[..], b"\0\x05\0"] {
            assert_eq!(Packet::parse(cut), Err(Malformed::Short), "without a code it ends nothing");
        }
        assert_eq!(Packet::parse(b"\0\x05\0\x01gone"), Ok(Packet::Error { code: 1, text: b"gone" }));
    }

    #[test]
    fn errors_are_cut_at_a_character() {
        let mut buffer = [0; MAX_CONTROL];
        let length = encode_error(ErrorCode::DiskFull, &"ä".repeat(150), &mut buffer).unwrap_or_default();
        assert_eq!(length, 4 + 200 + 1);
        assert_eq!(&buffer[..4], b"\0\x05\0\x03");
        let length = encode_error(ErrorCode::NotDefined, "a\0b", &mut buffer).unwrap_or_default();
        assert_eq!(&buffer[..length], b"\0\x05\0\0a\0");
    }
}
