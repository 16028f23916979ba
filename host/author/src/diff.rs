//! Compares a verdict with the expected one.

use serde_json::Value;

/// Returns whether `got` matches the expectation. A word alone (`deny`) matches any content of that verdict;
/// of a map, only the named keys are compared.
pub(crate) fn fits(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::String(word), Value::Object(map)) => map.contains_key(word),
        _ => fits_inside(expected, got),
    }
}

fn fits_inside(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            expected.iter().all(|(key, value)| got.get(key).is_some_and(|got| fits_inside(value, got)))
        }
        _ => expected == got,
    }
}

/// Returns the difference, as [`whole_diff`] without the keys that the expectation leaves open.
pub(crate) fn diff(expected: &Value, got: &Value) -> Vec<String> {
    whole_diff(expected, &named(expected, got))
}

/// Compares both as YAML, line by line: `-` for lines only in the expected one, `+` for lines only in the
/// actual one.
pub(crate) fn whole_diff(expected: &Value, got: &Value) -> Vec<String> {
    let yaml = |value: &Value| serde_yaml::to_string(value).unwrap_or_else(|_| value.to_string());
    let (expected, got) = (yaml(expected), yaml(got));
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), got.lines().collect());
    // The longest common subsequence of lines from each pair of positions on; verdicts have few lines.
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut lines) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(format!("  {}", old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(format!("- {}", old[i]));
            i += 1;
        } else {
            lines.push(format!("+ {}", new[j]));
            j += 1;
        }
    }
    lines
}

/// Returns the actual value without the keys that the expectation leaves open; all of it if it is something
/// else.
fn named(expected: &Value, got: &Value) -> Value {
    match (expected, got) {
        (Value::Object(expected), Value::Object(map)) if expected.keys().any(|key| map.contains_key(key)) => {
            let both =
                map.iter().filter_map(|(key, got)| Some((key.clone(), named(expected.get(key)?, got))));
            Value::Object(both.collect())
        }
        _ => got.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_word_fits_what_stands_behind_it_and_a_map_what_it_names() {
        let deny = json!({ "deny": { "code": "access-violation", "message": "no" } });
        assert!(fits(&json!("deny"), &deny));
        assert!(fits(&json!({ "deny": { "message": "no" } }), &deny));
        assert!(!fits(&json!({ "deny": { "message": "yes" } }), &deny));
        assert!(!fits(&json!({ "deny": { "other": "no" } }), &deny));
        assert!(!fits(&json!("allow"), &deny));
        assert!(!fits(&json!({ "allow": {} }), &deny));
        assert!(fits(&json!("abstain"), &json!("abstain")));
        assert!(!fits(&json!({ "files": ["a:b"] }), &json!({ "files": ["a:b", "a:c"] })));
    }

    #[test]
    fn the_difference_has_the_lines_that_differ() {
        let got = json!({ "deny": { "code": "disk-full", "message": "no", "reason": "long" } });
        let lines = diff(&json!({ "deny": { "code": "disk-full", "message": "yes" } }), &got);
        assert_eq!(lines, ["  deny:", "    code: disk-full", "-   message: yes", "+   message: no"]);
        assert_eq!(diff(&json!("allow"), &json!("drop")), ["- allow", "+ drop"]);
    }
}
