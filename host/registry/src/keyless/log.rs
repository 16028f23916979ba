//! Entries of transparency logs (Rekor): that a log has an entry, and that the entry is of the signature at hand.
//!
//! An entry of version 1 has a promise, the log's signature of entry and time. Others prove that they are in the tree
//! whose head the log has signed (a checkpoint), without a time.

use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use tuffet_config::TrustedLog;

use super::Signed;
use super::key;
use super::material::{LogEntry, Proof, of_hex, of_pem};

/// The maximum size of a checkpoint, and of the text in it that is signed.
const MAX_CHECKPOINT: usize = 16 << 10;
const MAX_HEAD: usize = 1 << 10;
/// The maximum number of signatures of a checkpoint that are verified: a line that is not the log's can name the log.
const MAX_HEAD_SIGNATURES: usize = 16;
/// The end of the year 9999, in seconds since 1970: later times cannot be printed.
const LAST_SECOND: u64 = 253_402_300_799;
const OTHER_ENTRY: &str = "the entry of the log is not of this signature";

/// Verifies that the log has this entry, and that it is of this signature. Returns the time that the log has signed.
pub(super) fn verify(
    entry: &LogEntry,
    log: &TrustedLog,
    signed: &Signed,
) -> Result<Option<SystemTime>, String> {
    let body =
        STANDARD.decode(&entry.canonicalized_body).map_err(|_| "the entry of the log is not Base64")?;
    let mut time = None;
    if let Some(promise) = &entry.inclusion_promise {
        let promised = STANDARD.decode(&promise.signed_entry_timestamp).unwrap_or_default();
        if !key::verify(&log.key, promise_of(entry, log).as_bytes(), &promised) {
            return Err("the log did not sign its entry, or the entry was changed".into());
        }
        if entry.integrated_time > LAST_SECOND {
            return Err("the time in the log is beyond the year 9999".into());
        }
        time = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(entry.integrated_time));
    }
    match &entry.inclusion_proof {
        Some(proof) => verify_inclusion(proof, log, &body)?,
        None if time.is_none() => return Err("the entry has neither a promise of the log nor a proof".into()),
        None => {}
    }
    verify_body(&body, signed)?;
    Ok(time)
}

/// What a log signs as its promise: JSON in its canonical form (RFC 8785).
fn promise_of(entry: &LogEntry, log: &TrustedLog) -> String {
    let id: String = log.id.iter().map(|byte| format!("{byte:02x}")).collect();
    let LogEntry { canonicalized_body, integrated_time, log_index, .. } = entry;
    // Base64 needs no escapes: the caller has decoded it.
    format!(
        r#"{{"body":"{canonicalized_body}","integratedTime":{integrated_time},"logID":"{id}","logIndex":{log_index}}}"#
    )
}

/// Verifies that the tree with the signed head has this entry (RFC 9162, section 2.1.3.2).
fn verify_inclusion(proof: &Proof, log: &TrustedLog, body: &[u8]) -> Result<(), String> {
    const WRONG: &str = "the entry is not in the tree that the log has signed";
    let checkpoint = proof.checkpoint.as_ref().ok_or("the proof of the log has no checkpoint")?;
    let (size, root) = signed_head(&checkpoint.envelope, log)?;
    if proof.log_index >= size {
        return Err(WRONG.into());
    }
    let (mut index, mut last) = (proof.log_index, size - 1);
    let mut hash = Sha256::new_with_prefix([0_u8]).chain_update(body).finalize();
    for sibling in &proof.hashes {
        let sibling =
            STANDARD.decode(sibling).ok().filter(|hash| hash.len() == 32 && last > 0).ok_or(WRONG)?;
        let node = Sha256::new_with_prefix([1_u8]);
        if index % 2 == 1 || index == last {
            hash = node.chain_update(&sibling).chain_update(hash).finalize();
            // Levels at which the right border has no sibling.
            while index % 2 == 0 && index > 0 {
                (index, last) = (index / 2, last / 2);
            }
        } else {
            hash = node.chain_update(hash).chain_update(&sibling).finalize();
        }
        (index, last) = (index / 2, last / 2);
    }
    if last == 0 && hash[..] == root[..] { Ok(()) } else { Err(WRONG.into()) }
}

