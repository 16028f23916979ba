//! An instance of Sigstore that lives in a test: an authority, a log of certificates, a log of signatures in both
//! versions, and a time-stamping authority. It signs what `cosign sign` would, with anything wrong that a test wants.

mod der;
mod log;
mod time_stamp;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use der::{Certificate, der, extension, id, sequence};
pub use log::Log;
use time_stamp::TimeStamping;

/// The payload type of a statement.
const STATEMENT: &str = "application/vnd.in-toto+json";
/// When instances begin, and when they sign by default, in seconds since 1970.
const BEGIN: u64 = 1_700_000_000;
const NOW: u64 = 1_750_000_000;
/// The name of the authority: that of every instance.
const AUTHORITY: &str = "fulcio.example";

/// A pair of keys: ECDSA P-256.
pub struct Key(EcdsaKeyPair);

impl Key {
    /// A new pair.
    #[allow(clippy::new_without_default)] // each is another
    pub fn new() -> Key {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let pair = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("random bytes");
        Key(EcdsaKeyPair::from_pkcs8(kind, pair.as_ref(), &random).expect("a pair"))
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.0.sign(&SystemRandom::new(), message).expect("random bytes").as_ref().to_vec()
    }

    /// The public key, as a `SubjectPublicKeyInfo` in DER.
    pub fn public(&self) -> Vec<u8> {
        let curve = [
            &id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01])[..],
            &id(&[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]),
        ];
        sequence(&[&sequence(&curve), &der(0x03, &[&[0], self.0.public_key().as_ref()])])
    }
}

/// The version of the log that has a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Rekor 1, with a promise and a proof.
    First,
    /// Rekor 2, with a proof and without a time.
    Second,
    /// None.
    None,
}

/// What the log of certificates has signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logged {
    /// That it has the certificate.
    Yes,
    /// The same, behind what an unknown log has signed.
    Second,
    /// Nothing.
    No,
    /// Nothing: another key has signed, under the identifier of the log.
    ByAnother,
    /// That it has another certificate.
    OfAnother,
    /// That it has the certificate, issued by another authority.
    IssuedByAnother,
}

/// How to sign.
#[derive(Debug, Clone)]
pub struct Signing {
    /// The name in the certificate: an e-mail address if it has an `@` and no `/`, else a URI.
    pub identity: String,
    /// Who vouches for it.
    pub issuer: String,
    /// When the log sees it, in seconds since 1970.
    pub time: u64,
    /// The first and the last second of the certificate.
    pub valid: [u64; 2],
    /// The entry in the log.
    pub entry: Entry,
    /// When the time-stamping authority sees it.
    pub stamped: Option<u64>,
    /// Whether the log of certificates has the certificate.
    pub certificate_logged: Logged,
    /// Whether the certificate is for signing.
    pub for_signing: bool,
    /// The repository for which a workflow signs.
    pub source_repository: Option<String>,
    /// Whether the certificate has its issuer in the earlier form: plain text.
    pub plain_issuer: bool,
}

impl Signing {
    /// As Sigstore's public instance signs.
    pub fn of(identity: &str, issuer: &str) -> Signing {
        Signing {
            identity: identity.into(),
            issuer: issuer.into(),
            time: NOW,
            valid: [NOW - 60, NOW + 540],
            entry: Entry::First,
            stamped: None,
            certificate_logged: Logged::Yes,
            for_signing: true,
            source_repository: None,
            plain_issuer: false,
        }
    }
}

/// A signature with its proofs.
pub struct Signature {
    payload: Vec<u8>,
    signature: Vec<u8>,
    certificate: Vec<u8>,
    entry: Option<Value>,
    stamp: Option<Vec<u8>>,
}

/// See the module.
pub struct Sigstore {
    /// The authority's key, its certificate, and that of the root that issued it.
    authority: Key,
    certificates: [Vec<u8>; 2],
    certificate_log: Log,
    log: Log,
    time_stamping: TimeStamping,
}

impl Sigstore {
    /// A new instance.
    #[allow(clippy::new_without_default)] // each is another
    pub fn new() -> Sigstore {
        Sigstore::with(TimeStamping::new(true))
    }

    /// A new instance. The certificate of its time-stamping authority names no purpose.
    pub fn without_purpose() -> Sigstore {
        Sigstore::with(TimeStamping::new(false))
    }

    fn with(time_stamping: TimeStamping) -> Sigstore {
        let (root, authority) = (Key::new(), Key::new());
        let certificate = |subject, key| {
            Certificate {
                issuer: "root.example",
                subject,
                key,
                valid: [BEGIN, NOW * 2],
                extensions: Vec::new(),
            }
            .authority()
            .sign(&root)
        };
        let certificates = [certificate(AUTHORITY, &authority), certificate("root.example", &root)];
        Sigstore {
            authority,
            certificates,
            certificate_log: Log::new("ct.example", Key::new()),
            log: Log::new("rekor.example", Key::new()),
            time_stamping,
        }
    }

