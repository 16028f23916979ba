//! What people write, and what they are told: where a key belongs, and what a value looks like.

use super::*;
use serde_json::{Map, Value};

/// The text of each mistake, without its position and what follows `[…]` in the table.
#[test]
fn a_mistake_is_answered_with_the_right_form() {
    let scene = Scene::new();
    for (yaml, said) in [
        // Keys that belong elsewhere.
        (
            "roots: [{ name: in, path: incoming, writable: true, write: { overwrite: true, max-upload: 3MB } }]",
            &[
                "`overwrite` is a key of `roots[]`, not of `roots[].write`: write `overwrite: true` beside `write`",
                "`max-upload` is a key of `roots[]`, not of `roots[].write`: write `max-upload: 3MB` beside `write`",
            ][..],
        ),
        (
            "roots: [{ name: in, path: incoming, umask: '022' }]",
            &["`umask` is not a key of `roots[]` but of `write`: write `write: { umask: \"022\" }`"],
        ),
        (
            "user: tftp",
            &["`user` is not a section but a key of `privileges`: write `privileges: { user: tftp }`"],
        ),
        (
            "max-upload: 1GB",
            &["`max-upload` is not a section but a key of `roots[]`: write `roots: [{ max-upload: 1GB }]`"],
        ),
        (
            "limits:\n  roots: [{ name: boot, path: files }]",
            &["`roots` is a section, not a key of `limits`: begin its line at the left edge, without spaces"],
        ),
        (
            "listeners:\n  - address: 127.0.0.1:69\n  roots:\n    - name: boot\n",
            &[
                "`roots:` is indented as if it were part of the lines above; begin the section at the left edge",
            ],
        ),
        (
            "web: { listen: 127.0.0.1:8080 }",
            &[
                "there is no section `web`; the page and the metrics are at the admin listener: write `admin: { address: 127.0.0.1:6980 }`",
            ],
        ),
        ("log: info", &["found `info`; give a mapping (`key: value` lines): write `log: { level: info }`"]),
        (
            "logging: { level: info }",
            &[
                "there is no section `logging`; the log has the section `log`: write `log: { level: info, format: json }`; […]",
            ],
        ),
        (
            "log: { to: /var/log/tuffet.log }",
            &["`/var/log/tuffet.log` is a path: write `to: { file: /var/log/tuffet.log }`"],
        ),
        ("log: { to: file }", &["the file has no name: write `to: { file: /var/log/tuffet/tuffet.log }`"]),
        ("log: { to: journald }", &["`journald` is no target; write `stderr`: […]"]),
        ("log: { format: xml }", &["unknown word `xml`; […]"]),
        ("log: { level: /var/log/x }", &["`/var/log/x` is a path, not a level: […]"]),
        // Values of another kind.
        ("admin: true", &["found `true`; give a mapping (`key: value` lines): write `admin: {}`"]),
        (
            "admin: 127.0.0.1:6980",
            &[
                "found `127.0.0.1:6980`; give a mapping (`key: value` lines): write `admin: { address: 127.0.0.1:6980 }`",
            ],
        ),
        (
            "admin: [{ address: 127.0.0.1:6980 }]",
            &[
                "found a list; give a mapping (`key: value` lines): write `admin: { address: 127.0.0.1:6980 }`",
            ],
        ),
        (
            "telemetry: { traces: 0.1 }",
            &["found the number 0.1; give a mapping (`key: value` lines): write `traces: { sample: 0.1 }`"],
        ),
        (
            "telemetry: { traces: false }",
            &["found `false`; give a mapping (`key: value` lines): write `traces: { enabled: false }`"],
        ),
        (
            "sinks: { out: { file: { path: /var/log/out } } }",
            &["found a mapping; give text: write `file: /var/log/out`"],
        ),
        (
            "sinks: { out: { file: { path: /var/log/out, mode: 5 } } }",
            &["found a mapping; give text, such as `file: /var/log/tuffet.jsonl`"],
        ),
        (
            "sinks: [{ name: out, file: /var/log/out }]",
            &[
                "found a list; give a mapping (`key: value` lines): write `sinks: { out: { file: /var/log/out } }`",
            ],
        ),
        (
            "sinks: { out: /var/log/out }",
            &[
                "found `/var/log/out`; give a mapping (`key: value` lines): write `out: { file: /var/log/out }`",
            ],
        ),
        (
            "plugins: [acl]",
            &[
                "found a list; give a mapping (`key: value` lines): write `plugins: { acl: { component: builtin:acl } }`",
            ],
        ),
        (
            "roots: { name: boot, path: files }",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "roots:\n  boot: files\n  up: { path: incoming }",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [{ name: boot, path: files }, { name: up, path: incoming }]`",
            ],
        ),
        (
            "roots: files",
            &[
                "found `files`; give a list (`- value` lines, or `[a, b]`): write `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "roots: [files]",
            &["found `files`; give a mapping (`key: value` lines): write `- { name: boot, path: files }`"],
        ),
        (
            "listeners: 0.0.0.0:69",
            &[
                "found `0.0.0.0:69`; give a list (`- value` lines, or `[a, b]`): write `listeners: [{ address: 0.0.0.0:69 }]`",
            ],
        ),
        (
            "policy: { authorize: acl }",
            &["found `acl`; give a list (`- value` lines, or `[a, b]`): write `authorize: [acl]`"],
        ),
        // Lists of names.
        (
            "listeners: [{ address: '127.0.0.1:69', roots: { boot: files } }]",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [boot]`, and as a section, at the left edge, `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: { boot: { path: files, writable: true }, up: incoming } }]",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [boot, up]`, and as a section, at the left edge, `roots: [{ name: boot, path: files, writable: true }, { name: up, path: incoming }]`",
            ],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: { name: boot, path: files } }]",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [boot]`, and as a section, at the left edge, `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: [{ name: boot, path: files }] }]",
            &[
                "found a mapping; give text: write `- boot`, and as a section, at the left edge, `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: [{ boot: files }] }]",
            &[
                "found a mapping; give text: write `- boot`, and as a section, at the left edge, `roots: [{ name: boot, path: files }]`",
            ],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: { boot: } }]",
            &["found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [boot]`"],
        ),
        (
            "listeners: [{ address: '127.0.0.1:69', roots: { boot: { folder: files } } }]",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `roots: [boot]`, and define it in the section `roots`",
            ],
        ),
        (
            "policy: { authorize: { acl: { component: 'builtin:acl' } } }",
            &[
                "found a mapping; give a list (`- value` lines, or `[a, b]`): write `authorize: [acl]`, and as a section, at the left edge, `plugins: { acl: { component: builtin:acl } }`",
            ],
        ),
        ("limits: 5", &["found the number 5; give a mapping (`key: value` lines), such as `limits: { […]"]),
        ("state: [/var/lib/tuffet]", &["found a list; give text: write `state: /var/lib/tuffet`"]),
        // Braces and units.
        ("state: {dir}/x", &["YAML reads braces as a mapping; quote the text: write \"{dir}/x\""]),
        ("state: {dir}", &["found a mapping; give text: write `state: \"{dir}\"`"]),
        (
            "admin: { token: ${TOKEN} }",
            &["YAML reads braces as a mapping; quote the text: write \"${TOKEN}\""],
        ),
        (
            "transfer: { rate: 5MB/s }",
            &[
                "`5MB/s` is invalid; give a size in bytes, such as 512, 64KiB or 1GB: write 5MB, which is per second for a rate",
            ],
        ),
        (
            "transfer: { rate: 40Mbit/s }",
            &[
                "`40Mbit/s` is invalid; give a size in bytes, such as 512, 64KiB or 1GB: write 5MB, which is per second for a rate",
            ],
        ),
    ] {
        let found = scene.complaints(yaml);
        let matches = |(found, said): (&String, &&str)| {
            // Positions have their own tests.
            let found = found.splitn(3, ':').nth(2).unwrap_or_default().trim_start();
            match said.split_once("[…]") {
                Some((begin, _)) => found.starts_with(begin),
                None => found == *said,
            }
        };
        assert!(
            found.len() == said.len() && found.iter().zip(said).all(matches),
            "{yaml}\n{found:#?}\n{said:#?}"
        );
    }
    let found =
        scene.complaints("listeners: [{ address: 127.0.0.1:69 }]\nroots: [{ name: a, path: \"${HOME}/x\" }]");
    assert!(
        found[0].ends_with("correct the path: `${NAME}` stands for a variable in secrets alone"),
        "{found:?}"
    );
}

