//! Signatures by an instance of Sigstore that lives in the test, and what may be wrong with them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tuffet_config::{KeylessConfig, TrustedRoot};
use tuffet_testkit::sigstore::{Entry, Logged, Signature, Signing, Sigstore};

use super::*;

const WORKFLOW: &str = "https://github.com/acme/plugins/.github/workflows/release.yml@refs/tags/v1";
const ISSUER: &str = "https://token.actions.githubusercontent.com";
const PAYLOAD: &str = "what is signed";

fn good() -> Signing {
    Signing::of(WORKFLOW, ISSUER)
}

fn required(roots: &[&Value]) -> KeylessConfig {
    let text: String = roots.iter().map(|root| root.to_string()).collect();
    KeylessConfig {
        identity: WORKFLOW.replace("v1", "*"),
        issuer: ISSUER.into(),
        source_repository: None,
        trusted_root: PathBuf::from("root.json"),
        roots: TrustedRoot::read(&text).unwrap(),
    }
}

/// Judges the payload by the bundle of a signature.
fn judge(bundle: &Value, required: &KeylessConfig) -> Result<String, String> {
    let material: Material = serde_json::from_value(bundle["verificationMaterial"].clone()).unwrap();
    let signature =
        STANDARD.decode(bundle["dsseEnvelope"]["signatures"][0]["sig"].as_str().unwrap()).unwrap();
    let payload = STANDARD.decode(bundle["dsseEnvelope"]["payload"].as_str().unwrap()).unwrap();
    let text = str::from_utf8(&payload).unwrap();
    let message = format!("DSSEv1 28 application/vnd.in-toto+json {} {text}", text.len());
    verify(&material, (message.as_bytes(), &payload, &signature), required)
}

fn sign(sigstore: &Sigstore, how: &Signing) -> Value {
    sigstore.sign_statement(PAYLOAD, how).bundle()
}

/// The trusted root without one of its lists.
fn without(sigstore: &Sigstore, lists: &[&str]) -> Value {
    let mut root = sigstore.trusted_root();
    for list in lists {
        root[list] = json!([]);
    }
    root
}

#[track_caller]
fn refused(judged: Result<String, String>, due: &str) {
    let reason = judged.unwrap_err();
    assert!(reason.contains(due), "{due}: {reason}");
}

#[test]
fn a_signature_counts_with_the_proofs_that_the_root_asks_for() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let signed = |how: &Signing| sign(&sigstore, how);
    for how in [
        good(),
        Signing { stamped: Some(good().time), ..good() },
        Signing { plain_issuer: true, ..good() },
        Signing { entry: Entry::Second, stamped: Some(good().time), ..good() },
    ] {
        assert_eq!(judge(&signed(&how), &required(&[&root])), Ok(WORKFLOW.into()), "{how:?}");
    }
    let by_mail = Signing { identity: "eve@acme.example".into(), ..good() };
    let mail = KeylessConfig { identity: "*@acme.example".into(), ..required(&[&root]) };
    assert_eq!(judge(&signed(&by_mail), &mail), Ok("eve@acme.example".into()));
    // Behind another root, as in the file of `gh attestation trusted-root`.
    let other = Sigstore::new().trusted_root();
    judge(&signed(&good()), &required(&[&other, &root])).unwrap();

    // A root without logs, as GitHub's own instance has it.
    let stamps = without(&sigstore, &["tlogs", "ctlogs"]);
    let plain =
        Signing { entry: Entry::None, stamped: Some(good().time), certificate_logged: Logged::No, ..good() };
    judge(&signed(&plain), &required(&[&stamps])).unwrap();
    refused(judge(&signed(&Signing { stamped: None, ..plain.clone() }), &required(&[&stamps])), "says when");
    refused(judge(&signed(&plain), &required(&[&root])), "in no log of the trusted root");
    let unlogged = signed(&Signing { certificate_logged: Logged::No, ..good() });
    refused(judge(&unlogged, &required(&[&root])), "in no log of certificates");
    judge(&unlogged, &required(&[&without(&sigstore, &["ctlogs"])])).unwrap();
    // A proof has no time.
    refused(judge(&signed(&Signing { entry: Entry::Second, ..good() }), &required(&[&root])), "says when");
    let mut unpromised = signed(&good());
    unpromised["verificationMaterial"]["tlogEntries"][0]["inclusionPromise"] = Value::Null;
    refused(judge(&unpromised, &required(&[&root])), "says when");
}