    /// What a verifier trusts, as `cosign trusted-root create` writes it.
    pub fn trusted_root(&self) -> Value {
        let authority = |certificates: &[Vec<u8>]| {
            let certificates: Vec<Value> =
                certificates.iter().map(|der| json!({ "rawBytes": STANDARD.encode(der) })).collect();
            json!({ "certChain": { "certificates": certificates }, "validFor": { "start": "2023-11-14T22:13:20Z" } })
        };
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [self.log.trusted()],
            "certificateAuthorities": [authority(&self.certificates)],
            "ctlogs": [self.certificate_log.trusted()],
            "timestampAuthorities": [authority(&self.time_stamping.certificates)],
        })
    }

    /// Signs a statement of in-toto.
    pub fn sign_statement(&self, statement: &str, how: &Signing) -> Signature {
        let message = format!("DSSEv1 {} {STATEMENT} {} {statement}", STATEMENT.len(), statement.len());
        self.sign(message.as_bytes(), statement.as_bytes(), how)
    }

    /// Signs a payload as it is, as cosign 2 does.
    pub fn sign_payload(&self, payload: &str, how: &Signing) -> Signature {
        self.sign(payload.as_bytes(), payload.as_bytes(), how)
    }

    fn sign(&self, message: &[u8], payload: &[u8], how: &Signing) -> Signature {
        let key = Key::new();
        let certificate = self.certify(&key, how);
        let signature = key.sign(message);
        let seen = log::Seen { message, payload, signature: &signature, certificate: &certificate };
        let entry = match how.entry {
            Entry::First => Some(self.log.first(&seen, how.time)),
            Entry::Second => Some(self.log.second(&seen)),
            Entry::None => None,
        };
        let stamp = how.stamped.map(|time| self.time_stamping.stamp(&signature, time));
        Signature { payload: payload.to_vec(), signature, certificate, entry, stamp }
    }

    /// Issues a certificate, which a log of certificates has signed before.
    fn certify(&self, key: &Key, how: &Signing) -> Vec<u8> {
        let tag = if how.identity.contains('@') && !how.identity.contains('/') { 0x81 } else { 0x86 };
        let name = sequence(&[&der(tag, &[how.identity.as_bytes()])]);
        let usage = if how.for_signing { 3 } else { 1 };
        let usage = sequence(&[&id(&[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, usage])]);
        let (form, issuer) = match how.plain_issuer {
            true => (1, how.issuer.as_bytes().to_vec()),
            false => (8, der(0x0c, &[how.issuer.as_bytes()])),
        };
        let mut certificate = Certificate {
            issuer: AUTHORITY,
            subject: "",
            key,
            valid: how.valid,
            extensions: vec![
                extension(&[0x55, 0x1d, 0x0f], true, &[0x03, 0x02, 0x07, 0x80]),
                extension(&[0x55, 0x1d, 0x25], false, &usage),
                extension(&[0x55, 0x1d, 0x11], true, &name),
                extension(&[0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01, form], false, &issuer),
            ],
        };
        if let Some(repository) = &how.source_repository {
            let oid = [0x2b, 0x06, 0x01, 0x04, 0x01, 0x83, 0xbf, 0x30, 0x01, 0x0c];
            certificate.extensions.push(extension(&oid, false, &der(0x0c, &[repository.as_bytes()])));
        }
        let (log, other) = (&self.certificate_log, Log::new("other.example", Key::new()));
        let (signed, issuer, time) = (certificate.signed(), self.authority.public(), how.valid[0]);
        let good = log.sct(&log.id(), &signed, &issuer, time);
        let list = match how.certificate_logged {
            Logged::Yes => good,
            Logged::Second => [other.sct(&other.id(), &signed, &issuer, time), good].concat(),
            Logged::No => Vec::new(),
            Logged::ByAnother => other.sct(&log.id(), &signed, &issuer, time),
            Logged::OfAnother => log.sct(&log.id(), b"another", &issuer, time),
            Logged::IssuedByAnother => log.sct(&log.id(), &signed, &Key::new().public(), time),
        };
        if !list.is_empty() {
            let scts = [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x02];
            certificate.extensions.push(extension(&scts, false, &der(0x04, &[&log::vector(&list)])));
        }
        certificate.sign(&self.authority)
    }
}

impl Signature {
    /// The bundle of a statement.
    pub fn bundle(&self) -> Value {
        let stamps = self.stamp.iter().map(|stamp| json!({ "signedTimestamp": STANDARD.encode(stamp) }));
        json!({
            "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
            "verificationMaterial": {
                "certificate": { "rawBytes": STANDARD.encode(&self.certificate) },
                "tlogEntries": self.entry.iter().collect::<Vec<_>>(),
                "timestampVerificationData": { "rfc3161Timestamps": stamps.collect::<Vec<_>>() },
            },
            "dsseEnvelope": {
                "payload": STANDARD.encode(&self.payload),
                "payloadType": STATEMENT,
                "signatures": [{ "sig": STANDARD.encode(&self.signature) }],
            },
        })
    }

    /// The annotations of a signed payload, as cosign 2 has them.
    pub fn annotations(&self) -> Value {
        let mut annotations = json!({
            "dev.cosignproject.cosign/signature": STANDARD.encode(&self.signature),
            "dev.sigstore.cosign/certificate": pem(&self.certificate),
        });
        if let Some(entry) = &self.entry {
            let number = |name: &str| entry[name].as_str().and_then(|text| text.parse::<u64>().ok());
            let id =
                entry["logId"]["keyId"].as_str().and_then(|id| STANDARD.decode(id).ok()).unwrap_or_default();
            let bundle = json!({
                "SignedEntryTimestamp": entry["inclusionPromise"]["signedEntryTimestamp"],
                "Payload": {
                    "body": entry["canonicalizedBody"],
                    "integratedTime": number("integratedTime"),
                    "logIndex": number("logIndex"),
                    "logID": hex(&id),
                },
            });
            annotations["dev.sigstore.cosign/bundle"] = json!(bundle.to_string());
        }
        if let Some(stamp) = &self.stamp {
            let stamp = json!({ "SignedRFC3161Timestamp": STANDARD.encode(stamp) });
            annotations["dev.sigstore.cosign/rfc3161timestamp"] = json!(stamp.to_string());
        }
        annotations
    }
}

fn pem(certificate: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(certificate))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sha256(content: &[u8]) -> Vec<u8> {
    Sha256::digest(content).to_vec()
}
