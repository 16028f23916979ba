//! What answers in the place of a registry, such as a captive portal: what was pulled before is used.

use super::scripted::{CONFIG, LAYER, Reply, Scripted};
use super::{Kept, acl, another_acl, assert_denies, plugin};
use crate::harness::{Ran, is_root};
use std::process::Command;

fn pull(kept: &Kept, yaml: &str) -> Ran {
    let config = kept.config(yaml);
    let user = if is_root() { &["--user", "root"][..] } else { &[] };
    plugin(&[&["pull", "--config", config.to_str().unwrap()], user].concat())
}

#[test]
fn a_portal_stops_no_start_of_what_is_kept() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    registry.hold(&std::fs::read(acl()).unwrap(), CONFIG, LAYER);
    let yaml = kept.yaml(&format!("oci://{}/acl:1", registry.host()), "", "");
    pull(&kept, &yaml).assert_good();
    let page = || Reply::Content(b"<html>Welcome! Please log in.</html>".to_vec());
    let round = format!("location: http://{}/v2/acl/manifests/1\r\n", registry.host());
    let token = format!("www-authenticate: Bearer realm=\"http://{}/token\"\r\n", registry.host());
    registry.at("/token", page());
    for (reply, due) in [
        (page(), "cannot be read"),
        (Reply::Content(b"{\"schemaVersion\":2}".to_vec()), "names no configuration"),
        (Reply::Endless, "more than the"),
        (Reply::Status(400, String::new()), "status 400"),
        (Reply::Status(407, String::new()), "status 407"),
        (Reply::Status(511, String::new()), "status 511"),
        (Reply::Status(302, String::new()), "status 302"),
        (Reply::Status(302, "location: ftp://portal/\r\n".into()), "without TLS"),
        (Reply::Status(307, round), "redirects more than"),
        (Reply::Status(401, token), "no token"),
    ] {
        registry.reply("manifests/1", reply.clone());
        let ran = pull(&kept, &yaml);
        ran.assert_good();
        let warned = ran.stderr.contains(due) && ran.stderr.contains("using the last pulled version");
        assert!(warned, "{reply:?}: {}", ran.stderr);
    }
    registry.reply("manifests/1", page());
    let server = kept.setup(&yaml).start();
    assert_denies(&server);
    server.wait_for_log("using the last pulled version");
}

/// Whatever is kept: what is not signed is not used.
#[test]
fn a_signature_that_fails_is_no_portal() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    registry.hold(&std::fs::read(acl()).unwrap(), CONFIG, LAYER);
    let reference = format!("oci://{}/acl:1", registry.host());
    pull(&kept, &kept.yaml(&reference, "", "")).assert_good();
    let (private, public) = (kept.path("key"), kept.path("pub"));
    let openssl = |words: &[&str]| Command::new("openssl").args(words).output().map(|ran| ran.status);
    let (private, public) = (private.to_str().unwrap(), public.to_str().unwrap());
    let made = openssl(&["genpkey", "-algorithm", "ed25519", "-out", private])
        .and_then(|_| openssl(&["pkey", "-in", private, "-pubout", "-out", public]));
    if !made.is_ok_and(|made| made.success()) {
        return crate::harness::skipped("openssl is not installed: signatures of plugins are not tested");
    }
    let yaml = kept.yaml(&reference, &format!("    verify: {{ key: \"{public}\" }}"), "");
    pull(&kept, &yaml).assert_fails(1, &["it is not signed"]);
    registry.hold(&another_acl("next"), CONFIG, LAYER);
    pull(&kept, &yaml).assert_fails(1, &["it is not signed"]);
    registry.reply("manifests/1", Reply::Status(407, String::new()));
    pull(&kept, &yaml)
        .assert_fails(1, &["status 407", "the last pulled version cannot be used", "not signed"]);
}
