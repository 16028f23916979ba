//! `tuffet schema`: it has the settings of bundled plugins, and the plugins agree with it.

use crate::harness::{Setup, tuffet};
use serde_json::{Value, json};

/// Returns the schema of the settings of each bundled plugin, by `builtin:NAME`.
fn bundled() -> Vec<(String, Value)> {
    let ran = tuffet(["schema"]);
    ran.assert_good();
    let schema: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let branches = &schema["properties"]["plugins"]["additionalProperties"]["allOf"];
    let branches = branches.as_array().unwrap().iter();
    branches
        .map(|branch| {
            let component = branch["if"]["properties"]["component"]["const"].as_str().unwrap();
            (component.to_owned(), branch["then"]["properties"]["settings"].clone())
        })
        .collect()
}

/// Adds settings with an unknown key, and the keys that are known there, for each mapping in a schema.
fn with_an_unknown_key(schema: &Value, wrap: &dyn Fn(Value) -> Value, cases: &mut Vec<(Value, Vec<String>)>) {
    if schema["additionalProperties"] == false {
        let known = schema["properties"].as_object().unwrap().keys().cloned().collect();
        cases.push((wrap(json!({ "unknown-key": 1 })), known));
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        with_an_unknown_key(property, &|inner| wrap(json!({ key: inner })), cases);
    }
    if !schema["items"].is_null() {
        with_an_unknown_key(&schema["items"], &|inner| wrap(json!([inner])), cases);
    }
}

/// The schemas lie beside the plugins; here the plugins themselves are asked which keys they know.
#[test]
fn bundled_plugins_have_the_keys_of_their_schemas() {
    let bundled = bundled();
    let names: Vec<&str> = bundled.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["acl", "ask", "audit", "mac-map", "publish", "remap", "template"]
            .map(|name| format!("builtin:{name}"))
    );
    let setup = Setup::new();
    let file = setup.outside().path("settings.yaml");
    for (component, schema) in &bundled {
        let mut cases = Vec::new();
        with_an_unknown_key(schema, &|inner| inner, &mut cases);
        assert!(!cases.is_empty(), "{component}");
        // By its file: the server checks the settings of `builtin:…` before the plugin does.
        let itself = tuffet_test_guests::component(component.trim_start_matches("builtin:"));
        for (settings, mut known) in cases {
            std::fs::write(&file, settings.to_string()).unwrap();
            let mut arguments = vec!["plugin", "check", &*itself, "--settings", file.to_str().unwrap()];
            let grants: &[&str] = match component.as_str() {
                "builtin:ask" => &["http/service.example"],
                "builtin:audit" => &["kv", "sinks/s"],
                "builtin:publish" => &["sinks/s"],
                "builtin:acl" => &[],
                _ => &["client-mac", "files/boot"],
            };
            grants.iter().for_each(|grant| arguments.extend(["--grant", grant]));
            let ran = tuffet(&arguments);
            ran.assert_fails(64, &["unknown field `unknown-key`, expected"]);
            let expected = ran.stderr.split("expected").nth(1).unwrap();
            let mut its: Vec<String> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            its.sort();
            known.sort();
            assert_eq!(its, known, "{component}: {settings}");
        }
    }
}
