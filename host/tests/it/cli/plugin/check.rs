//! `tuffet plugin check`.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::{plugin, write};
use crate::harness::{Client, Options, Setup, check_file, interface_version};
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

/// What is tested, checked and pushed is what the sources say.
#[test]
fn a_component_older_than_its_sources_is_refused() {
    let setup = Setup::new();
    let folder = setup.outside();
    write(&folder, "Cargo.toml", "[package]\nname = \"quota\"\n");
    write(&folder, "src/lib.rs", "// first\n");
    let cases = write(
        &folder,
        "cases.yaml",
        "component: ./quota.wasm\ncases: [{ name: x, hook: resolve, request: { path: x }, expect: abstain }]\n",
    );
    fs::copy(tuffet_test_guests::component("reference"), folder.path("quota.wasm")).unwrap();
    let component = folder.path("quota.wasm").display().to_string();
    let built = |age: u64| {
        let time = SystemTime::now() - Duration::from_secs(age);
        File::options().write(true).open(&component).unwrap().set_modified(time).unwrap();
    };
    built(0);
    let commands = [
        &["check", &component][..],
        &["run", &component, "--hook", "resolve", "--path", "x"],
        &["bench", &component, "--hook", "resolve", "--path", "x", "--calls", "2", "--time", "60s"],
        &["test", &cases, "--time", "60s"],
    ];
    for words in commands {
        assert_eq!(plugin(words).code(), 0, "{words:?}");
    }
    built(3600);
    let push: &[&str] = &["push", &component, "oci://127.0.0.1:1/quota:1", "--plain-http"];
    for words in commands.into_iter().chain([push]) {
        plugin(words).assert_fails(64, &["quota.wasm: it is older than ", "run `tuffet plugin build "]);
    }
}

/// What is no error and no author means.
#[test]
fn check_warns_of_hooks_that_never_run_and_of_facts_that_do_not_count() {
    let setup = Setup::new();
    let folder = setup.outside();
    let reference = tuffet_test_guests::component("reference");
    let optional = ["client-history", "files", "http", "metrics", "sinks", "upload"];
    let optional =
        optional.map(|grant| format!(r#"{{ "grant": "{grant}", "reason": "x", "optional": true }}"#));
    let manifest = format!(
        r#"{{ "name": "quota", "grants": [{{ "grant": "kv", "reason": "counts" }}, {}], "depends-on": ["path"] }}"#,
        optional.join(", ")
    );
    let manifest = write(&folder, "manifest.json", &manifest);
    let component = folder.path("quota.wasm").display().to_string();
    plugin(&["annotate", &reference, "--manifest", &manifest, "--output", &component]).assert_good();
    let config = write(
        &folder,
        "tuffet.yaml",
        "listeners: [{ address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: . }]\npolicy: { resolve: [quota] }\nstate: \
         ./state\nplugins:\n  quota: { component: ./quota.wasm, grants: [kv] }\n",
    );
    for ran in [plugin(&["check", &component, "--config", &config]), check_file(&config)] {
        ran.assert_good();
        for said in [
            "its hook `authorize` never runs; add the plugin to `policy.authorize`",
            "its hook `observe` never runs",
            "the grant `kv` voids that",
            "make two components",
        ] {
            assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
        }
        assert!(!ran.stderr.contains("`resolve` never runs"), "{}", ran.stderr);
    }
}

/// A plugin that reads the clock, and whose manifest does not ask for it.
#[test]
fn who_reads_the_clock_without_the_grant_is_warned() {
    const SAID: &str = "it read the clock without the grant `clock`";
    let setup = Setup::new();
    let folder = setup.outside();
    let reference = tuffet_test_guests::component("reference");
    let settings =
        write(&folder, "settings.yaml", "rules: [{ hook: resolve, path: x, do: [[clock]], answer: tell }]\n");
    let words = ["run", &reference, "--settings", &settings, "--hook", "resolve", "--path", "x"];
    let ran = plugin(&words);
    assert!(ran.stderr.contains(SAID), "{}", ran.stderr);
    let cases = write(
        &folder,
        "cases.yaml",
        &format!(
            "component: {reference:?}\nsettings: {{ rules: [{{ hook: resolve, path: x, do: [[clock]], answer: tell }}] }}\ncases: \
             [{{ name: x, hook: resolve, request: {{ path: x }}, expect: {{ content: '[0]' }} }}]\n"
        ),
    );
    let ran = plugin(&["test", &cases, "--time", "60s"]);
    assert_eq!(ran.code(), 0);
    assert!(super::printed(&ran).contains("warning: it read the clock"), "{}", super::printed(&ran));

    let component = folder.path("unasked.wasm").display().to_string();
    let imported = ["client-history", "files", "http", "kv", "metrics", "sinks", "upload"];
    let grants =
        imported.map(|grant| format!(r#"{{ "grant": "{grant}", "reason": "x", "optional": true }}"#));
    let manifest = format!(r#"{{ "name": "unasked", "grants": [{}] }}"#, grants.join(", "));
    let manifest = write(&folder, "manifest.json", &manifest);
    plugin(&["annotate", &reference, "--manifest", &manifest, "--output", &component]).assert_good();
    let inspected = plugin(&["inspect", &component]);
    let printed = super::printed(&inspected);
    assert!(printed.contains("\nconstant     the time: it imports the interface"), "{printed}");
    let inspected = plugin(&["inspect", &component, "--json"]);
    assert_eq!(super::json(&inspected)["constant"], serde_json::json!(["clock"]));
    assert_eq!(super::json(&plugin(&["inspect", &reference, "--json"]))["constant"], serde_json::json!([]));

    // While it is configured, the tools notice.
    let config = |settings: &str| {
        format!(
            "listeners: [{{ address: \"127.0.0.1:0\" }}]\nroots: [{{ name: boot, path: . }}]\npolicy: {{ resolve: [it], \
             authorize: [it], accept-upload: [it], observe: [it] }}\nplugins:\n  it: {{ component: {component:?}, \
             settings: {{ {settings} }} }}\n"
        )
    };
    let early = write(&folder, "early.yaml", &config("configure: [[clock]], rules: []"));
    let late = config("rules: [{ hook: resolve, path: time, do: [[clock]], answer: tell }]");
    let late = write(&folder, "late.yaml", &late);
    for (file, warns) in [(&early, true), (&late, false)] {
        for ran in [plugin(&["check", &component, "--config", file]), check_file(file)] {
            ran.assert_good();
            assert_eq!(ran.stderr.matches(SAID).count(), usize::from(warns), "{file}: {}", ran.stderr);
        }
    }

    // The server does, once, at the first call.
    let yaml = fs::read_to_string(&late).unwrap();
    let (_, yaml) = yaml.split_once('\n').unwrap();
    let server = setup.yaml(yaml).start();
    for _ in 0..2 {
        assert_eq!(Client::Tuffet.get(server.address(), "time", Options::default()), b"[0]");
    }
    let line = server.log_line("a plugin has no clock: ");
    assert!(line["message"].as_str().unwrap().contains(SAID), "{line:#}");
    assert_eq!((&line["level"], &line["plugin"]), (&"WARN".into(), &"it".into()));
    server.stop();
    assert_eq!(server.log().matches(SAID).count(), 1, "{}", server.log());
}
