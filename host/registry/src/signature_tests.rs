//! Signatures in the formats of cosign, made here.

use super::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use tuffet_config::KeylessConfig;

const NAME: &str = "registry.example/plugins/acl";

/// A deadline that is not reached.
fn later() -> Instant {
    Instant::now() + std::time::Duration::from_secs(3600)
}

struct Signer(EcdsaKeyPair);

impl Signer {
    fn new() -> Signer {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Signer(EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap())
    }

    fn config(&self, repository: Option<&str>) -> VerifyConfig {
        let keys = vec![VerifyKey::P256(self.0.public_key().as_ref().to_vec())];
        VerifyConfig {
            key: Some("cosign.pub".into()),
            keyless: None,
            repository: repository.map(str::to_owned),
            keys,
        }
    }

    fn sign(&self, form: Form, payload: &str) -> Signature {
        let signed = match form {
            Form::Simple => payload.as_bytes().to_vec(),
            Form::Statement => pre_authentication_encoding(payload.as_bytes()),
        };
        let signature = self.0.sign(&SystemRandom::new(), &signed).unwrap();
        Signature {
            form,
            payload: STANDARD.encode(payload),
            signature: STANDARD.encode(signature),
            material: None,
            unproven: None,
        }
    }
}

fn payload(name: &str, digest: &Sha256Digest) -> String {
    format!(
        r#"{{"critical":{{"identity":{{"docker-reference":"{name}"}},"image":{{"docker-manifest-digest":"sha256:{digest}"}},"type":"cosign container image signature"}},"optional":null}}"#
    )
}

fn statement(kind: &str, digest: &Sha256Digest) -> String {
    format!(
        r#"{{"_type":"https://in-toto.io/Statement/v1","subject":[{{"digest":{{"sha256":"{digest}"}}}}],"predicateType":"{kind}","predicate":{{}}}}"#
    )
}

#[test]
fn a_signature_counts_for_its_key_its_digest_and_its_repository() {
    let (signer, other) = (Signer::new(), Signer::new());
    let (digest, wrong) = (Sha256Digest::of(b"manifest"), Sha256Digest::of(b"another"));
    let simple = |name: &str, digest| signer.sign(Form::Simple, &payload(name, digest));
    let judge = |signatures: &[Signature], config: &VerifyConfig| {
        verify(&Found::kept(signatures.to_vec()), config, NAME, &digest, later())
    };
    let config = signer.config(None);
    let good = simple(NAME, &digest);
    judge(std::slice::from_ref(&good), &config).unwrap();
    // With the signed tag, and behind another signature.
    judge(&[simple(NAME, &wrong), simple(&format!("{NAME}:1.2"), &digest)], &config).unwrap();
    // A copied component.
    judge(&[simple("upstream.example/acl", &digest)], &signer.config(Some("upstream.example/acl"))).unwrap();
    for (signatures, config, due) in [
        (vec![], signer.config(None), "it is not signed"),
        (vec![good.clone()], other.config(None), "none of its signatures is by this key"),
        (vec![simple(NAME, &wrong)], signer.config(None), "for another digest"),
        (
            vec![simple("registry.example/plugins/acl2", &digest)],
            signer.config(None),
            "not for registry.example",
        ),
        (vec![good.clone()], signer.config(Some("upstream.example/acl")), "not for upstream.example"),
        (vec![signer.sign(Form::Simple, "{}")], signer.config(None), "no payload"),
    ] {
        let refused = judge(&signatures, &config).unwrap_err();
        assert!(refused.contains(due), "{due}: {refused}");
    }
    // One changed bit of the payload or of the signature.
    let changed = |text: &str| {
        let mut bytes = STANDARD.decode(text).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        STANDARD.encode(bytes)
    };
    let other_payload = Signature { payload: changed(&good.payload), ..good.clone() };
    let other_signature = Signature { signature: changed(&good.signature), ..good };
    assert!(judge(&[other_payload], &config).is_err() && judge(&[other_signature], &config).is_err());
}

