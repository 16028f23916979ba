//! Plugins from registries: `registries`, and `component`, `sha256` and `verify` of plugins.

use super::*;

const DIGITS: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn write_key(scene: &Scene) {
    // An Ed25519 key of zeros.
    let key = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n-----END PUBLIC KEY-----\n";
    fs::write(scene.path("cosign.pub"), key).expect("a file");
}

#[test]
fn a_reference_a_pin_and_a_key_are_read() {
    let scene = Scene::new();
    write_key(&scene);
    fs::write(scene.path("password"), "hunter2\n").expect("a file");
    let config = scene
        .load(&minimal(&format!(
            "policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: oci://registry.example:5000/a/acl:1@sha256:{DIGITS}\n    \
             sha256: sha256:{DIGITS}\n    verify: {{ key: cosign.pub, repository: upstream.example/acl }}\n\
             registries:\n  registry.example:5000: {{ user: u, password: {{ file: password }}, timeout: 2s }}\n  \
             localhost: {{}}\n"
        )))
        .expect("good");
    let acl = &config.policy.plugins[0];
    let ComponentSource::Registry(reference) = &acl.component else { unreachable!("{:?}", acl.component) };
    assert_eq!(
        (reference.name().as_str(), reference.tag.as_deref()),
        ("registry.example:5000/a/acl", Some("1"))
    );
    assert_eq!(acl.sha256.as_ref().map(Sha256Digest::as_str), Some(DIGITS));
    let verify = acl.verify.as_ref().expect("a key");
    assert_eq!(
        (verify.key.as_deref(), &verify.keys[..]),
        (Some(&*scene.path("cosign.pub")), &[VerifyKey::Ed25519(vec![0; 32])][..])
    );
    let [local, other] = &config.registries[..] else { unreachable!("{:?}", config.registries) };
    assert_eq!((&*local.host, local.plain_http, &local.login), ("localhost", true, &None));
    let (user, password) = other.login.as_ref().expect("a login");
    assert_eq!((user.reveal(), password.reveal(), other.plain_http), ("u", "hunter2", false));
    assert_eq!(other.timeout, Duration::from_secs(2));
    assert!(!format!("{config:?}").contains("hunter2"));
    // A reload needs to read them again.
    assert!(
        config.files.contains(&scene.path("cosign.pub")) && config.files.contains(&scene.path("password"))
    );
}

