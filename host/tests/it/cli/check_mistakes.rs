//! Mistakes that are easily made: `tuffet check` says what to write instead, at its place.

use crate::harness::{Setup, check, run_as_it_is};
use std::fmt::Write as _;
use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

const GOOD: &str = "listeners: [{ address: 127.0.0.1:6969 }]\nroots: [{ name: boot, path: root }]\n";

/// Asserts that the first complaint is at this place and has these words.
#[track_caller]
fn wrong(yaml: &str, place: &str, words: &[&str]) {
    let ran = check(yaml);
    ran.assert_fails(64, words);
    let first = ran.stderr.lines().next().unwrap();
    assert!(first.contains(&format!("tuffet.yaml:{place}: ")), "not at {place}: {}", ran.stderr);
}

fn acl(settings: &str) -> String {
    format!(
        "{GOOD}policy: {{ authorize: [acl] }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings:\n{settings}"
    )
}

#[test]
fn a_plugin_in_the_chain_of_another_hook() {
    let yaml = format!(
        "{GOOD}policy: {{ authorize: [acl], resolve: [acl] }}\nplugins: {{ acl: {{ component: builtin:acl }} }}\n"
    );
    wrong(
        &yaml,
        "3:39",
        &["plugin `acl`", "does not have the hook `resolve`", "policy.resolve", "`authorize`"],
    );
}

#[test]
fn settings_of_bundled_plugins() {
    wrong(&acl("      denny: []\n"), "8:7", &["unknown key `denny`; did you mean `deny`?"]);
    wrong(&acl("      deny: [{ name: [x] }]\n"), "8:16", &["unknown key `name`; did you mean `names`?"]);
    wrong(&acl("      deny: [{ operations: [raed] }]\n"), "8:29", &["did you mean `read`?"]);
    wrong(
        &acl("      deny: [{ listeners: [wan] }]\n"),
        "8:28",
        &["unknown listener `wan`", "`127.0.0.1:6969`"],
    );
    check(&acl("      deny: [{ listeners: ['127.0.0.1:6969'] }]\n")).assert_good();
    // An optional key without a value is as good as none.
    check(&acl("      deny:\n")).assert_good();
    let mac_map = |root: &str| {
        format!(
            "{GOOD}policy: {{ resolve: [map] }}\nplugins:\n  map:\n    component: builtin:mac-map\n    grants: [client-mac]\n    \
             settings: {{ root: {root}, rules: [{{ templates: ['{{mac}}'] }}] }}\n"
        )
    };
    wrong(&mac_map("bot"), "8:23", &["unknown root `bot`; did you mean `boot`?"]);
    check(&mac_map("boot")).assert_good();
}

/// Otherwise a server starts, and loses each line at run time.
#[test]
fn what_the_settings_of_bundled_plugins_use() {
    let observer = |plugin: &str, settings: &str| {
        format!(
            "{GOOD}sinks: {{ lines: {{ file: lines.jsonl }}, far: {{ file: far.jsonl }} }}\npolicy: {{ observe: [it] }}\n\
             plugins:\n  it:\n    component: builtin:{plugin}\n    settings: {settings}\n"
        )
    };
    for (plugin, settings, place, words) in [
        ("audit", "{ sink: line }", "8:23", "unknown sink `line`; did you mean `lines`?"),
        ("audit", "{ sink: lines, witness: fra }", "8:39", "unknown sink `fra`; did you mean `far`?"),
        ("publish", "{ sink: elsewhere }", "8:23", "unknown sink `elsewhere`"),
    ] {
        wrong(&observer(plugin, settings), place, &[words]);
    }
    // They are the server's own: what they cannot do without is theirs without a line.
    for (plugin, settings) in [
        ("audit", "{ sink: lines, witness: far }"),
        ("publish", "{ sink: lines }"),
        ("publish", "{ url: 'http://127.0.0.1:9/events' }"),
    ] {
        check(&observer(plugin, settings)).assert_good();
    }
    let resolver = |plugin: &str, settings: &str| {
        format!(
            "{GOOD}policy: {{ resolve: [it] }}\nplugins:\n  it:\n    component: builtin:{plugin}\n    \
             settings: {settings}\n"
        )
    };
    let leases = |root: &str| {
        format!(
            "{{ root: boot, leases: [{{ root: {root}, path: l, format: kea }}], rules: [{{ templates: ['{{mac}}'] }}] }}"
        )
    };
    let template =
        |root: &str| format!("{{ root: {root}, inventory: i.yaml, rules: [{{ match: a, template: t }}] }}");
    wrong(&resolver("mac-map", &leases("bot")), "7:46", &["unknown root `bot`; did you mean `boot`?"]);
    check(&resolver("mac-map", &leases("boot"))).assert_good();
    wrong(&resolver("template", &template("bot")), "7:23", &["unknown root `bot`; did you mean `boot`?"]);
    check(&resolver("template", &template("boot"))).assert_good();
    check(&resolver("ask", "{ url: 'http://127.0.0.1:9/' }")).assert_good();
    check(&resolver("remap", "{ root: boot, unique-root: mac }")).assert_good();
    let acl = "policy: { authorize: [it] }\nplugins:\n  it:\n    component: builtin:acl\n    settings: { deny: [{ macs: ['00:0c:29'] }] }\n";
    check(&format!("{GOOD}{acl}")).assert_good();
}