/// Returns size and hash of the tree in a checkpoint, if the log signed it: a note of lines, an empty line, and lines
/// with signatures, of which other parties may have added some.
fn signed_head(checkpoint: &str, log: &TrustedLog) -> Result<(u64, Vec<u8>), String> {
    const WRONG: &str = "the log did not sign the head of its tree";
    if checkpoint.len() > MAX_CHECKPOINT {
        return Err(format!("the checkpoint of the log has more than {MAX_CHECKPOINT} bytes"));
    }
    let (text, signatures) = checkpoint.split_once("\n\n").ok_or(WRONG)?;
    if text.len() > MAX_HEAD {
        return Err(format!("the head of the log's tree has more than {MAX_HEAD} bytes"));
    }
    let mut lines = text.lines();
    let (origin, size, root) = (lines.next(), lines.next(), lines.next());
    // Rekor 1 puts the number of its tree behind its name.
    let name = origin.and_then(|origin| origin.split(" - ").next()).filter(|name| !name.is_empty());
    let text = format!("{text}\n");
    let of_log = |line: &str| {
        let (signer, signature) = line.strip_prefix("— ")?.rsplit_once(' ')?;
        let signature = STANDARD.decode(signature).ok()?;
        let (hint, signature) = signature.split_at_checked(4)?;
        let is_its = Some(signer) == name && log.id.starts_with(hint);
        is_its.then(|| signature.to_vec())
    };
    let mut signatures = signatures.lines().filter_map(of_log).take(MAX_HEAD_SIGNATURES);
    if !signatures.any(|signature| key::verify(&log.key, text.as_bytes(), &signature)) {
        return Err(WRONG.into());
    }
    let head = size.and_then(|size| size.parse().ok()).zip(root.and_then(|root| STANDARD.decode(root).ok()));
    head.ok_or_else(|| WRONG.into())
}

/// Verifies that the entry names this signature and its certificate, and what was signed.
fn verify_body(body: &[u8], signed: &Signed) -> Result<(), String> {
    let body: Value = serde_json::from_slice(body).map_err(|_| "the entry of the log is not JSON")?;
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let is_certificate = |pem: Option<Vec<u8>>| {
        pem.and_then(|pem| of_pem(str::from_utf8(&pem).ok()?)).is_some_and(|der| der == signed.certificate)
    };
    let bytes = |value: &str| STANDARD.decode(value).ok();
    let is_signature = |value: Option<Vec<u8>>| value.as_deref() == Some(signed.signature);
    let any = |pointer: &str, of: &dyn Fn(&str, &str) -> bool, [signature, key]: [&str; 2]| {
        let list = body.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().any(|entry| {
            let text = |name: &str| entry[name].as_str().unwrap_or_default();
            of(text(signature), text(key))
        })
    };
    let is_of_this = match (text("/kind"), text("/apiVersion")) {
        ("hashedrekord", "0.0.1") => {
            is_digest(
                text("/spec/data/hash/algorithm"),
                of_hex(text("/spec/data/hash/value")),
                signed.message,
            ) && is_signature(bytes(text("/spec/signature/content")))
                && is_certificate(bytes(text("/spec/signature/publicKey/content")))
        }
        ("hashedrekord", "0.0.2") => {
            let spec = "/spec/hashedRekordV002";
            let text = |rest: &str| text(&format!("{spec}{rest}"));
            is_digest(text("/data/algorithm"), bytes(text("/data/digest")), signed.message)
                && is_signature(bytes(text("/signature/content")))
                && bytes(text("/signature/verifier/x509Certificate/rawBytes")).as_deref()
                    == Some(signed.certificate)
        }
        ("dsse", "0.0.1") => {
            let hash = "/spec/payloadHash";
            is_digest(
                text(&format!("{hash}/algorithm")),
                of_hex(text(&format!("{hash}/value"))),
                signed.payload,
            ) && any(
                "/spec/signatures",
                &|signature, key| is_signature(bytes(signature)) && is_certificate(bytes(key)),
                ["signature", "verifier"],
            )
        }
        ("intoto", "0.0.2") => {
            let hash = "/spec/content/payloadHash";
            // The signature is in Base64 twice.
            let twice = |value: &str| bytes(str::from_utf8(&bytes(value)?).ok()?);
            is_digest(
                text(&format!("{hash}/algorithm")),
                of_hex(text(&format!("{hash}/value"))),
                signed.payload,
            ) && any(
                "/spec/content/envelope/signatures",
                &|signature, key| is_signature(twice(signature)) && is_certificate(bytes(key)),
                ["sig", "publicKey"],
            )
        }
        (kind, version) => {
            let found = format!("{kind} {version}").escape_debug().to_string();
            return Err(format!(
                "the entry of the log is of the kind {found:.60}, and only hashedrekord 0.0.1 and 0.0.2, dsse 0.0.1 and \
                 intoto 0.0.2 are understood"
            ));
        }
    };
    if is_of_this { Ok(()) } else { Err(OTHER_ENTRY.into()) }
}

