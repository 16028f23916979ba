use std::collections::BTreeMap;

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::json;

use super::*;

fn read(schema: &Value) -> Result<SettingsSchema, String> {
    SettingsSchema::read(schema.to_string().as_bytes())
}

fn problems(schema: &Value, settings: &Value) -> Vec<String> {
    let names = SettingNames {
        listeners: Some(vec!["lan".into()]),
        roots: Some(vec!["boot".into(), "images".into()]),
        sinks: Some(vec!["audit".into()]),
    };
    let grants = [Grant::Files("boot".into())];
    let schema = read(schema).unwrap_or_else(|problem| unreachable!("{schema}: {problem}"));
    let found = schema.check(settings, &PluginSecrets::default(), &grants, &names);
    found.into_iter().map(|finding| format!("{}: {}", finding.pointer, finding.message)).collect()
}

#[test]
fn a_hostile_schema_is_refused() {
    let mut deep = json!({});
    for _ in 0..40 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    // Each definition doubles the one before.
    let mut doubling = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/d14" } }, "$defs": {
        "d0": { "type": "string" } } });
    for number in 1..=14 {
        let inner = json!({ "$ref": format!("#/$defs/d{}", number - 1) });
        doubling["$defs"][format!("d{number}")] = json!({ "properties": { "a": inner, "b": inner } });
    }
    let long = "x".repeat(60 << 10);
    let repeated: serde_json::Map<String, Value> =
        (0..20).map(|number| (format!("p{number}"), json!({ "$ref": "#/$defs/long" }))).collect();
    let of = |property: Value| json!({ "type": "object", "properties": { "a": property } });
    for (schema, word) in [
        (deep, "nested deeper than 32"),
        (doubling, "resolve to more than"),
        (
            json!({ "type": "object", "properties": repeated, "$defs": { "long": { "description": long } } }),
            "resolve to more than",
        ),
        (
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } },
                "$defs": { "a": { "items": { "$ref": "#/$defs/a" } } } }),
            "contains itself",
        ),
        (of(json!({ "$ref": "https://example.org/schema.json" })), "write `#/$defs/NAME`"),
        (of(json!({ "$ref": "#" })), "write `#/$defs/NAME`"),
        (of(json!({ "$ref": "#/$defs/a" })), "there is no definition"),
        (of(json!({ "$ref": 1 })), "not a reference"),
        (of(json!({ "type": "text" })), "at /properties/a/type: give `object`"),
        (of(json!({ "type": [] })), "give `object`"),
        (of(json!({ "enum": [] })), "a list of texts"),
        (of(json!({ "enum": [{}] })), "a list of texts"),
        (of(json!({ "const": [] })), "a text or a number"),
        (of(json!({ "minimum": "1" })), "a number"),
        (of(json!({ "minItems": -1 })), "a whole number"),
        (of(json!({ "uniqueItems": 1 })), "`true` or `false`"),
        (of(json!({ "required": "a" })), "a list of names"),
        (of(json!({ "items": [] })), "not a schema"),
        (of(json!(false)), "not a schema"),
        (of(json!({ "anyOf": [] })), "a list of schemas"),
        (of(json!({ "description": 1 })), "a text"),
        (json!({ "type": "object", "properties": { "a\nb": {} } }), "control characters"),
        (json!({ "type": "object", "properties": { "a".repeat(200): {} } }), "1 to 128 bytes"),
        (json!({ "type": "string" }), "settings are a mapping"),
        (json!({}), "settings are a mapping"),
        (json!([]), "not a schema"),
    ] {
        let refused = read(&schema).err().unwrap_or_default();
        assert!(refused.contains(word), "{word}: {refused:?}");
    }
    for (text, word) in [
        ("{", "not JSON"),
        (&*"[".repeat(5000), "not JSON"),
        (&*" ".repeat(70_000), "65536 are allowed"),
        (
            &*format!("{}{}", r#"{"properties":{"a":"#.repeat(60), format_args!("{{}}{}", "}}".repeat(60))),
            "nested deeper",
        ),
    ] {
        let refused = SettingsSchema::read(text.as_bytes()).err().unwrap_or_default();
        assert!(refused.contains(word), "{word}: {refused:?}");
    }
}

/// Whatever is cut out of a schema or changed in it: it is refused with a reason, or checks any settings.
#[test]
fn no_schema_breaks_the_check() {
    let good = include_str!("../bundled/remap.json").as_bytes();
    let settings = json!({ "root": 1, "also-at": [{ "path": [], "x": null }], "rules": {}, "steps": -1.5 });
    for at in (0..good.len()).step_by(7) {
        for change in [&b""[..], b"{", b"]", b"9e9", b"\"$ref\":", b"null", b"\xff"] {
            let mutated = [&good[..at], change, &good[(at + 1).min(good.len())..]].concat();
            match SettingsSchema::read(&mutated) {
                Ok(schema) => drop(schema.shape_problems(&settings)),
                Err(reason) => assert!(!reason.trim().is_empty()),
            }
        }
    }
}

