//! Invalid configurations: all errors, with their positions.

use super::*;

/// The keys of a listener, as messages list them.
const LISTENER_KEYS: &str = "`address`, `name`, `ipv6-only`, `interface`, `free-bind`, `single-port`, `tid-ports`, `burst`, `rate`, `max-blksize`, `max-windowsize`, `options`, `roots` and `policy`";

/// Found by fuzzing: the position was on a line after the last one.
#[test]
fn a_missing_end_is_shown_on_the_last_line() {
    let scene = Scene::new();
    for (yaml, place) in [("[", "1:2"), ("listeners: [\n  {", "2:4"), ("listeners: []\nroots: []\n? ", "3:3")]
    {
        let complaints = scene.complaints(yaml);
        assert!(
            complaints.iter().any(|complaint| complaint.starts_with(&format!("{place}: "))),
            "{complaints:?}"
        );
    }
}

#[test]
fn files_that_are_not_a_configuration_say_so() {
    let scene = Scene::new();
    for (text, complaint) in [
        (&b""[..], "the file is empty; it needs at least `listeners` and `roots`"),
        ("\u{feff}".as_bytes(), "the file is empty; it needs at least `listeners` and `roots`"),
        (b"# nothing yet\n", "the file is empty; it needs at least `listeners` and `roots`"),
        (b"- a\n", "1:1: found a list; give a mapping (`key: value` lines)"),
        (b"tftp\n", "1:1: found `tftp`; give a mapping (`key: value` lines)"),
        (
            b"workers: 1\nroots:\n  - n: \xff\n",
            "3:8: the text is not UTF-8 from here on; save the file as UTF-8",
        ),
        // Old Macintosh files end lines with CR.
        (b"workers: 1\r# \xff\n", "2:3: the text is not UTF-8 from here on; save the file as UTF-8"),
        (b"#\r#\ra:\r\tb: 1\r", "4:1: the indentation contains a tab; YAML uses only spaces"),
        (b"a:\n\tb: 1\n", "2:1: the indentation contains a tab; YAML uses only spaces"),
        (b"a: 1\nb: 2\na: 3\n", "3:1: `a` appears twice, first on line 1; keep one of them"),
        (b"a: { b: 1, b: 2 }\n", "1:12: `b` appears twice, first on line 1; keep one of them"),
        (b"a: !x 1\n", "1:4: tags (`!word`) are not supported; remove it, and put text in quotes"),
        (b"a: &x { b: 1 }\nc:\n  <<: *x\n", "3:3: merge keys (`<<`) are not supported; write the keys out"),
        (b"--- {}\n--- {}\n", "2:1: a second document begins here; keep one document in the file"),
        (b"? [a]\n: 1\n", "1:3: a list or mapping cannot be a key; write a plain word"),
        (b"a: &x [*x]\n", "1:8: the alias is inside its own anchor; write the value out"),
    ] {
        let complaint = complaint.to_owned();
        assert_eq!(scene.complaints(text), [complaint], "{}", text.escape_ascii());
    }
    for (text, place, cause) in [
        ("a: [", "1:5", "did not find expected node content"),
        ("a: 'x\n", "1:4", "quoted scalar"),
        ("a: b: c\n", "1:5", "mapping values are not allowed"),
        ("a: \u{0}\n", "1:4", ""),
    ] {
        let found = scene.complaints(text);
        assert!(found[0].starts_with(&format!("{place}: this is not YAML: ")), "{found:?}");
        assert!(found[0].contains(cause), "{found:?}");
    }
    let deep = "1:65: lists and mappings are nested deeper than 64; flatten them";
    assert_eq!(scene.complaints("[".repeat(100)), [deep]);
    let deeper = scene.complaints("[".repeat(1_000_000));
    assert!(deeper[0].contains("recursion limit"), "{deeper:?}");
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let scene = Scene::new();
    for (name, complaint) in [
        ("none.yaml", "there is no such file; correct the path"),
        ("files", "this is a folder; name the YAML file in it"),
        ("files/x", "there is no such file; correct the path"),
    ] {
        let error = Config::load(&scene.path(name)).expect_err(name);
        assert_eq!(error.to_string(), format!("{}: {complaint}", scene.path(name).display()));
    }
}

/// Nine levels of nine references each would expand to hundreds of millions of values.
#[test]
fn a_bomb_of_aliases_is_refused_in_no_time() {
    let mut yaml = "a0: &a0 x\n".to_owned();
    for level in 1..10 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        yaml += &format!("a{level}: &a{level} [{before}]\n");
    }
    let found = Scene::new().complaints(&yaml);
    assert!(found[0].contains("repetition limit"), "{found:?}");
}

