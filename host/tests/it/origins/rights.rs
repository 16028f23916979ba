//! The user, the sandbox rules and the secrets of a server with origins.

use super::{far, setup};
use crate::harness::{Manner, Peer, Web, is_root, skipped, tuffet};
use std::os::unix::fs::MetadataExt;

#[test]
fn the_cache_belongs_to_the_user_of_the_server() {
    if !is_root() {
        return skipped("the owner of a cache: not root");
    }
    let web = Web::start();
    web.put("file", b"content", "1");
    // A folder that its user may enter, and where root makes the cache.
    let outside = tempfile::Builder::new().prefix("tuffet-origins").tempdir().unwrap();
    std::fs::set_permissions(outside.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let cache = outside.path().join("var/cache");
    let yaml = format!(
        "roots: [{{ name: far, url: \"{}\", cache: {{ path: {cache:?} }} }}]\ncontrol: none\n",
        web.url()
    );
    let server = setup().user(Some("nobody")).yaml(&yaml).start();
    assert_eq!(Peer::new(server.address()).read_plainly("file"), b"content");
    let nobody = 65534;
    assert_eq!(std::fs::metadata(&cache).unwrap().uid(), nobody);
    for entry in std::fs::read_dir(&cache).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().uid(), nobody, "{:?}", entry.path());
    }
}

#[test]
fn a_reload_refuses_a_cache_that_the_sandbox_rules_do_not_cover() {
    let web = Web::start();
    web.put("file", b"content", "1");
    let server = far(&web, "", "", "");
    let elsewhere = tempfile::Builder::new().tempdir_in("/var/tmp").unwrap();
    let yaml = format!(
        "roots: [{{ name: far, url: \"{}\", cache: {{ path: {:?} }} }}]\n",
        web.url(),
        elsewhere.path().join("cache")
    );
    server.rewrite(&yaml);
    let refused = server.ask("reload");
    if server.status()["privileges"]["landlock_abi"].is_null() {
        return skipped("sandbox rules around a cache: no Landlock");
    }
    refused.assert_fails(1, &["refused", "outside of the files that this process may access"]);
    assert_eq!(Peer::new(server.address()).read_plainly("file"), b"content");
}

#[test]
fn credentials_reach_the_origin_and_nobody_else() {
    let web = Web::start();
    web.put("file", b"content", "1");
    let yaml = format!(
        "roots:\n  - name: far\n    url: \"{}\"\n    origin: {{ credentials: {{ user: reader, password: \
         \"${{TUFFET_TEST_PASSWORD}}\" }} }}\n    cache: {{ path: cache }}\n",
        web.url()
    );
    let server =
        setup().variable("TUFFET_TEST_PASSWORD", "hush-hush").flag("--log").flag("trace").yaml(&yaml).start();
    assert_eq!(Peer::new(server.address()).read_plainly("file"), b"content");
    // reader:hush-hush
    let request = web.requests("GET").concat();
    assert!(request.contains("Basic cmVhZGVyOmh1c2gtaHVzaA=="), "{request}");
    web.be(Manner::Says(401));
    Peer::new(server.address()).ask(&crate::harness::rrq("other", &[]));
    server.outcome("other");
    let shown = [server.log(), server.metrics(), server.status().to_string(), server.live().to_string()];
    for text in shown {
        assert!(!text.contains("hush-hush") && !text.contains("cmVhZGVyOmh1c2gtaHVzaA"), "{text}");
    }
}

#[test]
fn doctor_looks_at_the_folder_of_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tuffet.yaml");
    let yaml = "listeners: [{ address: \"127.0.0.1:0\" }]\nroots: [{ name: far, url: \"s3://bucket\", cache: { path: a/b } }]\n";
    std::fs::write(&file, yaml).unwrap();
    let ran = tuffet(["doctor", "--config", file.to_str().unwrap()]);
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        text.contains("cache of far") && text.contains("s3://bucket is not checked"),
        "{text} {}",
        ran.stderr
    );
    assert!(!folder.path().join("a").exists());
}
