//! Signatures without keys, by an instance of Sigstore that lives in the test; pulled from a registry, verified offline.

use super::debian::Registry;
use super::scripted::{CONFIG, LAYER, Reply, Scripted, artifact};
use super::{Kept, acl, assert_denies, digest_of, plugin, push, sha256};
use crate::harness::{check_file, is_root};
use serde_json::{Value, json};
use std::path::Path;
use tuffet_testkit::sigstore::{Entry, Logged, Signing, Sigstore};

const IDENTITY: &str = "https://github.com/acme/plugins/.github/workflows/release.yml@refs/tags/v1";
const ISSUER: &str = "https://token.actions.githubusercontent.com";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const SIGNED: &str = "https://sigstore.dev/cosign/sign/v1";

/// A registry in this process that holds `acl:1`, and an instance of Sigstore that the server trusts.
struct Scene {
    kept: Kept,
    registry: Scripted,
    sigstore: Sigstore,
    /// The digest of the manifest.
    manifest: String,
}

impl Scene {
    fn new() -> Scene {
        let (kept, registry, sigstore) = (Kept::new(), Scripted::new(), Sigstore::new());
        let (manifest, _) = registry.hold(&std::fs::read(acl()).unwrap(), CONFIG, LAYER);
        kept.write("root.json", sigstore.trusted_root().to_string());
        Scene { kept, registry, sigstore, manifest }
    }

    fn yaml(&self, section: &str) -> String {
        let reference = format!("oci://{}/acl@sha256:{}", self.registry.host(), self.manifest);
        self.kept.yaml(&reference, &verify(&self.kept.path("root.json")), section)
    }

    /// The registry has this bundle, and lists it as one that refers to the manifest.
    fn attach(&self, bundle: &[u8]) {
        self.attach_all(&[bundle.to_vec()]);
    }

    fn attach_all(&self, bundles: &[Vec<u8>]) {
        let reply = |path: &str, content: Vec<u8>| self.registry.reply(path, Reply::Content(content));
        let mut index = referring("", 0);
        let mut images = Vec::new();
        for bundle in bundles {
            let (blob, image) = artifact(bundle, "application/vnd.oci.empty.v1+json", BUNDLE);
            let image = image.to_string().into_bytes();
            images.push(referring(&sha256(&image), image.len())["manifests"][0].take());
            reply(&format!("blobs/sha256:{blob}"), bundle.clone());
            reply(&format!("manifests/sha256:{}", sha256(&image)), image);
        }
        index["manifests"] = json!(images);
        reply(&format!("referrers/sha256:{}", self.manifest), index.to_string().into_bytes());
    }

    fn attach_signed(&self, sigstore: &Sigstore, digest: &str, how: &Signing) {
        self.attach(sigstore.sign_statement(&statement(digest), how).bundle().to_string().as_bytes());
    }

    /// The server does not start, with these words.
    #[track_caller]
    fn refused(&self, due: &str) {
        let section = format!("registries: {{ \"{}\": {{ timeout: 1s }} }}", self.registry.host());
        self.kept.setup(&self.yaml(&section)).run_to_its_end().assert_fails(64, &["cannot be loaded", due]);
        assert!(!self.kept.path("state/components").exists(), "nothing is kept before it is verified");
    }
}

fn verify(root: &Path) -> String {
    let identity = IDENTITY.replace("v1", "*");
    format!(
        "    verify:\n      keyless: {{ identity: \"{identity}\", issuer: \"{ISSUER}\", trusted-root: \"{}\" }}",
        root.display()
    )
}

fn good() -> Signing {
    Signing::of(IDENTITY, ISSUER)
}

/// What `cosign sign` states about a manifest.
fn statement(digest: &str) -> String {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{ "digest": { "sha256": digest } }],
        "predicateType": SIGNED,
        "predicate": {},
    })
    .to_string()
}

/// The list of what refers to a manifest: one bundle.
fn referring(image: &str, size: usize) -> Value {
    json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "digest": format!("sha256:{image}"), "size": size, "artifactType": BUNDLE,
        }],
    })
}