#[test]
fn every_wrong_key_and_value_is_found_at_its_place() {
    let yaml = "\
listeners:
  - adress: 127.0.0.1:69
    single_port: yes
    port: 69
  - single-port: yes
    address: localhost:69
roots: []
policy: { default: alow, authorize: [acl, acl, 1] }
plugins:
  acl: {}
  map:
    component: ''
    grants: [cv, files]
    settings:
    limits: { memory: 1KiB, content: lots, time: 5, wall: 2h }
workers: 0
transfer:
  max-blksize: 65465
  rollover: 2
  retransmit: { floor: 1ns }
limits: 5
";
    let expected = [
        "2:5: unknown key `adress`; did you mean `address`? Known here: LISTENER KEYS",
        "3:5: unknown key `single_port`; did you mean `single-port`? Known here: LISTENER KEYS",
        "4:5: unknown key `port`; remove or replace it. Known here: LISTENER KEYS",
        "5:18: found `yes`; give `true` or `false`: write `single-port: true`",
        "6:14: `localhost` is not an IP address, and host names are not resolved; write IP:PORT, such as `127.0.0.1:69`",
        "7:8: the list is empty; add an entry, or remove the key",
        "8:20: unknown word `alow`; did you mean `allow`? Known here: `allow` and `deny`",
        "8:43: `acl` is in the list twice; keep one",
        "8:48: found the number 1; give text: put it in quotes",
        "10:8: the key `component` is missing; add it: `builtin:NAME` for a bundled plugin, the path of a component, relative to this file, or `oci://REGISTRY/REPOSITORY:TAG@sha256:DIGEST`",
        "12:16: `` names no component; write `builtin:NAME`, the path of a component, or `oci://…` for one in a registry",
        "13:14: unknown grant `cv`; did you mean `kv`? there are `client-history`, `client-mac`, `clock`, `files/ROOT`, `http/HOST:PORT`, `kv`, `metrics`, `random`, `sinks/NAME` and `upload`",
        "13:18: the grant `files` needs the name of a root; write `files/NAME`",
        "14:5: nothing is given here; give a mapping (`key: value` lines), or remove the key",
        "15:23: 1KiB is out of range; give 1MiB to 4GiB",
        "15:38: `lots` is invalid; give a size in bytes, such as 512, 64KiB or 1GB",
        "15:50: found the number 5; give a time with its unit, such as 250ms, 4s or 1m 30s",
        "15:59: 2h is out of range; give 1ms to 1m",
        "16:10: 0 is out of range; give a whole number from 1 to 1024",
        "18:16: 65465 is out of range; give a whole number from 8 to 65464",
        "19:13: 2 is out of range; give a whole number from 0 to 1",
        "20:24: 1ns is out of range; give 1ms to 1h",
        "21:9: found the number 5; give a mapping (`key: value` lines), such as `limits: { transfers: 20000 }`",
    ];
    let expected = expected.map(|line| line.replace("LISTENER KEYS", LISTENER_KEYS));
    assert_eq!(Scene::new().complaints(yaml), expected);
}

#[test]
fn an_error_names_the_file_line_and_column() {
    let scene = Scene::new();
    let error = scene.load("workers: many\n").expect_err("bad");
    let file = scene.path("tuffet.yaml");
    assert_eq!(
        error.to_string(),
        format!("{}:1:10: found `many`; give a whole number, such as `workers: 1`", file.display())
    );
}

