//! Signatures in the layouts of cosign, made with openssl, in a real registry.

use super::debian::Registry;
use super::scripted::{CONFIG, LAYER, Reply, Scripted};
use super::{Kept, acl, another_acl, assert_denies, digest_of, plugin, push, sha256};
use crate::harness::{check_file, run, skipped};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A pair of keys, in files.
struct Keys {
    private: PathBuf,
    public: PathBuf,
}

impl Keys {
    fn make(kept: &Kept, name: &str) -> Option<Keys> {
        let keys =
            Keys { private: kept.path(&format!("{name}.key")), public: kept.path(&format!("{name}.pub")) };
        let openssl = |arguments: &[&str], out: &Path| {
            Command::new("openssl")
                .args(arguments)
                .arg("-out")
                .arg(out)
                .output()
                .is_ok_and(|ran| ran.status.success())
        };
        let private = keys.private.to_str().unwrap();
        let made = openssl(&["ecparam", "-name", "prime256v1", "-genkey", "-noout"], &keys.private)
            && openssl(&["pkey", "-in", private, "-pubout"], &keys.public);
        if !made {
            skipped("openssl is not installed: signatures of plugins are not tested");
        }
        made.then_some(keys)
    }

    /// Signs; in Base64.
    fn sign(&self, kept: &Kept, text: &[u8]) -> String {
        let (text, signature) = (kept.write("text", text), kept.path("signature"));
        let sign = |command: &mut Command| run(command).assert_good();
        sign(
            Command::new("openssl")
                .args(["dgst", "-sha256", "-sign"])
                .arg(&self.private)
                .arg("-out")
                .arg(&signature)
                .arg(text),
        );
        base64(&std::fs::read(signature).unwrap(), kept)
    }

    fn verify(&self) -> String {
        format!("    verify: {{ key: \"{}\" }}", self.public.display())
    }
}

fn base64(bytes: &[u8], kept: &Kept) -> String {
    let file = kept.write("plain", bytes);
    let ran = run(Command::new("openssl").args(["base64", "-A", "-in"]).arg(file));
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// What `cosign sign --key` signs and pushes.
fn sign(registry: &Registry, kept: &Kept, keys: &Keys, repository: &str, named: &str, manifest: &str) {
    let payload = json!({
        "critical": {
            "identity": { "docker-reference": named },
            "image": { "docker-manifest-digest": format!("sha256:{manifest}") },
            "type": "cosign container image signature",
        },
        "optional": null,
    });
    let payload = payload.to_string();
    let signature = keys.sign(kept, payload.as_bytes());
    let layer = registry.put_blob(repository, payload.as_bytes());
    let config = registry.put_blob(repository, b"{}");
    registry.put_manifest(
        repository,
        &format!("sha256-{manifest}.sig"),
        &json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": {
                "mediaType": "application/vnd.oci.image.config.v1+json",
                "digest": format!("sha256:{config}"), "size": 2,
            },
            "layers": [{
                "mediaType": "application/vnd.dev.cosign.simplesigning.v1+json",
                "digest": format!("sha256:{layer}"), "size": payload.len(),
                "annotations": { "dev.cosignproject.cosign/signature": signature },
            }],
        }),
    );
}

const STATEMENT: &str = "application/vnd.in-toto+json";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const SIGNED: &str = "https://sigstore.dev/cosign/sign/v1";

/// What `cosign sign --new-bundle-format --key` makes: a bundle with a statement of this kind, its manifest, and the
/// list of what refers to the signed manifest.
fn bundle(kept: &Kept, keys: &Keys, kind: &str, manifest: &str) -> (String, Value, Value) {
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "digest": { "sha256": manifest } }],
        "predicateType": kind,
        "predicate": {},
    });
    let statement = statement.to_string();
    let signed = format!("DSSEv1 {} {STATEMENT} {} {statement}", STATEMENT.len(), statement.len());
    let signature = keys.sign(kept, signed.as_bytes());
    let bundle = json!({
        "mediaType": BUNDLE,
        "verificationMaterial": { "publicKey": { "hint": "" } },
        "dsseEnvelope": {
            "payload": base64(statement.as_bytes(), kept), "payloadType": STATEMENT,
            "signatures": [{ "sig": signature }],
        },
    });
    let bundle = bundle.to_string();
    let digest = |text: &str| format!("sha256:{}", sha256(text.as_bytes()));
    let image = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "artifactType": BUNDLE,
        "config": { "mediaType": "application/vnd.oci.empty.v1+json", "digest": digest("{}"), "size": 2 },
        "layers": [{ "mediaType": BUNDLE, "digest": digest(&bundle), "size": bundle.len() }],
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": digest(&image.to_string()), "size": image.to_string().len(), "artifactType": BUNDLE,
        }],
    });
    (bundle, image, index)
}

