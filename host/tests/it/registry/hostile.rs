//! Registries that hang, lie, or send too much: a pull fails in time, and the server goes on.

use super::scripted::{CONFIG, LAYER, Reply, Scripted, artifact};
use super::{Kept, acl, another_acl, assert_denies, sha256};
use crate::harness::{Server, check_file, is_root, wait_until};
use serde_json::json;
use std::time::{Duration, Instant};

/// A server with a bundled plugin, and a registry from which its next configuration takes another one.
struct Scene {
    kept: Kept,
    server: Server,
    registry: Scripted,
    component: Vec<u8>,
    section: String,
}

impl Scene {
    fn new() -> Scene {
        let (kept, registry) = (Kept::new(), Scripted::new());
        let open = kept.open();
        let server = kept.setup(&kept.yaml("builtin:acl", "", &open)).start();
        let section = format!("{open}\nregistries: {{ \"{}\": {{ timeout: 1s }} }}", registry.host());
        let component = std::fs::read(acl()).unwrap();
        Scene { kept, server, registry, component, section }
    }

    /// The reload to this reference is refused with these words, and changes nothing.
    #[track_caller]
    fn refused(&self, rest: &str, due: &[&str]) {
        let reference = format!("oci://{}/acl{rest}", self.registry.host());
        self.server.rewrite(&self.kept.yaml(&reference, "", &self.section));
        let started = Instant::now();
        self.server.ask("reload").assert_fails(1, &[&["cannot be loaded"], due].concat());
        // Many times the time-out, and the machine may be busy.
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
        assert_eq!(self.server.status()["generation"], 1);
        assert_denies(&self.server);
        let blobs = self.kept.path("state/components/blobs");
        let kept = std::fs::read_dir(blobs).into_iter().flatten().flatten().count();
        assert_eq!(kept, 0, "nothing of a failed pull is kept");
    }

    /// The reload to `acl:1` succeeds.
    #[track_caller]
    fn taken(&self) {
        let reference = format!("oci://{}/acl:1", self.registry.host());
        self.server.rewrite(&self.kept.yaml(&reference, "", &self.section));
        self.server.ask("reload").assert_good();
        assert_denies(&self.server);
    }
}

#[test]
fn one_that_hangs_or_goes_away() {
    let scene = Scene::new();
    let (_, blob) = scene.registry.hold(&scene.component, CONFIG, LAYER);
    let blob = format!("blobs/sha256:{blob}");
    scene.registry.reply("manifests/1", Reply::Hang);
    scene.refused(":1", &["does not answer within 1s"]);
    scene.registry.reply("manifests/1", Reply::Status(503, String::new()));
    scene.refused(":1", &["status 503"]);
    scene.registry.hold(&scene.component, CONFIG, LAYER);
    for reply in [Reply::Hang, Reply::Stall(scene.component.clone())] {
        scene.registry.reply(&blob, reply);
        scene.refused(":1", &["within 1s"]);
    }
    scene.registry.reply(&blob, Reply::Cut(scene.component.clone()));
    scene.refused(":1", &["does not answer"]);
    scene.registry.reply(&blob, Reply::Content(scene.component.clone()));
    scene.taken();
}

