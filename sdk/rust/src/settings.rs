//! Parses the JSON of the settings into the plugin's own type, with errors that point at the spot.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

use crate::Problems;
use crate::problem::push_step;

/// Parses settings from JSON as [`Plugin::configure`](crate::Plugin::configure) receives them.
///
/// # Errors
/// One problem, which points at the unknown key, the value of the wrong type, or the block that lacks a key.
pub fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Problems> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    if let Ok(settings) = T::deserialize(&mut deserializer)
        && deserializer.end().is_ok()
    {
        return Ok(settings);
    }
    explain(json)
}

/// The slow way, after a failure: parses through a tree and tracks the path. The message then has no column
/// number of a JSON text that the operator never sees.
fn explain<T: DeserializeOwned>(json: &str) -> Result<T, Problems> {
    let value: serde_json::Value = serde_json::from_str(json)
        .map_err(|error| Problems::one("", format!("the settings are not JSON: {error}")))?;
    serde_path_to_error::deserialize(value)
        .map_err(|error| Problems::one(pointer(error.path()), error.inner().to_string()))
}

fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push_step(&mut pointer, &index.to_string()),
            Segment::Map { key } => push_step(&mut pointer, key),
            Segment::Enum { variant } => push_step(&mut pointer, variant),
            Segment::Unknown => break,
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Settings {
        #[serde(default)]
        rules: Vec<Rule>,
        #[serde(default)]
        files: BTreeMap<String, u16>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Rule {
        max_bytes: u64,
    }

    fn problem(json: &str) -> (String, String) {
        let mut problems = parse::<Settings>(json).unwrap_err().into_vec();
        assert_eq!(problems.len(), 1);
        let problem = problems.remove(0);
        (problem.pointer, problem.message)
    }

    #[test]
    fn good_settings() {
        let settings: Settings = parse(r#"{"rules":[{"max-bytes":7}]}"#).unwrap();
        assert_eq!(settings.rules, [Rule { max_bytes: 7 }]);
        assert_eq!(parse::<Settings>("{}").unwrap().rules, []);
    }

    #[test]
    fn an_unknown_key_is_pointed_at() {
        let (pointer, message) = problem(r#"{"rules":[{"max-bytes":7},{"max-byte":7}]}"#);
        assert_eq!(pointer, "/rules/1/max-byte");
        assert_eq!(message, "unknown field `max-byte`, expected `max-bytes`");
        assert_eq!(problem(r#"{"rule":[]}"#).0, "/rule");
    }

    #[test]
    fn a_wrong_type_is_pointed_at_without_a_column() {
        let (pointer, message) = problem(r#"{"rules":[{"max-bytes":"x"}]}"#);
        assert_eq!(pointer, "/rules/0/max-bytes");
        assert_eq!(message, "invalid type: string \"x\", expected u64");
        assert_eq!(problem(r#"{"rules":{}}"#).0, "/rules");
    }

    #[test]
    fn a_missing_key_points_at_its_block() {
        let (pointer, message) = problem(r#"{"rules":[{}]}"#);
        assert_eq!(pointer, "/rules/0");
        assert_eq!(message, "missing field `max-bytes`");
    }

    #[test]
    fn keys_are_escaped() {
        assert_eq!(problem(r#"{"files":{"a/b~c":true}}"#).0, "/files/a~1b~0c");
    }

    #[test]
    fn what_is_no_json_is_said_to_be_none() {
        assert!(problem("{").1.starts_with("the settings are not JSON"));
        assert!(problem("{} {}").1.starts_with("the settings are not JSON"));
    }
}
