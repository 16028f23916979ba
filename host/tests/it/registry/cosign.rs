//! Signatures by cosign itself, which `make test SUITE=cosign` builds, and what it left in a registry once (`cosign.json`).

use super::debian::Registry;
use super::scripted::{CONFIG, LAYER, Reply, Scripted, artifact};
use super::{Kept, acl, assert_denies, digest_of, plugin, push};
use crate::harness::{is_root, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where cosign leaves a signature: below a tag, in a manifest that refers to the signed one, in a bundle that does.
const LAYOUTS: [&str; 3] = ["tag", "referrer", "bundle"];
/// A component without any content: enough to be signed.
const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

/// cosign without a network: neither of its logs nor of its authorities.
struct Cosign<'a> {
    program: PathBuf,
    kept: &'a Kept,
}

impl Cosign<'_> {
    fn new(kept: &Kept) -> Cosign<'_> {
        let program = std::env::var_os("TUFFET_COSIGN")
            .expect("TUFFET_COSIGN names cosign: `make test SUITE=cosign` does");
        let cosign = Cosign { program: program.into(), kept };
        let services = cosign.run(&["signing-config", "create"]);
        kept.write("no-services.json", services);
        cosign
    }

    fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.kept.0.path()).env("HOME", self.kept.0.path());
        command.env("COSIGN_PASSWORD", "").env("COSIGN_EXPERIMENTAL", "1");
        let ran = run(&mut command);
        ran.assert_good();
        ran.stdout
    }

    /// A pair of keys, `NAME.key` and `NAME.pub`.
    fn keys(&self, name: &str) {
        self.run(&["generate-key-pair", "--output-key-prefix", name]);
    }

    /// The same for Ed25519.
    fn keys_of_edwards(&self, name: &str) {
        let file = self.kept.path("edwards.pem");
        run(Command::new("openssl").args(["genpkey", "-algorithm", "ed25519", "-out"]).arg(&file))
            .assert_good();
        self.run(&["import-key-pair", "--key", "edwards.pem", "--output-key-prefix", name]);
    }

    fn sign(&self, key: &str, layout: &str, image: &str) {
        let key = format!("{key}.key");
        let simple = ["--use-signing-config=false", "--tlog-upload=false", "--new-bundle-format=false"];
        let how: &[&str] = match layout {
            "tag" => &simple,
            "referrer" => &[simple[0], simple[1], simple[2], "--registry-referrers-mode=oci-1-1"],
            _ => &["--signing-config", "no-services.json"],
        };
        self.run(&[&["sign", "--yes", "--key", &key], how, &[image]].concat());
    }

    /// A statement of something else by the same key.
    fn attest(&self, key: &str, image: &str) {
        self.kept.write("predicate", "{}");
        let key = format!("{key}.key");
        self.run(&[
            "attest",
            "--yes",
            "--key",
            &key,
            "--signing-config",
            "no-services.json",
            "--type",
            "custom",
            "--predicate",
            "predicate",
            image,
        ]);
    }
}

/// As cosign names what it signs.
fn image(pinned: &str) -> String {
    let (repository, _) = pinned.trim_start_matches("oci://").rsplit_once(":1@").unwrap();
    format!("{repository}@sha256:{}", digest_of(pinned))
}

#[test]
#[ignore = "make test SUITE=cosign builds cosign"]
fn what_cosign_signs_is_verified_in_each_layout() {
    let registry = Registry::start().expect("docker-registry");
    let kept = Kept::new();
    let cosign = Cosign::new(&kept);
    cosign.keys("ours");
    cosign.keys("other");
    cosign.keys_of_edwards("edwards");
    for key in ["ours", "edwards"] {
        for layout in LAYOUTS {
            let pinned = push(&acl(), &registry.reference(&format!("{key}-{layout}:1")), &[]);
            let public = kept.path(&format!("{key}.pub"));
            let pull = || {
                let out = kept.path("out.wasm");
                plugin(&["pull", &pinned, "-o", out.to_str().unwrap(), "--key", public.to_str().unwrap()])
            };
            pull().assert_fails(1, &["it is not signed"]);
            cosign.attest(key, &image(&pinned));
            pull().assert_fails(1, &["an attestation, not the component"]);
            cosign.sign("other", layout, &image(&pinned));
            assert!(!pull().status.success(), "{key}, {layout}: signed by another key");
            cosign.sign(key, layout, &image(&pinned));
            pull().assert_good();
            if key == "ours" {
                let verify = format!("    verify: {{ key: \"{}\" }}", public.display());
                assert_denies(&kept.setup(&kept.yaml(&pinned, &verify, "")).start());
            }
        }
    }
}

fn recording() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/it/registry/cosign.json")
}

