//! What is wrong with settings, and where.

use super::*;

#[track_caller]
fn assert_problems(settings: Value, starts: &[&str]) {
    let found = problems(settings);
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem:?} should start with {start:?}");
    }
}

#[test]
fn each_bad_line_of_a_map() {
    let map = "r a b\nx a b\nr (a b\nr\na~ (b\nr~ a b\n:\nj a nowhere\nes a\nrE4 . b\n";
    assert_problems(
        json!({ "root": "boot", "map": map }),
        &[
            "/map: line 2: there is no operation `x`",
            "/map: line 3: expression `(a`, character 1: `(` without `)`",
            "/map: line 4: the expression is missing",
            "/map: line 5: expression `(b`, character 1",
            "/map: line 6: the operations `r` and `~` exclude",
            "/map: line 9: the operations `e` and `s` exclude",
            "/map: line 8: there is no label `nowhere`",
        ],
    );
    assert_problems(
        json!({ "root": "boot", "dialect": "tftpd-hpa-5.2", "map": "rE a b\n:a\nr~ a b\nes a\nae b" }),
        &[
            "/map: line 1: the operation `E` is new in 6.0",
            "/map: line 2: labels are new in 6.0",
            "/map: line 3: the operations `r` and `~`",
        ],
    );
    assert_problems(
        json!({ "root": "boot", "dialect": "atftpd", "map": "# no comment here\n(a) $2\n(?=a) b\n\na b\na $x\n" }),
        &[
            "/map: line 1: a line is an expression",
            "/map: line 2: the replacement names $2, and the expression has 1 groups",
            "/map: line 3: expression `(?=a)`, character 1: of groups",
            "/map: line 4: a line is an expression",
            "/map: line 6: `$` stands in front",
        ],
    );
}

#[test]
fn each_bad_rule() {
    assert_problems(
        json!({ "root": "boot", "rules": [
            { "match": "a(b", "replace": "x" },
            { "match": "\\d+", "replace": "x" },
            { "replace": "x" },
            { "match": "a", "unless": "b", "deny": "x" },
            { "unless": "a", "replace": "x" },
            { "match": "a" },
            { "match": "a", "replace": "x", "deny": "y" },
            { "match": "(a)", "replace": "\\2" },
            { "match": "a", "replace": "x", "flags": ["stop", "restart"] },
            { "match": "a", "deny": "x", "flags": ["global"] },
            { "match": "a", "goto": "nowhere" },
        ] }),
        &[
            "/rules/0/match: character 2: `(` without `)`",
            "/rules/1/match: character 1: write [0-9] for `\\d`",
            "/rules/2: when does the rule apply?",
            "/rules/3: a rule has `match` or `unless`",
            "/rules/4/replace: nothing matched",
            "/rules/5: the rule does nothing",
            "/rules/6: a rule has one of",
            "/rules/7/replace: it names the group \\2, and the expression has 1",
            "/rules/8/flags: stop and restart exclude",
            "/rules/9/flags: global and repeat are for",
            "/rules/10/goto: there is no label `nowhere`",
        ],
    );
}

#[test]
fn settings_that_make_no_sense() {
    assert_problems(json!({}), &[": missing field `root`", ": the plugin does nothing"]);
    assert_problems(json!({ "root": "boot" }), &[": the plugin does nothing"]);
    assert_problems(json!({ "root": "boot", "rules": [] }), &["/rules: an empty list"]);
    assert_problems(
        json!({ "root": "boot", "map": "", "rules": [{ "match": "a", "deny": "" }] }),
        &[": use one of"],
    );
    assert_problems(
        json!({ "root": "boot", "lowercase": true, "dialect": "atftpd" }),
        &["/dialect: the dialect is"],
    );
    assert_problems(json!({ "root": "boot", "map": "", "steps": 0 }), &["/steps: write 1 to 65536"]);
    assert_problems(json!({ "root": "boot", "prefix": "a/../b" }), &["/prefix: write a folder"]);
    assert_problems(
        json!({ "map": "", "also-at": [{ "path": "a" }] }),
        &["/also-at/0/path: write an absolute folder", "/also-at/0: name the root"],
    );
    assert_problems(
        json!({ "also-at": [{ "path": "/a", "root": "boot" }], "unique-root": "ip" }),
        &["/unique-root: name the root"],
    );
    assert_problems(
        json!({ "root": "boot", "mapfile": "x" }),
        &["/mapfile: unknown field `mapfile`, expected one of"],
    );
    assert_problems(
        json!({ "root": "boot", "dialect": "5.2" }),
        &["/dialect: unknown variant `5.2`, expected one of"],
    );
}
