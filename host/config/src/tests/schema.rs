//! The schema, the check against it, and the reference generated from it.

use super::*;
use std::io::Write;
use std::process::{Command, Stdio};

/// `shape` knows the keywords that the schema uses, every bound is readable, and every default is within its
/// bounds.
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
                ("allOf", _) => value
                    .as_array()
                    .expect("a list")
                    .iter()
                    .for_each(|branch| walk(&branch["then"]["properties"]["settings"], path)),
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
    walk(&crate::schema::strict(), "");
}

/// The reference is generated; this test keeps the committed file current.
#[test]
fn the_committed_reference_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    if std::env::var_os("TUFFET_BLESS").is_some() {
        fs::write(path, reference()).expect("the reference is written");
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == reference(),
        "docs/configuration.md is old; run this test with TUFFET_BLESS=1 to renew it"
    );
}

/// An editor does not know which settings `secrets` has. It must not call one missing that is there.
#[test]
fn editors_miss_no_setting_that_secrets_may_have() {
    let schema = schema();
    let branches = schema.pointer(&format!("{}/allOf", crate::schema::PLUGIN)).and_then(|its| its.as_array());
    let then = |name: &str| {
        let is_its = |branch: &&serde_json::Value| {
            branch["if"]["properties"]["component"]["const"] == format!("builtin:{name}")
        };
        branches.into_iter().flatten().find(is_its).map(|branch| branch["then"].clone()).unwrap_or_default()
    };
    let ask = then("ask");
    assert_eq!(ask["properties"]["settings"].get("required"), None);
    // No secret is in a list.
    let roots = &ask["properties"]["settings"]["properties"]["roots"];
    assert_eq!(roots["items"]["required"], serde_json::json!(["root", "url"]));
    assert_eq!(ask["if"], serde_json::json!({ "required": ["secrets"] }));
    assert_eq!(ask["else"]["properties"]["settings"], serde_json::json!({ "required": ["url"] }));
    let within = serde_json::json!({ "properties": { "map-file": { "required": ["root", "path"] } } });
    assert_eq!(then("remap")["else"]["properties"]["settings"], within);
    assert_eq!(then("acl").get("if"), None);
}

/// An editor must not underline what the server takes.
#[test]
fn notations_that_are_accepted_fit_the_patterns() {
    let (scene, schema) = (Scene::new(), schema());
    let mut taken = 0;
    for (section, key, notations) in [
        (
            "limits",
            "cache",
            &["512", "64KiB", "64 kib", "1g", "1.5mib", ".5K", "1mB", "+5", "5.", "1 b", "x", ""][..],
        ),
        (
            "transfer",
            "max-duration",
            &["0", "5s", " 5s ", "1M", "2 days", "1h30m", "10us 1ns", "5", "1,5s"][..],
        ),
    ] {
        let pattern =
            schema["properties"][section]["properties"][key]["pattern"].as_str().expect("a pattern");
        for notation in notations {
            if scene.load(&minimal(&format!("{section}: {{ {key}: \"{notation}\" }}\n"))).is_ok() {
                taken += 1;
                let mut grep =
                    Command::new("grep").args(["-qE", pattern]).stdin(Stdio::piped()).spawn().expect("grep");
                writeln!(grep.stdin.take().expect("a pipe"), "{notation}").expect("written");
                assert!(grep.wait().expect("its end").success(), "{notation:?} does not fit {pattern}");
            }
        }
    }
    assert!(taken >= 12, "only {taken} of the notations are accepted");
}
