//! Configurations good and bad, read from real files.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::sinks::{Secret, SinkTarget};

/// A folder with what the configurations here refer to.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["files", "incoming", "dhcp"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        fs::write(folder.path().join("policy.wasm"), "").expect("a file");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("tuffet.yaml");
        fs::write(&path, content).expect("a file");
        path
    }

    fn load(&self, yaml: &str) -> Result<Config, ConfigError> {
        Config::load(&self.write(yaml))
    }

    /// What is said of a bad configuration, with the path of the file left out.
    fn complaints(&self, yaml: impl AsRef<[u8]>) -> Vec<String> {
        complaints(Config::load(&self.write(yaml)))
    }
}

fn complaints(result: Result<Config, ConfigError>) -> Vec<String> {
    let error = result.expect_err("a bad configuration");
    let line = |problem: &Problem| match &problem.place {
        Place::Position(_, position) => format!("{position}: {}", problem.message),
        Place::Flag(flag) => format!("{flag}: {}", problem.message),
        Place::File(_) => problem.message.clone(),
    };
    error.problems().iter().map(line).collect()
}

/// The least there can be; `rest` follows on line 3.
fn minimal(rest: &str) -> String {
    format!("listeners: [{{ address: 127.0.0.1:6969 }}]\nroots: [{{ name: boot, path: files }}]\n{rest}")
}