/// With `TUFFET_BLESS=1` what it records replaces the recording.
#[test]
#[ignore = "make test SUITE=cosign builds cosign"]
fn cosign_leaves_what_was_recorded() {
    let registry = Registry::start().expect("docker-registry");
    let kept = Kept::new();
    let cosign = Cosign::new(&kept);
    cosign.keys("ours");
    cosign.keys_of_edwards("edwards");
    let (_, manifest) = artifact(COMPONENT, CONFIG, LAYER);
    let digest = super::sha256(manifest.to_string().as_bytes());
    let mut layouts = BTreeMap::new();
    for layout in [&LAYOUTS[..], &["edwards", "attestation"]].concat() {
        registry.put_blob(layout, COMPONENT);
        registry.put_blob(layout, b"{}");
        registry.put_manifest(layout, "1", &manifest);
        let image = format!("{}/{layout}@sha256:{digest}", registry.host());
        match layout {
            "attestation" => cosign.attest("ours", &image),
            "edwards" => cosign.sign("edwards", "bundle", &image),
            _ => cosign.sign("ours", layout, &image),
        }
        let mut contents = BTreeMap::new();
        for tag in [format!("sha256-{digest}.sig"), format!("sha256-{digest}")] {
            record(&registry, layout, &format!("manifests/{tag}"), &mut contents);
        }
        layouts.insert(layout, contents);
    }
    // Any of them counts.
    let key =
        ["ours.pub", "edwards.pub"].map(|name| std::fs::read_to_string(kept.path(name)).unwrap()).concat();
    let new = json!({ "key": key, "registry": registry.host(), "manifest": digest, "layouts": layouts });
    if std::env::var_os("TUFFET_BLESS").is_some() {
        std::fs::write(recording(), serde_json::to_string_pretty(&new).unwrap() + "\n").unwrap();
    }
    let old: Value = serde_json::from_slice(&std::fs::read(recording()).unwrap()).unwrap();
    assert_eq!(shape(&new), shape(&old), "cosign has another layout now: record it with TUFFET_BLESS=1");
}

/// Adds the content of a path, and all that it names.
fn record(registry: &Registry, repository: &str, path: &str, into: &mut BTreeMap<String, String>) {
    let Some(content) = registry.get(&format!("{repository}/{path}")) else { return };
    if let Ok(parsed) = serde_json::from_str::<Value>(&content) {
        for (kind, list) in [("manifests", &parsed["manifests"]), ("blobs", &parsed["layers"])] {
            for entry in list.as_array().into_iter().flatten() {
                record(registry, repository, &format!("{kind}/{}", entry["digest"].as_str().unwrap()), into);
            }
        }
    }
    into.insert(path.to_owned(), content);
}

/// What does not depend on keys, ports and times: the kinds of what there is in each layout.
fn shape(recording: &Value) -> BTreeMap<String, Vec<String>> {
    let layouts = recording["layouts"].as_object().unwrap().iter();
    let kinds = layouts.map(|(name, contents)| {
        let mut kinds: Vec<String> = Vec::new();
        for content in contents.as_object().unwrap().values() {
            let content: Value = serde_json::from_str(content.as_str().unwrap()).unwrap();
            let kind = |key: &str| content[key].as_str().unwrap_or_default().to_owned();
            kinds.push(kind("mediaType") + " " + &kind("artifactType"));
        }
        kinds.sort();
        (name.clone(), kinds)
    });
    kinds.collect()
}

#[test]
fn what_cosign_left_is_verified() {
    let recorded: Value = serde_json::from_slice(&std::fs::read(recording()).unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let digest = text(&recorded["manifest"]);
    // Also as a registry tells it that has the interface for referrers.
    for (layout, lists) in
        LAYOUTS.into_iter().chain(["edwards", "attestation"]).flat_map(|its| [(its, false), (its, true)])
    {
        let (kept, registry) = (Kept::new(), Scripted::new());
        let (manifest, _) = registry.hold(COMPONENT, CONFIG, LAYER);
        assert_eq!(manifest, digest, "the recording is of this component");
        for (path, content) in recorded["layouts"][layout].as_object().unwrap() {
            let path = match lists && *path == format!("manifests/sha256-{digest}") {
                true => format!("referrers/sha256:{digest}"),
                false => path.clone(),
            };
            registry.reply(&path, Reply::Content(text(content).into_bytes()));
        }
        let key = kept.write("ours.pub", text(&recorded["key"]));
        let pull = |more: &str| {
            let verify = format!("    verify: {{ key: \"{}\"{more} }}", key.display());
            let yaml = kept.yaml(&format!("oci://{}/acl:1", registry.host()), &verify, "");
            let config = kept.config(&yaml);
            let user = if is_root() { &["--user", "root"][..] } else { &[] };
            plugin(&[&["pull", "--config", config.to_str().unwrap()], user].concat())
        };
        let original = format!(", repository: \"{}/{layout}\"", text(&recorded["registry"]));
        match layout {
            "attestation" => pull(&original).assert_fails(1, &["an attestation, not the component"]),
            "bundle" | "edwards" => pull("").assert_good(),
            _ => {
                pull("").assert_fails(1, &["verify.repository"]);
                pull(&original).assert_good();
            }
        }
    }
}