/// Asserts that there is one complaint, at this place and with these words.
#[track_caller]
fn assert_wrong(yaml: &str, place: &str, words: &[&str]) {
    let found = Scene::new().complaints(yaml);
    let is_it = |found: &str| {
        found.starts_with(&format!("{place}: ")) && words.iter().all(|word| found.contains(word))
    };
    assert!(found.len() == 1 && is_it(&found[0]), "not at {place} with {words:?}: {found:#?}");
}

#[track_caller]
fn assert_right(yaml: &str) {
    Scene::new().load(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
}

#[test]
fn a_star_without_quotes() {
    let advice = "quote values that begin with `*`: write \"*.key\"";
    let acl = |settings: &str| {
        minimal(&format!(
            "policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings:\n{settings}"
        ))
    };
    assert_wrong(&acl("      deny:\n        - names:\n            - *.key\n"), "10:15", &[advice]);
    assert_wrong(&acl("      deny: [{ names: [x, *.key] }]\n"), "8:27", &[advice]);
    assert_right(&acl("      deny: [{ names: [x, '*.key'] }]\n"));
}

#[test]
fn words_and_numbers_in_quotes() {
    let root = minimal("").replace("path: files", "path: files, writable: 'true'");
    assert_wrong(&root, "2:46", &["`true` in quotes is text; remove the quotes"]);
    assert_wrong(&minimal("workers: '4'\n"), "3:10", &["`4` in quotes is text; remove the quotes"]);
}

#[test]
fn ipv6_addresses_without_brackets_or_quotes() {
    let block = |address: &str| {
        format!("listeners:\n  - address: {address}\n    name: x\nroots: [{{ name: boot, path: files }}]\n")
    };
    let flow = |address: &str| minimal("").replace("127.0.0.1:6969", address);
    for (place, listener) in [("2:14", &block as &dyn Fn(&str) -> String), ("1:24", &flow)] {
        assert_wrong(&listener("::1:69"), place, &["brackets", "\"[::1]:69\"", "in quotes"]);
        assert_wrong(&listener("[::]:69"), place, &["quote the address: write \"[::]:69\""]);
        assert_wrong(&listener("[::1]"), place, &["quote the address: write \"[::1]:69\""]);
        assert_wrong(&listener("[fe80]"), place, &["found a list; put the address in quotes"]);
        assert_right(&listener("\"[::1]:6969\""));
    }
}

#[test]
fn a_colon_without_a_space() {
    assert_wrong(
        &minimal("workers:4\n"),
        "3:1",
        &["a space is missing after `workers:`; write `workers: 4`"],
    );
    assert_wrong(
        &minimal("limits:\n  transfers:4\n  pending: 5\n"),
        "4:3",
        &["a space is missing after `transfers:`; write `transfers: 4`"],
    );
    let advice = "a space is missing after `address:`; write `address: 127.0.0.1:69`";
    for (listeners, place) in [
        ("\n  - address:127.0.0.1:69\n", "2:5"),
        ("\n  - name: lan\n    address:127.0.0.1:69\n", "3:5"),
        (" [{ address:127.0.0.1:69 }]\n", "1:15"),
    ] {
        assert_wrong(
            &format!("listeners:{listeners}roots: [{{ name: boot, path: files }}]\n"),
            place,
            &[advice],
        );
    }
}

#[test]
fn roots_that_are_all_private() {
    let private =
        |more: &str| minimal("").replace("path: files }", &format!("path: files, private: true }}{more}"));
    assert_wrong(&private(""), "2:8", &["every root is private", "clients would get nothing"]);
    assert_right(&private(", { name: more, path: incoming }"));
}

#[test]
fn absolute_names_of_a_root() {
    for (prefixes, complaint) in [
        ("[tftpboot]", "it is not absolute; write the beginning of names such as /tftpboot"),
        ("[/]", "every name begins with it"),
        ("[/a/../b]", "file name holds `..`"),
        ("[\"/a\\nb\"]", "control character"),
    ] {
        let yaml = minimal("").replace("path: files", &format!("path: files, also-at: {prefixes}"));
        assert_wrong(&yaml, "2:46", &[complaint]);
    }
    let yaml = minimal("").replace("path: files", "path: files, also-at: /tftpboot");
    assert_wrong(&yaml, "2:45", &["list"]);
}

#[test]
fn folders_that_links_lead_to() {
    let links =
        |folders: &str| minimal("").replace("path: files", &format!("path: files, links: [{folders}]"));
    assert_wrong(&links("/"), "2:44", &["every file of this machine"]);
    assert_wrong(&links("images, ./images"), "2:52", &["is named twice"]);
}

#[test]
fn slips_knows_sections_that_exist() {
    let schema = schema();
    assert!(slips::SECTIONS.iter().all(|name| schema["properties"].get(*name).is_some()));
}

/// Advice tries values against the schema; what is tried must not grow with the nesting.
#[test]
fn advice_about_a_deep_value_takes_no_time() {
    let deep = format!("roots: {}1{}\n", "{ roots: [".repeat(30), "] }".repeat(30));
    let found = Scene::new().complaints(deep);
    assert!(found[0].contains("give a list"), "{found:?}");
}

fn fits(schema: &Map<String, Value>, value: &Value) -> bool {
    let mut findings = Vec::new();
    shape::check(&Value::Object(schema.clone()), value, "", &mut findings);
    findings.is_empty()
}

/// Walks all keys of the schema, those of bundled plugins included.
fn each_key(schema: &Value, key: &str, visit: &mut impl FnMut(&Map<String, Value>, &str)) {
    let Some(schema) = schema.as_object() else { return };
    if !key.is_empty() {
        visit(schema, key);
    }
    for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        each_key(property, key, visit);
    }
    for inner in ["items", "additionalProperties"].iter().filter_map(|inner| schema.get(*inner)) {
        each_key(inner, "", visit);
    }
    for branch in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        each_key(&branch["then"]["properties"]["settings"], "settings", visit);
    }
}

#[test]
fn each_example_is_valid_and_reads_as_it_is_shown() {
    let mut shown = 0;
    each_key(&crate::schema::strict(), "", &mut |schema, key| {
        let example = form::example(schema, key, fits);
        if example.is_null() {
            return;
        }
        let line = form::flow(&Value::Object(schema.clone()), &example);
        assert!(fits(schema, &example), "{key}: {line}");
        if !line.contains('…') {
            assert_eq!(serde_yaml::from_str::<Value>(&line).unwrap(), example, "{key}: {line}");
            shown += 1;
        }
    });
    assert!(shown > 200, "{shown} keys have an example");
}
