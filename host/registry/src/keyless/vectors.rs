//! Signatures that the public instances of Sigstore made, and what remains of them when bytes are changed.
//!
//! The bundles and roots are from the tests of sigstore-conformance (a73de497; `rekor-1` is its
//! `trust-root-tlog-validity-end-inclusive`, `rekor-2` its `rekor2-dsse-happy-path`), without white space.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use serde_json::Value;
use tuffet_config::{KeylessConfig, TrustedRoot};

use super::{Material, verify};

const IDENTITY: &str = "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/\
                        .github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main";
const ISSUER: &str = "https://token.actions.githubusercontent.com";
/// Changed inputs for each text in the proofs of a signature.
const CHANGES: usize = 20;

/// A signature, and the means to verify it.
struct Vector {
    /// What proves it, as JSON.
    material: Value,
    message: Vec<u8>,
    payload: Vec<u8>,
    signature: Vec<u8>,
    required: KeylessConfig,
}

impl Vector {
    fn of(bundle: &str, root: &str) -> Vector {
        let bundle: Value = serde_json::from_str(bundle).unwrap();
        let decoded = |text: &Value| STANDARD.decode(text.as_str().unwrap()).unwrap();
        let (message, payload, signature) = match bundle.get("dsseEnvelope") {
            Some(envelope) => {
                let payload = decoded(&envelope["payload"]);
                let kind = envelope["payloadType"].as_str().unwrap();
                let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
                ([head.as_bytes(), &*payload].concat(), payload, decoded(&envelope["signatures"][0]["sig"]))
            }
            None => {
                let signed = include_bytes!("vectors/signed.txt").to_vec();
                (signed.clone(), signed, decoded(&bundle["messageSignature"]["signature"]))
            }
        };
        let required = KeylessConfig {
            identity: IDENTITY.into(),
            issuer: ISSUER.into(),
            source_repository: None,
            trusted_root: PathBuf::from("root.json"),
            roots: TrustedRoot::read(root).unwrap(),
        };
        Vector { material: bundle["verificationMaterial"].clone(), message, payload, signature, required }
    }

    fn all() -> [Vector; 2] {
        [
            Vector::of(
                include_str!("vectors/rekor-1.bundle.json"),
                include_str!("vectors/rekor-1.root.json"),
            ),
            Vector::of(
                include_str!("vectors/rekor-2.bundle.json"),
                include_str!("vectors/rekor-2.root.json"),
            ),
        ]
    }

    /// Verifies the signature with other proofs than its own.
    fn judge(&self, material: &Value) -> Result<String, String> {
        let material: Material =
            serde_json::from_value(material.clone()).map_err(|error| error.to_string())?;
        verify(&material, (&self.message, &self.payload, &self.signature), &self.required)
    }
}

#[test]
fn signatures_of_sigstore_count() {
    for mut vector in Vector::all() {
        assert_eq!(vector.judge(&vector.material), Ok(IDENTITY.into()));
        let last = vector.message.len() - 1;
        vector.message[last] ^= 1;
        let reason = vector.judge(&vector.material).unwrap_err();
        assert!(reason.contains("not by the key in its certificate"), "{reason}");
        vector.message[last] ^= 1;
        vector.required.identity = IDENTITY.replace("main", "other");
        let reason = vector.judge(&vector.material).unwrap_err();
        assert!(reason.contains("is signed by"), "{reason}");
    }
    let [first, second] = Vector::all();
    let elsewhere = Vector { required: second.required, ..first };
    let reason = elsewhere.judge(&elsewhere.material).unwrap_err();
    assert!(reason.contains("by no authority of the trusted root"), "{reason}");
}

/// No change makes anything panic. The signature counts only with the certificate of its signer.
#[test]
fn changed_proofs_are_refused() {
    let mut random = Rng::with_seed(7);
    let mut refused = 0;
    for vector in Vector::all() {
        for pointer in texts(&vector.material, "") {
            for _ in 0..CHANGES {
                let mut material = vector.material.clone();
                let text = material.pointer_mut(&pointer).unwrap();
                *text = changed(text, &mut random);
                let judged = vector.judge(&material);
                refused += usize::from(judged.is_err());
                let same = material == vector.material;
                assert!(same || !pointer.contains("ertificate") || judged.is_err(), "{pointer}: {material}");
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

/// Returns the pointers to all texts and numbers.
fn texts(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            fields.iter().flat_map(|(key, value)| texts(value, &format!("{at}/{key}"))).collect()
        }
        Value::Array(list) => list
            .iter()
            .enumerate()
            .flat_map(|(index, value)| texts(value, &format!("{at}/{index}")))
            .collect(),
        _ => vec![at.to_owned()],
    }
}

/// Changes some of the bytes that a text has in Base64, or else of the text.
fn changed(text: &Value, random: &mut Rng) -> Value {
    let plain = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
    let decoded = STANDARD.decode(&plain).ok().filter(|bytes| bytes.len() > 2);
    let mut bytes = decoded.clone().unwrap_or_else(|| plain.clone().into_bytes());
    for _ in 0..random.usize(1..=3) {
        let at = random.usize(..bytes.len().max(1));
        match random.u8(..6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), random.u8(..)),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            // Lengths in DER.
            3 if at < bytes.len() => {
                bytes[at] = [0, 1, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xff][random.usize(..8)]
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ => {}
        }
    }
    match decoded {
        Some(_) => Value::String(STANDARD.encode(bytes)),
        None => Value::String(String::from_utf8_lossy(&bytes).into_owned()),
    }
}