/// As cosign pushes it to a registry without the interface for referrers.
fn sign_with_bundle(registry: &Registry, kept: &Kept, keys: &Keys, kind: &str, manifest: &str) {
    let (bundle, image, index) = bundle(kept, keys, kind, manifest);
    registry.put_blob("acl", bundle.as_bytes());
    registry.put_blob("acl", b"{}");
    registry.put_manifest("acl", "the-bundle", &image);
    registry.put_manifest("acl", &format!("sha256-{manifest}"), &index);
}
/// What `tuffet plugin push` signs, a server with the key takes, whatever else is signed there.
#[test]
fn push_signs_as_cosign_does() {
    let Some(registry) = Registry::start() else { return };
    let kept = Kept::new();
    let reference = registry.reference("boot/acl:1");
    let mut keys = Vec::new();
    for (name, algorithm) in
        [("p256", &["EC", "-pkeyopt", "ec_paramgen_curve:P-256"][..]), ("ed25519", &["ED25519"])]
    {
        let (private, public) = (kept.path(&format!("{name}.key")), kept.path(&format!("{name}.pub")));
        let made = Command::new("openssl")
            .args(["genpkey", "-algorithm"])
            .args(algorithm)
            .arg("-out")
            .arg(&private)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            return skipped("openssl is not installed: signatures of plugins are not tested");
        }
        run(Command::new("openssl").args(["pkey", "-pubout", "-in"]).arg(&private).arg("-out").arg(&public))
            .assert_good();
        keys.push((private.display().to_string(), public));
    }
    let inspect = |public: &Path| plugin(&["inspect", &reference, "--key", public.to_str().unwrap()]);
    push(&acl(), &reference, &[]);
    inspect(&keys[0].1).assert_fails(1, &["it is not signed"]);
    push(&acl(), &reference, &["--sign-key", &keys[0].0]);
    inspect(&keys[0].1).assert_good();
    inspect(&keys[1].1).assert_fails(1, &["none of its signatures is by this key"]);
    // Another signature leaves the first, and the same one is added once.
    for _ in 0..2 {
        push(&acl(), &reference, &["--sign-key", &keys[1].0]);
    }
    keys.iter().for_each(|(_, public)| inspect(public).assert_good());
    let public = keys[0].1.display().to_string();
    let file = acl().display().to_string();
    plugin(&["push", &file, &reference, "--sign-key", &public])
        .assert_fails(64, &["p256.pub: ", "openssl genpkey"]);
    plugin(&["push", &file, &reference, "--sign-key", "/no/such.key"]).assert_fails(64, &["/no/such.key"]);
    // With a password. What the message says makes a key of it that signs.
    let (locked, plain) = (kept.path("locked.key"), kept.path("plain.key"));
    let openssl = |words: &[&str], from: &str, to: &Path| {
        let mut command = Command::new("openssl");
        run(command.arg("pkey").args(words).args(["-in", from, "-out"]).arg(to)).assert_good();
    };
    openssl(&["-aes256", "-passout", "pass:x"], &keys[1].0, &locked);
    let locked = locked.display().to_string();
    plugin(&["push", &file, &reference, "--sign-key", &locked])
        .assert_fails(64, &["locked.key: it is encrypted", "`openssl pkey -in FILE -out sign.key`"]);
    openssl(&["-passin", "pass:x"], &locked, &plain);
    let other = registry.reference("boot/other:1");
    push(&acl(), &other, &["--sign-key", plain.to_str().unwrap()]);
    plugin(&["inspect", &other, "--key", keys[1].1.to_str().unwrap()]).assert_good();
    let of_cosign = kept.path("cosign.key");
    std::fs::write(&of_cosign, "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\neyJrZGYiOnt9fQ==\n").unwrap();
    plugin(&["push", &file, &reference, "--sign-key", of_cosign.to_str().unwrap()])
        .assert_fails(64, &["cosign.key: cosign has encrypted it", "`cosign sign --key`"]);
    let yaml = kept.yaml(&reference, &format!("    verify: {{ key: \"{public}\" }}"), &kept.open());
    assert_denies(&kept.setup(&yaml).start());
}