#[test]
fn a_statement_counts_if_it_is_a_signature() {
    let signer = Signer::new();
    let (digest, wrong) = (Sha256Digest::of(b"manifest"), Sha256Digest::of(b"another"));
    let judge = |kind, digest_in_statement| {
        let signature = signer.sign(Form::Statement, &statement(kind, digest_in_statement));
        verify(&Found::kept(vec![signature]), &signer.config(None), NAME, &digest, later())
    };
    judge(SIGNATURE_PREDICATE, &digest).unwrap();
    assert!(judge(SIGNATURE_PREDICATE, &wrong).unwrap_err().contains("another digest"));
    // An SBOM signed with the same key approves nothing.
    assert!(judge("https://spdx.dev/Document", &digest).unwrap_err().contains("attestation"));
    // A signature in one form does not count in the other.
    let mut signature = signer.sign(Form::Simple, &statement(SIGNATURE_PREDICATE, &digest));
    signature.form = Form::Statement;
    assert!(verify(&Found::kept(vec![signature]), &signer.config(None), NAME, &digest, later()).is_err());
}

#[test]
fn ed25519_keys_count_too() {
    let random = SystemRandom::new();
    let document = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let digest = Sha256Digest::of(b"manifest");
    let text = payload(NAME, &digest);
    let signature = STANDARD.encode(pair.sign(text.as_bytes()));
    let signature = Signature {
        form: Form::Simple,
        payload: STANDARD.encode(text),
        signature,
        material: None,
        unproven: None,
    };
    let keys = vec![VerifyKey::Ed25519(pair.public_key().as_ref().to_vec())];
    let config = VerifyConfig { key: Some("key.pub".into()), keyless: None, repository: None, keys };
    verify(&Found::kept(vec![signature]), &config, NAME, &digest, later()).unwrap();
}

#[test]
fn ed25519_keys_may_sign_a_digest() {
    // RFC 8032, section 7.3: the test vector of Ed25519ph.
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    };
    let key = hex("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf");
    let signature = hex(concat!(
        "98a70222f0b8121aa9d30f813d683f809e462b469c7ff87639499bb94e6dae4131f85042463c2a355a2003d062adf5aa",
        "a10b8c61e636062aaad11c2a26083406"
    ));
    assert_eq!(verify_prehashed(&key, b"abc", &signature), Some(()));
    assert_eq!(verify_prehashed(&key, b"abd", &signature), None);
    assert_eq!(verify_prehashed(&key[1..], b"abc", &signature), None);
    assert_eq!(verify_prehashed(&key, b"abc", &signature[1..]), None);
}

#[test]
fn verifying_ends_at_its_deadline() {
    let signer = Signer::new();
    let digest = Sha256Digest::of(b"manifest");
    let found = Found::kept(vec![signer.sign(Form::Simple, &payload(NAME, &digest))]);
    let judge = |until| verify(&found, &signer.config(None), NAME, &digest, until);
    judge(later()).unwrap();
    assert!(judge(Instant::now()).unwrap_err().contains("in time"));
}

