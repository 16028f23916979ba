//! Time stamps (RFC 3161): what a trusted authority signed about a signature, and when.
//!
//! Only authorities whose own certificate is in the trusted root count, so a certificate within the time stamp, and the
//! attribute that binds it, say nothing that is not known already.

use std::time::SystemTime;

use sha2::{Digest as _, Sha256, Sha384, Sha512};
use tuffet_config::TrustedAuthority;

use super::certificate::Certificate;
use super::der::{INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE, SET, element};
use super::key;

/// The tag of an explicit element 0, and of signed attributes.
const ZERO: u8 = 0xa0;
const ONE: u8 = 0xa1;

/// The purpose of the certificate (RFC 3161, section 2.3).
const TIME_STAMPING: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08];
/// 1.2.840.113549.1.7.2
const SIGNED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
/// 1.2.840.113549.1.9.16.1.4
const TIME_STAMP_INFO: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04];
/// 1.2.840.113549.1.9.3 and 4
const CONTENT_TYPE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x03];
const MESSAGE_DIGEST: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04];
/// 2.16.840.1.101.3.4.2.1 to 3
const SHA_2: [&[u8]; 3] = [
    &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
    &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02],
    &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03],
];

/// The parts of a time stamp (RFC 5652, section 5).
struct TimeStamp<'a> {
    /// What is said: in DER.
    info: &'a [u8],
    /// The attributes, as they are signed.
    signed: Vec<u8>,
    signature: &'a [u8],
    /// The digest of `info` in the attributes, and its algorithm.
    digest: &'a [u8],
    algorithm: &'a [u8],
}

/// Returns when the authority signed that it saw this signature. `None` if it did not.
pub(super) fn verify(
    answer: &[u8],
    seen_signature: &[u8],
    authority: &TrustedAuthority,
) -> Option<SystemTime> {
    let stamp = TimeStamp::parse(answer)?;
    let [certificate, issuers @ ..] = &authority.certificates[..] else { return None };
    let parsed = Certificate::parse(certificate).filter(|parsed| parsed.is_for(TIME_STAMPING))?;
    let is_valid = digest(stamp.algorithm, stamp.info)? == stamp.digest
        && key::verify(parsed.key, &stamp.signed, stamp.signature);
    let time = is_valid.then(|| said(stamp.info, seen_signature)).flatten()?;
    let counts = authority.period.contains(time)
        && key::verify_chain(certificate, issuers, time, TIME_STAMPING).is_ok();
    counts.then_some(time)
}

impl<'a> TimeStamp<'a> {
    fn parse(answer: &'a [u8]) -> Option<TimeStamp<'a>> {
        let mut answer = Reader::of(answer).enter(SEQUENCE)?;
        // Granted, perhaps with modifications (RFC 3161, section 2.4.2).
        if !matches!(answer.enter(SEQUENCE)?.content(INTEGER)?, [0 | 1]) {
            return None;
        }
        let mut token = answer.enter(SEQUENCE)?;
        if token.content(OBJECT_IDENTIFIER)? != SIGNED_DATA {
            return None;
        }
        let mut data = token.enter(ZERO)?.enter(SEQUENCE)?;
        data.content(INTEGER)?;
        data.content(SET)?;
        let mut content = data.enter(SEQUENCE)?;
        if content.content(OBJECT_IDENTIFIER)? != TIME_STAMP_INFO {
            return None;
        }
        let info = content.enter(ZERO)?.content(OCTET_STRING)?;
        // Certificates and revocations.
        data.optional(ZERO);
        data.optional(ONE);
        let mut signer = data.enter(SET)?.enter(SEQUENCE)?;
        signer.content(INTEGER)?;
        // The signer's name, in one form or another.
        signer.next()?;
        let algorithm = signer.enter(SEQUENCE)?.content(OBJECT_IDENTIFIER)?;
        let attributes = signer.content(ZERO)?;
        signer.content(SEQUENCE)?;
        let signature = signer.content(OCTET_STRING)?;
        if attribute(attributes, CONTENT_TYPE, OBJECT_IDENTIFIER)? != TIME_STAMP_INFO {
            return None;
        }
        let digest = attribute(attributes, MESSAGE_DIGEST, OCTET_STRING)?;
        // They are signed with the tag of a set.
        Some(TimeStamp { info, signed: element(SET, &[attributes]), signature, digest, algorithm })
    }
}

/// Returns the value of an attribute, which must have this tag.
fn attribute<'a>(attributes: &'a [u8], id: &[u8], tag: u8) -> Option<&'a [u8]> {
    Reader::of(attributes).find_map(|attribute| {
        let mut parts = Reader::of(attribute.content);
        (parts.content(OBJECT_IDENTIFIER)? == id).then(|| parts.enter(SET)?.content(tag)).flatten()
    })
}

/// Returns the time in a statement, if it is about this signature.
fn said(info: &[u8], seen_signature: &[u8]) -> Option<SystemTime> {
    let mut info = Reader::of(info).enter(SEQUENCE)?;
    info.content(INTEGER)?;
    info.content(OBJECT_IDENTIFIER)?;
    let mut imprint = info.enter(SEQUENCE)?;
    let algorithm = imprint.enter(SEQUENCE)?.content(OBJECT_IDENTIFIER)?;
    if imprint.content(OCTET_STRING)? != digest(algorithm, seen_signature)? {
        return None;
    }
    info.content(INTEGER)?;
    info.time()
}

fn digest(algorithm: &[u8], content: &[u8]) -> Option<Vec<u8>> {
    match SHA_2.iter().position(|known| *known == algorithm)? {
        0 => Some(Sha256::digest(content).to_vec()),
        1 => Some(Sha384::digest(content).to_vec()),
        _ => Some(Sha512::digest(content).to_vec()),
    }
}