#[test]
fn what_another_signed_does_not_count() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let root = sigstore.trusted_root();
    let judged = |how: &Signing| judge(&sign(&sigstore, how), &required(&[&root]));
    let branch = WORKFLOW.replace("tags/v1", "heads/main");
    refused(judged(&Signing { identity: branch.clone(), ..good() }), &format!("signed by {branch}, not by"));
    refused(judged(&Signing { identity: format!("{WORKFLOW}/x"), ..good() }), "signed by");
    refused(
        judged(&Signing { issuer: "https://evil.example".into(), ..good() }),
        "https://evil.example vouched",
    );
    refused(judged(&Signing { issuer: format!("{ISSUER}.evil.example"), ..good() }), "vouched");
    refused(judged(&Signing { for_signing: false, ..good() }), "is not for signing");
    let source =
        |source: &str| KeylessConfig { source_repository: Some(source.into()), ..required(&[&root]) };
    let from = |repository: Option<&str>| {
        let how = Signing { source_repository: repository.map(str::to_owned), ..good() };
        judge(&sign(&sigstore, &how), &source("https://github.com/acme/plugins"))
    };
    from(Some("https://github.com/acme/plugins")).unwrap();
    refused(
        from(Some("https://github.com/eve/plugins")),
        "worked for https://github.com/eve/plugins, not for",
    );
    refused(from(Some("https://github.com/acme/plugins2")), "not for https://github.com/acme/plugins");
    refused(from(None), "worked for no repository");
    // Another instance, whose authority has the same name: nothing else of it is looked at.
    refused(judge(&sign(&other, &good()), &required(&[&root])), "by no authority of the trusted root");
    // Its authority alone is ours.
    let with_authority = |mut root: Value| {
        root["certificateAuthorities"] = other.trusted_root()["certificateAuthorities"].clone();
        root
    };
    let mixed = with_authority(root.clone());
    refused(judge(&sign(&other, &good()), &required(&[&mixed])), "in no log of the trusted root");
    let stamps = with_authority(without(&sigstore, &["tlogs", "ctlogs"]));
    let stamped = Signing { entry: Entry::None, stamped: Some(good().time), ..good() };
    refused(judge(&sign(&other, &stamped), &required(&[&stamps])), "says when");
    // What has the name of ours, and the key of another.
    let second = Signing { entry: Entry::Second, ..stamped };
    for (pointer, how, due) in [
        ("/certificateAuthorities", good(), "by no authority of the trusted root"),
        ("/ctlogs/0/publicKey", good(), "in no log of certificates"),
        ("/tlogs/0/publicKey", good(), "the log did not sign its entry"),
        ("/tlogs/0/publicKey", second.clone(), "the log did not sign the head of its tree"),
        ("/timestampAuthorities", second, "says when"),
    ] {
        let mut mixed = root.clone();
        *mixed.pointer_mut(pointer).unwrap() = other.trusted_root().pointer(pointer).unwrap().clone();
        refused(judge(&sign(&sigstore, &how), &required(&[&mixed])), due);
        // Behind it, what has the same name and is ours.
        let list = &pointer[1..].split('/').next().unwrap();
        let ours = root[list][0].clone();
        mixed[list].as_array_mut().unwrap().push(ours);
        judge(&sign(&sigstore, &how), &required(&[&mixed])).unwrap();
    }
}

#[test]
fn the_log_of_certificates_signed_this_certificate_of_this_authority() {
    let sigstore = Sigstore::new();
    let judged = |logged| {
        let signed = sign(&sigstore, &Signing { certificate_logged: logged, ..good() });
        judge(&signed, &required(&[&sigstore.trusted_root()]))
    };
    judged(Logged::Yes).unwrap();
    judged(Logged::Second).unwrap();
    for logged in [Logged::No, Logged::ByAnother, Logged::OfAnother, Logged::IssuedByAnother] {
        refused(judged(logged), "in no log of certificates");
    }
}

#[test]
fn a_time_stamp_is_by_an_authority_of_the_root_for_time_stamps() {
    let (sigstore, other) = (Sigstore::new(), Sigstore::new());
    let stamped = Signing { entry: Entry::Second, stamped: Some(good().time), ..good() };
    let judged = |sigstore: &Sigstore, change: &dyn Fn(&mut Value)| {
        let mut root = sigstore.trusted_root();
        change(&mut root["timestampAuthorities"][0]);
        judge(&sign(sigstore, &stamped), &required(&[&root]))
    };
    judged(&sigstore, &|_| ()).unwrap();
    refused(judged(&Sigstore::without_purpose(), &|_| ()), "says when");
    let early = |authority: &mut Value| authority["validFor"]["end"] = json!("2024-01-01T00:00:00Z");
    refused(judged(&sigstore, &early), "says when");
    let chain = other.trusted_root()["timestampAuthorities"][0]["certChain"]["certificates"][1].clone();
    let of_other = |authority: &mut Value| authority["certChain"]["certificates"][1] = chain.clone();
    refused(judged(&sigstore, &of_other), "says when");
}