/// Returns whether this is the digest of the content. The algorithms have two spellings.
fn is_digest(algorithm: &str, digest: Option<Vec<u8>>, content: &[u8]) -> bool {
    let actual = match algorithm {
        "sha256" | "SHA2_256" => Sha256::digest(content).to_vec(),
        "sha384" | "SHA2_384" => Sha384::digest(content).to_vec(),
        "sha512" | "SHA2_512" => Sha512::digest(content).to_vec(),
        _ => return false,
    };
    digest.is_some_and(|digest| digest == actual)
}

#[cfg(test)]
mod tests {
    use super::super::material::Checkpoint;
    use super::*;
    use serde_json::json;
    use tuffet_config::Period;
    use tuffet_testkit::sigstore::{Key, Log};

    fn trusted(log: &Log) -> TrustedLog {
        let period = Period { start: SystemTime::UNIX_EPOCH, end: None };
        TrustedLog { id: log.id(), key: log.key(), period }
    }

    /// The hash of the tree over these leaves, and the proof of one (RFC 9162, sections 2.1.1 and 2.1.3.1).
    fn tree(leaves: &[Vec<u8>], index: usize) -> (Vec<u8>, Vec<String>) {
        if let [leaf] = leaves {
            return (Sha256::new_with_prefix([0_u8]).chain_update(leaf).finalize().to_vec(), Vec::new());
        }
        let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
        let ((left_hash, left_proof), (right_hash, right_proof)) =
            (tree(left, index.min(left.len() - 1)), tree(right, index.saturating_sub(left.len())));
        let hash =
            Sha256::new_with_prefix([1_u8]).chain_update(&left_hash).chain_update(&right_hash).finalize();
        let (mut proof, sibling) =
            if index < left.len() { (left_proof, right_hash) } else { (right_proof, left_hash) };
        proof.push(STANDARD.encode(sibling));
        (hash.to_vec(), proof)
    }

