//! `tuffet plugin run` and `tuffet plugin bench`.

use super::{json, plugin, printed, write};
use crate::cli::plugin_project::tuffet_in;
use crate::harness::{Setup, check_file};
use crate::policy::{misbehave, probe};

const ASK: [&str; 6] = ["--hook", "resolve", "--path", "x", "--time", "60s"];

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
    // A name that is not safe, as the server would show it.
    assert_eq!(json(&ask("../x", "192.0.2.7"))["verdict"]["deny"]["message"], "not for you");
    assert_eq!(json(&ask("x/..", "192.0.2.7"))["verdict"], "abstain");
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

#[test]
fn bench_says_where_keys_are() {
    let setup = Setup::new();
    let folder = setup.outside();
    let settings = write(&folder, "settings.yaml", "run: [kv count a]\n");
    let state = folder.path("state").display().to_string();
    let grants = ["--grant", "kv", "--grant", "files/boot", "--grant", "sinks/audit"];
    let probe = probe();
    let words =
        ["bench", &probe, "--settings", &settings, "--hook", "resolve", "--path", "x", "--calls", "20"];
    let words = [&words[..], &grants, &["--time", "60s"]].concat();
    let ran = plugin(&words);
    ran.assert_good();
    assert!(printed(&ran).contains("each way, keys in memory\n"), "{}", printed(&ran));
    let ran = plugin(&[&words[..], &["--state", &state, "--json"]].concat());
    ran.assert_good();
    assert_eq!(json(&ran)["keys"], "in a file");
    let files = std::fs::read_dir(&state).unwrap().flatten();
    assert!(files.map(|file| file.metadata().unwrap().len()).sum::<u64>() > 0, "the keys are there");
    let ran = plugin(&["bench", "builtin:acl", "--path", "x", "--calls", "20", "--time", "60s"]);
    assert!(!printed(&ran).contains("keys"), "it has none: {}", printed(&ran));
}

#[test]
fn bench_of_a_project_measures_each_hook_with_its_first_case() {
    let setup = Setup::new();
    let folder = setup.outside();
    let cases = "component: builtin:acl\nsettings: { deny: [{ names: [x] }] }\ncases:\n\
        - { name: refused, settings: { deny: 5 }, request: { path: x }, expect: { refused: [] } }\n\
        - { name: first, request: { path: x }, expect: { deny: {} } }\n\
        - { name: second, request: { path: y }, expect: abstain }\n";
    write(&folder, "cases.yaml", cases);
    let bench = |words: &[&str]| {
        let words = [&["plugin", "bench", "--calls", "20", "--time", "60s"], words].concat();
        tuffet_in(&folder.path(""), &words, &[])
    };
    let ran = bench(&["--json"]);
    ran.assert_good();
    let shown = json(&ran);
    assert_eq!(shown.as_array().unwrap().len(), 1, "{shown:#}");
    assert_eq!((&shown[0]["hook"], &shown[0]["case"]), (&"authorize".into(), &"first".into()), "{shown:#}");
    bench(&["--path", "x"]).assert_fails(64, &["those of its cases.yaml"]);
    std::fs::remove_file(folder.path("cases.yaml")).unwrap();
    bench(&[]).assert_fails(64, &["there is no cases.yaml in this folder", "COMPONENT"]);
    bench(&["builtin:acl"]).assert_fails(64, &["--path PATH or --request FILE"]);
}

/// Failures, uploads, steps and changed settings; keys in memory and in a file.
#[test]
fn bench_of_a_project_takes_any_case_file() {
    let setup = Setup::new();
    let folder = setup.outside();
    let cases = format!(
        "component: {:?}
grants: [kv]
settings:
  rules:
    - {{ hook: authorize, path: '*', do: [[fail, away]], answer: abstain }}
    - {{ hook: resolve, path: '*', do: [[kv-add, null, n, 1]], answer: tell }}
    - {{ hook: accept-upload, path: '*', answer: {{ rename: {{ path: b }} }} }}
host: {{ keys: {{ n: 4 }} }}
cases:
  - {{ name: a failure, hook: authorize, request: {{ path: x }}, expect: {{ failure: {{ cause: error }} }} }}
  - {{ name: refused, settings: {{ nonsense: 1 }}, hook: resolve, request: {{ path: x }}, expect: refused }}
  - name: steps
    steps:
      - {{ hook: authorize, request: {{ path: x }}, expect: failure }}
      - {{ hook: accept-upload, request: {{ path: x, operation: write, upload: {{ root: boot, content: y }} }}, expect: rename }}
      - {{ hook: resolve, request: {{ path: x }}, settings+: {{}}, expect: content }}
",
        tuffet_test_guests::component("reference")
    );
    write(&folder, "cases.yaml", &cases.replace(", settings+: {}", ""));
    let state = folder.path("state").display().to_string();
    for more in [&[][..], &["--state", &state]] {
        let words = [&["plugin", "bench", "--calls", "20", "--time", "60s", "--json"], more].concat();
        let ran = tuffet_in(&folder.path(""), &words, &[]);
        ran.assert_good();
        let shown = json(&ran);
        let mut hooks: Vec<&str> =
            shown.as_array().unwrap().iter().map(|its| its["hook"].as_str().unwrap()).collect();
        hooks.sort_unstable();
        assert_eq!(hooks, ["accept-upload", "authorize", "resolve"], "{shown:#}");
        assert!(shown.to_string().contains("steps, step 3"), "{shown:#}");
    }
}