#[test]
fn the_certificate_must_have_been_valid_when_it_was_signed() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let promised = |time| Signing { time, ..good() };
    let stamped = |time| Signing { entry: Entry::Second, stamped: Some(time), ..good() };
    // Of two times, both count.
    let both = |time| Signing { stamped: Some(time), ..good() };
    let [from, until] = good().valid;
    for how in [promised(from), promised(until), stamped(from), stamped(until), both(until)] {
        assert!(judge(&sign(&sigstore, &how), &required(&[&root])).is_ok(), "{how:?}");
    }
    for how in
        [promised(from - 1), promised(until + 1), stamped(from - 1), stamped(until + 1), both(until + 1)]
    {
        refused(
            judge(&sign(&sigstore, &how), &required(&[&root])),
            "was not valid when it was signed, 2025-06-15T",
        );
    }
    // The authority, and the logs, have a time of their own.
    let early = |pointer: &str| {
        let mut root = root.clone();
        root.pointer_mut(pointer).unwrap()["end"] = json!("2024-01-01T00:00:00Z");
        judge(&sign(&sigstore, &good()), &required(&[&root]))
    };
    refused(early("/certificateAuthorities/0/validFor"), "was not valid when it was signed");
    refused(early("/tlogs/0/publicKey/validFor"), "when its log was not in use");
    refused(early("/ctlogs/0/publicKey/validFor"), "in no log of certificates");
    // The last certificate of an authority has an end, too, whatever the root says.
    let mut short = root.clone();
    short["certificateAuthorities"][0]["certChain"]["certificates"].as_array_mut().unwrap().pop();
    judge(&sign(&sigstore, &good()), &required(&[&short])).unwrap();
    let late = good().time * 2;
    for (end, due) in [(late, true), (late + 1, false)] {
        let how = Signing { time: end, valid: [end, end + 60], ..good() };
        assert_eq!(judge(&sign(&sigstore, &how), &required(&[&short])).is_ok(), due, "{end}");
    }
}

#[test]
fn nothing_of_the_proofs_can_be_changed() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let bundle = sign(&sigstore, &Signing { stamped: Some(good().time), ..good() });
    let entry = "/verificationMaterial/tlogEntries/0";
    let other = sign(&sigstore, &good());
    let changed = |pointer: &str, value: Value| {
        let mut bundle = bundle.clone();
        *bundle.pointer_mut(pointer).unwrap() = value;
        judge(&bundle, &required(&[&root]))
    };
    let swapped = |pointer: &str| changed(pointer, other.pointer(pointer).unwrap().clone());
    judge(&bundle, &required(&[&root])).unwrap();
    let at = |rest: &str| format!("{entry}{rest}");
    refused(changed(&at("/integratedTime"), json!("1750000001")), "the log did not sign its entry");
    refused(changed(&at("/logIndex"), json!("1000")), "the log did not sign its entry");
    refused(swapped(&at("/canonicalizedBody")), "the log did not sign its entry");
    refused(swapped(&at("/inclusionPromise")), "the log did not sign its entry");
    refused(swapped(&at("/inclusionProof")), "the entry is not in the tree");
    refused(changed(&at("/inclusionProof/hashes"), json!([])), "the entry is not in the tree");
    refused(changed(&at("/inclusionProof/logIndex"), json!("0")), "the entry is not in the tree");
    refused(changed(&at("/logId/keyId"), json!("AAAA")), "in no log of the trusted root");
    // The whole entry of another signature by the same signer.
    refused(swapped(entry), "is not of this signature");
    refused(swapped("/verificationMaterial/certificate"), "not by the key in its certificate");
    refused(swapped("/dsseEnvelope/signatures"), "not by the key in its certificate");
    refused(changed("/dsseEnvelope/payload", json!("AAAA")), "not by the key in its certificate");
    // Without a promise, only the time stamp says when.
    let second = sign(&sigstore, &Signing { entry: Entry::Second, stamped: Some(good().time), ..good() });
    let stamps = "/verificationMaterial/timestampVerificationData/rfc3161Timestamps/0/signedTimestamp";
    let stamp = STANDARD.decode(second.pointer(stamps).unwrap().as_str().unwrap()).unwrap();
    let authority = &TrustedRoot::read(&root.to_string()).unwrap()[0].time_stamps[0];
    let signature =
        STANDARD.decode(second["dsseEnvelope"]["signatures"][0]["sig"].as_str().unwrap()).unwrap();
    let seen = |stamp: &[u8]| time_stamp::verify(stamp, &signature, authority);
    let due = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(good().time);
    assert_eq!(seen(&stamp), Some(due));
    for at in 0..stamp.len() {
        let mut changed = stamp.clone();
        changed[at] ^= 1;
        // Parts of it have no meaning here: the version, the signer's name. Nothing panics, and no other time comes out.
        assert!(seen(&changed).is_none_or(|time| time == due), "{at}");
        assert_eq!(seen(&stamp[..at]), None, "{at}");
    }
    // Another year, and another minute at which the certificate is valid.
    let said = stamp.windows(15).position(|window| window == b"20250615150640Z").unwrap();
    for digit in [3, 11] {
        let mut later = stamp.clone();
        later[said + digit] += 1;
        assert_eq!(seen(&later), None);
        let mut second = second.clone();
        *second.pointer_mut(stamps).unwrap() = json!(STANDARD.encode(later));
        refused(judge(&second, &required(&[&root])), "says when");
    }
    let mut swapped = second.clone();
    let other = sign(&sigstore, &Signing { entry: Entry::Second, stamped: Some(good().time), ..good() });
    *swapped.pointer_mut(stamps).unwrap() = other.pointer(stamps).unwrap().clone();
    refused(judge(&swapped, &required(&[&root])), "says when");
}