#[test]
fn a_bundle_that_is_not_understood_says_so() {
    let bundle = keyless_bundle();
    let read = |change: &dyn Fn(&mut Value)| {
        let mut bundle = bundle.clone();
        change(&mut bundle);
        let [signature] = <[_; 1]>::try_from(Bundle::signatures(bundle.to_string().as_bytes())?).unwrap();
        // It still counts if it is by a key.
        assert_ne!(signature.material.is_some(), signature.unproven.is_some());
        signature.unproven.map_or(Ok(()), Err)
    };
    let with = |key: &str, value: Value| read(&|bundle| bundle[key] = value.clone());
    let in_entry = |key: &str, value: Value| {
        read(&|bundle| bundle["verificationMaterial"]["tlogEntries"][0][key] = value.clone())
    };
    assert_eq!(read(&|_| ()), Ok(()));
    assert_eq!(with("mediaType", "application/vnd.dev.sigstore.bundle+json;version=0.3".into()), Ok(()));
    let unproven =
        |bundle: &mut Value| bundle["verificationMaterial"]["tlogEntries"][0]["inclusionProof"] = Value::Null;
    for (read, due) in [
        (
            with("mediaType", "application/vnd.dev.sigstore.bundle.v0.4+json".into()),
            "only versions 0.1 to 0.3",
        ),
        (with("dsseEnvelope", Value::Null), "another kind of signature"),
        (with("dsseEnvelope", "x".into()), "cannot be read"),
        (in_entry("logId", Value::Null), "cannot be read"),
        (in_entry("integratedTime", "-1".into()), "cannot be read"),
        (read(&unproven), "lacks the proof"),
        (
            read(&|bundle| bundle["verificationMaterial"]["tlogEntries"] = json!(vec![json!({}); 9])),
            "cannot be read",
        ),
        (in_entry("inclusionProof", json!({ "hashes": vec![""; 65] })), "more than 64 elements"),
    ] {
        let reason = read.unwrap_err();
        assert!(reason.contains(due), "{due}: {reason}");
    }
    let first = read(&|bundle| {
        unproven(bundle);
        bundle["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.1".into();
    });
    assert_eq!(first, Ok(()));
    let deep = Bundle::signatures("[".repeat(100_000).as_bytes()).unwrap_err();
    assert!(deep.contains("cannot be read"), "{deep}");
}

fn keyless_bundle() -> Value {
    let sigstore = tuffet_testkit::sigstore::Sigstore::new();
    let how = tuffet_testkit::sigstore::Signing::of("eve@acme.example", "https://issuer.example");
    sigstore.sign_statement("{}", &how).bundle()
}

/// What proves a signature without a key does not matter to a key.
#[test]
fn by_a_key_a_signature_counts_whatever_is_beside_it() {
    let (signer, other) = (Signer::new(), Signer::new());
    let digest = Sha256Digest::of(b"manifest");
    let mut bundle = keyless_bundle();
    let signature = signer.sign(Form::Statement, &statement(SIGNATURE_PREDICATE, &digest));
    bundle["dsseEnvelope"]["payload"] = signature.payload.into();
    bundle["dsseEnvelope"]["signatures"][0]["sig"] = signature.signature.into();
    let judge = |bundle: &Value, config: &VerifyConfig| {
        let signatures = Bundle::signatures(bundle.to_string().as_bytes()).unwrap();
        verify(&Found::kept(signatures), config, NAME, &digest, later())
    };
    let key = signer.config(None);
    judge(&bundle, &key).unwrap();
    for (at, value) in [
        ("/verificationMaterial/tlogEntries/0", json!({})),
        ("/verificationMaterial/tlogEntries/0/integratedTime", json!("-1")),
        ("/verificationMaterial/certificate", json!("?")),
        ("/mediaType", json!("another")),
    ] {
        let mut bundle = bundle.clone();
        *bundle.pointer_mut(at).unwrap() = value;
        judge(&bundle, &key).unwrap();
        assert!(judge(&bundle, &other.config(None)).unwrap_err().contains("by this key"), "{at}");
    }
    // Without a certificate, nothing is read.
    bundle["verificationMaterial"] = json!({ "publicKey": { "hint": "" }, "tlogEntries": [{}] });
    judge(&bundle, &key).unwrap();
}

#[test]
fn the_signature_that_came_furthest_is_explained() {
    let (signer, other) = (Signer::new(), Signer::new());
    let (digest, wrong) = (Sha256Digest::of(b"manifest"), Sha256Digest::of(b"another"));
    let nearly = signer.sign(Form::Simple, &payload(NAME, &wrong));
    let junk = other.sign(Form::Simple, "{}");
    let keyless = KeylessConfig {
        identity: "eve@acme.example".into(),
        issuer: "https://issuer.example".into(),
        source_repository: None,
        trusted_root: "root.json".into(),
        roots: Vec::new(),
    };
    let judge = |signatures: &[&Signature], config: &VerifyConfig| {
        let found = Found::kept(signatures.iter().copied().cloned().collect());
        verify(&found, config, NAME, &digest, later()).unwrap_err()
    };
    let key = signer.config(None);
    for order in [[&nearly, &junk], [&junk, &nearly]] {
        let reason = judge(&order, &key);
        assert!(reason.contains("for another digest"), "{reason}");
    }
    let both = VerifyConfig { keyless: Some(keyless.clone()), ..key.clone() };
    let reason = judge(&[&junk], &both);
    assert!(reason.contains("is by this key, and this one has no certificate"), "{reason}");
    let only = VerifyConfig { key: None, keys: Vec::new(), ..both };
    assert!(judge(&[&junk], &only).contains("so it was not made keyless"));
    let broken = Signature { unproven: Some("its annotation `x` cannot be read".into()), ..junk.clone() };
    for order in [[&broken, &junk], [&junk, &broken]] {
        let reason = judge(&order, &only);
        assert!(reason.contains("its annotation `x` cannot be read"), "{reason}");
    }
}
