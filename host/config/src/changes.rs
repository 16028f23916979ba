//! The keys in which two configurations differ, for people who ask what a reload would change.

use serde_json::{Map, Value};

use super::config::Config;

/// Longer values are not shown.
const MAX_SHOWN: usize = 60;

impl Config {
    /// Returns a line for each key of the file that `next` adds, removes or changes: `limits.transfers: 100 becomes 200`.
    /// Entries of lists are named by their key `name`, otherwise by their number from 1.
    pub fn changes_to(&self, next: &Config) -> Vec<String> {
        let nothing = Value::Object(Map::new());
        let mut changes = Vec::new();
        let (old, new) = (self.source.value().unwrap_or(&nothing), next.source.value().unwrap_or(&nothing));
        compare(String::new(), old, new, &mut changes);
        changes
    }
}

fn compare(at: String, old: &Value, new: &Value, changes: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let within = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
            for (key, value) in old {
                match new.get(key) {
                    Some(other) => compare(within(key), value, other, changes),
                    None => changes.push(format!("{}: {}is removed", within(key), shown(value))),
                }
            }
            for (key, value) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
                changes.push(format!("{}: {}is added", within(key), shown(value)));
            }
        }
        (Value::Array(old), Value::Array(new)) if has_names(old) && has_names(new) => {
            let within = |entry: &Value| format!("{at}[{}]", entry["name"].as_str().unwrap_or_default());
            for entry in old {
                match new.iter().find(|other| other["name"] == entry["name"]) {
                    Some(other) => compare(within(entry), entry, other, changes),
                    None => changes.push(format!("{} is removed", within(entry))),
                }
            }
            let names = |list: &[Value]| list.iter().map(|its| its["name"].clone()).collect::<Vec<_>>();
            let is_new = |entry: &&Value| !old.iter().any(|other| other["name"] == entry["name"]);
            changes.extend(new.iter().filter(is_new).map(|entry| format!("{} is added", within(entry))));
            let kept = |list: &[Value], of: &[Value]| {
                let of = names(of);
                names(list).into_iter().filter(|name| of.contains(name)).collect::<Vec<_>>()
            };
            if kept(old, new) != kept(new, old) {
                changes.push(format!("{at}: the order changes"));
            }
        }
        (Value::Array(old), Value::Array(new)) if is_of_mappings(old) && is_of_mappings(new) => {
            for (number, (old, new)) in old.iter().zip(new).enumerate() {
                compare(format!("{at}[{}]", number + 1), old, new, changes);
            }
            let (fewer, more) = (old.len().min(new.len()), old.len().max(new.len()));
            let verb = if new.len() > old.len() { "added" } else { "removed" };
            changes.extend((fewer..more).map(|number| format!("{at}[{}] is {verb}", number + 1)));
        }
        (old, new) if old == new => {}
        (old, new) => match (shown(old), shown(new)) {
            (old, new) if old.is_empty() || new.is_empty() => changes.push(format!("{at} changes")),
            (old, new) => changes.push(format!("{at}: {old}becomes {}", new.trim_end())),
        },
    }
}

/// Whether these are entries with different names.
fn has_names(list: &[Value]) -> bool {
    let mut names: Vec<&str> = list.iter().filter_map(|entry| entry["name"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.len() == list.len()
}

fn is_of_mappings(list: &[Value]) -> bool {
    list.iter().all(Value::is_object)
}

/// A short value, followed by a blank; empty for a long one.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => format!("`{}`", text.escape_debug()),
        other => other.to_string(),
    };
    if text.chars().count() > MAX_SHOWN { String::new() } else { format!("{text} ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_named_with_both_values() {
        let differ = |old: Value, new: Value| {
            let mut changes = Vec::new();
            compare(String::new(), &old, &new, &mut changes);
            // Mappings keep the order of the file or not, as other crates of a build wish.
            changes.sort();
            changes
        };
        let old = json!({ "limits": { "transfers": 1 }, "drain": "1s", "roots": [{ "name": "a", "path": "x" }, { "name": "b" }],
            "profiles": [{ "rate": 1 }], "policy": { "authorize": ["acl"] } });
        assert_eq!(differ(old.clone(), old.clone()), [] as [String; 0]);
        let new = json!({ "limits": { "transfers": 2 }, "admin": {}, "roots": [{ "name": "b" }, { "name": "a", "path": "y".repeat(80) }, { "name": "c" }],
            "profiles": [{ "rate": 1 }, { "burst": 2 }], "policy": { "authorize": [] } });
        assert_eq!(
            differ(old, new),
            [
                "admin: {} is added",
                "drain: `1s` is removed",
                "limits.transfers: 1 becomes 2",
                "policy.authorize: [\"acl\"] becomes []",
                "profiles[2] is added",
                "roots: the order changes",
                "roots[a].path changes",
                "roots[c] is added",
            ]
        );
    }
}