#[test]
fn a_signature_is_required_and_verified_again_without_the_registry() {
    let Some(mut registry) = Registry::start() else { return };
    let kept = Kept::new();
    let (Some(keys), Some(other)) = (Keys::make(&kept, "ours"), Keys::make(&kept, "other")) else { return };
    let pinned = push(&acl(), &registry.reference("acl:1"), &[]);
    let (name, digest) = (format!("{}/acl", registry.host()), digest_of(&pinned));
    let yaml = kept.yaml(&pinned, &keys.verify(), "");
    let refused = |due: &str| kept.setup(&yaml).run_to_its_end().assert_fails(64, &[&pinned, due]);
    refused("it is not signed");
    assert!(!kept.path("state/components").exists(), "nothing is kept before it is verified");
    sign(&registry, &kept, &other, "acl", &name, digest);
    refused("none of its signatures is by this key");
    sign(&registry, &kept, &keys, "acl", &format!("{}/acl2", registry.host()), digest);
    refused("verify.repository");
    sign(&registry, &kept, &keys, "acl", &name, &sha256(b"another"));
    sign(&registry, &kept, &keys, "acl", &name, digest);
    let shown = plugin(&["inspect", &pinned, "--json", "--key", keys.public.to_str().unwrap()]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["artifact"]["verified"], true);
    plugin(&[
        "pull",
        &pinned,
        "-o",
        kept.path("x").to_str().unwrap(),
        "--key",
        other.public.to_str().unwrap(),
    ])
    .assert_fails(1, &["none of its signatures is by this key"]);

    let server = kept.setup(&yaml).start();
    assert_denies(&server);
    assert_eq!(server.status()["plugins"][0]["verified"], true);
    server.stop();
    registry.kill();
    assert_denies(&kept.setup(&yaml).start());
    // What is kept is no proof by itself.
    kept.setup(&kept.yaml(&pinned, &other.verify(), ""))
        .run_to_its_end()
        .assert_fails(64, &["cannot be reached"]);
    let file = kept.path("state/components/signatures").join(digest);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"simple\"", "\"statement\"")).unwrap();
    let config = kept.config(&yaml);
    check_file(&config).assert_fails(64, &["none of its signatures"]);
}

#[test]
fn a_bundle_counts_as_a_signature_and_an_attestation_does_not() {
    let Some(registry) = Registry::start() else { return };
    let kept = Kept::new();
    let Some(keys) = Keys::make(&kept, "ours") else { return };
    let pinned = push(&kept.write("own.wasm", another_acl("bundle")), &registry.reference("acl:1"), &[]);
    let yaml = kept.yaml(&pinned, &keys.verify(), "");
    let digest = digest_of(&pinned);
    sign_with_bundle(&registry, &kept, &keys, "https://spdx.dev/Document", digest);
    kept.setup(&yaml).run_to_its_end().assert_fails(64, &["an attestation, not the component"]);
    sign_with_bundle(&registry, &kept, &keys, SIGNED, digest);
    assert_denies(&kept.setup(&yaml).start());
}

#[test]
fn a_registry_that_lists_referrers_is_asked_for_them() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    let Some(keys) = Keys::make(&kept, "ours") else { return };
    let (manifest, _) = registry.hold(&std::fs::read(acl()).unwrap(), CONFIG, LAYER);
    let yaml = kept.yaml(&format!("oci://{}/acl:1", registry.host()), &keys.verify(), "");
    let (bundle, image, index) = bundle(&kept, &keys, SIGNED, &manifest);
    let text = |value: &Value| Reply::Content(value.to_string().into_bytes());
    let path = |kind: &str, content: &str| format!("{kind}/sha256:{}", sha256(content.as_bytes()));
    registry.reply(&path("manifests", &image.to_string()), text(&image));
    registry.reply(&format!("referrers/sha256:{manifest}"), text(&index));
    // A bundle that is not what its manifest says.
    registry.reply(&path("blobs", &bundle), Reply::Content(bundle.replace("hint", "tnih").into_bytes()));
    kept.setup(&yaml).run_to_its_end().assert_fails(64, &["has another digest than its manifest says"]);
    registry.reply(&path("blobs", &bundle), Reply::Content(bundle.into_bytes()));
    assert_denies(&kept.setup(&yaml).start());
}
