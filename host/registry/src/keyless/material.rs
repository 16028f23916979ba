//! What proves a signature without a key: the certificate of the signer, entries of transparency logs, time stamps.
//!
//! The form is that of `verificationMaterial` in a Sigstore bundle (versions 0.1 to 0.3), in which it is also kept. What
//! cosign 2 has in annotations is converted. No list is longer in memory than a signature needs.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

const CERTIFICATE: &str = "dev.sigstore.cosign/certificate";
const BUNDLE: &str = "dev.sigstore.cosign/bundle";
const TIME_STAMP: &str = "dev.sigstore.cosign/rfc3161timestamp";

/// The maximum number of log entries, of time stamps and of certificates.
const MAX_PROOFS: usize = 8;
/// The maximum number of hashes in a proof: a tree of more levels has more entries than there are numbers.
const MAX_LEVELS: usize = 64;
/// The maximum size of a certificate in Base64 or PEM.
const MAX_CERTIFICATE: usize = 64 << 10;
/// The maximum size of another annotation.
const MAX_ANNOTATION: usize = 128 << 10;

/// See the module. All bytes are in Base64.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Material {
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    /// Before version 0.3. Only the first certificate is used: the others must be in the trusted root.
    #[serde(skip_serializing_if = "Option::is_none")]
    x509_certificate_chain: Option<CertificateChain>,
    #[serde(deserialize_with = "few::<_, _, MAX_PROOFS>")]
    pub tlog_entries: Vec<LogEntry>,
    timestamp_verification_data: Option<TimeStamps>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Certificate {
    raw_bytes: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct CertificateChain {
    #[serde(deserialize_with = "few::<_, _, MAX_PROOFS>")]
    certificates: Vec<Certificate>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TimeStamps {
    #[serde(deserialize_with = "few::<_, _, MAX_PROOFS>")]
    rfc3161_timestamps: Vec<TimeStamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimeStamp {
    signed_timestamp: String,
}

/// An entry of a transparency log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogEntry {
    #[serde(default, deserialize_with = "number")]
    pub log_index: u64,
    pub log_id: LogId,
    /// In seconds since 1970; 0 if the log tells none.
    #[serde(default, deserialize_with = "number")]
    pub integrated_time: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inclusion_promise: Option<Promise>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inclusion_proof: Option<Proof>,
    pub canonicalized_body: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogId {
    pub key_id: String,
}

/// The log's signature of the entry, its time and its index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Promise {
    pub signed_entry_timestamp: String,
}

/// That the entry is in the tree that the log has signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proof {
    #[serde(default, deserialize_with = "number")]
    pub log_index: u64,
    #[serde(default, deserialize_with = "few::<_, _, MAX_LEVELS>")]
    pub hashes: Vec<String>,
    /// The first version of bundles may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    pub envelope: String,
}

/// The annotation `dev.sigstore.cosign/bundle`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AnnotatedEntry {
    signed_entry_timestamp: String,
    payload: AnnotatedPayload,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnnotatedPayload {
    body: String,
    integrated_time: u64,
    log_index: u64,
    #[serde(rename = "logID")]
    log_id: String,
}

/// The annotation `dev.sigstore.cosign/rfc3161timestamp`.
#[derive(Deserialize)]
struct AnnotatedTimeStamp {
    #[serde(rename = "SignedRFC3161Timestamp")]
    signed: String,
}

impl AnnotatedEntry {
    fn entry(self) -> Option<LogEntry> {
        let AnnotatedEntry { signed_entry_timestamp, payload } = self;
        Some(LogEntry {
            log_index: payload.log_index,
            log_id: LogId { key_id: STANDARD.encode(of_hex(&payload.log_id)?) },
            integrated_time: payload.integrated_time,
            inclusion_promise: Some(Promise { signed_entry_timestamp }),
            inclusion_proof: None,
            canonicalized_body: payload.body,
        })
    }
}

impl Material {
    /// Returns what the annotations of a signature hold; `None` without a certificate.
    ///
    /// # Errors
    /// They cannot be read; with the annotation.
    pub fn of_annotations(annotations: &BTreeMap<String, String>) -> Result<Option<Material>, String> {
        let within = |name: &str, max: usize| match annotations.get(name) {
            Some(text) if text.len() > max => {
                Err(format!("its annotation `{name}` has {} bytes, and at most {max} are read", text.len()))
            }
            text => Ok(text),
        };
        let unread = |name: &str| format!("its annotation `{name}` cannot be read");
        let Some(pem) = within(CERTIFICATE, MAX_CERTIFICATE)? else { return Ok(None) };
        let der = of_pem(pem).ok_or_else(|| unread(CERTIFICATE))?;
        let certificate = Certificate { raw_bytes: STANDARD.encode(der) };
        let mut material = Material { certificate: Some(certificate), ..Material::default() };
        if let Some(bundle) = within(BUNDLE, MAX_ANNOTATION)? {
            let entry = serde_json::from_str(bundle).ok().and_then(AnnotatedEntry::entry);
            material.tlog_entries.push(entry.ok_or_else(|| unread(BUNDLE))?);
        }
        if let Some(stamp) = within(TIME_STAMP, MAX_ANNOTATION)? {
            let AnnotatedTimeStamp { signed } =
                serde_json::from_str(stamp).map_err(|_| unread(TIME_STAMP))?;
            let stamp = TimeStamp { signed_timestamp: signed };
            material.timestamp_verification_data = Some(TimeStamps { rfc3161_timestamps: vec![stamp] });
        }
        Ok(Some(material))
    }

    /// Returns the signer's certificate, in DER.
    pub fn certificate(&self) -> Option<Vec<u8>> {
        let chain = self.x509_certificate_chain.as_ref().and_then(|chain| chain.certificates.first());
        let text = &self.certificate.as_ref().or(chain)?.raw_bytes;
        STANDARD.decode(text).ok().filter(|_| text.len() <= MAX_CERTIFICATE)
    }

    /// Returns whether there is a proof for each entry that the log has it.
    pub fn is_proven(&self) -> bool {
        self.tlog_entries.iter().all(|entry| entry.inclusion_proof.is_some())
    }

    /// Returns the answers of time-stamping authorities, in DER.
    pub fn time_stamps(&self) -> impl Iterator<Item = Vec<u8>> {
        let stamps = self.timestamp_verification_data.iter().flat_map(|data| &data.rfc3161_timestamps);
        stamps.filter_map(|stamp| STANDARD.decode(&stamp.signed_timestamp).ok())
    }
}

/// Returns the content of the first block of a PEM text.
pub(super) fn of_pem(pem: &str) -> Option<Vec<u8>> {
    let (_, begun) = pem.split_once("-----BEGIN CERTIFICATE-----")?;
    let (text, _) = begun.split_once("-----END CERTIFICATE-----")?;
    STANDARD.decode(text.split_whitespace().collect::<String>()).ok()
}

pub(super) fn of_hex(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Reads a number, which the JSON of a bundle has as text.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Text(String),
    }
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(number),
        Written::Text(text) => text.parse().map_err(D::Error::custom),
    }
}

/// Reads a list of at most `MAX` elements.
fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MAX: usize>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Few<T, const MAX: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Few<T, MAX> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            write!(f, "a list of at most {MAX} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut read = Vec::new();
            while let Some(element) = list.next_element()? {
                if read.len() == MAX {
                    return Err(A::Error::custom(format!("a list has more than {MAX} elements")));
                }
                read.push(element);
            }
            Ok(read)
        }
    }

    deserializer.deserialize_seq(Few::<T, MAX>(PhantomData))
}