    #[test]
    fn an_entry_is_found_in_trees_of_every_size_and_at_no_other_place() {
        let log = Log::new("log.example", Key::new());
        let trusted = trusted(&log);
        for size in 1..=17_usize {
            let leaves: Vec<Vec<u8>> = (0..size).map(|index| vec![index as u8; index]).collect();
            for index in 0..size {
                let (root, hashes) = tree(&leaves, index);
                let checkpoint = Some(Checkpoint { envelope: log.checkpoint(size as u64, &root) });
                let proof = Proof { log_index: index as u64, hashes, checkpoint };
                verify_inclusion(&proof, &trusted, &leaves[index]).unwrap();
                for wrong in (0..size + 2).filter(|wrong| *wrong != index) {
                    let proof = Proof { log_index: wrong as u64, ..proof.clone() };
                    assert!(
                        verify_inclusion(&proof, &trusted, &leaves[index]).is_err(),
                        "{size} {index} {wrong}"
                    );
                }
                let mut longer = proof.clone();
                longer.hashes.push(STANDARD.encode([0; 32]));
                assert!(verify_inclusion(&longer, &trusted, &leaves[index]).is_err());
                assert!(verify_inclusion(&proof, &trusted, b"another leaf").is_err());
                let unsigned = Proof { checkpoint: None, ..proof };
                assert!(verify_inclusion(&unsigned, &trusted, &leaves[index]).is_err());
            }
        }
    }

