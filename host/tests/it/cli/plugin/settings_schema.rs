//! The schema of the settings that a component carries: put in, shown, checked, and given to editors.

use super::{json, plugin, printed, write};
use crate::harness::{Folder, Setup, check_file, tuffet};
use crate::policy::probe;
use serde_json::Value;

const SCHEMA: &str = r##"{
  "type": "object",
  "additionalProperties": false,
  "required": ["sink", "limits"],
  "properties": {
    "days": { "type": "integer", "minimum": 1, "maximum": 366, "default": 7, "description": "Days to keep." },
    "limits": { "$ref": "#/$defs/limits" },
    "listeners": { "type": "array", "items": { "type": "string", "format": "listener-name" } },
    "sink": { "type": "string", "format": "granted-sink-name", "description": "Where lines go. Always there." }
  },
  "$defs": {
    "limits": {
      "type": "object", "description": "What is too much.", "additionalProperties": false, "required": ["rate"],
      "properties": { "rate": { "type": "number" } }
    }
  }
}
"##;

/// Returns the probe with this schema, as `keeper.wasm` in the folder.
fn keeper(folder: &Folder, schema: &str) -> String {
    let component = folder.path("keeper.wasm").display().to_string();
    let manifest = r#"{ "name": "keeper", "grants": [
        { "grant": "sinks", "reason": "writes lines" }, { "grant": "kv", "reason": "keeps", "optional": true },
        { "grant": "clock", "reason": "x", "optional": true }, { "grant": "random", "reason": "x", "optional": true },
        { "grant": "files", "reason": "x", "optional": true }, { "grant": "http", "reason": "x", "optional": true },
        { "grant": "metrics", "reason": "x", "optional": true }, { "grant": "upload", "reason": "x", "optional": true },
        { "grant": "client-mac", "reason": "x", "optional": true },
        { "grant": "client-history", "reason": "x", "optional": true } ] }"#;
    let (manifest, schema) = (write(folder, "m.json", manifest), write(folder, "s.json", schema));
    let words =
        ["annotate", &probe(), "--manifest", &manifest, "--settings-schema", &schema, "-o", &component];
    plugin(&words).assert_good();
    component
}

const SERVER: &str = "listeners: [{ name: lan, address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: root }]\n\
    sinks: { lines: { file: ./lines.jsonl }, other: { file: ./other.jsonl } }\n";

/// Writes a configuration whose settings begin in line 9.
fn configuration(folder: &Folder, grants: &str, settings: &str) -> String {
    let yaml = format!(
        "{SERVER}policy: {{ observe: [keeper] }}\nplugins:\n  keeper:\n    component: ./keeper.wasm\n    grants: \
         [{grants}]\n    settings:\n{settings}"
    );
    write(folder, "tuffet.yaml", &yaml)
}

