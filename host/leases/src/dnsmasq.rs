//! The lease file of dnsmasq. It contains no options of clients.

use crate::{Lease, Mac, lease, octets};

/// An empty field.
const EMPTY: &str = "*";

/// Parses a line; `None` unless its lease is valid at `now`.
pub(crate) fn read(line: &str, now: u64) -> Option<Lease> {
    let mut fields = line.split_ascii_whitespace();
    // DHCPv6 leases have an association id in place of the MAC address.
    let [expires, mac, _address] = [fields.next()?, fields.next()?, fields.next()?];
    let mut more = || fields.next().filter(|field| *field != EMPTY);
    let (hostname, client_id) = (more(), more());
    let expires = expires.parse().ok()?;
    // 0 means never.
    let lease = || Lease {
        mac: Mac::parse(mac).ok(),
        hostname: hostname.and_then(lease::hostname),
        client_id: client_id.and_then(octets::of_colons).and_then(|octets| lease::client_id(&octets)),
        expires: (expires != 0).then_some(expires),
        ..Lease::default()
    };
    (expires == 0 || expires > now).then(|| lease().complete())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_client_of_the_address() {
        let line = "1700000000 02:00:5e:10:00:01 192.0.2.17 kitchen ff:00:01";
        let lease = read(line, 0).unwrap();
        assert_eq!(lease.mac.map(|mac| mac.joined("")).as_deref(), Some("02005e100001"));
        assert_eq!(lease.hostname.as_deref(), Some("kitchen"));
        assert_eq!((lease.client_id.as_deref(), lease.expires), (Some("ff:00:01"), Some(1_700_000_000)));
        assert_eq!(read(line, 1_700_000_000), None, "it is over");
        let bare = read("0 06-02:00:5e:10:00:01 192.0.2.17 * *", u64::MAX);
        assert_eq!(bare, Some(Lease::default()));
        assert_eq!(read("0 02:00:5e:10:00:01", 0), None, "half a line");
    }

    /// PXE firmware sends its UUID as its client identifier, too.
    #[test]
    fn the_uuid_of_firmware() {
        let line = "0 02:00:5e:10:00:01 192.0.2.17 * 00:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff";
        let uuid = read(line, 0).and_then(|lease| lease.uuid);
        assert_eq!(uuid.as_deref(), Some("00112233-4455-6677-8899-aabbccddeeff"));
    }
}