#[test]
fn one_that_sends_something_else() {
    let scene = Scene::new();
    let (manifest, blob) = scene.registry.hold(&scene.component, CONFIG, LAYER);
    let mut same_size = scene.component.clone();
    *same_size.last_mut().unwrap() ^= 1;
    let path = format!("blobs/sha256:{blob}");
    scene.registry.reply(&path, Reply::Content(same_size));
    scene.refused(":1", &["sends something else under the digest", &blob]);
    scene.registry.reply(&path, Reply::Content(another_acl("more")));
    scene.refused(":1", &["more than the"]);
    scene.registry.reply(&path, Reply::Content(scene.component.clone()));
    // Another manifest under a pinned digest.
    let (_, other) = artifact(&another_acl("other"), CONFIG, LAYER);
    scene
        .registry
        .reply(&format!("manifests/sha256:{manifest}"), Reply::Content(other.to_string().into_bytes()));
    scene.refused(&format!("@sha256:{manifest}"), &["sends something else under the digest", &manifest]);
    for (text, due) in [
        ("nonsense", "cannot be read"),
        (r#"{"schemaVersion":1}"#, "version 1"),
        (r#"{"schemaVersion":2}"#, "names no configuration"),
    ] {
        scene.registry.reply("manifests/1", Reply::Content(text.into()));
        scene.refused(":1", &[due]);
    }
    let (_, mut md5) = artifact(&scene.component, CONFIG, LAYER);
    md5["layers"][0]["digest"] = json!("md5:00");
    scene.registry.hold_manifest(&md5);
    scene.refused(":1", &["no SHA-256 digest"]);
    scene.registry.hold(&scene.component, CONFIG, LAYER);
    scene.taken();
}

#[test]
fn one_that_sends_too_much() {
    let scene = Scene::new();
    let before = scene.server.memory();
    scene.registry.reply("manifests/1", Reply::Endless);
    scene.refused(":1", &["more than the 4194304 bytes"]);
    let (_, mut huge) = artifact(&scene.component, CONFIG, LAYER);
    huge["layers"][0]["size"] = json!(1_u64 << 40);
    scene.registry.hold_manifest(&huge);
    scene.refused(":1", &["1099511627776 bytes", "at most 134217728"]);
    let (_, blob) = scene.registry.hold(&scene.component, CONFIG, LAYER);
    scene.registry.reply(&format!("blobs/sha256:{blob}"), Reply::Endless);
    scene.refused(":1", &["more than the"]);
    let token = format!("Bearer realm=\"http://{}/token\",service=\"x\"", scene.registry.host());
    scene.registry.reply("manifests/1", Reply::Status(401, format!("www-authenticate: {token}\r\n")));
    scene.registry.at("/token", Reply::Endless);
    scene.refused(":1", &["more than the 65536 bytes"]);
    let grown = scene.server.memory().saturating_sub(before);
    assert!(grown < 64 << 20, "it has grown by {grown} bytes");
}

/// Whatever it says, in errors, texts and JSON.
#[test]
fn one_that_speaks_to_the_terminal() {
    const EVIL: &str = "x\u{1b}[31m\u{9b}2J\u{202e}\u{7f}";
    let registry = Scripted::new();
    let component = std::fs::read(acl()).unwrap();
    let reference = format!("oci://{}/acl:1", registry.host());
    let inspect = |more: &[&str]| {
        let ran = super::plugin(&[&["inspect", &reference], more].concat());
        let shown = String::from_utf8(ran.stdout.clone()).unwrap() + &ran.stderr;
        let raw = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(raw), "{shown:?}");
        ran
    };
    registry.hold(&component, CONFIG, LAYER);
    registry.reply(&format!("blobs/sha256:{}", sha256(&component)), Reply::Content(component.clone()));
    let (_, good) = artifact(&component, CONFIG, LAYER);
    let with = |pointer: &str, value: serde_json::Value| {
        let mut manifest = good.clone();
        *manifest.pointer_mut(pointer).unwrap() = value;
        registry.hold_manifest(&manifest);
    };
    with("/layers/0/digest", json!(format!("md5:{EVIL}")));
    inspect(&[]).assert_fails(1, &["md5:x\\u{1b}[31m", "no SHA-256 digest"]);
    with(
        "/layers",
        json!([{ "mediaType": EVIL, "digest": "", "size": 1 }, { "mediaType": EVIL, "digest": "", "size": 1 }]),
    );
    inspect(&[]).assert_fails(1, &["no component but x\\u{1b}[31m"]);
    let mut manifest = good.clone();
    manifest["annotations"] = json!({ "a": EVIL });
    manifest["config"]["mediaType"] = json!(EVIL);
    registry.hold_manifest(&manifest);
    inspect(&[]).assert_good();
    let shown: serde_json::Value = serde_json::from_slice(&inspect(&["--json"]).stdout).unwrap();
    assert_eq!(
        (&shown["artifact"]["annotations"]["a"], &shown["artifact"]["config"]),
        (&json!(EVIL), &json!(EVIL))
    );
}

/// Were each of them kept, 32 bundles of 1 MiB with 32 signatures each would be 1 GiB.
#[test]
fn one_with_thousands_of_signatures() {
    const BUNDLE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
    let (kept, registry) = (Kept::new(), Scripted::new());
    let (signed, _) = registry.hold(&std::fs::read(acl()).unwrap(), CONFIG, LAYER);
    let referring = ["aaaa", "bbbb", "cccc"].map(|name| {
        let signatures = vec![json!({ "sig": "" }); 40];
        let bundle = json!({ "dsseEnvelope": {
            "payload": name, "payloadType": "application/vnd.in-toto+json", "signatures": signatures,
        }});
        let (blob, manifest) = artifact(bundle.to_string().as_bytes(), CONFIG, BUNDLE);
        registry.reply(&format!("blobs/sha256:{blob}"), Reply::Content(bundle.to_string().into_bytes()));
        let text = manifest.to_string().into_bytes();
        let digest = sha256(&text);
        registry.reply(&format!("manifests/sha256:{digest}"), Reply::Content(text));
        json!({ "mediaType": "", "digest": format!("sha256:{digest}"), "size": 1, "artifactType": BUNDLE })
    });
    let index = json!({ "schemaVersion": 2, "manifests": referring }).to_string();
    registry.reply(&format!("referrers/sha256:{signed}"), Reply::Content(index.into_bytes()));
    // The public key of an example.
    let key = kept.write(
        "key",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
    );
    let reference = format!("oci://{}/acl:1", registry.host());
    super::plugin(&["inspect", &reference, "--key", key.to_str().unwrap()])
        .assert_fails(1, &["none of its signatures is by this key"]);
    let bundles = registry.heads().iter().filter(|head| head.starts_with("get /v2/acl/blobs/")).count();
    assert_eq!(bundles, 1, "{:?}", registry.heads());
}

/// A manifest may name the digest of another registry's component, and a size that it does not have.
#[test]
fn one_that_names_the_component_of_another() {
    let (kept, good, hostile) = (Kept::new(), Scripted::new(), Scripted::new());
    let component = std::fs::read(acl()).unwrap();
    let (_, blob) = good.hold(&component, CONFIG, LAYER);
    let yaml = |registry: &Scripted| kept.yaml(&format!("oci://{}/acl:1", registry.host()), "", "");
    let pull = |registry: &Scripted| {
        let config = kept.config(&yaml(registry));
        let user = if is_root() { &["--user", "root"][..] } else { &[] };
        super::plugin(&[&["pull", "--config", config.to_str().unwrap()], user].concat())
    };
    pull(&good).assert_good();
    for size in [1, component.len() + 1] {
        let (_, mut manifest) = artifact(&component, CONFIG, LAYER);
        manifest["layers"][0]["size"] = json!(size);
        hostile.hold_manifest(&manifest);
        let due = format!("it has {} bytes, and its manifest says {size}", component.len());
        pull(&hostile).assert_fails(1, &[&due]);
    }
    assert!(kept.path("state/components/blobs").join(blob).exists(), "it was removed");
    // Without its registry.
    let config = kept.config(&yaml(&good));
    check_file(&config).assert_good();
}

#[test]
fn redirects_lead_to_the_same_bytes_and_take_no_login_along() {
    let scene = Scene::new();
    let elsewhere = Scripted::new();
    let (_, blob) = scene.registry.hold(&scene.component, CONFIG, LAYER);
    let path = format!("blobs/sha256:{blob}");
    let to = |host: &str| Reply::Status(307, format!("location: http://{host}/layer\r\n"));
    let manifest = artifact(&scene.component, CONFIG, LAYER).1.to_string().into_bytes();
    let login = "authorization: Basic dTpw";
    scene.registry.reply("manifests/1", Reply::Locked(manifest, login.into(), "Basic realm=\"x\"".into()));
    let password = scene.kept.write("password", "p");
    let section = format!(
        "{}\nregistries: {{ \"{}\": {{ timeout: 1s, user: u, password: {{ file: \"{}\" }} }} }}",
        scene.kept.open(),
        scene.registry.host(),
        password.display()
    );
    let scene = Scene { section, ..scene };
    scene.registry.reply(&path, to(&elsewhere.host()));
    elsewhere.at("/layer", Reply::Content(another_acl("evil")));
    scene.refused(":1", &["more than the"]);
    // Round and round.
    elsewhere.at("/layer", to(&elsewhere.host()));
    scene.refused(":1", &["redirects more than 5 times"]);
    elsewhere.at("/layer", Reply::Content(scene.component.clone()));
    scene.taken();
    assert!(scene.registry.heads().iter().any(|head| head.contains("authorization: basic")));
    let heads = elsewhere.heads();
    assert!(heads.len() > 2 && heads.iter().all(|head| !head.contains("authorization")), "{heads:?}");
}

#[test]
fn a_token_service_is_asked() {
    let scene = Scene::new();
    let (_, blob) = scene.registry.hold(&scene.component, CONFIG, LAYER);
    let challenge = format!("Bearer realm=\"http://{}/token\",service=\"reg\"", scene.registry.host());
    let locked = |content: &[u8]| {
        Reply::Locked(content.to_vec(), "authorization: bearer abc".into(), challenge.clone())
    };
    let manifest = artifact(&scene.component, CONFIG, LAYER).1.to_string();
    scene.registry.reply("manifests/1", locked(manifest.as_bytes()));
    scene.registry.reply(&format!("blobs/sha256:{blob}"), locked(&scene.component));
    scene.refused(":1", &["token service", "404"]);
    scene.registry.at("/token", Reply::Content(b"{}".to_vec()));
    scene.refused(":1", &["no token"]);
    scene.registry.at("/token", Reply::Content(br#"{"token":"abc"}"#.to_vec()));
    scene.taken();
    let asked = scene.registry.heads().into_iter().rfind(|head| head.starts_with("get /token")).unwrap();
    assert!(asked.contains("scope=repository%3aacl%3apull") && asked.contains("service=reg"), "{asked}");
    assert_eq!(sha256(&scene.component), blob);
}

/// A registry that hangs at the start: the server does not serve yet, and a signal ends it at once.
#[test]
fn a_start_that_waits_for_a_registry_can_be_stopped() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    registry.reply("manifests/1", Reply::Hang);
    let section = format!("registries: {{ \"{}\": {{ timeout: 5m }} }}", registry.host());
    let reference = format!("oci://{}/acl:1", registry.host());
    let server = kept.setup(&kept.yaml(&reference, "", &section)).begin();
    wait_until("the registry is asked", || !registry.heads().is_empty());
    let started = Instant::now();
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    assert!(started.elapsed() < Duration::from_secs(20));
}

/// Where the registry lets the upload go somewhere else, and that place redirects once more, the login stays at home.
#[test]
fn a_push_takes_no_login_along() {
    let (kept, registry, elsewhere) = (Kept::new(), Scripted::new(), Scripted::new());
    let component = std::fs::read(acl()).unwrap();
    let blob = format!("blobs/sha256:{}", sha256(&component));
    let login = "authorization: Basic dTpw";
    // It has the component already, so that only the configuration is uploaded.
    registry.reply(&blob, Reply::Locked(Vec::new(), login.into(), "Basic realm=\"x\"".into()));
    let to = |status, path: &str| {
        Reply::Status(status, format!("location: http://{}{path}\r\n", elsewhere.host()))
    };
    registry.reply("blobs/uploads/", to(202, "/first"));
    elsewhere.at("/first", to(307, "/second"));
    elsewhere.at("/second", Reply::Status(201, String::new()));
    registry.reply("manifests/1", Reply::Status(201, String::new()));
    let password = kept.write("password", "p");
    let section = format!(
        "{}\nregistries: {{ \"{}\": {{ user: u, password: {{ file: \"{}\" }} }} }}",
        kept.open(),
        registry.host(),
        password.display()
    );
    let config = kept.config(&kept.yaml("builtin:acl", "", &section));
    let reference = format!("oci://{}/acl:1", registry.host());
    super::push(&acl(), &reference, &["--config", config.to_str().unwrap()]);
    let asked = |host: &Scripted, what: &str| {
        let heads = host.heads();
        heads.iter().filter(|head| head.starts_with(what)).cloned().collect::<Vec<_>>()
    };
    let [upload] = &asked(&elsewhere, "put /second")[..] else { panic!("{:?}", elsewhere.heads()) };
    assert!(upload.contains("/second") && !upload.contains("authorization"), "{upload}");
    assert!(elsewhere.heads().iter().all(|head| !head.contains("authorization")), "{:?}", elsewhere.heads());
    let [manifest] = &asked(&registry, "put /v2/acl/manifests/1")[..] else {
        panic!("{:?}", registry.heads())
    };
    assert!(manifest.contains(&login.to_lowercase()), "{manifest}");
}

/// What it says is shown, and no more of it than fits a line.
#[test]
fn a_push_that_is_refused_says_why() {
    let registry = Scripted::new();
    let reference = format!("oci://{}/acl:1", registry.host());
    let push = || super::plugin(&["push", acl().to_str().unwrap(), &reference]);
    push().assert_fails(1, &["cannot be pushed", "no such repository"]);
    registry.reply("blobs/uploads/", Reply::Status(202, String::new()));
    push().assert_fails(1, &["names no URL for the upload"]);
    registry.reply("blobs/uploads/", Reply::Status(403, String::new()));
    push().assert_fails(1, &["requires a login (403)", "may push"]);
    registry.reply("blobs/uploads/", Reply::Endless);
    push().assert_fails(1, &["status 200"]);
}