#[test]
fn mistakes_in_settings_have_line_column_and_what_is_expected() {
    let setup = Setup::new();
    let folder = setup.outside();
    keeper(&folder, SCHEMA);
    for (grants, settings, words) in [
        (
            "sinks/lines",
            "      sink: lines\n      limits:\n        rate: fast\n        burts:\n          a: 1\n",
            &[
                "12:15: plugin `keeper`: found `fast`; give a number",
                "13:9: plugin `keeper`: unknown key `burts`",
            ][..],
        ),
        ("sinks/lines", "      sink: lines\n", &["10:7: plugin `keeper`: the key `limits` is missing"]),
        (
            "sinks/lines",
            "      sink: lines\n      limits: { rate: 1 }\n      days: 400\n",
            &["12:13: plugin `keeper`: 400 is out of range; give a whole number from 1 to 366"],
        ),
        (
            "sinks/lines",
            "      sink: lnes\n      limits: { rate: 1 }\n",
            &["10:13: plugin `keeper`: unknown sink `lnes`; did you mean `lines`?"],
        ),
        (
            "sinks/other",
            "      sink: lines\n      limits: { rate: 1 }\n",
            &[
                "10:13: plugin `keeper`: the plugin may not use sink `lines`; add `sinks/lines` to its `grants`",
            ],
        ),
        (
            "sinks/lines",
            "      sink: lines\n      limits: { rate: 1 }\n      listeners: [lan, wan]\n",
            &["12:24: plugin `keeper`: unknown listener `wan`"],
        ),
    ] {
        let file = configuration(&folder, grants, settings);
        for ran in [check_file(&file), tuffet(["serve", "--config", &file])] {
            ran.assert_fails(64, words);
        }
    }
    // The plugin's tools check them alike.
    let settings = write(&folder, "settings.yaml", "sink: lines\nlimits:\n  rate: 1\n  more:\n    a: 1\n");
    let component = folder.path("keeper.wasm").display().to_string();
    let words = ["check", &component, "--settings", &settings, "--grant", "sinks/lines"];
    plugin(&words).assert_fails(64, &["settings.yaml:4:3: plugin `keeper`: unknown key `more`"]);
}

/// A secret is part of the settings, and no message shows it.
#[test]
fn a_secret_counts_and_stays_hidden() {
    let setup = Setup::new();
    let folder = setup.outside();
    let of = |kind: &str| {
        format!(
            r#"{{ "type": "object", "required": ["token"], "properties": {{ "token": {{ "type": "{kind}" }} }} }}"#
        )
    };
    write(&folder, "token", "t0k3n-of-ours\n");
    let secret = "      a: 1\n    secrets: { token: { file: ./token } }\n";
    for (kind, good) in [("string", true), ("integer", false)] {
        keeper(&folder, &of(kind));
        let ran = check_file(configuration(&folder, "sinks/lines", secret));
        let refused = ran.stderr.contains("asks for something else than this secret");
        assert_eq!(refused, !good, "{}", ran.stderr);
        assert!(!ran.stderr.contains("t0k3n"), "{}", ran.stderr);
    }
    // A mistake around it.
    let around = r#"{ "type": "object", "properties": { "auth": { "type": "array", "items": {
        "type": "object", "properties": { "token": { "type": "string" } } } } } }"#;
    keeper(&folder, around);
    let secret = "      a: 1\n    secrets: { /auth/token: { file: ./token } }\n";
    let ran = check_file(configuration(&folder, "sinks/lines", secret));
    assert!(ran.stderr.contains("found a mapping; give a list"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("t0k3n"), "{}", ran.stderr);
}

/// What the schema calls secret stands below `secrets`, and is not shown where it stands elsewhere.
#[test]
fn a_text_that_the_schema_calls_secret_has_its_place() {
    let setup = Setup::new();
    let folder = setup.outside();
    let schema = r#"{ "type": "object", "required": ["token"], "properties": { "a": { "type": "integer" }, "api": {
        "type": "object", "properties": { "key": { "type": ["string", "null"], "format": "secret" } } },
        "token": { "type": "string", "format": "secret", "description": "The login." } } }"#;
    let component = keeper(&folder, schema);
    write(&folder, "token", "t0k3n-of-ours\n");
    for (settings, place) in [
        ("      token: t0k3n-of-ours\n", "10:14: plugin `keeper`: this is a secret"),
        (
            "      api: { key: t0k3n-of-ours }\n    secrets: { token: { file: ./token } }\n",
            "10:19: plugin `keeper`: this is a secret",
        ),
    ] {
        let ran = check_file(configuration(&folder, "sinks/lines", settings));
        ran.assert_fails(64, &[place, "write it below `secrets` of the plugin"]);
        assert!(!ran.stderr.contains("t0k3n"), "{}", ran.stderr);
    }
    let secret = "      a: 1\n    secrets: { token: { file: ./token }, /api/key: { file: ./token } }\n";
    let ran = check_file(configuration(&folder, "sinks/lines", secret));
    assert!(!ran.stderr.contains("this is a secret"), "{}", ran.stderr);
    let shown = printed(&plugin(&["inspect", &component]));
    assert!(
        shown.contains("    secrets:\n      token: ${TOKEN} # a secret, or { file: PATH }: The login"),
        "{shown}"
    );
}

