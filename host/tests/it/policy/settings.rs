//! Settings that a plugin refuses are errors of the configuration, at their place in it.

use crate::harness::{Setup, check_file, tuffet};

/// Asserts that `tuffet check` and `tuffet serve` refuse the same configuration.
#[track_caller]
fn assert_refused(rest: &str, words: &[&str]) {
    let setup = Setup::new();
    let file = setup.outside().path("policy.yaml");
    let listeners = "listeners: [{ address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: root }]\n";
    std::fs::write(&file, format!("{listeners}{rest}")).unwrap();
    let file = file.to_str().unwrap();
    let check = check_file(file);
    let serve = tuffet(["serve", "--config", file]);
    for ran in [check, serve] {
        ran.assert_fails(64, words);
        assert!(ran.stderr.contains("policy.yaml:"), "{}", ran.stderr);
    }
}

#[test]
fn a_bad_subnet() {
    assert_refused(
        "policy: { authorize: [acl] }\nplugins:\n  acl:\n    component: builtin:acl\n    settings:\n      \
         deny:\n        - clients: [10.0.0.0/8, 300.1.2.3/8]\n",
        &["policy.yaml:9:33: ", "plugin `acl`", "300.1.2.3"],
    );
}

#[test]
fn an_unknown_key() {
    assert_refused(
        "policy: { authorize: [acl] }\nplugins:\n  acl:\n    component: builtin:acl\n    settings:\n      \
         denny: []\n",
        &["policy.yaml:8:7: ", "unknown key `denny`; did you mean `deny`?"],
    );
}

#[test]
fn a_root_that_is_missing() {
    assert_refused(
        "policy: { resolve: [mac-map] }\nplugins:\n  mac-map:\n    component: builtin:mac-map\n    grants: \
         [client-mac]\n    settings:\n      rules:\n        - { templates: [\"{mac}\"] }\n",
        &["policy.yaml:9:7: ", "the key `root` is missing; add it: The root that the files are in"],
    );
}

#[test]
fn a_component_that_is_none() {
    assert_refused(
        "policy: { authorize: [acl] }\nplugins:\n  acl:\n    component: ./policy.yaml\n",
        &["policy.yaml:6:", "plugin `acl`"],
    );
    assert_refused(
        "policy: { authorize: [acl] }\nplugins:\n  acl:\n    component: builtin:acll\n",
        &["policy.yaml:6:", "acll"],
    );
}

#[test]
fn configure_that_fails() {
    for (misdeed, word) in [
        ("refuse-settings", "refused as asked"),
        ("trap-in-configure", "trap"),
        ("loop-in-configure", "time"),
    ] {
        let component = super::misbehave();
        assert_refused(
            &format!(
                "policy: {{ authorize: [bad] }}\nplugins:\n  bad:\n    component: {component}\n    \
                 settings:\n      do: {misdeed}\n"
            ),
            &["policy.yaml:", "plugin `bad`", word],
        );
    }
}