#[test]
fn mistakes_say_what_is_expected() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["version"],
        "properties": {
            "version": { "type": "string", "minLength": 1, "maxLength": 5, "description": "The version. Current." },
            "offset": { "type": "integer", "minimum": -5, "exclusiveMaximum": 5 },
            "share": { "type": "number", "minimum": 0.0, "maximum": 1.0 },
            "level": { "enum": [1, 2, "auto"] },
            "days": { "enum": [1, 7] },
            "when": { "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 0 }] },
            "maybe": { "anyOf": [{ "$ref": "#/$defs/root" }, { "type": "null" }] },
            "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 3 },
            "listeners": { "type": "array", "items": { "type": "string", "format": "listener-name" } },
            "by-name": { "type": "object", "additionalProperties": { "$ref": "#/$defs/root" } },
            "sink": { "allOf": [{ "type": "string", "format": "granted-sink-name" }], "description": "Lines." },
        },
        "$defs": { "root": { "type": "string", "format": "granted-root-name" } },
    });
    for (settings, expected) in [
        (json!({}), ": the key `version` is missing; add it: The version"),
        (
            json!({ "version": "1", "vresion": "" }),
            "/vresion: unknown key `vresion`; did you mean `version`?",
        ),
        (json!({ "version": "" }), "/version: the text is empty; give one"),
        (json!({ "version": "1.10.0" }), "/version: `1.10.0` has 6 characters; give at most 5"),
        (json!({ "version": 1 }), "/version: found the number 1; give text: put it in quotes"),
        (
            json!({ "version": "1", "offset": -6 }),
            "-6 is out of range; give a whole number from -5 and below 5",
        ),
        (json!({ "version": "1", "offset": 5 }), "5 is out of range"),
        (json!({ "version": "1", "share": 1.5 }), "1.5 is out of range; give a number from 0 to 1"),
        (
            json!({ "version": "1", "days": 3 }),
            "/days: found the number 3; give the number 1 or the number 7",
        ),
        (json!({ "version": "1", "level": "aut" }), "/level: unknown word `aut`; did you mean `auto`?"),
        (json!({ "version": "1", "when": [] }), "/when: found a list; give text or a whole number"),
        (json!({ "version": "1", "when": -1 }), "/when: -1 is out of range; give a whole number from 0 up"),
        (json!({ "version": "1", "tags": ["a"] }), "/tags: the list has 1 entries; give at least 2"),
        (
            json!({ "version": "1", "tags": ["a", "b", "c", "d"] }),
            "/tags: the list has 4 entries; give at most 3",
        ),
        (
            json!({ "version": "1", "listeners": ["lam"] }),
            "/listeners/0: unknown listener `lam`; did you mean `lan`?",
        ),
        (
            json!({ "version": "1", "by-name": { "a": "bot" } }),
            "/by-name/a: unknown root `bot`; did you mean `boot`?",
        ),
        (
            json!({ "version": "1", "maybe": "images" }),
            "/maybe: the plugin may not use root `images`; add `files/images`",
        ),
        (
            json!({ "version": "1", "sink": "audit" }),
            "/sink: the plugin may not use sink `audit`; add `sinks/audit`",
        ),
    ] {
        let found = problems(&schema, &settings);
        assert!(found.len() == 1 && found[0].contains(expected), "{settings}: {found:?}");
    }
    let good = json!({
        "version": "1", "offset": -5, "share": 1, "level": 2, "when": "now", "maybe": null, "tags": ["a", "b"],
        "listeners": ["lan"], "by-name": { "a": "boot" }, "days": 7,
    });
    assert_eq!(problems(&schema, &good), [""; 0]);
}

