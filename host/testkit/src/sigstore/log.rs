//! Logs: of signatures (Rekor 1 and 2), and of certificates.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{Key, hex, pem, sha256};

/// A signature that comes to the log.
pub(super) struct Seen<'a> {
    pub message: &'a [u8],
    pub payload: &'a [u8],
    pub signature: &'a [u8],
    pub certificate: &'a [u8],
}

/// A log.
pub struct Log {
    name: &'static str,
    key: Key,
}

impl Log {
    /// A log with this name.
    pub fn new(name: &'static str, key: Key) -> Log {
        Log { name, key }
    }

    /// Its identifier.
    pub fn id(&self) -> Vec<u8> {
        sha256(&self.key.public())
    }

    /// Its public key, as a `SubjectPublicKeyInfo` in DER.
    pub fn key(&self) -> Vec<u8> {
        self.key.public()
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.key.sign(message)
    }

    pub(super) fn trusted(&self) -> Value {
        json!({
            "baseUrl": format!("https://{}", self.name),
            "hashAlgorithm": "SHA2_256",
            "publicKey": {
                "rawBytes": STANDARD.encode(self.key.public()),
                "keyDetails": "PKIX_ECDSA_P256_SHA_256",
                "validFor": { "start": "2023-11-14T22:13:20.000Z" },
            },
            "logId": { "keyId": STANDARD.encode(self.id()) },
        })
    }

    /// The signed head of a tree.
    pub fn checkpoint(&self, size: u64, root: &[u8]) -> String {
        let Log { name, key } = self;
        let text = format!("{name}\n{size}\n{}\n", STANDARD.encode(root));
        let signature = STANDARD.encode([&self.id()[..4], &key.sign(text.as_bytes())].concat());
        format!("{text}\n— {name} {signature}\n")
    }

    /// An entry of Rekor 1: of a statement, or of a payload that was signed as it is.
    pub(super) fn first(&self, seen: &Seen, time: u64) -> Value {
        let signature = STANDARD.encode(seen.signature);
        let certificate = STANDARD.encode(pem(seen.certificate));
        let hash = |content| json!({ "algorithm": "sha256", "value": hex(&sha256(content)) });
        let (kind, spec) = if seen.message == seen.payload {
            let signature = json!({ "content": signature, "publicKey": { "content": certificate } });
            ("hashedrekord", json!({ "data": { "hash": hash(seen.message) }, "signature": signature }))
        } else {
            let signatures = [json!({ "signature": signature, "verifier": certificate })];
            ("dsse", json!({ "payloadHash": hash(seen.payload), "signatures": signatures }))
        };
        let mut entry = self.entry(kind, "0.0.1", &spec);
        let body = entry["canonicalizedBody"].as_str().unwrap_or_default();
        // Another index than in the tree, which may be one of several.
        let promise = format!(
            r#"{{"body":"{body}","integratedTime":{time},"logID":"{}","logIndex":1001}}"#,
            hex(&self.id())
        );
        let promise = STANDARD.encode(self.key.sign(promise.as_bytes()));
        entry["logIndex"] = json!("1001");
        entry["integratedTime"] = json!(time.to_string());
        entry["inclusionPromise"] = json!({ "signedEntryTimestamp": promise });
        entry
    }

    /// An entry of Rekor 2.
    pub(super) fn second(&self, seen: &Seen) -> Value {
        let verifier = json!({
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "x509Certificate": { "rawBytes": STANDARD.encode(seen.certificate) },
        });
        let spec = json!({
            "data": { "algorithm": "SHA2_256", "digest": STANDARD.encode(sha256(seen.message)) },
            "signature": { "content": STANDARD.encode(seen.signature), "verifier": verifier },
        });
        self.entry("hashedrekord", "0.0.2", &json!({ "hashedRekordV002": spec }))
    }

    /// An entry with its proof: the second of two in a tree.
    fn entry(&self, kind: &str, version: &str, spec: &Value) -> Value {
        let body = json!({ "apiVersion": version, "kind": kind, "spec": spec }).to_string();
        let other = sha256(b"\0another entry");
        let leaf = sha256(&[&[0][..], body.as_bytes()].concat());
        let root = sha256(&[&[1][..], &other, &leaf].concat());
        json!({
            "logIndex": "1",
            "logId": { "keyId": STANDARD.encode(self.id()) },
            "kindVersion": { "kind": kind, "version": version },
            "inclusionProof": {
                "logIndex": "1", "treeSize": "2",
                "rootHash": STANDARD.encode(&root), "hashes": [STANDARD.encode(&other)],
                "checkpoint": { "envelope": self.checkpoint(2, &root) },
            },
            "canonicalizedBody": STANDARD.encode(body),
        })
    }

    /// What a log of certificates signs about one (RFC 6962, section 3.2), under this identifier of a log.
    pub(super) fn sct(&self, id: &[u8], certificate: &[u8], authority_key: &[u8], time: u64) -> Vec<u8> {
        let time = (time * 1000).to_be_bytes();
        let length = (certificate.len() as u32).to_be_bytes();
        let signed =
            [&[0, 0][..], &time, &[0, 1], &sha256(authority_key), &length[1..], certificate, &[0, 0]];
        let signature = vector(&self.key.sign(&signed.concat()));
        vector(&[&[0][..], id, &time, &[0, 0, 4, 3], &signature].concat())
    }
}

/// Bytes after their number, in two bytes.
pub(super) fn vector(content: &[u8]) -> Vec<u8> {
    [&(content.len() as u16).to_be_bytes(), content].concat()
}
