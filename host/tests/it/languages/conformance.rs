//! Requests and answers, grants and failures: the same cases in every language.

use super::each_language;
use crate::harness::{Setup, check_in, compiled, run, run_for, tuffet};
use std::process::Command;
use std::time::Duration;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/conformance/cases");

const ZEROS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/conformance/cases-zeros");

each_language!(cases_come_out_the_same);

fn cases_come_out_the_same(guest: &str) {
    assert_cases(CASES, guest, 130);
    // In Go and C, 0 is a number that is not given.
    if ![super::go(), super::c()].contains(&Some(guest)) {
        assert_cases(ZEROS, guest, 1);
    }
}

each_language!(what_is_printed_is_shown);

fn what_is_printed_is_shown(guest: &str) {
    let setup = Setup::new();
    let settings = "rules: [{ hook: resolve, path: x, do: [[print, \"größer\"]], answer: tell }]\n";
    setup.outside().write("settings.yaml", settings.as_bytes());
    let settings = setup.outside().path("settings.yaml").display().to_string();
    let words = ["plugin", "run", guest, "--settings", &settings, "--hook", "resolve", "--path", "x"];
    let ran = tuffet(words.iter().chain(&["--json", "--time", "60s"]));
    ran.assert_good();
    let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let line = serde_json::json!([{ "level": "debug", "message": "größer", "fields": "printed=\"true\"" }]);
    assert_eq!(shown["log"], line, "{shown:#}");
    let case = format!(
        "component: {guest:?}\nsettings: {{ {} }}\ncases: [{{ name: x, request: {{ path: x }}, hook: resolve, expect: \
         abstain }}]\n",
        "rules: [{ hook: resolve, path: x, do: [[print, oops]], answer: tell }]"
    );
    setup.outside().write("cases.yaml", case.as_bytes());
    let cases = setup.outside().path("cases.yaml").display().to_string();
    let ran = tuffet(["plugin", "test", &cases, "--time", "60s"]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert!(shown.contains("it printed \"oops\""), "{shown}");
}

#[track_caller]
fn assert_cases(cases: &str, guest: &str, more_than: u32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled());
    command.args(["plugin", "test", cases, "--component", guest, "--time", "60s"]);
    // Many cases take their time on a busy machine.
    let ran = run_for(&mut command, Duration::from_secs(600));
    let shown = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{shown}\n{}", ran.stderr);
    let passed = shown.lines().last().and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
    assert!(passed > Some(more_than), "{shown}");
}

each_language!(log_lines_have_their_level_and_fields);

fn log_lines_have_their_level_and_fields(guest: &str) {
    let setup = Setup::new();
    let settings = r#"
rules:
  - hook: resolve
    path: x
    do:
      - [log, trace, "step", {}]
      - [log, debug, "größer", { name: "日本" }]
      - [log, info, "two\nlines", { a: "b" }]
      - [log, warn, "", {}]
      - [log, error, "it broke", { why: "a \"quoted\" word" }]
    answer: tell
"#;
    setup.outside().write("settings.yaml", settings.as_bytes());
    let settings = setup.outside().path("settings.yaml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.env("CACHE_DIRECTORY", compiled());
    command.args(["plugin", "run", guest, "--json", "--time", "60s", "--hook", "resolve", "--path", "x"]);
    let ran = run(command.arg("--settings").arg(settings));
    ran.assert_good();
    let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let line = |level: &str, message: &str, fields: &str| serde_json::json!({ "level": level, "message": message, "fields": fields });
    let expected = [
        line("trace", "step", ""),
        line("debug", "größer", "name=\"日本\""),
        line("info", "two lines", "a=\"b\""),
        line("warn", "", ""),
        line("error", "it broke", r#"why="a \"quoted\" word""#),
    ];
    assert_eq!(shown["log"], serde_json::json!(expected), "{shown:#}");
}

each_language!(a_failure_says_what_the_guest_said);

fn a_failure_says_what_the_guest_said(guest: &str) {
    let setup = Setup::new();
    let settings = "rules: [{ hook: resolve, path: x, do: [[fail, \"größer: failed\"]], answer: tell }]\n";
    setup.outside().write("settings.yaml", settings.as_bytes());
    let settings = setup.outside().path("settings.yaml").display().to_string();
    let words = ["plugin", "run", guest, "--settings", &settings, "--hook", "resolve", "--path", "x"];
    let ran = tuffet(words.iter().chain(&["--json", "--time", "60s"]));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let shown: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let failure = &shown["verdict"]["failure"];
    assert_eq!(failure["cause"], "error", "{shown:#}");
    assert!(failure["detail"].as_str().unwrap().contains("größer: failed"), "{shown:#}");
}

each_language!(settings_are_refused_at_their_line);

fn settings_are_refused_at_their_line(guest: &str) {
    let setup = Setup::new();
    let yaml = format!(
        "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\npolicy: {{ resolve: [it] \
         }}\nplugins:\n  it:\n    component: {guest:?}\n    limits: {{ time: 60s, wall: 60s }}\n    settings:\n      \
         rules:\n        - {{ hook: resolve, path: a, answer: abstain }}\n        - hook: resolve\n          path: \
         \"\"\n          answer: accept\n"
    );
    let ran = check_in(&setup.outside(), &yaml);
    let problems = [
        "tuffet.yaml:12:17: plugin `it`: a path is needed",
        "tuffet.yaml:13:19: plugin `it`: resolve cannot",
    ];
    ran.assert_fails(64, &problems);
}

each_language!(settings_are_checked_against_the_schema_of_the_component);

/// As `tuffet plugin build` puts it in, whatever made the component.
fn settings_are_checked_against_the_schema_of_the_component(guest: &str) {
    let setup = Setup::new();
    let folder = setup.outside();
    let schema =
        br#"{ "type": "object", "required": ["rules"], "properties": { "rules": { "type": "array" } } }"#;
    folder.write("settings.schema.json", schema);
    let [schema, component] = ["settings.schema.json", "guest.wasm"].map(|name| folder.path(name));
    let [schema, component] = [&schema, &component].map(|path| path.to_str().unwrap());
    let words = ["plugin", "annotate", guest, "--settings-schema", schema, "--output", component];
    tuffet(words).assert_good();
    for (settings, refused) in [
        ("rules: 7", Some("tuffet.yaml:9:14: plugin `it`: found the number 7; give a list")),
        ("observe: a", Some("plugin `it`: the key `rules` is missing")),
        ("rules: []", None),
    ] {
        let yaml = format!(
            "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\npolicy: {{ resolve: [it] \
             }}\nplugins:\n  it:\n    component: ./guest.wasm\n    limits: {{ time: 60s, wall: 60s }}\n    settings:\n      \
             {settings}\n"
        );
        let ran = check_in(&folder, &yaml);
        match refused {
            Some(problem) => ran.assert_fails(64, &[problem]),
            None => assert!(!ran.stderr.contains("rules"), "{}", ran.stderr),
        }
    }
}

/// Without `tuffet plugin build`: the macro of the SDK is enough.
#[test]
fn a_component_of_cargo_alone_carries_its_schema() {
    let ran = tuffet(["plugin", "inspect", &crate::languages::rust()]);
    ran.assert_good();
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(printed.contains("\nsettings     rules: list: What it answers, and does before\n"), "{printed}");
}