#[test]
fn a_component_signed_without_a_key_is_pulled_and_loaded_and_again_without_the_registry() {
    let Some(mut registry) = Registry::start() else { return };
    let (kept, sigstore) = (Kept::new(), Sigstore::new());
    let root = kept.write("root.json", sigstore.trusted_root().to_string());
    let pinned = push(&acl(), &registry.reference("acl:1"), &[]);
    let digest = digest_of(&pinned);
    let yaml = kept.yaml(&pinned, &verify(&root), "");
    kept.setup(&yaml)
        .run_to_its_end()
        .assert_fails(64, &[&pinned, "it is not signed: let https://github.com/acme"]);

    // As cosign pushes it to a registry without the interface for referrers.
    let bundle = sigstore
        .sign_statement(&statement(digest), &Signing { stamped: Some(good().time), ..good() })
        .bundle();
    let bundle = bundle.to_string();
    registry.put_blob("acl", bundle.as_bytes());
    registry.put_blob("acl", b"{}");
    let (_, image) = artifact(bundle.as_bytes(), "application/vnd.oci.empty.v1+json", BUNDLE);
    registry.put_manifest("acl", "the-bundle", &image);
    let image = image.to_string();
    let index = referring(&sha256(image.as_bytes()), image.len());
    registry.put_manifest("acl", &format!("sha256-{digest}"), &index);

    let root = root.to_str().unwrap();
    let inspect = |more: &[&str]| {
        let signer = ["--identity", IDENTITY, "--issuer", ISSUER, "--trusted-root", root];
        plugin(&[&["inspect", &pinned], &signer[..], more].concat())
    };
    let shown: Value = serde_json::from_slice(&inspect(&["--json"]).stdout).unwrap();
    assert_eq!(
        (&shown["artifact"]["verified"], &shown["artifact"]["signer"]),
        (&json!(true), &json!(IDENTITY))
    );
    let text = String::from_utf8(inspect(&[]).stdout).unwrap();
    assert!(text.contains(&format!("signature    verified, by {IDENTITY}\n")), "{text}");

    let server = kept.setup(&yaml).start();
    assert_denies(&server);
    assert_eq!(server.status()["plugins"][0]["verified"], true);
    server.stop();
    registry.kill();
    let server = kept.setup(&yaml).start();
    assert_denies(&server);
    server.stop();
    let config = kept.config(&yaml);
    check_file(&config).assert_good();
    // What is kept is verified again: another instance has not signed it.
    kept.write("root.json", Sigstore::new().trusted_root().to_string());
    check_file(&config).assert_fails(64, &["by no authority of the trusted root"]);
}