#[test]
fn sections_that_do_not_fit_together_are_found_at_their_place() {
    let scene = Scene::new();
    let yaml = "\
listeners:
  - { address: 127.0.0.1:69, name: lan }
  - { address: 127.0.0.1:69 }
  - { address: '[::1]:69', name: lan }
  - { address: 127.0.0.1:0, name: a }
  - { address: 127.0.0.1:0, name: b }
roots:
  - { name: boot, path: files }
  - { name: boot, path: nowhere }
  - { name: file, path: policy.wasm, overwrite: true }
  - { name: late, path: files, overwrite: false, max-upload: 5 }
policy: { authorize: [alc, own], resolve: [other] }
plugins:
  acl: { component: builtin:acl, breaker: { back-off: 2m } }
  own: { component: own.wasm, limits: { wall: 100ms } }
  a b: { component: builtin:x }
transfer:
  retransmit: { floor: 1s, cap: 500ms }
limits: { transfers: 10, half-open: 11, burst: 5, per-client: { transfers: 12, pending: 5000, burst: 5 } }
start: all
";
    let at = |name: &str| scene.path(name).display().to_string();
    let expected = [
        "3:16: 127.0.0.1:69 has two listeners; remove one".to_owned(),
        "4:34: two listeners are named `lan`; give each its own `name`".into(),
        "9:13: two roots are named `boot`; give each its own name".into(),
        format!("9:25: there is no folder {}; create it or correct the path", at("nowhere")),
        format!("10:25: {} is not a folder; name the folder that is served", at("policy.wasm")),
        "10:38: `overwrite` has no effect while the root has `writable: false`; set `writable: true`, or remove it".into(),
        "11:50: `max-upload` has no effect while the root has `writable: false`; set `writable: true`, or remove it".into(),
        "12:23: unknown plugin `alc`; did you mean `acl`? Known here: `a b`, `acl` and `own`".into(),
        "12:44: unknown plugin `other`; add it below `plugins`, such as `other: { component: builtin:other }`".into(),
        "14:3: the plugin `acl` is in no chain, so it would never run; add it to `policy.authorize` or to another list of `policy`, or remove it".into(),
        "14:55: `back-off` (2m) is above `cap` (1m); lower one or raise the other".into(),
        format!("15:21: the component {} cannot be found: No such file or directory (os error 2); correct the path, or write `builtin:NAME` for a bundled plugin", at("own.wasm")),
        "15:47: `time` (200ms) is above `wall` (100ms), which ends the call first; lower one or raise the other".into(),
        "16:3: the name `a b` contains ' '; use letters, digits, `-`, `_`, `.`, `:`, `[` and `]`".into(),
        "16:3: the plugin `a b` is in no chain, so it would never run; add it to `policy.authorize` or to another list of `policy`, or remove it".into(),
        "18:24: `floor` (1s) is above `initial` (250ms); lower one or raise the other".into(),
        "19:37: 11 exceeds the total of 10 (`limits.transfers`); lower it, raise the total, or remove it".into(),
        "19:48: `burst` needs `per-second`; add it, or remove `burst`".into(),
        "19:76: 12 exceeds the total of 10 (`limits.transfers`); lower it, raise the total, or remove it".into(),
        "19:89: 5000 exceeds the total of 4096 (`limits.pending`); lower it, raise the total, or remove it".into(),
        "19:102: `burst` needs `per-second`; add it, or remove `burst`".into(),
    ];
    let mut found = scene.complaints(yaml);
    found.sort_by_key(|line| expected.iter().position(|wanted| wanted == line));
    assert_eq!(found, expected);
}

#[test]
fn a_listener_and_a_root_are_needed() {
    assert_eq!(
        Scene::new().complaints("workers: 1\n"),
        [
            "1:1: there is no listener; add `listeners: [{ address: 127.0.0.1:6969 }]`, or give --listen IP:PORT",
            "1:1: there is no root; add `roots: [{ name: boot, path: ./files }]`, or give --root DIR",
        ]
    );
}

#[test]
fn a_pointer_leads_to_a_place_whatever_the_style() {
    let scene = Scene::new();
    let yaml = minimal(
        "\
policy: { authorize: [acl, acl2] }
plugins:
  acl:
    component: builtin:own
    settings: &settings
      deny:
        - clients:
            - 192.0.2.0/24
            - 10.0.0.0/99
          \"a/b~c\": \"\u{e4}\u{e4}\"
        - { clients: [ 10.0.0.1, {\u{e4}: x} ] }
      empty:
  acl2: { component: builtin:own, settings: *settings }
",
    );
    let config = scene.load(&yaml).expect("good");
    for (pointer, line, column) in [
        ("", 1, 1),
        ("/roots/0/path", 2, 29),
        ("/plugins/acl/settings/deny/0/clients/1", 11, 15),
        ("/plugins/acl/settings/deny/0/a~1b~0c", 12, 20),
        ("/plugins/acl/settings/deny/1/clients/1/\u{e4}", 13, 38),
        // An empty value has the position of its key.
        ("/plugins/acl/settings/empty", 14, 7),
        // A missing value has the position of the nearest value around it.
        ("/plugins/acl/settings/deny/0/none", 9, 11),
        ("/plugins/acl/settings/deny/7/clients", 9, 9),
        ("/plugins/acl/limits/time", 6, 5),
        ("/none", 1, 1),
        // An alias leads to its target.
        ("/plugins/acl2/settings/deny/0/clients/1", 11, 15),
    ] {
        assert_eq!(config.position(pointer), Some(Position { line, column }), "{pointer}");
    }

    let pointer = "/plugins/acl/settings/deny/0/clients/1".to_owned();
    let error = config.error([(pointer, "a prefix has at most 32 bits; shorten it".into())]);
    let file = scene.path("tuffet.yaml");
    assert_eq!(
        error.to_string(),
        format!("{}:11:15: a prefix has at most 32 bits; shorten it", file.display())
    );
}