/// Of what a server ignores, an author learns.
#[test]
fn mistyped_keywords_are_problems_of_the_author() {
    for (property, expected) in [
        (json!({ "tpye": "string" }), "unknown keyword `tpye`; did you mean `type`?"),
        (json!({ "pattern": "^a+$" }), "the server does not check `pattern`"),
        (
            json!({ "format": "sink-name" }),
            "unknown format `sink-name`; names have the formats `listener-name`",
        ),
        (json!({ "allOf": [{}, {}] }), "`allOf` of one schema only"),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": property } });
        assert!(read(&schema).is_ok(), "{schema}");
        let found = SettingsSchema::problems(&schema);
        assert!(found.len() == 1 && found[0].1.contains(expected), "{schema}: {found:?}");
        assert!(found[0].0.starts_with("/properties/a/"), "{found:?}");
    }
    for name in ["acl", "audit", "mac-map", "publish", "remap", "template"] {
        let schema = SettingsSchema::of_builtin(name).unwrap_or_else(|| unreachable!("{name} is bundled"));
        assert_eq!(SettingsSchema::problems(schema.value()), [], "{name}");
        assert_eq!(read(schema.value()).as_ref(), Ok(&schema), "{name}");
    }
}

#[test]
fn a_listed_word_or_nothing() {
    for word in [json!({ "enum": ["a", "b"] }), json!({ "const": "a" }), json!({ "enum": ["a", 0] })] {
        let mut one = word;
        one["type"] = json!("string");
        let schema =
            json!({ "type": "object", "properties": { "case": { "anyOf": [one, { "type": "null" }] } } });
        assert_eq!(problems(&schema, &json!({ "case": null })), [""; 0]);
        assert_eq!(problems(&schema, &json!({ "case": "a" })), [""; 0]);
        assert_eq!(problems(&schema, &json!({ "case": "c" })).len(), 1);
    }
}

#[test]
fn advice_is_about_the_settings() {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
        "listeners": { "type": "string" },
        "inner": { "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } },
    } });
    let found = problems(&schema, &json!({ "listener": "lan", "a": "x", "inner": { "listeners": "y" } }));
    assert!(found.iter().any(|found| found.contains("did you mean `listeners`?")), "{found:?}");
    assert!(found.iter().all(|found| !found.contains("section")), "{found:?}");
}

/// As plugins in Rust derive their schemas, with the attributes that docs/plugins-rust.md names.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(dead_code)] // only its schema is of interest
struct DerivedSettings {
    /// Where lines go.
    #[schemars(extend("format" = "granted-sink-name"))]
    sink: String,
    #[schemars(extend("format" = "granted-root-name"))]
    root: Option<String>,
    #[serde(default)]
    #[schemars(extend("items" = { "type": "string", "format": "listener-name" }))]
    listeners: Vec<String>,
    #[schemars(range(min = 1, max = 366))]
    #[serde(default)]
    keep_days: u16,
    port: Option<u8>,
    case: Option<DerivedCase>,
    rules: Option<Vec<DerivedRule>>,
    shares: Option<BTreeMap<String, f64>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum DerivedCase {
    Sensitive,
    /// As on a client's own disk.
    Insensitive,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct DerivedRule {
    from: String,
    #[serde(default)]
    keep: bool,
}

#[test]
fn a_schema_that_rust_derives_is_checked() {
    let schema = schema_for!(DerivedSettings).to_value();
    assert_eq!(SettingsSchema::problems(&schema), []);
    for (settings, expected) in [
        (json!({}), ": the key `sink` is missing; add it: Where lines go"),
        (json!({ "sink": "a", "sing": 1 }), "/sing: unknown key `sing`; did you mean `sink`?"),
        (json!({ "sink": "audti" }), "/sink: unknown sink `audti`; did you mean `audit`?"),
        (json!({ "sink": "audit" }), "/sink: the plugin may not use sink `audit`; add `sinks/audit`"),
        (json!({ "sink": "", "root": "images" }), "/root: the plugin may not use root `images`"),
        (json!({ "sink": "", "listeners": ["lam"] }), "/listeners/0: unknown listener `lam`"),
        (json!({ "sink": "", "keep-days": 367 }), "367 is out of range; give a whole number from 1 to 366"),
        (json!({ "sink": "", "port": 256 }), "256 is out of range; give a whole number from 0 to 255"),
        (json!({ "sink": "", "case": "sensitiv" }), "unknown word `sensitiv`; did you mean `sensitive`?"),
        (json!({ "sink": "", "rules": [{}] }), "/rules/0: the key `from` is missing"),
        (json!({ "sink": "", "rules": [{ "from": "a", "kep": true }] }), "did you mean `keep`?"),
        (json!({ "sink": "", "shares": { "a": "b" } }), "/shares/a: found `b`; give a number"),
    ] {
        let found = problems(&schema, &settings);
        assert!(found.iter().any(|found| found.contains(expected)), "{settings}: {found:?}");
    }
    let good = json!({
        "sink": "", "root": null, "listeners": ["lan"], "keep-days": 7, "port": 69, "case": "insensitive",
        "rules": [{ "from": "a" }], "shares": { "a": 0.5 },
    });
    assert_eq!(problems(&schema, &good), [""; 0]);
}