#[test]
fn what_does_not_prove_the_signer_is_refused() {
    let scene = Scene::new();
    let digest = &scene.manifest;
    let signed = |how: &Signing| scene.attach_signed(&scene.sigstore, digest, how);
    scene.refused("it is not signed");
    signed(&Signing { identity: IDENTITY.replace("tags/v1", "heads/main"), ..good() });
    scene.refused(
        "signed by https://github.com/acme/plugins/.github/workflows/release.yml@refs/heads/main, not by",
    );
    signed(&Signing { issuer: "https://evil.example".into(), ..good() });
    scene.refused(
        "https://evil.example vouched for its signer, not https://token.actions.githubusercontent.com",
    );
    let called = Signing { source_repository: Some("https://github.com/eve/x".into()), ..good() };
    signed(&called);
    let of_ours = scene
        .yaml("")
        .replace("issuer: ", "source-repository: \"https://github.com/acme/plugins\", issuer: ");
    scene
        .kept
        .setup(&of_ours)
        .run_to_its_end()
        .assert_fails(64, &["its signer worked for https://github.com/eve/x"]);
    let until = good().valid[1];
    signed(&Signing { time: until + 1, ..good() });
    scene.refused("its certificate was not valid when it was signed, 2025-06-15T15:15:41Z");
    signed(&Signing { certificate_logged: Logged::No, ..good() });
    scene.refused("its certificate is in no log of certificates");
    signed(&Signing { entry: Entry::None, ..good() });
    scene.refused("it is in no log of the trusted root");
    scene.attach_signed(&Sigstore::new(), digest, &good());
    scene.refused("its certificate is by no authority of the trusted root");
    scene.attach_signed(&scene.sigstore, &sha256(b"another"), &good());
    scene.refused("its signature is for another digest");
    let bundle = scene.sigstore.sign_statement(&statement(digest), &good()).bundle();
    let mut later = bundle.clone();
    later["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = json!("1750000001");
    scene.attach(later.to_string().as_bytes());
    scene.refused("the log did not sign its entry, or the entry was changed");
    let mut unproven = bundle.clone();
    unproven["verificationMaterial"]["tlogEntries"][0]["inclusionProof"] = Value::Null;
    scene.attach(unproven.to_string().as_bytes());
    scene.refused("its bundle lacks the proof that its log has it");
    let keyed = json!({ "mediaType": BUNDLE, "dsseEnvelope": bundle["dsseEnvelope"] });
    scene.attach(keyed.to_string().as_bytes());
    scene.refused("its signature has no certificate, so it was not made keyless");
    scene.attach(b"not JSON");
    scene.refused("its bundle cannot be read");
    // As is, it would count.
    scene.attach(bundle.to_string().as_bytes());
    assert_denies(&scene.kept.setup(&scene.yaml("")).start());
}

#[test]
fn a_bundle_that_never_ends_or_never_comes_is_given_up() {
    let scene = Scene::new();
    let bundle = scene.sigstore.sign_statement(&statement(&scene.manifest), &good()).bundle();
    let mut large = bundle.clone();
    large["padding"] = json!("x".repeat(10 << 20));
    scene.attach(large.to_string().as_bytes());
    scene.refused("and that of a signature at most 131072, so it was not read");
    scene.attach(bundle.to_string().as_bytes());
    let blob = format!("blobs/sha256:{}", sha256(bundle.to_string().as_bytes()));
    let content = bundle.to_string().into_bytes();
    for (reply, due) in [
        (Reply::Hang, "does not answer within 1s"),
        (Reply::Stall(content.clone()), "within 1s"),
        (Reply::Endless, "more than the 131072 bytes"),
        (Reply::Cut(content.clone()), "does not answer"),
        (Reply::Content(content.iter().rev().copied().collect()), "another digest than its manifest says"),
    ] {
        scene.registry.reply(&blob, reply);
        scene.refused(due);
    }
    // A running server goes on.
    let open = scene.kept.open();
    let server = scene.kept.setup(&scene.kept.yaml("builtin:acl", "", &open)).start();
    scene.registry.reply(&blob, Reply::Hang);
    let section = format!("{open}\nregistries: {{ \"{}\": {{ timeout: 1s }} }}", scene.registry.host());
    server.rewrite(&scene.yaml(&section));
    server.ask("reload").assert_fails(1, &["does not answer within 1s"]);
    assert_denies(&server);
    scene.registry.reply(&blob, Reply::Content(content));
    server.ask("reload").assert_good();
    assert_denies(&server);
    assert_eq!(server.status()["plugins"][0]["verified"], true);
}

/// Thirty-two bundles of the largest size, each with a short value as often as it fits, in lists and in the signed head
/// of a tree: refused at once, and not kept in memory.
#[test]
fn bundles_full_of_small_things_are_refused() {
    let scene = Scene::new();
    let bundle = scene.sigstore.sign_statement(&statement(&scene.manifest), &good()).bundle();
    let id = bundle["verificationMaterial"]["tlogEntries"][0]["logId"]["keyId"].as_str().unwrap().to_owned();
    // The log's name, and the first bytes of its identifier, in Base64.
    let line = format!("— rekor.example {}AAAA\n", &id[..8]);
    let proof = "/verificationMaterial/tlogEntries/0/inclusionProof";
    let checkpoint = bundle.pointer(proof).unwrap()["checkpoint"]["envelope"].as_str().unwrap();
    let head = checkpoint.split_once("\n\n").unwrap().0;
    let mut lines = bundle.clone();
    let many = format!("{head}\n\n{}", line.repeat((120 << 10) / line.len()));
    lines.pointer_mut(proof).unwrap()["checkpoint"]["envelope"] = json!(many);
    scene.attach(lines.to_string().as_bytes());
    scene.refused("the checkpoint of the log has more than 16384 bytes");

    let open = scene.kept.open();
    let server = scene.kept.setup(&scene.kept.yaml("builtin:acl", "", &open)).start();
    let section = format!("{open}\nregistries: {{ \"{}\": {{ timeout: 1s }} }}", scene.registry.host());
    server.rewrite(&scene.yaml(&section));
    let before = server.memory();
    let entry = "/verificationMaterial/tlogEntries";
    for (at, small, due) in [
        (format!("{proof}/hashes"), json!(""), "more than 64 elements"),
        (entry.to_owned(), bundle.pointer(entry).unwrap()[0].clone(), "more than 8 elements"),
        ("/verificationMaterial/padding".into(), json!({ "": {} }), "it is in no log"),
    ] {
        let bundles: Vec<Vec<u8>> = (0..32)
            .map(|number| {
                let mut bundle = bundle.clone();
                let (parent, key) = at.rsplit_once('/').unwrap();
                bundle["number"] = json!(number);
                let count = (120 << 10) / (small.to_string().len() + 1);
                bundle.pointer_mut(parent).unwrap()[key] = json!(vec![small.clone(); count]);
                if key == "padding" {
                    bundle["verificationMaterial"]["tlogEntries"] = json!([]);
                }
                bundle.to_string().into_bytes()
            })
            .collect();
        scene.attach_all(&bundles);
        server.ask("reload").assert_fails(1, &["cannot be loaded", due]);
    }
    let grown = server.memory().saturating_sub(before);
    assert!(grown < 32 << 20, "it has grown by {grown} bytes");
    // As is, it counts, also behind one that is too large.
    let large = json!({ "padding": "x".repeat(1 << 20) });
    scene.attach_all(&[large.to_string().into_bytes(), bundle.to_string().into_bytes()]);
    server.ask("reload").assert_good();
    let kept = scene.kept.path("state/components/signatures").join(&scene.manifest);
    let kept: Vec<Value> = serde_json::from_slice(&std::fs::read(kept).unwrap()).unwrap();
    assert_eq!(kept.len(), 1);
}

/// What is kept was verified: not whatever else the registry lists beside it.
#[test]
fn only_the_signature_that_counts_is_kept() {
    let scene = Scene::new();
    let sign = |sigstore: &Sigstore| {
        sigstore.sign_statement(&statement(&scene.manifest), &good()).bundle().to_string().into_bytes()
    };
    scene.attach_all(&[sign(&Sigstore::new()), sign(&scene.sigstore), sign(&scene.sigstore)]);
    assert_denies(&scene.kept.setup(&scene.yaml("")).start());
    let kept = scene.kept.path("state/components/signatures").join(&scene.manifest);
    let kept: Vec<Value> = serde_json::from_slice(&std::fs::read(kept).unwrap()).unwrap();
    assert_eq!(kept.len(), 1);
}

/// The layout of cosign 2: a payload below a tag, with its proofs in annotations.
#[test]
fn a_signature_in_annotations_counts() {
    let scene = Scene::new();
    let sign = |named: &str| {
        let payload = json!({
            "critical": {
                "identity": { "docker-reference": named },
                "image": { "docker-manifest-digest": format!("sha256:{}", scene.manifest) },
                "type": "cosign container image signature",
            },
            "optional": null,
        });
        let payload = payload.to_string();
        let (blob, mut image) =
            artifact(payload.as_bytes(), CONFIG, "application/vnd.dev.cosign.simplesigning.v1+json");
        image["layers"][0]["annotations"] = scene.sigstore.sign_payload(&payload, &good()).annotations();
        let content = |content: String| Reply::Content(content.into_bytes());
        scene.registry.reply(&format!("blobs/sha256:{blob}"), content(payload));
        scene.registry.reply(&format!("manifests/sha256-{}.sig", scene.manifest), content(image.to_string()));
    };
    sign("registry.example/other");
    scene.refused("verify.repository");
    sign(&format!("{}/acl", scene.registry.host()));
    assert_denies(&scene.kept.setup(&scene.yaml("")).start());
}

#[test]
fn a_trusted_root_that_is_none_is_named_with_a_remedy() {
    let scene = Scene::new();
    let config = scene.kept.config(&scene.yaml(""));
    let check = |due: &[&str]| check_file(&config).assert_fails(64, due);
    let mut empty = scene.sigstore.trusted_root();
    empty["certificateAuthorities"] = json!([]);
    let remedy = "let `cosign trusted-root create";
    for (content, due) in [
        (String::new(), "root.json: it is empty"),
        ("-----BEGIN PUBLIC KEY-----".into(), "root.json: it is no trusted root in JSON"),
        ("{}".into(), "root.json: it is no trusted root: its `mediaType`"),
        (empty.to_string(), "root.json: it has no certificate authority"),
    ] {
        scene.kept.write("root.json", content);
        check(&["tuffet.yaml", due, remedy]);
        let root = scene.kept.path("root.json");
        let reference = format!("oci://{}/acl:1", scene.registry.host());
        let signer = ["--identity", IDENTITY, "--issuer", ISSUER, "--trusted-root", root.to_str().unwrap()];
        plugin(&[&["inspect", &reference][..], &signer].concat()).assert_fails(64, &[due, remedy]);
    }
    std::fs::remove_file(scene.kept.path("root.json")).unwrap();
    check(&["root.json cannot be read: No such file", "correct the path"]);
    scene.kept.write("root.json", scene.sigstore.trusted_root().to_string());
    check(&["it has not been pulled"]);
    scene.attach_signed(&scene.sigstore, &scene.manifest, &good());
    let user = if is_root() { &["--user", "root"][..] } else { &[] };
    plugin(&[&["pull", "--config", config.to_str().unwrap()], user].concat()).assert_good();
    check_file(&config).assert_good();
    assert!(scene.registry.heads().len() < 20, "nothing but the registry is asked, and that once");
}
