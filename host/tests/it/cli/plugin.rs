//! `tuffet plugin …`, with the real plugins.

use crate::harness::{Folder, Ran, Setup, tuffet};
use crate::policy::{misbehave, probe};

/// Runs `tuffet plugin` in words; a folder for files that they name comes with it.
fn plugin(words: &[&str]) -> Ran {
    tuffet(["plugin"].iter().chain(words))
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn printed(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A file in a folder, and its whole path.
fn write(folder: &Folder, name: &str, text: &str) -> String {
    folder.write(name, text.as_bytes());
    folder.path(name).display().to_string()
}

const ASK: [&str; 6] = ["--hook", "resolve", "--path", "x", "--time", "60s"];

#[test]
fn inspect_shows_what_a_plugin_asks_for() {
    let ran = plugin(&["inspect", &probe(), "--json"]);
    ran.assert_good();
    let shown = json(&ran);
    assert_eq!(shown["name"], "probe");
    assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(shown["hooks"], serde_json::json!(["authorize", "resolve", "accept-upload", "observe"]));
    assert_eq!(
        shown["grants"][0],
        serde_json::json!({ "grant": "kv", "reason": "tries keys", "optional": false })
    );
    let size = std::fs::metadata(probe()).unwrap().len();
    assert_eq!(shown["bytes"], size);
    let sha256 = crate::harness::run(std::process::Command::new("sha256sum").arg(probe()));
    assert!(printed(&sha256).starts_with(shown["sha256"].as_str().unwrap()), "{shown:#}");
    assert!(shown["imports"].as_array().unwrap().iter().any(|name| name == "tuffet:policy/kv@0.1.0"));

    let ran = plugin(&["inspect", "builtin:acl"]);
    ran.assert_good();
    assert!(printed(&ran).contains("hooks        authorize\n"), "{}", printed(&ran));
}

#[test]
fn inspect_refuses_what_is_no_plugin() {
    let setup = Setup::new();
    let module = setup.outside().path("module.wasm");
    std::fs::write(&module, b"\0asm\x01\0\0\0").unwrap();
    plugin(&["inspect", module.to_str().unwrap()])
        .assert_fails(64, &["module.wasm", "core WebAssembly module"]);
    plugin(&["inspect", "builtin:nothing"]).assert_fails(64, &["there are builtin:acl"]);
    plugin(&["inspect", "/no/such.wasm"]).assert_fails(64, &["cannot read /no/such.wasm"]);
}

#[test]
fn check_names_the_grant_and_the_remedy() {
    let good = ["--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    plugin(&[&["check", &probe()], &good[..]].concat()).assert_good();
    plugin(&[&["check", &probe()], &good[2..]].concat()).assert_fails(
        64,
        &["plugin `tuffet_probe`", "tuffet:policy/kv@0.1.0", "tries keys", "--grant GRANT"],
    );
    let more = plugin(&["check", "builtin:acl", "--grant", "kv"]);
    more.assert_good();
    assert!(more.stderr.contains("remove `kv`"), "{}", more.stderr);
    plugin(&["check", "builtin:acl", "--grant", "tape"]).assert_fails(64, &["unknown grant `tape`"]);
    plugin(&["check", "builtin:acl", "--root", "boot=/no/such/folder"]).assert_fails(66, &["boot"]);
}

/// What is wrong with the settings is shown at its line.
#[test]
fn check_shows_the_line_of_the_settings() {
    let setup = Setup::new();
    let folder = setup.outside();
    let good = write(&folder, "good.yaml", "deny:\n  - names: [x]\n");
    plugin(&["check", "builtin:acl", "--settings", &good]).assert_good();
    let bad = write(&folder, "bad.yaml", "deny:\n  - names: [x]\n    clients: [nobody]\n");
    plugin(&["check", "builtin:acl", "--settings", &bad]).assert_fails(64, &["bad.yaml:3:", "plugin `acl`"]);
    let list = write(&folder, "list.yaml", "- a\n");
    plugin(&["check", "builtin:acl", "--settings", &list]).assert_fails(64, &["list.yaml:1:1", "are a map"]);
    let empty = write(&folder, "empty.yaml", "");
    plugin(&["check", "builtin:acl", "--settings", &empty]).assert_fails(64, &["empty.yaml", "settings of"]);
}

#[test]
fn run_shows_the_verdict() {
    let setup = Setup::new();
    let settings = "deny: [{ names: [x], message: not for you, clients: [192.0.2.7] }]\n";
    let settings = write(&setup.outside(), "settings.yaml", settings);
    let ask = |path, client| {
        let words = ["run", "builtin:acl", "--settings", &settings, "--path", path, "--client", client];
        plugin(&[&words[..], &["--json", "--time", "60s"]].concat())
    };
    let denied = ask("x", "192.0.2.7");
    denied.assert_good();
    let shown = json(&denied);
    assert_eq!(shown["verdict"]["deny"]["message"], "not for you", "{shown:#}");
    assert_eq!(shown["verdict"]["deny"]["code"], "access-violation");
    assert!(shown["memory-bytes"].as_u64().unwrap() > 10_000, "{shown:#}");
    assert!(shown["time-us"].as_u64() >= shown["cpu-us"].as_u64(), "{shown:#}");
    for (path, client) in [("x", "192.0.2.8:69"), ("y", "192.0.2.7"), ("x", "[2001:db8::1]:69")] {
        assert_eq!(json(&ask(path, client))["verdict"], "abstain");
    }
    ask("../x", "192.0.2.7").assert_fails(64, &["--path"]);
    ask("x", "nobody").assert_fails(64, &["--client", "nobody"]);
    let words = ["run", "builtin:acl", "--path", "x", "--time", "60s"];
    let shown = printed(&plugin(&words));
    assert!(shown.contains("hook: authorize\nverdict: abstain\ntime: "), "{shown}");
}

/// Keys are in memory, what goes to sinks is shown, files come from the folder.
#[test]
fn run_has_no_effect_outside() {
    let setup = Setup::new().file("there", b"on disk");
    let settings =
        "run: [kv count a, kv count a, file read boot there, file stat boot given, emit audit 1]\n";
    let settings = write(&setup.outside(), "settings.yaml", settings);
    let root = format!("boot={}", setup.root().0.display());
    let request =
        "hook: resolve\nrequest: { path: x }\nhost: { files: { boot/given: four }, keys: { a: 41 } }\n";
    let request = write(&setup.outside(), "request.yaml", request);
    let probe = probe();
    let words = ["run", &probe, "--settings", &settings, "--root", &root, "--request", &request, "--json"];
    let grants = ["--time", "60s", "--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    let ran = plugin(&[&words[..], &grants[..]].concat());
    ran.assert_good();
    let shown = json(&ran);
    let said = "42\n43\nSome(\"on disk\")\nSome(4)\n()\n";
    assert_eq!(shown["verdict"]["content"], said, "{shown:#}");
    assert_eq!(shown["emitted"], serde_json::json!([{ "sink": "audit", "payload": "1" }]));
}

#[test]
fn run_tells_failures_and_missing_hooks() {
    let setup = Setup::new();
    let settings = write(&setup.outside(), "settings.yaml", "do: trap\nhook: resolve\n");
    let misbehave = misbehave();
    let words = [&["run", &misbehave, "--settings", &settings, "--json"], &ASK[..]].concat();
    let ran = plugin(&words);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert_eq!(json(&ran)["verdict"]["failure"]["cause"], "trap");
    plugin(&[&["run", "builtin:acl"], &ASK[..]].concat())
        .assert_fails(64, &["tuffet:policy/resolve@0.1.0", "authorize"]);
    plugin(&["run", &misbehave, "--settings", &settings, "--path", "x"])
        .assert_fails(64, &["several hooks", "--hook"]);
    let upload = ["run", &probe(), "--hook", "accept-upload", "--path", "x"].map(str::to_owned);
    let upload: Vec<&str> = upload.iter().map(String::as_str).collect();
    let grants = ["--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    plugin(&[&upload[..], &grants[..]].concat()).assert_fails(64, &["upload: {"]);
}

const CASES: &str = r#"
grants: [kv, files/boot, sinks/audit, clock, client-mac]
settings: { run: [kv get a, file read boot there, clock, macs, emit audit 1] }
host:
  files: { boot/there: text }
  keys: { a: value }
  clock: 1970-01-01T00:01:00Z
cases:
  - name: all is answered
    hook: resolve
    request: { path: x, macs: ["02:00:5e:10:00:01"] }
    expect: { content: "Some(\"value\")\nSome(\"text\")\n60\n02:00:5e:10:00:01\n()\n" }
    emits: { audit: [1] }
"#;

fn test(cases: &str) -> Ran {
    let setup = Setup::new();
    let file = write(&setup.outside(), "cases.yaml", cases);
    plugin(&["test", &file, "--component", &probe(), "--time", "60s"])
}

#[test]
fn test_passes_and_fails() {
    let ran = test(CASES);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert!(printed(&ran).ends_with("1 passed, 0 failed\n"), "{}", printed(&ran));

    let ran = test(&CASES.replace("\\n60\\n", "\\n61\\n").replace("audit: [1]", "audit: [2]"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    for word in ["FAILED", "the verdict differs", "what it sent to sinks differs", "0 passed, 1 failed"] {
        assert!(printed(&ran).contains(word), "{word}: {}", printed(&ran));
    }
}

/// A call that the case does not answer fails it, whatever the plugin makes of that.
#[test]
fn test_names_the_call_that_has_no_answer() {
    for (from, to, call) in [
        ("a: value", "b: value", r#"kv.get("a")"#),
        ("boot/there", "boot/elsewhere", r#"files.read("boot", "there")"#),
    ] {
        let ran = test(&CASES.replace(from, to).replace("expect: {", "expect: content #"));
        assert_eq!(ran.code(), 1, "{}", ran.stderr);
        assert!(printed(&ran).contains(&format!("it called {call}, which the case")), "{}", printed(&ran));
        assert!(!printed(&ran).contains("verdict differs"), "{}", printed(&ran));
    }
}

#[test]
fn test_of_a_folder_with_a_builtin() {
    let setup = Setup::new();
    let folder = setup.outside();
    std::fs::create_dir(folder.path("cases")).unwrap();
    let cases = "component: builtin:acl\nsettings: { deny: [{ names: [x], message: no }] }\ncases:\n  \
        - { name: x, request: { path: x }, expect: { deny: { message: no } } }\n  \
        - { name: other, request: { path: y }, expect: abstain }\n  \
        - { name: bad, settings: { nonsense: 1 }, request: { path: y }, expect: refused }\n";
    write(&folder, "cases/acl.yaml", cases);
    write(&folder, "cases/notes.txt", "no case file");
    let path = folder.path("cases").display().to_string();
    let ran = plugin(&["test", &path]);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert!(printed(&ran).ends_with("3 passed, 0 failed\n"), "{}", printed(&ran));

    write(&folder, "cases/acl.yaml", &cases.replace("path: x }", "path: x, clinet: 1 }"));
    plugin(&["test", &path]).assert_fails(64, &["acl.yaml:4:", "clinet"]);
    write(&folder, "cases/acl.yaml", "component: builtin:acl\ncases: []\n");
    plugin(&["test", &path]).assert_fails(64, &["there is no case"]);
}

#[test]
fn bench_measures_both_kinds_of_instances() {
    let ran = plugin(&["bench", "builtin:acl", "--path", "x", "--calls", "20", "--time", "60s", "--json"]);
    ran.assert_good();
    let shown = json(&ran);
    for kind in ["fresh", "kept"] {
        let p50 = shown[kind]["p50-us"].as_f64().unwrap();
        assert!(p50 > 0.0 && p50 <= shown[kind]["p99-us"].as_f64().unwrap(), "{shown:#}");
        assert!(shown[kind]["memory-bytes"].as_u64().unwrap() > 10_000, "{shown:#}");
    }
    let setup = Setup::new();
    let settings = write(&setup.outside(), "settings.yaml", "do: trap\nhook: resolve\n");
    let misbehave = misbehave();
    plugin(&[&["bench", &misbehave, "--settings", &settings], &ASK[..]].concat())
        .assert_fails(1, &["call 1 failed: trap"]);
}