#[test]
fn mistakes_are_found_at_their_place() {
    let scene = Scene::new();
    write_key(&scene);
    fs::write(scene.path("empty.pem"), "").expect("a file");
    fs::write(scene.path("logins"), r#"{"auths":{"other.example":{"auth":"dTpw"}}}"#).expect("a file");
    let at = |name: &str| scene.path(name).display().to_string();
    let keys = scene.complaints(minimal(
        "policy: { authorize: [a, b] }\nplugins:\n  a:\n    component: oci://registry.example/Upper\n  b:\n    component: \
         builtin:acl\n    sha256: 0123\n",
    ));
    assert_eq!(
        keys,
        [
            "6:16: `Upper` is not the name of a repository; write oci://REGISTRY/REPOSITORY:TAG, or \
             oci://REGISTRY/REPOSITORY:TAG@sha256:DIGEST",
            "9:13: it is not a SHA-256 digest; write its 64 hexadecimal digits in lower case, as `sha256sum` does",
        ]
    );
    let together = scene.complaints(minimal(
        "policy: { authorize: [a, b, c] }\nplugins:\n  a: { component: policy.wasm, verify: { key: cosign.pub } }\n  \
         b: { component: \"oci://r.example/b\", verify: { key: gone.pub } }\n  \
         c: { component: \"oci://r.example/c\", verify: { key: empty.pem, repository: \"r.example/c:1\" } }\n\
         registries:\n  https://r.example: {}\n  a.example: { ca: empty.pem }\n  b.example: { user: u }\n  \
         c.example: { user: u, password: inline }\n  d.example: { credentials: logins }\n  \
         e.example: { ca: cosign.pub, plain-http: true }\n",
    ));
    for due in [
        "5:32: only components from registries".to_owned(),
        format!("6:55: {} cannot be read: No such file", at("gone.pub")),
        format!("7:55: {}: it holds no public key", at("empty.pem")),
        "it is not a repository; write REGISTRY/REPOSITORY".into(),
        "9:3: `https://r.example` is not the host of a registry".into(),
        format!("10:20: {} holds no certificate", at("empty.pem")),
        "11:22: a `user` needs a `password`".into(),
        "12:35: a password is a secret".into(),
        format!("13:29: {} has no login for d.example", at("logins")),
        format!("14:20: {} holds no certificate", at("cosign.pub")),
        "14:20: `plain-http` uses no certificates".into(),
    ] {
        assert!(together.iter().any(|line| line.contains(&due)), "{due}\n{together:#?}");
    }
    assert_eq!(together.len(), 11, "{together:#?}");
}

#[test]
fn a_password_in_clear_is_warned_of() {
    let scene = Scene::new();
    fs::write(scene.path("password"), "secret").expect("a file");
    let warnings = |host: &str| {
        let section = format!(
            "registries: {{ \"{host}\": {{ plain-http: true, user: u, password: {{ file: password }} }} }}\n"
        );
        let mut warnings = scene.load(&minimal(&section)).expect("good").warnings;
        // There is no plugin that comes from it.
        warnings.retain(|(pointer, _)| pointer.ends_with("plain-http"));
        warnings
    };
    assert!(warnings("localhost:5000").is_empty());
    let [(pointer, message)] = &warnings("registry.example")[..] else { unreachable!("one warning") };
    assert_eq!(pointer, "/registries/registry.example/plain-http");
    assert!(message.contains("in clear"), "{message}");
}

/// The trusted root of an instance without time-stamping authorities; the bytes are no certificates.
const ROOT: &str = r#"{
    "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    "tlogs": [{
        "publicKey": { "rawBytes": "a2V5", "validFor": { "start": "2021-01-12T11:53:27Z" } }, "logId": { "keyId": "aWQ=" }
    }],
    "certificateAuthorities": [{
        "certChain": { "certificates": [{ "rawBytes": "Y2E=" }] }, "validFor": { "start": "2022-04-13T20:06:15.000Z" }
    }]
}"#;

#[test]
fn an_identity_is_read_with_its_trusted_root() {
    let scene = Scene::new();
    fs::write(scene.path("root.json"), ROOT).expect("a file");
    let keyless = |keyless: &str| {
        minimal(&format!(
            "policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: oci://registry.example/acl\n    verify: \
             {keyless}\n"
        ))
    };
    let good = "identity: a@acme.example, issuer: https://issuer.example";
    let config =
        scene.load(&keyless(&format!("{{ keyless: {{ {good}, trusted-root: root.json }} }}"))).expect("good");
    let verify = config.policy.plugins[0].verify.as_ref().expect("an identity");
    let read = verify.keyless.as_ref().expect("an identity");
    assert_eq!((verify.key.as_ref(), read.roots.len()), (None, 1));
    assert!(read.names("a@acme.example") && read.trusted_root == scene.path("root.json"));
    assert!(config.files.contains(&scene.path("root.json")), "a reload needs to read it again");

    fs::write(scene.path("empty.json"), "").expect("a file");
    let at = |name: &str| scene.path(name).display().to_string();
    for (written, due) in [
        ("{}".to_owned(), "names nobody whose signature counts; give `key: FILE`, or `keyless`".to_owned()),
        ("{ repository: r.example/acl }".into(), "names nobody".into()),
        (
            format!("{{ keyless: {{ {good}, trusted-root: gone.json }} }}"),
            format!("{} cannot be read", at("gone.json")),
        ),
        (
            format!("{{ keyless: {{ {good}, trusted-root: empty.json }} }}"),
            format!("{}: it is empty; let `cosign trusted-root create", at("empty.json")),
        ),
        (
            "{ keyless: { identity: \"*\", issuer: https://a, trusted-root: root.json } }".into(),
            "it would let anybody sign".into(),
        ),
        (
            "{ keyless: { identity: a, issuer: github, trusted-root: root.json } }".into(),
            "it is not the URL of an issuer".into(),
        ),
        ("{ keyless: { identity: a, trusted-root: root.json } }".into(), "issuer".into()),
    ] {
        let complaints = scene.complaints(keyless(&written));
        assert!(complaints.len() == 1 && complaints[0].contains(&due), "{due}\n{complaints:#?}");
    }
}