/// With one bit changed, or cut: nothing panics, and nothing counts.
#[test]
fn a_certificate_that_was_changed_does_not_count() {
    let sigstore = Sigstore::new();
    let required = required(&[&sigstore.trusted_root()]);
    let bundle = sign(&sigstore, &good());
    let at = "/verificationMaterial/certificate/rawBytes";
    let der = STANDARD.decode(bundle.pointer(at).unwrap().as_str().unwrap()).unwrap();
    for index in 0..der.len() {
        let (mut changed, mut bundle) = (der.clone(), bundle.clone());
        changed[index] ^= 1;
        for der in [&changed[..], &der[..index]] {
            *bundle.pointer_mut(at).unwrap() = json!(STANDARD.encode(der));
            assert!(judge(&bundle, &required).is_err(), "{index}");
        }
    }
}

#[test]
fn annotations_of_cosign_2_are_material_too() {
    let sigstore = Sigstore::new();
    let root = sigstore.trusted_root();
    let judge = |signed: &Signature, change: (&str, &str)| {
        let annotations: BTreeMap<String, String> = serde_json::from_value(signed.annotations()).unwrap();
        let signature = STANDARD.decode(&annotations["dev.cosignproject.cosign/signature"]).unwrap();
        let changed =
            annotations.into_iter().map(|(key, value)| (key, value.replace(change.0, change.1))).collect();
        let material = Material::of_annotations(&changed)?.ok_or("no material")?;
        // As it is kept.
        let material: Material = serde_json::from_str(&serde_json::to_string(&material).unwrap()).unwrap();
        let payload = PAYLOAD.as_bytes();
        verify(&material, (payload, payload, &signature), &required(&[&root]))
    };
    let signed = sigstore.sign_payload(PAYLOAD, &Signing { stamped: Some(good().time), ..good() });
    assert_eq!(judge(&signed, ("", "")), Ok(WORKFLOW.into()));
    refused(
        judge(&signed, ("\"integratedTime\":1750000000", "\"integratedTime\":1750000001")),
        "did not sign",
    );
    let long = "x".repeat(64 << 10);
    for (change, due) in [
        (("\"logID\":\"", "\"logID\":\"x"), "`dev.sigstore.cosign/bundle` cannot be read"),
        (("\"integratedTime\":", "\"integratedTime\":-"), "`dev.sigstore.cosign/bundle` cannot be read"),
        (("SignedRFC", "Signed"), "`dev.sigstore.cosign/rfc3161timestamp` cannot be read"),
        (("BEGIN", "BEGUN"), "`dev.sigstore.cosign/certificate` cannot be read"),
        (("BEGIN", &long[..]), "and at most 65536 are read"),
    ] {
        refused(judge(&signed, change), due);
    }
}
