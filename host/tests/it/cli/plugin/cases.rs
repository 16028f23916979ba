//! `tuffet plugin test`: case files, and answers that are recorded in them.

use super::{plugin, printed, write};
use crate::harness::{Ran, Setup};
use crate::policy::probe;

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
    for word in ["FAILED", "the verdict differs", "the payloads sent to sinks differ", "0 passed, 1 failed"] {
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

    // Of a project, whose other files are no cases.
    write(&folder, "cases/cases.yaml", cases);
    write(&folder, "cases/tuffet.yaml", "roots: [{ name: boot, path: . }]\n");
    let ran = plugin(&["test", &path]);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
}

const EVENTS: &str = r#"
grants: [sinks/audit, kv, files/boot]
settings: { observe: audit }
cases:
  - name: a download
    hook: observe
    events:
      - started: { request: { path: a, macs: ["02:00:5e:10:00:01"] }, size: 9 }
      - { id: 2, at: 1970-01-01T00:00:01Z, progressed: { transferred: 3 } }
      - { progressed: { transferred: 9 } }
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
    assert!(printed(&ran).contains("the payloads sent to sinks differ"), "{}", printed(&ran));
    // A failed call gives no answer; the failure may be the expectation.
    let failing = EVENTS.replace("grants: [sinks/audit, kv", "grants: [sinks/other, kv");
    assert!(printed(&test(&failing)).contains("+ failure:"), "{}", printed(&test(&failing)));
    let (head, _) = failing.split_once("    emits:").unwrap();
    assert_eq!(test(&format!("{head}    expect: {{ failure: {{ cause: trap }} }}\n")).code(), 0);
    for (from, to, words) in [
        ("hook: observe", "hook: resolve", ["events are for observe", "cases.yaml:8:"]),
        ("hook: observe", "request: { path: x }", ["one of the two", "cases.yaml:"]),
        (
            "{ progressed: { transferred: 9 } }",
            "finished: { request: { path: a }, outcome: eaten }",
            ["eaten", "cases.yaml:10:"],
        ),
    ] {
        test(&EVENTS.replace(from, to)).assert_fails(64, &words);
    }
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
    for word in ["the changes of keys differ", "- a: 4", "+ a: 3", "+ c: null", "no line with \"something\""]
    {
        assert!(printed(&ran).contains(word), "{word}: {}", printed(&ran));
    }
}