#[test]
fn a_component_with_a_bad_schema_is_refused() {
    let setup = Setup::new();
    let folder = setup.outside();
    let component = folder.path("keeper.wasm");
    keeper(&folder, SCHEMA);
    let good = std::fs::read(&component).unwrap();
    let file = configuration(&folder, "sinks/lines", "      sink: lines\n      limits: { rate: 1 }\n");
    let cyclic = r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}"##;
    let deep = format!("{}{}", "{\"properties\":{\"a\":".repeat(3000), "}}".repeat(3000));
    for (schema, word) in [
        (cyclic.to_owned(), "contains itself"),
        (deep.clone(), "not JSON"),
        ("{}".into(), "settings are a mapping"),
        ("{".into(), "not JSON"),
        (" ".repeat(70_000), "65536 are allowed"),
    ] {
        // By hand: `annotate` refuses it. The last section does not count: of several, the first does.
        let name = b"tuffet:settings-schema";
        let body = [&[name.len() as u8][..], name, schema.as_bytes()].concat();
        let mut bytes = b"\0asm\x0d\0\x01\0\0".to_vec();
        let mut length = body.len();
        while length > 0x7f {
            bytes.push(length as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(&body);
        bytes.extend(&good[8..]);
        std::fs::write(&component, bytes).unwrap();
        let component = component.to_str().unwrap();
        for ran in [check_file(&file), plugin(&["inspect", component])] {
            ran.assert_fails(64, &["its section tuffet:settings-schema is refused", word]);
        }
        // An editor's schema is made without it.
        let ran = tuffet(["schema", &file]);
        ran.assert_good();
        assert!(ran.stderr.contains("warning: ./keeper.wasm: its section"), "{}", ran.stderr);
    }
    for (schema, words) in [
        (
            "{\n  \"type\": \"object\",\n  \"propertise\": {} }",
            &["s.json:3:17", "did you mean `properties`?"][..],
        ),
        (
            "{ \"type\": \"object\",\n \"properties\": { \"a\": { \"pattern\": \"(a+)+$\" } } }",
            &["s.json:2:36", "does not check `pattern`"],
        ),
        ("[]", &["s.json:1:1", "not a schema"]),
    ] {
        let schema = write(&folder, "s.json", schema);
        plugin(&["annotate", &probe(), "--settings-schema", &schema, "-o", "/no/such"])
            .assert_fails(64, words);
    }
}

#[test]
fn inspect_prints_a_configuration_that_is_good_once_filled_in() {
    let setup = Setup::new();
    let folder = setup.outside();
    let component = keeper(&folder, SCHEMA);
    let shown = printed(&plugin(&["inspect", &component]));
    for line in [
        "settings     limits: mapping, required: What is too much\n",
        "             sink: a granted sink, required: Where lines go\n",
        "             days: whole number, default 7: Days to keep\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let (_, block) = shown.split_once("in capitals:\n\n").unwrap();
    let write = |block: &str| write(&folder, "begun.yaml", &format!("{SERVER}state: ./state\n{block}"));
    let empty = check_file(write(block));
    empty.assert_fails(64, &["begun.yaml:", "unknown sink `NAME`"]);
    let granted = block.replace("sinks/NAME", "sinks/lines");
    let empty = check_file(write(&granted));
    empty.assert_fails(64, &["nothing is given here; give text", "nothing is given here; give a mapping"]);
    let filled = granted.replace("sink: #", "sink: lines #").replace("limits: #", "limits: { rate: 1 } #");
    let ran = check_file(write(&filled));
    // The probe has no such settings: it is asked, after its schema has nothing to say.
    assert!(!ran.stderr.contains("nothing is given"), "{}\n{}", ran.stderr, filled);
    assert!(ran.code() == 0 || ran.stderr.contains("unknown field"), "{}\n{}", ran.stderr, filled);
    let json = json(&plugin(&["inspect", &component, "--json"]));
    assert_eq!(json["settings_schema"]["properties"]["limits"]["required"], serde_json::json!(["rate"]));
}

/// The same with bundled plugins, whole.
#[test]
fn what_inspect_prints_of_a_bundled_plugin_runs() {
    let setup = Setup::new();
    let folder = setup.outside();
    for (name, fill) in
        [("acl", &[][..]), ("audit", &[("sinks/NAME", "sinks/lines"), ("sink: #", "sink: lines #")])]
    {
        let shown = printed(&plugin(&["inspect", &format!("builtin:{name}")]));
        let (_, block) = shown.split_once("in capitals:\n\n").unwrap();
        let mut filled = block.to_owned();
        fill.iter().for_each(|(from, to)| filled = filled.replace(from, to));
        let sinks = if fill.is_empty() { "" } else { "sinks: { lines: { file: ./lines.jsonl } }\n" };
        let yaml = format!(
            "listeners: [{{ name: lan, address: 127.0.0.1:0 }}]\nroots: [{{ name: boot, path: root }}]\nstate: ./state\n{sinks}{filled}"
        );
        let file = write(&folder, "begun.yaml", &yaml);
        check_file(&file).assert_good();
    }
}

#[test]
fn editors_get_the_settings_of_every_plugin_of_a_configuration() {
    let setup = Setup::new();
    let folder = setup.outside();
    keeper(&folder, SCHEMA);
    // It need not be complete.
    let file = write(
        &folder,
        "tuffet.yaml",
        "plugins:\n  keeper: { component: ./keeper.wasm }\n  gone: { component: ./gone.wasm }\n  acl: { component: \"builtin:acl\" }\n",
    );
    let ran = tuffet(["schema", &file]);
    ran.assert_good();
    assert!(ran.stderr.contains("warning: ./gone.wasm: cannot read"), "{}", ran.stderr);
    let schema: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let branches = schema["properties"]["plugins"]["additionalProperties"]["allOf"].as_array().unwrap();
    let own =
        branches.iter().find(|branch| branch["if"]["properties"]["component"]["const"] == "./keeper.wasm");
    let settings = &own.unwrap()["then"]["properties"]["settings"];
    assert_eq!(settings["properties"]["days"]["maximum"], 366);
    assert!(!settings.to_string().contains("$ref"), "{settings}");
    tuffet(["schema", "/no/such.yaml"]).assert_fails(64, &["/no/such.yaml"]);
}

/// The types that read case files and manifests write their schemas.
#[test]
fn case_files_and_manifests_have_schemas() {
    let of = |file: &str| -> Value {
        let ran = tuffet(["schema", "--for", file]);
        ran.assert_good();
        serde_json::from_slice(&ran.stdout).unwrap()
    };
    let cases = of("cases");
    assert_eq!(cases["additionalProperties"], false);
    assert_eq!(cases["required"], serde_json::json!(["cases"]));
    let case = cases["$defs"]["WrittenCase"]["properties"].as_object().unwrap();
    for key in ["name", "hook", "request", "events", "expect", "shared-keys", "steps"] {
        assert!(case.contains_key(key), "{key}: {cases:#}");
    }
    let manifest = of("manifest");
    for key in ["name", "hooks", "grants", "empty-batches", "depends-on", "sdk"] {
        assert!(manifest["properties"].get(key).is_some(), "{key}: {manifest:#}");
    }
    tuffet(["schema", "--for", "cases", "x.yaml"]).assert_fails(64, &["cannot be used with"]);
}