#[test]
fn upload_rules_are_checked() {
    let scene = Scene::new();
    let said = |rules: &str| {
        scene.complaints(format!(
            "listeners: [{{ address: 127.0.0.1:6969 }}]\nroots: [{{ name: in, path: incoming, {rules} }}]\n"
        ))
    };
    for (value, found) in [
        ("\"04755\"", "2:68: `04755` cannot be read"),
        ("rw", "2:68: `rw` cannot be read"),
        ("\"0o640\"", "2:68: `0o640` cannot be read"),
        ("640", "2:68: found the number 640"),
        ("0o640", "2:68: found the number 416"),
    ] {
        let complaint = format!("{found}; give three octal digits in quotes, such as \"0640\"");
        assert_eq!(said(&format!("writable: true, write: {{ mode: {value} }}")), [complaint]);
    }
    for (rules, complaint) in [
        ("write: { mode: \"0640\" }", "`write` has no effect while the root has `writable: false`"),
        (
            "writable: true, write: { links: follow }",
            "`links` means nothing while the root has `overwrite: false`",
        ),
        ("writable: true, overwrite: true, write: { links: folow }", "unknown word `folow`"),
        ("writable: true, write: { umaks: 0 }", "unknown key `umaks`"),
        ("writable: true, write: { umask: '08' }", "`08` cannot be read; give three octal digits"),
        ("writable: true, write: { umask: '022', mode: '0600' }", "`umask` has no effect beside `mode`"),
        (
            "writable: true, write: { create: false }",
            "with `overwrite: false` and `create: false` every upload",
        ),
        (
            "writable: true, write: { versions: { keep: 3 } }",
            "`versions` has no effect while the root has `overwrite: false`",
        ),
        ("writable: true, overwrite: true, write: { versions: {} }", "the key `keep` is missing"),
        ("writable: true, overwrite: true, write: { versions: { keep: 0 } }", "0 is out of range"),
        ("writable: true, overwrite: true, write: { versions: true }", "found `true`; give a mapping"),
        (
            "writable: true, overwrite: true, write: { versions: { keep: 1, names: date } }",
            "Known here: `number` and `time`",
        ),
        ("writable: true, write: { folders: { depth: 33 } }", "33 is out of range"),
        ("writable: true, write: { folders: { deep: 3 } }", "unknown key `deep`"),
        ("writable: true, write: { folders: 7 }", "give `true` or `false` or a mapping"),
        (
            "writable: true, overwrite: true, write: { create: false, folders: true }",
            "`folders` has no effect beside `create: false`",
        ),
        ("writable: true, write: { quota: {} }", "the quota limits nothing"),
        ("writable: true, write: { quota: { per-folder: {} } }", "the quota limits nothing"),
        ("writable: true, write: { quota: { per-folder: { files: 0 } } }", "0 is out of range"),
        ("writable: true, write: { quota: { per-client: { files: 1 } } }", "unknown key `per-client`"),
        (
            "writable: true, write: { quota: { bytes: 1KiB, per-folder: { bytes: 1KiB } } }",
            "the root may not contain more than 1024 bytes; lower it, or remove it",
        ),
        ("writable: true, write: { quota: { files: 0 } }", "0 is out of range"),
        ("write: { create: false }", "`write` has no effect while the root has `writable: false`"),
    ] {
        let said = said(rules);
        assert!(said.len() == 1 && said[0].contains(complaint), "{said:?}");
    }
    for (key, value) in [("world-readable", "true"), ("case", "insensitive"), ("also-at", "[/tftpboot]")] {
        let said = said(&format!("private: true, {key}: {value}"));
        let complaint = format!("`{key}` has no effect while the root has `private: true`");
        assert!(said.iter().any(|it| it.contains(&complaint)), "{said:?}");
    }
}
