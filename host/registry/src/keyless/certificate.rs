//! The certificate of a signer: whom it names, who vouched for that, and the logs that have it.

use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use tuffet_config::TrustedLog;

use super::der::{INTEGER, OBJECT_IDENTIFIER, OCTET_STRING, Reader, SEQUENCE, UTF8_STRING, element};
use super::key;

/// Tags of the parts of a certificate (RFC 5280, section 4.1).
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
/// Tags of names (section 4.2.1.6).
const E_MAIL: u8 = 0x81;
const URI: u8 = 0x86;

const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 0x25];
const SUBJECT_ALTERNATIVE_NAME: &[u8] = &[0x55, 0x1d, 0x11];
/// 1.3.6.1.4.1.57264.1: the issuer of the token that proved the identity. The first one, of the earlier form, is plain
/// text.
const OLD_TOKEN_ISSUER: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01, 0x01];
const TOKEN_ISSUER: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01, 0x08];
const SOURCE_REPOSITORY: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01, 0x0c];
/// 1.3.6.1.4.1.11129.2.4.2: what logs have signed about a certificate (RFC 6962, section 3.3).
const SCTS: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02];

/// The maximum number of logs of a certificate that are looked at.
const MAX_SCTS: usize = 8;

/// A parsed certificate. Its signature is verified elsewhere.
pub(super) struct Certificate<'a> {
    /// The name of the authority, in DER.
    pub issuer: &'a [u8],
    /// Its own name, in DER.
    pub subject: &'a [u8],
    /// Its first and its last moment.
    pub valid: [SystemTime; 2],
    /// Its public key: a `SubjectPublicKeyInfo` in DER.
    pub key: &'a [u8],
    /// The signed part before the extensions.
    head: &'a [u8],
    extensions: Vec<Extension<'a>>,
}

struct Extension<'a> {
    id: &'a [u8],
    value: &'a [u8],
    whole: &'a [u8],
}

/// What a log has signed about a certificate.
struct Sct<'a> {
    log: &'a [u8],
    /// In milliseconds since 1970.
    time: u64,
    extensions: &'a [u8],
    signature: &'a [u8],
}

impl<'a> Certificate<'a> {
    /// `None` if it cannot be parsed.
    pub fn parse(der: &'a [u8]) -> Option<Certificate<'a>> {
        let signed = Reader::of(der).enter(SEQUENCE)?.content(SEQUENCE)?;
        let mut fields = Reader::of(signed);
        fields.optional(VERSION)?;
        fields.content(INTEGER)?;
        fields.content(SEQUENCE)?;
        let mut names = || fields.next().filter(|name| name.tag == SEQUENCE);
        let (issuer, validity, subject, key) = (names()?, names()?, names()?, names()?);
        let mut validity = Reader::of(validity.content);
        let valid = [validity.time()?, validity.time()?];
        let mut head = fields;
        let mut extensions = Vec::new();
        while let Some(field) = fields.next() {
            if field.tag != EXTENSIONS {
                head = fields;
                continue;
            }
            for extension in Reader::of(field.content).enter(SEQUENCE)? {
                let mut parts = Reader::of(extension.content);
                let id = parts.content(OBJECT_IDENTIFIER)?;
                let value = parts.last().filter(|value| value.tag == OCTET_STRING)?.content;
                extensions.push(Extension { id, value, whole: extension.whole });
            }
            break;
        }
        let head = &signed[..signed.len() - head.rest().len()];
        let (issuer, subject, key) = (issuer.whole, subject.whole, key.whole);
        Some(Certificate { issuer, subject, valid, key, head, extensions })
    }

    /// Returns whether the certificate names this purpose (RFC 5280, section 4.2.1.12).
    pub fn is_for(&self, purpose: &[u8]) -> bool {
        let purposes = self.extension(EXTENDED_KEY_USAGE).and_then(|value| Reader::of(value).enter(SEQUENCE));
        purposes.into_iter().flatten().any(|named| named.content == purpose)
    }

    /// Returns the names of the signer: URIs and e-mail addresses.
    pub fn names(&self) -> Vec<&'a str> {
        let names =
            self.extension(SUBJECT_ALTERNATIVE_NAME).and_then(|value| Reader::of(value).enter(SEQUENCE));
        let names = names.into_iter().flatten().filter(|name| matches!(name.tag, E_MAIL | URI));
        names.filter_map(|name| str::from_utf8(name.content).ok()).collect()
    }