#[test]
fn cases_give_and_expect_shared_keys() {
    let case = |expected: &str| {
        format!(
            "grants: [kv, kv/leases, files/boot, sinks/audit]\nsettings: {{ run: [shared leases create a x, shared leases \
             create b x, shared leases list, kv append own +] }}\nhost: {{ shared-keys: {{ leases: {{ a: given }} }} }}\n\
             cases:\n  - {{ name: x, hook: resolve, request: {{ path: x }}, host: {{ keys: {{ own: text }}, shared-keys: \
             {{ leases: {{ b: null }} }} }}, expect: {{ content: \"false\\ntrue\\n[\\\"a\\\", \
             \\\"b\\\"]\\n\\\"text+\\\"\\n\" }}, keys: {{ own: text+ }}, shared-keys: {expected} }}\n"
        )
    };
    let ran = test(&case("{ leases: { b: x } }"));
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let ran = test(&case("{ leases: { a: y } }"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert!(printed(&ran).contains("the changes of shared keys differ"), "{}", printed(&ran));
    let ran = test(&case("{}").replace("{ leases: { b: null } }", "{}"));
    assert!(printed(&ran).contains(r#"kv.swap("leases", "b")"#), "{}", printed(&ran));
}

/// A server would not give it either.
#[test]
fn a_grant_that_the_manifest_lacks_fails_the_case() {
    let setup = Setup::new();
    let cases = "component: builtin:acl\ngrants: [kv]\nsettings: { deny: [{ names: [x], message: no }] }\n\
                 cases: [{ name: a, request: { path: y }, expect: abstain }]\n";
    let file = write(&setup.outside(), "cases.yaml", cases);
    let ran = plugin(&["test", &file]);
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    let shown = printed(&ran);
    assert!(shown.contains("it is granted `kv` and does not ask for it in its manifest"), "{shown}");
    assert!(shown.contains("or ask for it there"), "{shown}");
    let file = write(&setup.outside(), "cases.yaml", &cases.replace("[kv]", "[]"));
    assert_eq!(plugin(&["test", &file]).code(), 0);
}

const STEPS: &str = r#"
grants: [kv, kv/leases, files/boot, sinks/audit]
settings: { run: [kv count hits, shared leases create a x] }
cases:
  - name: counts
    hook: resolve
    host: { keys: { hits: null }, shared-keys: { leases: { a: null } } }
    steps:
      - { request: { path: x }, expect: { content: "1\ntrue\n" }, shared-keys: { leases: { a: x } } }
      - { request: { path: x }, expect: { content: "2\nfalse\n" }, shared-keys: {} }
      - { request: { path: x }, host: { keys: { hits: 7 } }, expect: { content: "3\nfalse\n" }, keys: { hits: 3 } }
  - name: begins anew
    hook: resolve
    host: { keys: { hits: 8 }, shared-keys: { leases: { a: null } } }
    request: { path: x }
    expect: { content: "9\ntrue\n" }
"#;

#[test]
fn steps_of_a_case_find_the_keys_of_those_before() {
    let ran = test(STEPS);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert!(
        printed(&ran).contains("ok      ") && printed(&ran).contains(": counts, step 2\n"),
        "{}",
        printed(&ran)
    );
    let ran = test(&STEPS.replace("2\\nfalse", "2\\ntrue"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert!(printed(&ran).contains(": counts, step 2\n        the verdict differs"), "{}", printed(&ran));
    test(&STEPS.replace("    steps:", "    expect: abstain\n    steps:"))
        .assert_fails(64, &["cases.yaml:8:", "a case with `steps` has `expect` in each of them"]);
    test(&STEPS.replace("path: x }, host:", "pth: x }, host:")).assert_fails(64, &["cases.yaml:11:", "pth"]);
}

/// The time of a case: of its clock, its keys and its requests.
const TIMES: &str = r#"
grants: [kv, clock]
settings:
  rules:
    - { hook: resolve, path: set, do: [[kv-set, null, a, x, 60], [kv-add, null, n, 1, 90]], answer: tell }
    - { hook: resolve, path: add, do: [[kv-get, null, a], [kv-add, null, n, 1, 90], [clock]], answer: tell }
    - { hook: resolve, path: list, do: [[kv-list, null, "", null, 9]], answer: tell }
host: { clock: 2026-01-31T12:00:00Z, keys: { a: null, n: null, held: x } }
cases:
  - name: keys end
    hook: resolve
    steps:
      - { request: { path: set }, expect: { content: "[null,1]" } }
      - { after: 59s, request: { path: add }, expect: { content: '["x",2,1769860859]' } }
      - { after: 1s, request: { path: add }, expect: { content: "[null,3,1769860860]" } }
      - { request: { path: list }, expect: { content: '[["held","n"]]' } }
      - { after: 30s, request: { path: list }, expect: { content: '[["held"]]' } }
      - { request: { path: add }, expect: { content: "[null,1,1769860890]" } }
      - { request: { path: list }, host: { clock: 2026-01-31T12:03:00Z }, expect: { content: '[["held"]]' } }
  - name: each case begins with its own time
    hook: resolve
    request: { path: add }
    expect: { content: "[null,1,1769860800]" }
"#;

#[test]
fn time_passes_between_steps() {
    let setup = Setup::new();
    let folder = setup.outside();
    let reference = tuffet_test_guests::component("reference");
    let test = |cases: &str| {
        let file = write(&folder, "cases.yaml", cases);
        plugin(&["test", &file, "--component", &reference, "--time", "60s"])
    };
    let ran = test(TIMES);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert!(printed(&ran).ends_with("8 passed, 0 failed\n"), "{}", printed(&ran));
    let ran = test(&TIMES.replace("after: 1s", "after: 500ms"));
    assert!(printed(&ran).contains("keys end, step 3\n        the verdict differs"), "{}", printed(&ran));
    test(&TIMES.replace("- { request: { path: list }, host", "- { after: 1s, request: { path: list }, host"))
        .assert_fails(64, &["cases.yaml:", "`after` moves the clock on, and `host` sets it"]);
    test(&TIMES.replace("after: 59s", "after: soon")).assert_fails(64, &["cases.yaml:14:"]);

    // Requests arrive then, unless they say when.
    let window = |at: &str| {
        format!(
            "grants: [sinks/audit, kv, files/boot]\nsettings: {{ observe: audit }}\ncases:\n  - name: x\n    host: {{ clock: \
             1970-01-01T00:00:01Z }}\n    steps:\n      - {{ after: 2s, events: [{{ {at}started: {{ request: {{ path: a }} }} }}], \
             emits: {{ audit: [{{ started: \"0000000000000001\", path: a, size: 0, macs: 0, ms: 3000 }}] }} }}\n"
        )
    };
    let file = write(&folder, "events.yaml", &window(""));
    let ran = plugin(&["test", &file, "--component", &probe(), "--time", "60s"]);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    write(&folder, "events.yaml", &window("at: 1970-01-01T00:00:09Z, "));
    assert_eq!(plugin(&["test", &file, "--component", &probe(), "--time", "60s"]).code(), 1);
}

/// The settings, grants and roots of a server are those of its plugin under test.
#[test]
fn cases_take_the_settings_of_a_configuration() {
    let setup = Setup::new();
    let folder = setup.outside();
    let server = |resolve: &str, plugins: &str| {
        let text = format!(
            "listeners: [{{ address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: . }}]\npolicy: {{ resolve: {resolve} \
             }}\nplugins:\n{plugins}"
        );
        write(&folder, "tuffet.yaml", &text);
    };
    let test = |head: &str| {
        let cases = format!(
            "{head}\ncases:\n  - {{ name: one, request: {{ path: a }}, expect: {{ files: [\"boot:b\"] }} }}\n  \
             - {{ name: two, settings+: {{ map: r a c }}, request: {{ path: a }}, expect: {{ files: [\"boot:c\"] }} }}\n"
        );
        plugin(&["test", &write(&folder, "cases.yaml", &cases), "--time", "60s"])
    };
    let one = "  one: { component: builtin:remap, settings: { root: boot, map: r a b } }\n";
    let other = "  other: { component: builtin:remap, settings: { root: boot, map: r a d } }\n";
    server("[one]", one);
    for head in ["config: tuffet.yaml", "config: tuffet.yaml\ncomponent: builtin:remap"] {
        let ran = test(head);
        assert!(printed(&ran).ends_with("2 passed, 0 failed\n"), "{}{}", printed(&ran), ran.stderr);
    }
    for (head, said) in [
        ("config: none.yaml", "none.yaml"),
        ("config: tuffet.yaml\nplugin: two", "the configuration has no plugin `two`; it has `one`"),
        ("config: tuffet.yaml\ncomponent: builtin:acl", "none of its plugins has this component"),
        ("config: tuffet.yaml\nsettings: { root: boot }", "`config` has the settings already"),
        ("config: tuffet.yaml\nroots: [boot]", "`config` has the roots already"),
        ("component: builtin:acl\nplugin: one", "add `config: FILE`"),
    ] {
        test(head).assert_fails(64, &[said]);
    }
    server("[one, other]", &[one, other].concat());
    test("config: tuffet.yaml")
        .assert_fails(64, &["cases.yaml:1:", "several of its plugins fit: `one`, `other`"]);
    let ran = test("config: tuffet.yaml\nplugin: one");
    assert!(printed(&ran).ends_with("2 passed, 0 failed\n"), "{}{}", printed(&ran), ran.stderr);
    let ran = test("config: tuffet.yaml\nplugin: other");
    assert!(printed(&ran).contains("1 passed, 1 failed"), "{}{}", printed(&ran), ran.stderr);
    server("[]", "  {}\n");
    test("config: tuffet.yaml").assert_fails(64, &["it has no plugin"]);
}

/// A name that is wrong in settings and expectations alike is found all the same.
#[test]
fn a_root_that_no_case_knows_fails() {
    let setup = Setup::new();
    let folder = setup.outside();
    let test = |head: &str, host: &str| {
        let cases = format!(
            "component: builtin:remap\nsettings: {{ root: bot, map: r a b }}\n{head}\ncases:\n  - {{ name: x, request: {{ path: \
             a }}, host: {host}, expect: {{ files: [\"bot:b\"] }} }}\n"
        );
        plugin(&["test", &write(&folder, "cases.yaml", &cases), "--time", "60s"])
    };
    let ran = test("", "{}");
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert!(
        printed(&ran).contains("names the root `bot`, which this file does not know"),
        "{}",
        printed(&ran)
    );
    assert_eq!(test("", "{ files: { bot/x: y } }").code(), 0);
    assert_eq!(test("roots: [bot]", "{}").code(), 0);
    assert_eq!(test("roots: [boot]", "{}").code(), 1);
}

#[test]
fn somebody_else_is_faster_once() {
    let case = |conflict: &str, content: &str| {
        format!(
            "grants: [kv, kv/leases, files/boot, sinks/audit]\nsettings: {{ run: [kv append names +me, kv append names +me, \
             shared leases create a mine] }}\ncases:\n  - {{ name: x, hook: resolve, request: {{ path: x }}, host: {{ keys: \
             {{ names: old }}, shared-keys: {{ leases: {{ a: null }} }}{conflict} }}, expect: {{ content: {content:?} }}, keys: \
             {{ names: {} }} }}\n",
            content.split('"').nth(3).unwrap()
        )
    };
    let alone = case("", "\"old+me\"\n\"old+me+me\"\ntrue\n");
    let ran = test(&alone);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let conflict = ", conflicts: { names: other }, shared-conflicts: { leases: { a: theirs } }";
    let ran = test(&case(conflict, "\"other+me\"\n\"other+me+me\"\nfalse\n"));
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let ran = test(&case(", conflicts: { names: null }", "\"+me\"\n\"+me+me\"\ntrue\n"));
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
}

#[test]
fn cases_have_the_content_of_uploads() {
    let case = |said: &str| {
        format!(
            "grants: [kv, files/boot, sinks/audit, upload]\nsettings: {{ upload: run, run: [upload 1 2] }}\ncases:\n  - \
             {{ name: x, request: {{ path: x, operation: write, upload: {{ root: boot, content: abcd }} }}, hook: \
             accept-upload, expect: {{ deny: {{ reason: {said} }} }} }}\n"
        )
    };
    let ran = test(&case(r#"'"bc"'"#));
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    assert_eq!(test(&case("other")).code(), 1);
}

#[test]
fn cases_expect_metrics() {
    let case = |expected: &str| {
        format!(
            "grants: [kv, files/boot, sinks/audit, metrics]\nsettings: {{ run: [add hits site a, add hits site a, gauge \
             size 1.5] }}\ncases:\n  - {{ name: x, hook: resolve, request: {{ path: x }}, expect: content, metrics: \
             {expected} }}\n"
        )
    };
    let good = case(r#"{ 'hits{site="a"}': 4, size: 1.5 }"#);
    let ran = test(&good);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
    let ran = test(&case("{ size: 2 }"));
    assert_eq!(ran.code(), 1, "{}", ran.stderr);
    assert!(printed(&ran).contains("the metrics differ"), "{}", printed(&ran));
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

#[test]
fn a_case_changes_some_settings() {
    let cases = |settings: &str, expect: &str| {
        let file = "component: builtin:acl\nsettings: { deny: [{ names: [x], message: no }], allow: [{ names: [y] }] }\ncases:";
        let case = format!("{{ name: a, {settings}, request: {{ path: x }}, expect: {expect} }}");
        let setup = Setup::new();
        let path = write(&setup.outside(), "cases.yaml", &format!("{file} [{case}]\n"));
        plugin(&["test", &path, "--time", "60s"])
    };
    for (settings, expect) in [
        ("settings+: {}", "deny"),
        ("settings+: { deny: null }", "abstain"),
        ("settings+: { deny: [{ names: [z], message: no }], allow: [{ names: [x] }] }", "allow"),
    ] {
        let ran = cases(settings, expect);
        assert_eq!(ran.code(), 0, "{settings}: {}{}", printed(&ran), ran.stderr);
    }
    cases("settings: {}, settings+: {}", "deny").assert_fails(64, &["nothing is left to change"]);
}

/// A server that is away, silent or broken, and one that wants a header.
#[test]
fn requests_by_http_fail_as_the_case_says() {
    let case = |http: &str, run: &str, expect: &str| {
        format!(
            "grants: [kv, files/boot, sinks/audit, http/a.example]\nsettings: {{ run: [{run}] }}\ncases:\n  \
             - name: x\n    hook: resolve\n    request: {{ path: x }}\n    host: {{ http: [{http}] }}\n    expect: {expect}\n"
        )
    };
    let url = r#"url: "http://a.example/x""#;
    for (failure, words) in [
        ("failure: refused", "there is no connection"),
        ("failure: timeout, after: 1ms", "did not begin in time"),
        ("failure: broken", "the connection ended before its end"),
    ] {
        let ran =
            test(&case(&format!("{{ request: {{ {url} }}, {failure} }}"), "get http://a.example/x", "drop"));
        assert_eq!(ran.code(), 1, "{}", ran.stderr);
        let shown = printed(&ran).to_lowercase();
        assert!(shown.contains(words) && !shown.contains("it called"), "{failure}: {shown}");
    }
    let with_header = |value: &str| {
        let request = format!("method: POST, {url}, headers: {{ x-probe: {value} }}");
        let http = format!("{{ request: {{ {request} }}, response: {{ body: good }} }}");
        test(&case(&http, "post http://a.example/x body", r#"{ content: "(200, \"good\")\n" }"#))
    };
    assert_eq!(with_header("\"yes\"").code(), 0, "{}", printed(&with_header("\"yes\"")));
    let other = with_header("\"no\"");
    assert!(printed(&other).contains("it called http POST"), "{}{}", printed(&other), other.stderr);
    let refused = |answer: &str, words: &[&str]| {
        test(&case(&format!("{{ request: {{ {url} }}{answer} }}"), "get http://a.example/x", "drop"))
            .assert_fails(64, words);
    };
    refused("", &["cases.yaml:7:20: the request has no answer", "add `response`"]);
    refused(", response: {}, failure: broken", &["remove `response` or `failure`"]);
    refused(", failure: late", &["unknown variant `late`", "`timeout`"]);
}

/// An answer that takes longer than the call may.
#[test]
fn a_late_answer_is_none() {
    let folder = Setup::new().outside();
    let text = HTTP.replace("response: { status: 404 }", "after: 1h, response: { status: 404 }");
    let file = write(&folder, "cases.yaml", &text.replace("expect: {", "expect: failure #"));
    let ran = plugin(&["test", &file, "--component", &probe(), "--time", "2s"]);
    assert_eq!(ran.code(), 0, "{}{}", printed(&ran), ran.stderr);
}

/// A server that does not take the connection is recorded, too.
#[test]
fn failures_are_recorded() {
    let folder = Setup::new().outside();
    // Nobody listens at this port as long as it is bound.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let cases = format!(
        "grants: [kv, files/boot, sinks/audit, http/127.0.0.1:{port}]\nsettings: {{ run: [get http://127.0.0.1:{port}/x] \
         }}\ncases:\n  - name: recorded\n    hook: resolve\n    request: {{ path: x }}\n    expect: content\n"
    );
    let file = write(&folder, "cases.yaml", &cases);
    let words = ["test", &file, "--component", &probe(), "--time", "60s"];
    let ran = plugin(&[&words[..], &["--record"]].concat());
    assert!(printed(&ran).ends_with("cases.yaml: recorded in 1 cases\n"), "{}{}", printed(&ran), ran.stderr);
    let recorded = String::from_utf8(folder.read("cases.yaml")).unwrap();
    assert!(recorded.contains("failure: refused"), "{recorded}");
    let replayed = plugin(&words);
    assert!(!printed(&replayed).contains("it called"), "{}", printed(&replayed));
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
