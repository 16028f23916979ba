//! Pushed, pulled, kept: against a real registry.

use super::debian::{PASSWORD, Registry, USER};
use super::{Kept, acl, another_acl, assert_denies, digest_of, plugin, push, sha256};
use crate::harness::{Certificate, interface_version, is_root, run, run_for, skipped, tuffet};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

#[test]
fn a_start_needs_no_registry_for_what_was_pulled() {
    let Some(mut registry) = Registry::start() else { return };
    let kept = Kept::new();
    let pinned = push(&acl(), &registry.reference("team/acl:1"), &[]);
    assert_eq!(push(&acl(), &registry.reference("team/acl:1"), &[]), pinned, "the same file twice");
    let yaml = kept.yaml(&pinned, "", "");
    let config = kept.config(&yaml);
    let check = |more: &[&str]| tuffet([&["check"], more, &[config.to_str().unwrap()]].concat());
    // No check asks the network by itself, and each says what to do.
    check(&[]).assert_fails(64, &["tuffet.yaml:8:", "has not been pulled", "tuffet check --pull"]);
    assert!(!kept.path("state").exists());

    let server = kept.setup(&yaml).start();
    assert_denies(&server);
    let line = server.logged("component pulled");
    assert_eq!((&line["component"], &line["manifest"]), (&pinned.clone().into(), &digest_of(&pinned).into()));
    let digest = sha256(&std::fs::read(acl()).unwrap());
    let identity = server.status()["plugins"][0].clone();
    assert_eq!(identity["component"], pinned);
    assert_eq!(
        (&identity["manifest"], &identity["sha256"]),
        (&digest_of(&pinned).into(), &digest.clone().into())
    );
    let info = format!(
        "tuffet_plugin_info{{plugin=\"acl\",version=\"{}\",digest=\"{digest}\",verified=\"false\"}} 1",
        env!("CARGO_PKG_VERSION")
    );
    assert!(server.metrics().contains(&info), "{}", server.metrics());
    server.stop();

    registry.kill();
    let again = kept.setup(&yaml).start();
    assert_denies(&again);
    assert!(!again.log().contains("component pulled"));
    check(&[]).assert_good();
    check(&["--pull"]).assert_good();
    // A damaged component is not run, and is pulled again.
    let blob = kept.path("state/components/blobs").join(&digest);
    std::fs::write(&blob, another_acl("damage")).unwrap();
    check(&[]).assert_fails(64, &["has not been pulled"]);
    assert!(!blob.exists());
}

#[test]
fn a_tag_is_what_the_registry_says_and_what_was_pulled_last_without_it() {
    let Some(mut registry) = Registry::start() else { return };
    let kept = Kept::new();
    let reference = registry.reference("acl:stable");
    let first = push(&acl(), &reference, &[]);
    let yaml = kept.yaml(&reference, "", "");
    let server = kept.setup(&yaml).start();
    let manifest = || server.status()["plugins"][0]["manifest"].clone();
    assert_eq!(manifest(), digest_of(&first));

    let second = push(&kept.write("next.wasm", another_acl("next")), &reference, &[]);
    assert_eq!(manifest(), digest_of(&first), "nothing changes by itself");
    server.ask("reload").assert_good();
    assert_eq!(manifest(), digest_of(&second));

    registry.kill();
    server.ask("reload").assert_good();
    assert_eq!((manifest(), &server.status()["generation"]), (digest_of(&second).into(), &3.into()));
    server.wait_for_log("using the last pulled version");
    assert_denies(&server);
    server.stop();
    let again = kept.setup(&yaml).start();
    assert_denies(&again);
    again.wait_for_log("using the last pulled version");

    // What was never pulled stops the reload alone.
    again.rewrite(&kept.yaml(&registry.reference("acl:other"), "", ""));
    again.ask("reload").assert_fails(1, &["cannot be reached", "acl:other"]);
    assert_denies(&again);
    assert_eq!(again.status()["generation"], 1);
}