    /// Returns who vouched for the identity.
    pub fn token_issuer(&self) -> Option<&'a str> {
        let issuer = match self.extension(TOKEN_ISSUER) {
            Some(value) => Reader::of(value).content(UTF8_STRING)?,
            None => self.extension(OLD_TOKEN_ISSUER)?,
        };
        str::from_utf8(issuer).ok()
    }

    /// Returns the repository for which the signer worked.
    pub fn source_repository(&self) -> Option<&'a str> {
        let uri = Reader::of(self.extension(SOURCE_REPOSITORY)?).content(UTF8_STRING)?;
        str::from_utf8(uri).ok()
    }

    /// Returns whether one of the logs has signed that it has this certificate, which the authority with this key
    /// issued.
    pub fn is_logged(&self, logs: &[TrustedLog], authority_key: &[u8]) -> bool {
        let by = Sha256::digest(authority_key);
        self.scts().iter().flatten().take(MAX_SCTS).any(|sct| {
            let time = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(sct.time));
            // A log that was replaced may have kept its identifier.
            logs.iter().filter(|log| log.id == sct.log).any(|log| {
                time.is_some_and(|time| log.period.contains(time))
                    && key::verify(&log.key, &self.logged(sct, &by), sct.signature)
            })
        })
    }

    fn scts(&self) -> Option<Vec<Sct<'a>>> {
        let list = Reader::of(self.extension(SCTS)?).content(OCTET_STRING)?;
        let mut list = Bytes(list).vector()?;
        let mut scts = Vec::new();
        while !list.0.is_empty() {
            scts.extend(list.vector()?.sct());
        }
        Some(scts)
    }

    /// The bytes that a log signs (RFC 6962, section 3.2): the certificate without what logs have signed.
    fn logged(&self, sct: &Sct, authority_key_hash: &[u8]) -> Vec<u8> {
        let others: Vec<&[u8]> = self
            .extensions
            .iter()
            .filter(|extension| extension.id != SCTS)
            .map(|extension| extension.whole)
            .collect();
        let extensions = element(EXTENSIONS, &[&element(SEQUENCE, &others)]);
        let certificate = element(SEQUENCE, &[self.head, &extensions]);
        let length = (certificate.len() as u32).to_be_bytes();
        let extensions_length = (sct.extensions.len() as u16).to_be_bytes();
        // Version 1, a time stamp of a certificate; an entry without what logs have signed.
        [
            &[0, 0][..],
            &sct.time.to_be_bytes(),
            &[0, 1],
            authority_key_hash,
            &length[1..],
            &certificate,
            &extensions_length,
            sct.extensions,
        ]
        .concat()
    }

    fn extension(&self, id: &[u8]) -> Option<&'a [u8]> {
        self.extensions.iter().find(|extension| extension.id == id).map(|extension| extension.value)
    }
}

/// Reads the encoding of TLS (RFC 5246, section 4).
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes after their number.
    fn vector(&mut self) -> Option<Bytes<'a>> {
        let length = u16::from_be_bytes(self.take(2)?.try_into().ok()?);
        self.take(length.into()).map(Bytes)
    }

    /// `None` for another version than the first.
    fn sct(mut self) -> Option<Sct<'a>> {
        if self.take(1)? != [0] {
            return None;
        }
        let log = self.take(32)?;
        let time = u64::from_be_bytes(self.take(8)?.try_into().ok()?);
        let extensions = self.vector()?.0;
        // The algorithm is that of the log's key.
        self.take(2)?;
        Some(Sct { log, time, extensions, signature: self.vector()?.0 })
    }
}
