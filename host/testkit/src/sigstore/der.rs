//! Writes DER: certificates and time stamps.

use super::Key;

/// Returns an element with these contents.
pub(super) fn der(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let content = contents.concat();
    let length = content.len();
    let head = match length {
        0..=0x7f => vec![tag, length as u8],
        0x80..=0xff => vec![tag, 0x81, length as u8],
        _ => vec![tag, 0x82, (length >> 8) as u8, length as u8],
    };
    [head, content].concat()
}

pub(super) fn sequence(contents: &[&[u8]]) -> Vec<u8> {
    der(0x30, contents)
}

/// An object identifier, from its encoding.
pub(super) fn id(encoded: &[u8]) -> Vec<u8> {
    der(0x06, &[encoded])
}

/// ECDSA with SHA-256.
pub(super) fn ecdsa() -> Vec<u8> {
    sequence(&[&id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])])
}

pub(super) const SHA_256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];

/// A time in seconds since 1970.
pub(super) fn time(seconds: u64) -> Vec<u8> {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    let digits: String = humantime::format_rfc3339_seconds(time).to_string();
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    der(0x18, &[digits.as_bytes(), b"Z"])
}

/// A name of one part.
fn name(text: &str) -> Vec<u8> {
    let common_name = sequence(&[&id(&[0x55, 0x04, 0x03]), &der(0x0c, &[text.as_bytes()])]);
    sequence(&[&der(0x31, &[&common_name])])
}

/// An extension of a certificate.
pub(super) fn extension(oid: &[u8], is_critical: bool, value: &[u8]) -> Vec<u8> {
    let critical = if is_critical { der(0x01, &[&[0xff]]) } else { Vec::new() };
    sequence(&[&id(oid), &critical, &der(0x04, &[value])])
}

/// A certificate for this key, with these names and extensions.
pub(super) struct Certificate<'a> {
    pub issuer: &'a str,
    pub subject: &'a str,
    pub key: &'a Key,
    /// Its first and its last second.
    pub valid: [u64; 2],
    pub extensions: Vec<Vec<u8>>,
}

impl Certificate<'_> {
    /// Of an authority, which may issue others.
    pub fn authority(mut self) -> Self {
        self.extensions.push(extension(&[0x55, 0x1d, 0x13], true, &sequence(&[&der(0x01, &[&[0xff]])])));
        self.extensions.push(extension(&[0x55, 0x1d, 0x0f], true, &[0x03, 0x02, 0x01, 0x06]));
        self
    }

    /// The part that is signed.
    pub fn signed(&self) -> Vec<u8> {
        let extensions: Vec<&[u8]> = self.extensions.iter().map(|extension| &extension[..]).collect();
        let subject = if self.subject.is_empty() { sequence(&[]) } else { name(self.subject) };
        sequence(&[
            &[0xa0, 0x03, 0x02, 0x01, 0x02],
            &[0x02, 0x01, 0x05],
            &ecdsa(),
            &name(self.issuer),
            &sequence(&[&time(self.valid[0]), &time(self.valid[1])]),
            &subject,
            &self.key.public(),
            &der(0xa3, &[&sequence(&extensions)]),
        ])
    }

    /// The certificate in DER, signed with the key of its issuer.
    pub fn sign(&self, with: &Key) -> Vec<u8> {
        let signed = self.signed();
        sequence(&[&signed, &ecdsa(), &der(0x03, &[&[0], &with.sign(&signed)])])
    }
}