#[test]
fn pull_fills_the_folder_or_writes_a_file() {
    let Some(mut registry) = Registry::start() else { return };
    let kept = Kept::new();
    let reference = registry.reference("a/b/acl:1.2");
    let pinned = push(&acl(), &reference, &["--annotation", "org.example.ticket=T1"]);
    let file = kept.path("out.wasm");
    let ran = plugin(&["pull", &reference, "-o", file.to_str().unwrap()]);
    ran.assert_good();
    assert_eq!(std::fs::read(&file).unwrap(), std::fs::read(acl()).unwrap());
    assert_eq!(String::from_utf8_lossy(&ran.stdout).lines().last(), Some(&*pinned));

    let shown = plugin(&["inspect", &reference, "--json"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["name"], "acl");
    let artifact = &shown["artifact"];
    assert_eq!(artifact["manifest"], format!("sha256:{}", digest_of(&pinned)));
    assert_eq!(artifact["config"], "application/vnd.wasm.config.v0+json");
    assert_eq!(artifact["layer"], "application/wasm");
    assert_eq!(artifact["annotations"]["org.example.ticket"], "T1");
    assert_eq!(artifact["annotations"]["org.opencontainers.image.version"], env!("CARGO_PKG_VERSION"));
    let text = plugin(&["inspect", &reference]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("manifest     sha256:"), "{text:?}");
    plugin(&["inspect", &registry.reference("none:1")]).assert_fails(1, &["does not have it"]);

    let yaml = kept.yaml(&pinned, "", "");
    let config = kept.config(&yaml);
    let config = config.to_str().unwrap();
    let user = if is_root() { &["--user", "root"][..] } else { &[] };
    let pull = || plugin(&[&["pull", "--config", config], user].concat());
    assert!(String::from_utf8_lossy(&pull().stdout).ends_with(" pulled\n"));
    assert!(String::from_utf8_lossy(&pull().stdout).ends_with(" was there\n"));
    registry.kill();
    assert_denies(&kept.setup(&yaml).start());
    // Tools work from the folder, too.
    plugin(&["check", &pinned, "--config", config]).assert_good();
    plugin(&["check", &pinned]).assert_fails(64, &["plugin pull", "-o FILE"]);
    plugin(&["push", acl().to_str().unwrap(), &pinned]).assert_fails(64, &["name a tag alone"]);
    plugin(&["push", config, &reference]).assert_fails(64, &["not WebAssembly"]);
    plugin(&["push", acl().to_str().unwrap(), &reference]).assert_fails(1, &["cannot be pushed"]);
    plugin(&["pull", "oci://x"]).assert_fails(64, &["names no repository"]);
}

/// For tools that know nothing of Tuffet.
#[test]
fn the_interface_is_a_package_of_its_own() {
    let Some(registry) = Registry::start() else { return };
    let kept = Kept::new();
    let [written, pulled] = ["policy.wasm", "pulled.wasm"].map(|name| kept.path(name).display().to_string());
    plugin(&["wit", &written, "--package"]).assert_good();
    let version = interface_version();
    let reference = registry.reference(&format!("tuffet/policy:{version}"));
    push(written.as_ref(), &reference, &[]);
    plugin(&["pull", &reference, "-o", &pulled]).assert_good();
    let package = std::fs::read(&pulled).unwrap();
    assert_eq!(package, std::fs::read(&written).unwrap());
    let has = |text: &str| package.windows(text.len()).any(|its| its == text.as_bytes());
    assert!(has(&format!("tuffet:policy/accept-upload@{version}")) && has("next-free"));

    let Ok(wkg) = std::env::var("WKG") else {
        return skipped("`wkg`, which WKG names, fetches the interface (make test SUITE=wit-package)");
    };
    std::fs::remove_file(&pulled).unwrap();
    let place = reference.strip_prefix("oci://").unwrap();
    let host = place.split('/').next().unwrap();
    let mut fetch = Command::new(wkg);
    fetch.args(["oci", "pull", place, "--insecure", host, "--output", &pulled]);
    run(&mut fetch).assert_good();
    assert_eq!(package, std::fs::read(&pulled).unwrap());

    // A plugin is built from that alone.
    const PLUGIN: &str = include_str!("package/lib.rs");
    std::fs::create_dir_all(kept.path("gate/src")).unwrap();
    let project = |name: &str, text: &str| kept.write(&format!("gate/{name}"), text);
    project("src/lib.rs", &PLUGIN.replace("VERSION", version));
    project("Cargo.toml", include_str!("package/Cargo.toml.txt"));
    project("Cargo.lock", include_str!("../../../../Cargo.lock"));
    std::fs::rename(&pulled, kept.path("gate/policy.wasm")).unwrap();
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/wit-package");
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(kept.path("gate")).args(["build", "--quiet", "--target", "wasm32-wasip2"]);
    build.args(["--target-dir", target]).env_remove("RUSTFLAGS");
    run_for(&mut build, Duration::from_secs(300)).assert_good();
    let component = format!("{target}/wasm32-wasip2/debug/gate.wasm");
    let ran = plugin(&["run", &component, "--hook", "authorize", "--path", "x", "--operation", "write"]);
    assert!(String::from_utf8_lossy(&ran.stdout).contains("built from the package"), "{ran:?}");
}

#[test]
fn a_login_and_an_own_authority() {
    let kept = Kept::new();
    let Some(certificate) = Certificate::make(kept.0.path()) else { return };
    let Some(registry) = Registry::locked(&certificate) else { return };
    let (host, ca) = (registry.host(), certificate.certificate.display().to_string());
    let auth = format!("{USER}:{PASSWORD}");
    let login = kept.write(
        "config.json",
        format!(r#"{{"auths":{{"{host}":{{"username":"{USER}","password":"{PASSWORD}"}}}}}}"#),
    );
    let section = |login: &str| format!("registries: {{ \"{host}\": {{ ca: \"{ca}\", {login} }} }}");
    let by_file = section(&format!("credentials: \"{}\"", login.display()));
    let reference = registry.reference("locked/acl:1");
    let config = kept.config(&kept.yaml(&reference, "", &by_file));
    let pinned = push(&acl(), &reference, &["--config", config.to_str().unwrap()]);

    let server = kept.setup(&kept.yaml(&pinned, "", &by_file)).start();
    assert_denies(&server);
    assert!(!server.log().contains(&auth) && !server.log().contains(PASSWORD));

    let fresh = |section: &str, due: &[&str]| {
        let kept = Kept::new();
        let ran = kept.setup(&kept.yaml(&pinned, "", section)).run_to_its_end();
        ran.assert_fails(64, due);
        assert!(!ran.stderr.contains(PASSWORD) && !ran.stderr.contains("never"), "{}", ran.stderr);
    };
    let wrong = kept.write("wrong", "never");
    fresh(
        &section(&format!("user: {USER}, password: {{ file: \"{}\" }}", wrong.display())),
        &["refuses the login", "registries"],
    );
    fresh(&section(""), &["requires a login"]);
    fresh(
        &by_file.replace(&format!("ca: \"{ca}\""), "plain-http: false"),
        &["cannot be reached", "certificate"],
    );
    let right = kept.write("right", PASSWORD);
    let by_keys = section(&format!("user: {USER}, password: {{ file: \"{}\" }}", right.display()));
    let other = Kept::new();
    assert_denies(&other.setup(&other.yaml(&pinned, "", &by_keys)).start());
}