#[test]
fn a_wall_above_the_time_limit() {
    let yaml = |limits: &str| {
        format!(
            "{GOOD}policy: {{ authorize: [acl], time-limit: 300ms }}\nplugins: {{ acl: {{ component: builtin:acl, {limits} }} }}\n"
        )
    };
    let ran = check(&yaml("limits: { wall: 1s }"));
    ran.assert_good();
    let warning =
        "tuffet.yaml:4:59: `wall` (1s) is above `policy.time-limit` (300ms), which ends the call first";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    // By default it is above, too; nobody wrote that.
    let ran = check(&yaml(""));
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}

#[test]
fn what_else_there_is() {
    // One problem hides those of the later steps.
    let hidden = "1 problem; there may be more: paths, how the sections fit together, plugins and their settings are checked";
    check(&format!("{GOOD}polcy: 1\n")).assert_fails(64, &[hidden]);
    let all = |yaml: String| format!("{}start: all\n", yaml.replace("path: root", "path: nowhere"));
    let plugins = all(acl("      deny: [{ names: [x] }]\n"));
    check(&plugins)
        .assert_fails(64, &["1 problem; there may be more: plugins and their settings are checked"]);
    let ran = check(&all(GOOD.to_owned()));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    let subnets =
        |count: usize| acl(&format!("      deny: [{{ clients: [{}] }}]\n", vec!["x"; count].join(", ")));
    check(&subnets(6)).assert_fails(64, &["6 problems"]);
    let ran = check(&subnets(5));
    assert_eq!(ran.stderr.lines().count(), 5, "{}", ran.stderr);
    let ran = check(&subnets(3000));
    ran.assert_fails(64, &["2900 more problems are not listed", "101 problems, 1 of them not listed"]);
    assert_eq!(ran.stderr.lines().count(), 101, "{}", ran.stderr);
}

#[test]
fn standard_input() {
    let setup = Setup::new();
    let file = setup.outside().path("tuffet.yaml");
    let check = |yaml: &str| {
        std::fs::write(&file, yaml).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        // Paths are relative to the current folder.
        command.args(["check", "-"]).current_dir(file.parent().unwrap());
        run_as_it_is(command.stdin(File::open(&file).unwrap()), Duration::from_secs(60))
    };
    let ran = check(GOOD);
    ran.assert_good();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "<stdin>: good\n");
    check(&format!("{GOOD}polcy: 1\n")).assert_fails(64, &["<stdin>:3:1: unknown key `polcy`"]);
    check("").assert_fails(64, &["<stdin>: the file is empty"]);
}

/// Each device is a line, and each may be wrong.
#[test]
fn many_devices() {
    let devices = |count: u32, path: &str| {
        let mut yaml = format!(
            "{GOOD}policy: {{ resolve: [map] }}\nplugins:\n  map:\n    component: builtin:mac-map\n    grants: [client-mac]\n    \
             limits: {{ configure: 1m, memory: 1GiB }}\n    settings:\n      root: boot\n      rules:\n        - devices:\n"
        );
        for device in 0..count {
            let [a, b, c, d] = device.to_be_bytes();
            writeln!(yaml, "            \"02:{a:02x}:{b:02x}:{c:02x}:{d:02x}:00\": {path}").unwrap();
        }
        yaml
    };
    let started = Instant::now();
    check(&devices(100_000, "phone.cfg")).assert_good();
    let good = started.elapsed();
    check(&devices(100_000, "7"))
        .assert_fails(64, &["tuffet.yaml:13:34: found the number 7", "100000 problems"]);
    // The place of a problem must be found without a search through all devices.
    let bad = started.elapsed() - good;
    assert!(bad < 10 * good, "{bad:?} instead of {good:?}");
}
