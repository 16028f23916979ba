//! The option `multicast` on the wire (RFC 2090 section 3).

use crate::options::{OptionSet, Options};
use crate::text::Writer;
use core::fmt::Write as _;
use core::net::{IpAddr, SocketAddr};

pub(super) const NAME: &[u8] = b"multicast";

/// The longest value: an IPv6 address, a port, the flag, and two commas.
const LONGEST: usize = 39 + 1 + 5 + 1 + 1;

/// The value of the option in an OACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    /// Where blocks are sent; `None` if it is the address that the client knows already.
    pub group: Option<SocketAddr>,
    /// Whether this client acknowledges blocks.
    pub master: bool,
}

impl Options<'_> {
    /// Returns whether the option `multicast` is among them, with any value: in a request it is empty.
    pub fn asks_for_multicast(self) -> bool {
        self.iter().any(|(name, _)| name.eq_ignore_ascii_case(NAME))
    }

    /// Returns the value of the option `multicast` of an OACK; `None` if it is missing or malformed.
    pub fn membership(self) -> Option<Membership> {
        let (_, value) = self.iter().find(|(name, _)| name.eq_ignore_ascii_case(NAME))?;
        let mut fields = core::str::from_utf8(value).ok()?.split(',');
        let (address, port, master) = (fields.next()?, fields.next()?, fields.next()?);
        let group = match (address, port) {
            ("", "") => None,
            (address, port) => Some(SocketAddr::new(address.parse::<IpAddr>().ok()?, port.parse().ok()?)),
        };
        if fields.next().is_some() || group.is_some_and(|group| !group.ip().is_multicast()) {
            return None;
        }
        match master {
            "0" => Some(Membership { group, master: false }),
            "1" => Some(Membership { group, master: true }),
            _ => None,
        }
    }
}

/// Writes the OACK of a member of `group`. The address is always part of it: RFC 2090 permits `,,1` once the client
/// knows the group, but atftp does not understand that. `None` if `buffer` is too short.
pub(super) fn encode_oack(
    options: &OptionSet,
    group: SocketAddr,
    master: bool,
    buffer: &mut [u8],
) -> Option<usize> {
    let mut value = Value { bytes: [0; LONGEST], length: 0 };
    write!(value, "{},{},{}", group.ip(), group.port(), u8::from(master)).ok()?;
    let mut writer = Writer::new(buffer);
    crate::packet::write_oack(&mut writer, options);
    writer.string(NAME);
    writer.string(&value.bytes[..value.length]);
    writer.finish()
}

struct Value {
    bytes: [u8; LONGEST],
    length: usize,
}

impl core::fmt::Write for Value {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::octal_escapes)] // an option's value follows a NUL
mod tests {
    use super::*;
    use crate::packet::Packet;

    fn membership(value: &str) -> Option<Membership> {
        Options::new(format!("blksize\01428\0Multicast\0{value}\0").as_bytes()).membership()
    }

    #[test]
    fn values() {
        let group = Some(([239, 255, 0, 1], 1758).into());
        assert_eq!(membership("239.255.0.1,1758,1"), Some(Membership { group, master: true }));
        assert_eq!(membership("239.255.0.1,1758,0"), Some(Membership { group, master: false }));
        assert_eq!(membership(",,1"), Some(Membership { group: None, master: true }));
        for bad in
            ["", "1", ",,", ",,2", "239.255.0.1,,1", ",1758,1", "10.0.0.1,1758,1", "239.255.0.1,1758,1,1"]
        {
            assert_eq!(membership(bad), None, "{bad}");
        }
        assert!(Options::new(b"tsize\00\0MULTICAST\0\0").asks_for_multicast());
        assert!(!Options::new(b"tsize\00\0multicasts\0\0").asks_for_multicast());
    }

    #[test]
    fn an_oack_is_read_back() {
        let options = OptionSet { blksize: Some(1428), tsize: Some(7), ..OptionSet::default() };
        for group in ["239.255.0.1:1758", "[ff3e:1234:5678:9abc:def0:1234:5678:9abc]:65535"] {
            let group: SocketAddr = group.parse().expect("an address");
            let mut buffer = [0; crate::MAX_CONTROL];
            let length = encode_oack(&options, group, true, &mut buffer).expect("room");
            let Ok(Packet::Oack(read)) = Packet::parse(&buffer[..length]) else { unreachable!() };
            assert_eq!(read.requested(), options);
            assert_eq!(read.membership(), Some(Membership { group: Some(group), master: true }));
        }
    }
}
