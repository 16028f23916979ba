//! The prefix of a board's requests, which `TFTP_PREFIX` in its EEPROM selects.

/// Returns whether a board asks with this prefix: the last eight hexadecimal digits of its serial number
/// (`9ffefdef`), or its MAC address (`dc-a6-32-01-36-c2`).
pub(crate) fn is_board(prefix: &str) -> bool {
    is_serial(prefix) || is_mac(prefix)
}

fn is_serial(prefix: &str) -> bool {
    prefix.len() == 8 && prefix.bytes().all(is_digit)
}

fn is_mac(prefix: &str) -> bool {
    prefix.len() == 17 && prefix.split('-').all(|octet| octet.len() == 2 && octet.bytes().all(is_digit))
}

/// Boards ask in lower case.
fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}