    /// Every part of an entry that binds it to the signature.
    #[test]
    fn an_entry_of_each_kind_is_of_one_signature_alone() {
        let (message, payload) = (&b"the signed bytes"[..], &b"the payload"[..]);
        let [certificate, signature] = [&b"certificate"[..], b"signature"];
        let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let pem = |der: &[u8]| {
            let text = STANDARD.encode(der);
            STANDARD.encode(format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"))
        };
        let [base64, twice] = [STANDARD.encode(signature), STANDARD.encode(STANDARD.encode(signature))];
        let digests = |content: &[u8]| {
            let [short, middle] = [Sha256::digest(content).to_vec(), Sha384::digest(content).to_vec()];
            [short, middle, Sha512::digest(content).to_vec()]
        };
        let plain = |content: &[u8], at: usize| {
            let algorithm = ["sha256", "sha384", "sha512"][at];
            json!({ "algorithm": algorithm, "value": hex(&digests(content)[at]) })
        };
        for at in 0..3 {
            let record = json!({
                "data": { "hash": plain(message, at) },
                "signature": { "content": base64, "publicKey": { "content": pem(certificate) } },
            });
            let algorithm = ["SHA2_256", "SHA2_384", "SHA2_512"][at];
            let data = json!({ "algorithm": algorithm, "digest": STANDARD.encode(&digests(message)[at]) });
            let verifier = json!({ "x509Certificate": { "rawBytes": STANDARD.encode(certificate) } });
            let second = json!({ "data": data, "signature": { "content": base64, "verifier": verifier } });
            let dsse = json!({
                "payloadHash": plain(payload, at),
                "signatures": [{ "signature": base64, "verifier": pem(certificate) }],
            });
            let envelope = json!({ "signatures": [{ "sig": twice, "publicKey": pem(certificate) }] });
            let intoto = json!({ "content": { "payloadHash": plain(payload, at), "envelope": envelope } });
            for (kind, version, spec, [algorithm, other_algorithm]) in [
                ("hashedrekord", "0.0.1", record, ["/spec/data/hash/algorithm", "sha1"]),
                (
                    "hashedrekord",
                    "0.0.2",
                    json!({ "hashedRekordV002": second }),
                    ["/spec/hashedRekordV002/data/algorithm", "SHA1"],
                ),
                ("dsse", "0.0.1", dsse, ["/spec/payloadHash/algorithm", "sha1"]),
                ("intoto", "0.0.2", intoto, ["/spec/content/payloadHash/algorithm", "sha1"]),
            ] {
                let body = json!({ "kind": kind, "apiVersion": version, "spec": spec });
                let good = Signed { certificate, message, payload, signature };
                let judge =
                    |body: &Value, signed: &Signed| verify_body(body.to_string().as_bytes(), signed).is_ok();
                assert!(judge(&body, &good), "{body}");
                let other = b"another";
                let certificate = Signed { certificate: other, ..good };
                let signature = Signed { signature: other, ..good };
                let content = Signed { message: other, payload: other, ..good };
                for (what, other) in
                    [("certificate", certificate), ("signature", signature), ("content", content)]
                {
                    assert!(!judge(&body, &other), "another {what}: {body}");
                }
                let mut unknown = body.clone();
                *unknown.pointer_mut(algorithm).unwrap() = json!(other_algorithm);
                assert!(!judge(&unknown, &good), "{unknown}");
                let mut unknown = body.clone();
                unknown["apiVersion"] = json!("0.0.9");
                assert!(!judge(&unknown, &good), "{unknown}");
            }
        }
        // Parts of two signatures in one entry.
        let entry = |signature: &[u8], key: &[u8]| json!({ "signature": STANDARD.encode(signature), "verifier": pem(key) });
        let mixed = json!({ "kind": "dsse", "apiVersion": "0.0.1", "spec": {
            "payloadHash": plain(payload, 0),
            "signatures": [entry(signature, b"another"), entry(b"another", certificate)],
        } });
        let signed = Signed { certificate, message, payload, signature };
        assert!(verify_body(mixed.to_string().as_bytes(), &signed).is_err());
    }

    #[test]
    fn a_head_is_signed_by_its_log_under_its_name() {
        let log = Log::new("log.example", Key::new());
        let other = Log::new("log.example", Key::new());
        let checkpoint = log.checkpoint(3, &[7; 32]);
        assert_eq!(signed_head(&checkpoint, &trusted(&log)), Ok((3, vec![7; 32])));
        // Others sign it too.
        let line = "— witness.example AAAAAAAA\n";
        assert!(signed_head(&format!("{checkpoint}{line}"), &trusted(&log)).is_ok());
        for wrong in [
            String::new(),
            checkpoint.replace("\n3\n", "\n4\n"),
            checkpoint.replace("— log.example", "— other.example"),
            checkpoint.replace("\n\n", "\n"),
            "\n\n— log.example AAAAAAAA".into(),
            "\n\n— log.example A".into(),
        ] {
            assert!(signed_head(&wrong, &trusted(&log)).is_err(), "{wrong}");
        }
        assert!(signed_head(&checkpoint, &trusted(&other)).is_err());
    }

    #[test]
    fn of_a_checkpoint_only_the_beginning_is_looked_at() {
        let log = Log::new("log.example", Key::new());
        let judge = |checkpoint: &str| signed_head(checkpoint, &trusted(&log)).map(|_| ());
        let checkpoint = log.checkpoint(3, &[7; 32]);
        let (head, signature) = checkpoint.split_once("\n\n").unwrap();
        // Lines that name the log, by its key that anybody knows.
        let line = format!("— log.example {}\n", STANDARD.encode([&log.id()[..4], &[0; 8]].concat()));
        let behind = |lines: usize| judge(&format!("{head}\n\n{}{signature}", line.repeat(lines)));
        assert_eq!(behind(MAX_HEAD_SIGNATURES - 1), Ok(()));
        assert!(behind(MAX_HEAD_SIGNATURES).unwrap_err().contains("did not sign"));
        // Its own size and that of its head, also if the log has signed them.
        assert_eq!(judge(&format!("{checkpoint}{}", "x".repeat(MAX_CHECKPOINT - checkpoint.len()))), Ok(()));
        assert!(behind(1 << 20).unwrap_err().contains("more than 16384 bytes"));
        let signed = |more: usize| {
            let text = format!("{head}\n{}\n", "x".repeat(more));
            let signature = [&log.id()[..4], &log.sign(text.as_bytes())].concat();
            judge(&format!("{text}\n— log.example {}\n", STANDARD.encode(signature)))
        };
        let room = MAX_HEAD - head.len() - 1;
        assert_eq!(signed(room), Ok(()));
        assert!(signed(room + 1).unwrap_err().contains("more than 1024 bytes"));
    }
}