/// What a plugin prints is shown, up to the limit, and what is not shown is counted.
#[test]
fn printed_lines_are_shown_and_counted() {
    let setup = Setup::new();
    let folder = setup.outside();
    let settings = write(&folder, "settings.yaml", "do: trap\nhook: resolve\n");
    let ran = plugin(&[&["run", &misbehave(), "--settings", &settings, "--json"], &ASK[..]].concat());
    let log = json(&ran)["log"].to_string();
    assert!(log.contains("trapped as asked") && log.contains("printed=\\\"stderr\\\""), "{log}");
    assert!(!log.contains("RUST_BACKTRACE"), "{log}");

    let prints = "[print, a line], ".repeat(100);
    let rules = format!("rules: [{{ hook: resolve, path: x, do: [{prints}], answer: tell }}]\n");
    let settings = write(&folder, "settings.yaml", &rules);
    let reference = tuffet_test_guests::component("reference");
    let words = ["run", &reference, "--settings", &settings, "--hook", "resolve", "--path", "x", "--json"];
    let shown = json(&plugin(&words));
    let log = shown["log"].as_array().unwrap();
    assert_eq!(log.len(), 33, "{shown:#}");
    assert_eq!(log[32]["message"], "68 further lines were dropped: the limit is 32");

    // An exhausted stack is called so.
    let settings = write(
        &folder,
        "settings.yaml",
        "rules: [{ hook: resolve, path: x, do: [[recurse]], answer: tell }]\n",
    );
    let words = ["run", &reference, "--settings", &settings, "--hook", "resolve", "--path", "x", "--json"];
    let ran = plugin(&words);
    let detail = json(&ran)["verdict"]["failure"]["detail"].to_string();
    assert!(detail.contains("the stack is exhausted: "), "{detail}");
}

/// Whatever form of trap the runtime reports, the plugin's own words come first.
#[test]
fn a_trap_begins_with_the_words_of_the_plugin() {
    let setup = Setup::new();
    let settings = write(&setup.outside(), "settings.yaml", "do: trap\nhook: resolve\n");
    let ran = plugin(&[&["run", &misbehave(), "--settings", &settings, "--json"], &ASK[..]].concat());
    let detail = json(&ran)["verdict"]["failure"]["detail"].as_str().unwrap().to_owned();
    assert!(detail.starts_with("panicked at ") && detail.ends_with("trapped as asked"), "{detail}");
}

/// A secret reaches the plugin, and nothing that is printed has it.
#[test]
fn secrets_are_settings_that_nobody_sees() {
    let setup = Setup::new();
    let folder = setup.outside();
    folder.write("secret", b"trap\n");
    let misbehave = misbehave();
    let yaml = |settings: &str| {
        format!(
            "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: . }}]\npolicy: {{ authorize: [bad] }}\nplugins:\n  bad:\n    component: \
             \"{misbehave}\"\n    {settings}\n"
        )
    };
    let config = write(&folder, "tuffet.yaml", &yaml("secrets: { do: { file: ./secret } }"));
    let run = || plugin(&["run", &misbehave, "--config", &config, "--hook", "authorize", "--path", "x"]);
    let ran = run();
    assert_eq!(ran.code(), 1, "{ran:?}");
    // It trapped as the secret says, and its own words about that lack the word.
    assert!(
        printed(&ran).contains("panicked at") && printed(&ran).contains("(hidden)ped as asked"),
        "{ran:?}"
    );
    // A message of the plugin repeats the value, as that of serde does.
    folder.write("secret", b"s3cret-w0rd");
    let ran = run();
    ran.assert_fails(64, &["tuffet.yaml:7:", "(hidden)"]);
    assert!(!ran.stderr.contains("s3cret-w0rd"), "{}", ran.stderr);
    let check = |settings: &str, said: &[&str]| {
        write(&folder, "tuffet.yaml", &yaml(settings));
        check_file(&config).assert_fails(64, said);
    };
    check(
        "secrets: { do: trap }",
        &["tuffet.yaml:7:", "`do` is a secret, and this file must not contain secrets"],
    );
    check("secrets: { do: \"${NO_SUCH_NAME}\" }", &["the environment variable `NO_SUCH_NAME` is not set"]);
    check(
        "settings: { do: trap }\n    secrets: { do: { file: ./secret } }",
        &["tuffet.yaml:8:", "`settings` has `/do` too"],
    );
    check("settings: { do: trap }\n    secrets: { /do/a: { file: ./secret } }", &["around `/do/a`"]);
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
    assert!(shown["emitted"][0]["payload"].as_str().unwrap().contains("timed-out"), "{shown:#}");
    let ran = plugin(&[&["bench", "--calls", "20"], &words[..], &grants[..]].concat());
    ran.assert_good();
    assert_eq!(json(&ran)["hook"], "observe");
    let asked = ["run", &probe, "--hook", "observe", "--path", "x"];
    plugin(&[&asked[..], &grants[..]].concat()).assert_fails(64, &["takes events", "--request"]);
}
