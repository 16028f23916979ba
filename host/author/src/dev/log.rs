//! The log of the server: lines that plugins write, and problems.

use std::io::{BufRead, BufReader, Read};

use serde_json::{Map, Value};
use tuffet_terminal::print;

/// Shows the lines until the server closes its log.
pub(super) fn show(log: impl Read) {
    for line in BufReader::new(log).lines() {
        let Ok(line) = line else { return };
        let shown = match serde_json::from_str(&line) {
            Ok(Value::Object(fields)) => shown(&fields),
            // A start that fails is explained in plain text.
            _ => Some(line),
        };
        if let Some(shown) = shown {
            print(&format!("{shown}\n"));
        }
    }
}

/// Returns the line to show; requests are shown elsewhere, with the answers of the plugins.
fn shown(fields: &Map<String, Value>) -> Option<String> {
    let word = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let plugin = word("target") == "tuffet::plugin";
    let problem = matches!(word("level"), "WARN" | "ERROR") && word("target") != "tuffet::transfer";
    if !plugin && !problem {
        return None;
    }
    let mut line = format!("{} {}", word("level").to_lowercase(), Value::from(word("message")));
    let others = fields
        .iter()
        .filter(|(name, _)| !["timestamp", "level", "target", "message"].contains(&name.as_str()));
    for (name, value) in others {
        line += &format!(" {name}={value}");
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_plugins_and_problems_are_shown() {
        let line = |json: Value| shown(json.as_object().unwrap());
        let plugin = serde_json::json!({
            "timestamp": "t", "level": "INFO", "target": "tuffet::plugin", "message": "two\nlines", "n": 1, "plugin": "x",
        });
        assert_eq!(line(plugin).unwrap(), r#"info "two\nlines" n=1 plugin="x""#);
        let with = |level: &str, target: &str| {
            line(serde_json::json!({ "level": level, "target": target, "message": "m" }))
        };
        assert_eq!(with("WARN", "tuffet::policy").unwrap(), r#"warn "m""#);
        assert_eq!(with("WARN", "tuffet::transfer"), None);
        assert_eq!(with("INFO", "tuffet"), None);
    }
}
