//! `tuffet plugin check`.

use super::{plugin, write};
use crate::harness::{Setup, interface_version};
use crate::policy::probe;

#[test]
fn check_names_the_grant_and_the_remedy() {
    let good = ["--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    plugin(&[&["check", &probe()], &good[..]].concat()).assert_good();
    plugin(&[&["check", &probe()], &good[2..]].concat()).assert_fails(
        64,
        &[
            "plugin `tuffet_probe`",
            &format!("tuffet:policy/kv@{}", interface_version()),
            "tries keys",
            "--grant GRANT",
        ],
    );
    let more = plugin(&["check", "builtin:acl", "--grant", "kv"]);
    more.assert_good();
    assert!(more.stderr.contains("remove `kv`"), "{}", more.stderr);
    plugin(&["check", "builtin:acl", "--grant", "tape"]).assert_fails(64, &["unknown grant `tape`"]);
    plugin(&["check", "builtin:acl", "--root", "boot=/no/such/folder"]).assert_fails(66, &["boot"]);
}

/// Errors of the settings have the line of the settings.
#[test]
fn check_shows_the_line_of_the_settings() {
    let setup = Setup::new();
    let folder = setup.outside();
    let good = write(&folder, "good.yaml", "deny:\n  - names: [x]\n");
    plugin(&["check", "builtin:acl", "--settings", &good]).assert_good();
    let bad = write(&folder, "bad.yaml", "deny:\n  - names: [x]\n    clients: [nobody]\n");
    plugin(&["check", "builtin:acl", "--settings", &bad]).assert_fails(64, &["bad.yaml:3:", "plugin `acl`"]);
    let misspelt = write(&folder, "misspelt.yaml", "deny:\n  - names: [x]\nalow:\n  - nams: [y]\n");
    plugin(&["check", "builtin:acl", "--settings", &misspelt])
        .assert_fails(64, &["misspelt.yaml:3:1:", "unknown key `alow`; did you mean `allow`?"]);
    let list = write(&folder, "list.yaml", "- a\n");
    plugin(&["check", "builtin:acl", "--settings", &list]).assert_fails(64, &["list.yaml:1:1", "are a map"]);
    let empty = write(&folder, "empty.yaml", "");
    plugin(&["check", "builtin:acl", "--settings", &empty]).assert_fails(64, &["empty.yaml", "settings of"]);
}