/// Found by fuzzing: the place was on a line behind the last one.
#[test]
fn what_is_missing_at_the_end_is_shown_on_the_last_line() {
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
fn the_example_resolves_to_what_it_says() {
    let scene = Scene::new();
    let config = scene.load(EXAMPLE).expect("the example is good");
    let lan = Listener {
        name: "lan".into(),
        address: "127.0.0.1:6969".parse().expect("an address"),
        single_port: false,
        burst: Some(64),
    };
    assert_eq!(config.listeners, [lan]);
    let boot = RootSpec {
        private: false,
        name: "boot".into(),
        path: scene.path("files"),
        writable: false,
        overwrite: false,
        max_upload: 1 << 30,
    };
    let incoming =
        RootSpec { name: "incoming".into(), path: scene.path("incoming"), writable: true, ..boot.clone() };
    let dhcp = RootSpec { name: "dhcp".into(), path: scene.path("dhcp"), private: true, ..boot.clone() };
    assert_eq!(config.roots, [boot, incoming, dhcp]);
    assert_eq!(config.workers, 2);
    assert_eq!(config.policy.default, DefaultVerdict::Allow);
    assert_eq!((config.policy.authorize[0].as_str(), config.policy.resolve[0].as_str()), ("acl", "mac-map"));

    let [acl, _, mac_map, _] = config.policy.plugins.as_slice() else { unreachable!("four plugins") };
    assert_eq!(acl.component, ComponentSource::Builtin("acl".into()));
    assert_eq!(acl.settings["deny"][0]["names"][0], "secret/**");
    assert_eq!((acl.on_error, acl.grants.as_slice()), (OnError::Deny, &[][..]));
    assert_eq!((mac_map.on_error, mac_map.grants.as_slice()), (OnError::Abstain, &[Grant::ClientMac][..]));
    assert_eq!(mac_map.limits, acl.limits, "written out and by default");
}

/// The example writes out every default, so that changing one of the two alone is noticed.
#[test]
fn what_is_left_out_takes_the_defaults() {
    let scene = Scene::new();
    let (full, least) = (scene.load(EXAMPLE).expect("good"), scene.load(&minimal("")).expect("good"));
    assert_eq!(least.transfer, full.transfer);
    // Rates have no default.
    let rates = |config: &Config| [config.limits.bounds.per_second, config.limits.bounds.client_per_second];
    assert!(rates(&full).iter().all(Option::is_some) && rates(&least).iter().all(Option::is_none));
    let mut limits = full.limits;
    (limits.bounds.per_second, limits.bounds.client_per_second) = (None, None);
    assert_eq!(least.limits, limits);
    assert_eq!(least.listeners[0].name, "127.0.0.1:6969");
    assert!(least.workers >= 1);
    assert!(least.policy.plugins.is_empty() && least.policy.default == DefaultVerdict::Allow);
    assert_eq!(least.transfer.retransmit.initial, Duration::from_millis(250));
    assert_eq!(least.transfer.max_blksize, 65464);
}

#[test]
fn files_that_are_not_a_configuration_say_so() {
    let scene = Scene::new();
    for (text, complaint) in [
        (&b""[..], "the file is empty; it needs at least `listeners` and `roots`"),
        (b"# nothing yet\n", "the file is empty; it needs at least `listeners` and `roots`"),
        (b"- a\n", "1:1: found a list; give a mapping (`key: value` lines)"),
        (b"tftp\n", "1:1: found `tftp`; give a mapping (`key: value` lines)"),
        (
            b"workers: 1\nroots:\n  - n: \xff\n",
            "3:8: the text is not UTF-8 from here on; save the file as UTF-8",
        ),
        (b"a:\n\tb: 1\n", "2:1: a tab stands in the indentation; YAML is indented by spaces alone"),
        (b"a: 1\nb: 2\na: 3\n", "3:1: `a` stands here twice, first on line 1; keep one of them"),
        (b"a: { b: 1, b: 2 }\n", "1:12: `b` stands here twice, first on line 1; keep one of them"),
        (b"a: !x 1\n", "1:4: tags (`!word`) are not read; remove it, and put text in quotes"),
        (b"a: &x { b: 1 }\nc:\n  <<: *x\n", "3:3: merge keys (`<<`) are not read; write the keys out"),
        (b"--- {}\n--- {}\n", "2:1: a second document begins here; keep one document in the file"),
        (b"? [a]\n: 1\n", "1:3: a list or mapping cannot be a key; write a plain word"),
        (b"a: &x [*x]\n", "1:8: the alias stands inside its own anchor; write the value out"),
    ] {
        let complaint = complaint.to_owned();
        assert_eq!(scene.complaints(text), [complaint], "{}", text.escape_ascii());
    }
    for (text, place, cause) in [
        ("a: [", "1:5", "did not find expected node content"),
        ("a: 'x\n", "1:4", "quoted scalar"),
        ("a: b: c\n", "1:5", "mapping values are not allowed"),
        ("a: *x\n", "1:4", "unknown anchor"),
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

/// Nine levels of nine references each: hundreds of millions of values, were they written out.
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
        "2:5: unknown key `adress`; did you mean `address`? Known here: `address`, `name`, `single-port` and `burst`",
        "3:5: unknown key `single_port`; did you mean `single-port`? Known here: `address`, `name`, `single-port` and `burst`",
        "4:5: unknown key `port`; remove or replace it. Known here: `address`, `name`, `single-port` and `burst`",
        "5:18: found `yes`; give `true` or `false`",
        "6:14: `localhost` is not an IP address, and names of hosts are not looked up; write IP:PORT, such as `127.0.0.1:69`",
        "7:8: the list is empty; add an entry, or remove the key",
        "8:20: unknown word `alow`; did you mean `allow`? Known here: `allow` and `deny`",
        "8:43: `acl` stands in the list twice; keep one",
        "8:48: found the number 1; give text: put it in quotes",
        "10:8: the key `component` is missing; add it: `builtin:NAME` for one that is built in, or the path of a component, relative to this file",
        "12:16: `` names no component; write `builtin:NAME` or the path of a component",
        "13:14: unknown grant `cv`; did you mean `kv`? there are `client-mac`, `clock`, `files/ROOT`, `http/HOST:PORT`, `kv`, `random` and `sinks/NAME`",
        "13:18: the grant `files` needs the name of a root; write `files/NAME`",
        "14:5: nothing is given here; give a mapping (`key: value` lines), or remove the key",
        "15:23: 1KiB is out of range; give 1MiB to 4GiB",
        "15:38: `lots` cannot be read; give a size in bytes, such as 512, 64KiB or 1GB",
        "15:50: found the number 5; give a time with its unit, such as 250ms, 4s or 1m 30s",
        "15:59: 2h is out of range; give 1ms to 1m",
        "16:10: 0 is out of range; give a whole number from 1 to 1024",
        "18:16: 65465 is out of range; give a whole number from 8 to 65464",
        "19:13: 2 is out of range; give a whole number from 0 to 1",
        "20:24: 1ns is out of range; give 1ms to 1h",
        "21:9: found the number 5; give a mapping (`key: value` lines)",
    ];
    assert_eq!(Scene::new().complaints(yaml), expected);
}

#[test]
fn an_error_names_the_file_line_and_column() {
    let scene = Scene::new();
    let error = scene.load("workers: many\n").expect_err("bad");
    let file = scene.path("tuffet.yaml");
    assert_eq!(error.to_string(), format!("{}:1:10: found `many`; give a whole number", file.display()));
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
";
    let at = |name: &str| scene.path(name).display().to_string();
    let expected = [
        "3:16: 127.0.0.1:69 is listened on twice; remove one of the two".to_owned(),
        "4:34: two listeners are named `lan`; give each a `name` of its own".into(),
        "9:13: two roots are named `boot`; give each a name of its own".into(),
        format!("9:25: there is no folder {}; create it or correct the path", at("nowhere")),
        format!("10:25: {} is not a folder; name the folder that is served", at("policy.wasm")),
        "10:38: `overwrite` means nothing while the root has `writable: false`; set `writable: true`, or remove it".into(),
        "11:50: `max-upload` means nothing while the root has `writable: false`; set `writable: true`, or remove it".into(),
        "12:23: unknown plugin `alc`; did you mean `acl`? Known here: `a b`, `acl` and `own`".into(),
        "12:44: unknown plugin `other`; add it below `plugins`, such as `other: { component: builtin:other }`".into(),
        "14:3: the plugin `acl` is in no chain, so nothing would ask it; add it to `policy.authorize` or to another list of `policy`, or remove it".into(),
        "14:55: `back-off` (2m) is above `cap` (1m); lower one or raise the other".into(),
        format!("15:21: the component {} cannot be found: No such file or directory (os error 2); correct the path, or write `builtin:NAME` for one that is built in", at("own.wasm")),
        "15:47: `time` (200ms) is above `wall` (100ms), which ends the call first; lower one or raise the other".into(),
        "16:3: the name `a b` holds ' '; use letters, digits, `-`, `_`, `.`, `:`, `[` and `]`".into(),
        "16:3: the plugin `a b` is in no chain, so nothing would ask it; add it to `policy.authorize` or to another list of `policy`, or remove it".into(),
        "18:24: `floor` (1s) is above `initial` (250ms); lower one or raise the other".into(),
        "19:37: 11 is more than there is for all, 10 (`limits.transfers`); lower it, raise that, or leave it out".into(),
        "19:48: `burst` is how much may exceed `per-second`, which is not there; add it, or remove `burst`".into(),
        "19:76: 12 is more than there is for all, 10 (`limits.transfers`); lower it, raise that, or leave it out".into(),
        "19:89: 5000 is more than there is for all, 4096 (`limits.pending`); lower it, raise that, or leave it out".into(),
        "19:102: `burst` is how much may exceed `per-second`, which is not there; add it, or remove `burst`".into(),
    ];
    let mut found = scene.complaints(yaml);
    found.sort_by_key(|line| expected.iter().position(|wanted| wanted == line));
    assert_eq!(found, expected);
}

/// What one client may take follows from what there is for all.
#[test]
fn shares_follow_from_the_whole() {
    let bounds = |limits: &str| {
        let config = Scene::new().load(&minimal(&format!("limits: {{ {limits} }}\n"))).expect("good");
        config.limits.bounds
    };
    let shares = |limits: &str| {
        let bounds = bounds(limits);
        (bounds.half_open, bounds.client_transfers, bounds.client_pending)
    };
    assert_eq!(shares(""), (10_000, 15_000, 3072));
    assert_eq!(shares("transfers: 1, pending: 1"), (1, 1, 1));
    assert_eq!(shares("transfers: 5, pending: 8"), (3, 4, 6));
    assert_eq!(shares("half-open: 7, per-client: { transfers: 3, pending: 2 }"), (7, 3, 2));
    let rate = bounds("per-second: 50, per-client: { per-second: 5, burst: 9 }");
    let [all, client] = [rate.per_second, rate.client_per_second].map(|rate| rate.expect("configured"));
    assert_eq!((all.per_second, all.burst, client.per_second, client.burst), (50, 50, 5, 9));
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
    component: builtin:acl
    settings: &settings
      deny:
        - clients:
            - 192.0.2.0/24
            - 10.0.0.0/99
          \"a/b~c\": \"\u{e4}\u{e4}\"
        - { clients: [ 10.0.0.1, {\u{e4}: x} ] }
      empty:
  acl2: { component: builtin:acl, settings: *settings }
",
    );
    let config = scene.load(&yaml).expect("good");
    for (pointer, line, column) in [
        ("", 1, 1),
        ("/roots/0/path", 2, 29),
        ("/plugins/acl/settings/deny/0/clients/1", 11, 15),
        ("/plugins/acl/settings/deny/0/a~1b~0c", 12, 20),
        ("/plugins/acl/settings/deny/1/clients/1/\u{e4}", 13, 38),
        // What is empty stands where its key stands.
        ("/plugins/acl/settings/empty", 14, 7),
        // What is not there stands where the nearest value around it stands.
        ("/plugins/acl/settings/deny/0/none", 9, 11),
        ("/plugins/acl/settings/deny/7/clients", 9, 9),
        ("/plugins/acl/limits/time", 6, 5),
        ("/none", 1, 1),
        // An alias leads to what it stands for.
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
fn files_from_windows_are_read() {
    let scene = Scene::new();
    let config = scene.load(&minimal("workers: 3\n").replace('\n', "\r\n")).expect("good");
    assert_eq!((config.workers, config.position("/workers")), (3, Some(Position { line: 3, column: 10 })));
    let config = scene.load(&format!("\u{feff}{}", minimal("workers: 4\n"))).expect("good");
    assert_eq!((config.workers, config.position("/workers")), (4, Some(Position { line: 3, column: 10 })));
}

#[test]
fn a_component_is_a_path_beside_the_file() {
    let scene = Scene::new();
    let yaml = minimal("policy: { resolve: [own] }\nplugins: { own: { component: ./policy.wasm } }\n");
    let config = scene.load(&yaml).expect("good");
    assert_eq!(config.policy.plugins[0].component, ComponentSource::Path(scene.path("policy.wasm")));
}

#[test]
fn flags_alone_are_a_configuration() {
    let scene = Scene::new();
    let flags = Overrides {
        root: Some(scene.path("files")),
        listen: vec!["127.0.0.1:0".into(), "[::1]:0".into()],
        workers: Some(3),
        single_port: true,
        writable: true,
        user: Some("65534".into()),
    };
    let config = Config::from_flags(&flags).expect("good");
    assert_eq!(config.roots.len(), 1);
    assert_eq!((config.roots[0].name.as_str(), &config.roots[0].path), ("root", &scene.path("files")));
    assert!(config.roots[0].writable && config.listeners.iter().all(|listener| listener.single_port));
    assert_eq!((config.listeners.len(), config.workers), (2, 3));
    assert_eq!(config.privileges.user, Some(Who::Number(65534)));
    assert_eq!(config.position("/roots/0/path"), None);

    let relative = Overrides { root: Some(".".into()), ..flags };
    let config = Config::from_flags(&relative).expect("good");
    assert_eq!(config.roots[0].path, std::env::current_dir().expect("a folder"));
}

#[test]
fn bad_flags_are_named() {
    let bad = Overrides {
        listen: vec!["localhost".into(), "1.2.3.4".into()],
        workers: Some(0),
        ..Overrides::default()
    };
    assert_eq!(
        complaints(Config::from_flags(&bad)),
        [
            "--listen: `localhost` is not an address; write IP:PORT, such as `0.0.0.0:69` or `[::]:69`",
            "--listen: `1.2.3.4` has no port; write `1.2.3.4:69`",
            "--workers: 0 is out of range; give a whole number from 1 to 1024",
        ]
    );
    let twice = Overrides {
        root: Some("/nowhere/at/all".into()),
        listen: vec!["127.0.0.1:69".into(); 2],
        ..Overrides::default()
    };
    assert_eq!(
        complaints(Config::from_flags(&twice)),
        [
            "--listen: 127.0.0.1:69 is listened on twice; remove one of the two",
            "--root: there is no folder /nowhere/at/all; create it or correct the path",
        ]
    );
    let nothing = complaints(Config::from_flags(&Overrides::default()));
    assert!(nothing.iter().all(|line| line.starts_with("the command line: there is no ")), "{nothing:?}");
}

#[test]
fn flags_take_the_place_of_keys() {
    let scene = Scene::new();
    let path = scene.write(
        "\
listeners: [{ address: 127.0.0.1:69 }]
roots: [{ name: boot, path: nowhere, overwrite: true }]
workers: 7
transfer: { max-windowsize: 9 }
",
    );
    let flags = Overrides {
        root: Some(scene.path("files")),
        listen: vec!["127.0.0.1:70".into()],
        workers: Some(2),
        ..Overrides::default()
    };
    let config = Config::load_with(&path, &flags).expect("what is replaced does not matter");
    assert_eq!(config.listeners[0].address.port(), 70);
    assert_eq!(config.roots[0].path, scene.path("files"));
    assert_eq!((config.workers, config.transfer.max_windowsize), (2, 9));

    let path = scene.write(
        "listeners: [{ address: 127.0.0.1:69 }]\nroots: [{ name: boot, path: files, overwrite: true }]\n",
    );
    let flags = Overrides { writable: true, single_port: true, ..Overrides::default() };
    let config = Config::load_with(&path, &flags).expect("writable, so overwrite means something");
    assert!(config.roots[0].writable && config.roots[0].overwrite && config.listeners[0].single_port);
}

/// `shape` knows the keywords that the schema uses, every bound is readable, and every default is
/// within its bounds.
#[test]
fn schema_and_check_fit_together() {
    fn walk(schema: &serde_json::Value, path: &str) {
        let Some(object) = schema.as_object() else { return };
        for (keyword, value) in object {
            assert!(shape::KNOWN_KEYWORDS.contains(&keyword.as_str()), "{path}: {keyword}");
            match (keyword.as_str(), object.get("format").and_then(|format| format.as_str())) {
                ("x-minimum" | "x-maximum", Some("byte-count")) => {
                    assert!(value.as_str().is_some_and(|text| text.parse::<ByteCount>().is_ok()), "{path}");
                }
                ("x-minimum" | "x-maximum", Some("time-span" | "fsync")) => {
                    assert!(value.as_str().is_some_and(|text| text.parse::<TimeSpan>().is_ok()), "{path}");
                }
                ("x-minimum" | "x-maximum", _) => unreachable!("{path}: a bound without a unit"),
                ("default", _) => {
                    let mut findings = Vec::new();
                    shape::check(schema, value, path, &mut findings);
                    assert_eq!(findings, []);
                }
                ("items" | "additionalProperties", _) => walk(value, path),
                ("oneOf", _) => {
                    value.as_array().expect("a list").iter().for_each(|branch| walk(branch, path))
                }
                _ => {}
            }
        }
        for (key, property) in object.get("properties").and_then(|it| it.as_object()).into_iter().flatten() {
            let path = tree::join(path, key);
            assert!(property.get("description").is_some(), "{path} has no description");
            walk(property, &path);
        }
    }
    walk(&schema(), "");
}

/// The reference is generated; this keeps the committed file in step.
#[test]
fn the_committed_reference_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md");
    if std::env::var_os("TUFFET_BLESS").is_some() {
        fs::write(path, reference()).expect("the reference is written");
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == reference(),
        "docs/configuration.md is old; run this test with TUFFET_BLESS=1 to renew it"
    );
}

#[test]
fn sinks_and_grants_name_what_there_is() {
    let scene = Scene::new();
    let yaml = minimal(
        "\
policy: { observe: [a] }
plugins: { a: { component: builtin:acl, grants: [files/bot, sinks/audio, sinks/mail] } }
sinks:
  audit: { file: audit.jsonl }
  both: { file: x, udp: '127.0.0.1:9' }
  none: {}
  far: { udp: 'example.org:9' }
  lost: { file: nowhere/x }
  fold: { file: files, queue: 0 }
",
    );
    let shape = scene.complaints(&yaml);
    assert!(shape[0].starts_with("9:15: `example.org` is not an IP address"), "{shape:#?}");
    assert_eq!(shape[1], "11:31: 0 is out of range; give a whole number from 1 to 1000000");
    let yaml = yaml.replace("example.org:9", "192.0.2.1:9").replace("queue: 0", "queue: 1");
    let at = |name: &str| scene.path(name).display().to_string();
    assert_eq!(
        scene.complaints(&yaml),
        [
            "4:50: unknown root `bot`; did you mean `boot`? Known here: `boot`".to_owned(),
            "4:61: unknown sink `audio`; did you mean `audit`? Known here: `audit`, `far`, `fold` and `lost`"
                .into(),
            "4:74: unknown sink `mail`; add it below `sinks`, such as `mail: { file: mail.jsonl }`".into(),
            "7:25: the sink `both` has both `file` and `udp`; make two sinks of it".into(),
            "8:9: the sink `none` leads nowhere; add `file: PATH`, `stdout: true`, `udp: IP:PORT`, `http: { url: … }`, `nats: { url: …, subject: … }` or `otlp: { endpoint: … }`".into(),
            format!("10:17: there is no folder {}; create it or correct the path", at("nowhere")),
            format!("11:17: {} is a folder; name a file in it", at("files")),
        ]
    );
}

#[test]
fn far_sinks_and_their_secrets() {
    let scene = Scene::new();
    fs::write(scene.path("key"), "s3cr3t-of-file\n").expect("written");
    fs::write(scene.path("nothing"), "\n").expect("written");
    let bad = minimal(
        "\
sinks:
  a: { http: { url: 'http://u:s3cr3t@h/', headers: { authorization: s3cr3t, 'x y': z, host: h } } }
  b: { http: { url: 'ftp://h', headers: { x-token: { file: no }, cookie: '${NO_SUCH_NAME}' } } }
  c: { nats: { url: [nats://h, http://h], subject: 'a.*', token: s3cr3t, user: me, password: { file: nothing } } }
  d: { nats: { url: nats://h, subject: a, user: me } }
  e: { udp: '192.0.2.1:9', rotate: {}, fsync: each, spool: { path: x } }
  f: { stdout: true, spool: { path: x } }
  g: { otlp: { endpoint: 'h:4318', headers: { authorization: s3cr3t } } }
  h: { otlp: { endpoint: 'http://u:s3cr3t@h', protocol: grpc } }
  i: { nats: { url: nats://h, subject: a, credentials: key } }
",
    );
    let complaints = scene.complaints(&bad);
    assert!(!complaints.concat().contains("s3cr3t"), "{complaints:#?}");
    let starts = [
        "4:21: it holds a user or a password, and secrets do not stand in this file; give them with the header `authorization`",
        "4:69: the header `authorization` is a secret, and secrets do not stand in this file; write `${NAME}`",
        "4:77: `x y` is no name of a header; correct it",
        "4:87: the header `host` follows from the request itself; remove it",
        "5:21: the scheme `ftp` is not known here; write http://HOST:PORT/PATH, or https://",
        &format!("5:60: {} cannot be read", scene.path("no").display()),
        "5:74: the environment variable `NO_SUCH_NAME` is not set, or not UTF-8; set it for the server",
        "6:32: the scheme `http` is not known here; write nats://HOST:PORT, or tls://",
        "6:52: it is no subject to publish to",
        "6:66: a token is a secret",
        "6:80: one can ask with `token` or with `user`; keep one of the two",
        &format!("6:102: {} is empty", scene.path("nothing").display()),
        "7:49: a `user` needs a `password`; add it, or remove both",
        "8:28: `rotate` means nothing without `file`; remove it",
        "8:36: it says not when; add `size`, `every` or both, or remove it",
        "8:40: `fsync` means nothing without `file`; remove it",
        "9:37: the sinks `e` and `f` have the same spool; give each a `path` of its own",
        "10:26: `h:4318` is no",
        "10:62: the header `authorization` is a secret",
        "11:26: a user and password in a URL would be shown",
        "12:56: it is no credentials file of NATS",
    ];
    assert_eq!(complaints.len(), starts.len(), "{complaints:#?}");
    for (complaint, start) in complaints.iter().zip(starts) {
        assert!(complaint.starts_with(start), "{complaint:?} should start with {start:?}: {complaints:#?}");
    }

    let shape = scene.complaints(minimal(
        "\
sinks:
  a: { http: { url: 'http://h', headers: { authorization: 5316 } }, fsync: sometimes }
  b: { file: x, fsync: 1us, spool: { bytes: 1 } }
",
    ));
    assert_eq!(
        shape,
        [
            "4:59: give `${NAME}` for an environment variable, or `{ file: PATH }`",
            "4:76: `sometimes` cannot be read; give `never`, `each`, or a time with its unit, such as 1s",
            "5:24: 1us is out of range; give 1ms to 1h",
            "5:45: 1 is out of range; give 4KiB to 1TiB",
        ]
    );

    let good = minimal(
        "\
state: keys
sinks:
  a: { http: { url: 'https://h/', headers: { authorization: 'Bearer ${PATH}', x-key: { file: key } } }, spool: {} }
",
    );
    let config = scene.load(&good).expect("good");
    assert!(!format!("{config:?}").contains("s3cr3t"), "a secret is not shown");
    let spool = config.sinks[0].spool.as_ref().expect("it has one");
    assert_eq!(spool.path, scene.path("keys/sinks/a.spool"));
    let SinkTarget::Http(http) = &config.sinks[0].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(http.headers[1], ("x-key".into(), Secret::new("s3cr3t-of-file")));

    let good = minimal(
        "\
telemetry: { service-name: boot, resource: { site: lab } }
sinks:
  a: { otlp: { endpoint: 'https://h:4317', protocol: grpc, headers: { x-key: { file: key } } } }
",
    );
    let config = scene.load(&good).expect("good");
    assert!(!format!("{config:?}").contains("s3cr3t"), "a secret is not shown");
    let SinkTarget::Otlp(otlp) = &config.sinks[0].target else { unreachable!("{:?}", config.sinks) };
    assert_eq!(otlp.protocol, OtlpProtocol::Grpc);
    let resource = [("service.name", "boot"), ("site", "lab")];
    assert_eq!(otlp.resource, resource.map(|(key, value)| (key.into(), value.into())));
}

#[test]
fn telemetry_and_its_secrets() {
    let scene = Scene::new();
    let of = |rest: &str| scene.complaints(minimal(&format!("telemetry: {rest}\n")));
    let starts = |complaints: Vec<String>, due: &[&str]| {
        assert_eq!(complaints.len(), due.len(), "{complaints:#?}");
        for (complaint, start) in complaints.iter().zip(due) {
            assert!(complaint.starts_with(start), "{complaint:?} should start with {start:?}");
        }
        assert!(!complaints.concat().contains("s3cr3t"), "{complaints:#?}");
    };
    starts(
        of(
            "{ endpoint: 'https://h:4317', protocol: grpc, headers: { authorization: s3cr3t, 'x y': z }, service-name: ' ' }",
        ),
        &[
            "3:84: the header `authorization` is a secret, and secrets do not stand in this file",
            "3:99: `x y` is no name of a header",
            "3:118: the name is empty",
        ],
    );
    starts(of("{ endpoint: 'http://u:s3cr3t@h' }"), &["3:24: a user and password in a URL would be shown"]);
    starts(of("{ endpoint: 'h:4318' }"), &["3:24: `h:4318` is no"]);
    starts(
        of("{ traces: { sample: 1.5 }, metrics: { interval: 1ms }, protocol: http/json, logs: 1 }"),
        &[
            "3:32: 1.5 is out of range; give a number from 0 to 1",
            "3:60: 1ms is out of range",
            "3:77: ",
            "3:94: ",
        ],
    );
    let config =
        scene.load(&minimal("telemetry: { traces: { sample: 0.25 }, logs: false }\n")).expect("good");
    let telemetry = config.telemetry.expect("there is one");
    assert_eq!(
        (telemetry.traces, telemetry.logs),
        (Some(TracesSampled { part: 0.25, per_second: Some(100) }), false)
    );
    assert_eq!(telemetry.metrics, Some(Duration::from_secs(60)));
    assert!(scene.load(&minimal("telemetry: {}\n")).expect("good").telemetry.is_some());
    assert!(scene.load(&minimal("")).expect("good").telemetry.is_none());
}

#[test]
fn a_state_is_relative_to_the_file() {
    let scene = Scene::new();
    let config = scene.load(&minimal("state: ./keys/here\n")).expect("good");
    assert_eq!(config.state, scene.path("keys/here"));
}

#[test]
fn the_admin_listener_is_open_to_this_host_alone_or_has_a_token() {
    let scene = Scene::new();
    let admin = |yaml: &str| scene.load(&minimal(yaml)).expect("good").admin;
    assert_eq!(admin(""), None);
    let tcp = |address: &str| AdminAddress::Tcp(address.parse().expect("an address"));
    let default = Admin { address: tcp("127.0.0.1:6980"), token: None };
    assert_eq!(admin("admin: {}\n"), Some(default.clone()));
    fs::write(scene.path("token"), "0123456789abcdef\n").expect("a file");
    let token = Some(AdminToken::new("0123456789abcdef"));
    let everywhere = Admin { address: tcp("[::]:80"), token };
    // Who may use a file needs no token.
    let socket = Admin { address: AdminAddress::Unix("/run/tuffet/admin".into()), token: None };
    assert_eq!(admin("admin: { address: \"unix:/run/tuffet/admin\" }\n"), Some(socket));
    assert_eq!(admin("admin: { address: \"[::]:80\", token: { file: token } }\n"), Some(everywhere));
    assert!(std::env::var("PATH").is_ok_and(|path| path.len() >= 16 && !path.contains(' ')));
    assert!(admin("admin: { token: \"${PATH}\" }\n").is_some_and(|admin| admin.token.is_some()));

    fs::write(scene.path("short"), "0123456789abcde\n").expect("a file");
    for (yaml, complaint) in [
        ("admin: { address: 0.0.0.0:6980 }", "3:19: 0.0.0.0:6980 is not a loopback address"),
        ("admin: { address: 192.0.2.1:1 }", "or listen on `127.0.0.1:1`"),
        ("admin: { address: \"unix:\" }", "3:19: there is no path behind `unix:`"),
        ("admin: { address: 6980 }", "3:19: found the number 6980"),
        (
            "admin: { token: plain-text-of-a-token }",
            "3:17: a token is a secret, and secrets do not stand in this file",
        ),
        ("admin: { token: \"${NO_SUCH_VARIABLE_HERE}\" }", "variable `NO_SUCH_VARIABLE_HERE` is not set"),
        ("admin: { token: { file: short } }", "3:17: the token has 15 characters"),
        ("admin: { token: { file: missing } }", "missing cannot be read"),
        ("admin: { token: { files: token } }", "3:19: unknown key `files`"),
        ("admin:", "3:1"),
    ] {
        let found = scene.complaints(minimal(yaml));
        assert!(found.len() == 1 && found[0].contains(complaint), "{yaml}: {found:#?}");
        assert!(!found[0].contains("plain-text"), "secrets are not shown: {found:?}");
    }
}

#[test]
fn who_serves_and_what_is_given_up() {
    let scene = Scene::new();
    let privileges = |yaml: &str| scene.load(&minimal(yaml)).expect("good").privileges;
    let default = privileges("");
    assert_eq!((&default.user, default.seccomp, default.landlock), (&None, SeccompMode::On, true));
    assert_eq!(privileges("privileges: { user: 65532 }\n").user, Some(Who::Number(65532)));
    assert_eq!(privileges("privileges: { user: '65532' }\n").user, Some(Who::Number(65532)));
    let all = privileges("privileges: { user: tuffet, group: boot, seccomp: off, readable: [more] }\n");
    assert_eq!((all.user, all.group), (Some(Who::Name("tuffet".into())), Some(Who::Name("boot".into()))));
    assert_eq!((all.seccomp, all.readable), (SeccompMode::Off, vec![scene.path("more")]));
    for (yaml, complaint) in [
        ("privileges: { user: -1 }", "-1 is out of range"),
        ("privileges: { user: 4294967295 }", "4294967295 is out of range"),
        ("privileges: { user: '4294967295' }", "4294967295 is nobody's number"),
        ("privileges: { group: boot }", "name the `user`, too"),
        ("privileges: { seccomp: maybe }", "unknown word `maybe`"),
        ("privileges: { landlock: on }", "3:25"),
    ] {
        let complaints = scene.complaints(minimal(yaml).as_bytes());
        assert!(complaints.iter().any(|it| it.contains(complaint)), "{yaml}: {complaints:?}");
    }
}
