//! `tuffet plugin …`, with the real plugins.

use crate::harness::{Folder, Ran, Setup, tuffet};
use crate::policy::{misbehave, probe};

/// Runs `tuffet plugin` with these arguments, in a folder for the files that they name.
fn plugin(words: &[&str]) -> Ran {
    tuffet(["plugin"].iter().chain(words))
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn printed(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Writes a file in a folder, and returns its full path.
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

    let ran = plugin(&["inspect", "builtin:audit"]);
    ran.assert_good();
    assert!(printed(&ran).contains("events       finished, and empty batches\n"), "{}", printed(&ran));
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

/// Errors of the settings have the line of the settings.
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

/// Keys are in memory, lines to sinks are printed, files come from the folder.
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
        .assert_fails(64, &["does not have the hook `resolve`", "its hooks: `authorize`"]);
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

/// A call without an answer in the case fails the case, whatever the plugin makes of it.
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

const EVENTS: &str = r#"
grants: [sinks/audit, kv, files/boot]
settings: { observe: audit }
cases:
  - name: a download
    hook: observe
    events:
      - started: { request: { path: a, macs: ["02:00:5e:10:00:01"] }, size: 9 }
      - { id: 2, at: 1970-01-01T00:00:01Z, progressed: { bytes: 3 } }
      - { progressed: { bytes: 9 } }
    emits:
      audit:
        - { started: "0000000000000001", path: a, size: 9, macs: 0, ms: 0 }
        - { progressed: "0000000000000002", bytes: 3 }
        - { progressed: "0000000000000001", bytes: 9 }
"#;

#[test]
fn observers_are_told_events() {
    let ran = test(EVENTS);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let told = test(&EVENTS.replace("grants: [", "grants: [client-mac, ").replace("macs: 0", "macs: 1"));
    assert_eq!(told.code(), 0, "{}{}", printed(&told), told.stderr);
    let ran = test(&EVENTS.replace("bytes: 3 }\n        -", "bytes: 4 }\n        -"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert!(printed(&ran).contains("what it sent to sinks differs"), "{}", printed(&ran));
    // A failed call gives no answer; the failure may be the expectation.
    let failing = EVENTS.replace("grants: [sinks/audit, kv", "grants: [sinks/other, kv");
    assert!(printed(&test(&failing)).contains("+ failure:"), "{}", printed(&test(&failing)));
    let (head, _) = failing.split_once("    emits:").unwrap();
    assert_eq!(test(&format!("{head}    expect: {{ failure: {{ cause: trap }} }}\n")).code(), 0);
    for (from, to, words) in [
        ("hook: observe", "hook: resolve", ["events are for observe", "cases.yaml:8:"]),
        ("hook: observe", "request: { path: x }", ["one of the two", "cases.yaml:"]),
        (
            "{ progressed: { bytes: 9 } }",
            "finished: { request: { path: a }, outcome: eaten }",
            ["eaten", "cases.yaml:10:"],
        ),
    ] {
        test(&EVENTS.replace(from, to)).assert_fails(64, &words);
    }
}

#[test]
fn run_and_bench_tell_events() {
    let setup = Setup::new();
    let folder = setup.outside();
    let settings = write(&folder, "settings.yaml", "observe: audit\n");
    let event = "events: [{ finished: { request: { path: a }, outcome: timed-out } }]\n";
    let request = write(&folder, "events.yaml", event);
    let probe = probe();
    let words = [&probe, "--settings", &settings, "--request", &request, "--time", "60s", "--json"];
    let grants = ["--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    let ran = plugin(&[&["run"], &words[..], &grants[..]].concat());
    ran.assert_good();
    let shown = json(&ran);
    assert_eq!((&shown["hook"], &shown["verdict"]), (&"observe".into(), &"nothing".into()), "{shown:#}");
    assert!(shown["emitted"][0]["payload"].as_str().unwrap().contains("Outcome::TimedOut"), "{shown:#}");
    let ran = plugin(&[&["bench", "--calls", "20"], &words[..], &grants[..]].concat());
    ran.assert_good();
    assert_eq!(json(&ran)["hook"], "observe");
    let asked = ["run", &probe, "--hook", "observe", "--path", "x"];
    plugin(&[&asked[..], &grants[..]].concat()).assert_fails(64, &["told what happened", "--request"]);
}

#[test]
fn cases_expect_keys_and_lines() {
    let case = |keys: &str, log: &str| {
        format!(
            "grants: [kv, files/boot, sinks/audit]\nsettings: {{ run: [kv count a, kv set b text, kv delete c] }}\n\
             cases:\n  - {{ name: x, hook: resolve, request: {{ path: x }}, host: {{ keys: {{ a: 2 }} }}, \
             expect: content, keys: {keys}, log: {log} }}\n"
        )
    };
    let ran = test(&case("{ a: 3, b: text, c: null }", "[]"));
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let ran = test(&case("{ a: 4, b: text }", "[something]"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    for word in ["what it did to keys differs", "- a: 4", "+ a: 3", "+ c: null", "no line with \"something\""]
    {
        assert!(printed(&ran).contains(word), "{word}: {}", printed(&ran));
    }
}

const HTTP: &str = r#"
grants: [kv, files/boot, sinks/audit, http/a.example]
settings: { run: [get http://a.example/x, get http://a.example/x, post http://a.example/y body] }
host:
  http:
    - request: { method: POST, url: "http://a.example/y", body: body }
      response: { status: 201, body: { hex: "6d616465" } }
cases:
  - name: all is answered
    hook: resolve
    request: { path: x }
    host:
      http:
        - { request: { url: "http://a.example/x" }, response: { headers: { x-y: z }, body: first } }
        - { request: { url: "http://a.example/x" }, response: { status: 404 } }
    expect: { content: "(200, \"first\")\n(404, \"\")\n(201, \"made\")\n" }
"#;

#[test]
fn requests_by_http_are_answered_by_the_case() {
    let ran = test(HTTP);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    for (from, to, call) in [
        ("url: \"http://a.example/x\"", "url: \"http://a.example/z\"", "http GET http://a.example/x"),
        ("body: body }", "body: other }", "http POST http://a.example/y with the body \"body\""),
        ("method: POST", "method: PUT", "http POST http://a.example/y"),
    ] {
        let ran = test(&HTTP.replace(from, to).replace("expect: {", "expect: content #"));
        assert_eq!(ran.code(), 1, "{}", ran.stderr);
        assert!(printed(&ran).contains(&format!("it called {call}")), "{}", printed(&ran));
    }
    test(&HTTP.replace("http://a.example/y\"", "nowhere\""))
        .assert_fails(64, &["cases.yaml:6:", "names no host"]);
}

/// Answers from a server and a folder are recorded in the case; then neither is needed any more.
#[test]
fn recorded_once_and_replayed() {
    let setup = Setup::new().file("there", b"from the root").file("bytes", &[0, 0xff]);
    let folder = setup.outside();
    let port = crate::policy::http_server();
    let cases = format!(
        "# kept\ngrants: [kv, files/boot, sinks/audit, clock, http/127.0.0.1:{port}]\nsettings:\n  run: [file read boot \
         there, file stat boot bytes, file read boot absent, kv get k, clock, \"get http://127.0.0.1:{port}/x\"]\n\
         cases:\n  - name: recorded # kept, too\n    hook: resolve\n    request: {{ path: x }}\n    expect: content\n"
    );
    let file = write(&folder, "cases.yaml", &cases);
    let probe = probe();
    let words = ["test", &file, "--component", &probe, "--time", "60s"];
    let replay = || plugin(&words);
    assert!(
        printed(&replay()).contains("it called files.read(\"boot\", \"there\")"),
        "{}",
        printed(&replay())
    );
    let root = format!("boot={}", setup.root().0.display());
    let ran = plugin(&[&words[..], &["--record", "--root", &root]].concat());
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert!(printed(&ran).ends_with("cases.yaml: recorded in 1 cases\n"), "{}", printed(&ran));

    std::fs::remove_dir_all(setup.root().0).unwrap();
    let ran = replay();
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let recorded = String::from_utf8(folder.read("cases.yaml")).unwrap();
    for part in [
        "# kept\n",
        "# kept, too\n",
        "boot/there: from the root\n",
        "boot/absent: null\n",
        "hex: 00ff",
        "GET /x",
    ] {
        assert!(recorded.contains(part), "{part:?} is missing in:\n{recorded}");
    }
    // Another server would answer now; it gets no request.
    write(&folder, "cases.yaml", &recorded.replace("GET /x", "as it was"));
    let expected = folder.read("cases.yaml");
    write(
        &folder,
        "cases.yaml",
        &String::from_utf8(expected).unwrap().replace("expect: content", "expect: drop"),
    );
    assert!(printed(&replay()).contains("as it was"), "{}", printed(&replay()));
}

/// What has no end, or never begins, is refused at once.
#[test]
fn what_cannot_be_a_component() {
    let setup = Setup::new();
    let folder = setup.outside();
    let [fifo, large] = ["fifo", "large.wasm"].map(|name| folder.path(name).display().to_string());
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let file = std::fs::File::create(&large).unwrap();
    std::io::Write::write_all(&mut &file, b"\0asm\x0d\0\x01\0").unwrap();
    file.set_len(200 << 20).unwrap();
    let folder = folder.path("").display().to_string();
    for (component, reason) in [
        (&*fifo, "is not a file"),
        ("/dev/zero", "is not a file"),
        (&folder, "is not a file"),
        (&large, "has 209715200 bytes, and a component has at most 134217728"),
    ] {
        for command in ["inspect", "check"] {
            plugin(&[command, component]).assert_fails(64, &[component, reason]);
        }
    }
}

#[test]
fn cases_without_a_component_are_refused_once() {
    let setup = Setup::new();
    let case = "cases: [{ name: a, request: { path: x }, expect: abstain }]\n";
    for number in 0..5 {
        write(&setup.outside(), &format!("cases/{number}.yaml"), case);
    }
    let folder = setup.outside().path("cases").display().to_string();
    let ran = plugin(&["test", &folder]);
    ran.assert_fails(64, &["0.yaml:1:1: no component is named", "4 more files name none either"]);
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    let ran = plugin(&["test", &folder, "--component", "gone.wasm"]);
    ran.assert_fails(64, &["there is no component gone.wasm"]);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}
