//! The fields of a plugin's log line: names and values chosen by the plugin.

use std::fmt::{self, Display};

use super::text::one_line;

/// The maximum number of fields, and bytes of a name and a value.
const MAX_FIELDS: usize = 16;
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 256;

/// Names of the server's fields in such a line.
const OWN: [&str; 10] =
    ["timestamp", "level", "target", "message", "plugin", "hook", "request", "client", "trace_id", "span_id"];

/// Fields with unique names. Passed to `tracing` as an error, the only kind of value that a subscriber can recognise by
/// its type: such a subscriber writes each as a field, others write all of them as one text.
#[derive(Debug)]
pub struct PluginFields(Vec<(String, String)>);

impl PluginFields {
    /// Takes the first fields. Names consist of letters, digits, `_`, `-` and `.`; those of the server's fields get the
    /// prefix `plugin_`, and repeated ones a number.
    pub fn new(fields: &[(String, String)]) -> PluginFields {
        let mut taken: Vec<(String, String)> = Vec::with_capacity(fields.len().min(MAX_FIELDS));
        for (name, value) in fields.iter().take(MAX_FIELDS) {
            let plain = plain(name);
            let mut name = plain.clone();
            let mut number = 2;
            while taken.iter().any(|(other, _)| *other == name) {
                name = format!("{plain}_{number}");
                number += 1;
            }
            taken.push((name, one_line(value, MAX_VALUE)));
        }
        PluginFields(taken)
    }

    /// Returns names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Returns the fields behind a value of `tracing`.
    pub fn of<'a>(value: &'a (dyn std::error::Error + 'static)) -> Option<&'a PluginFields> {
        value.downcast_ref::<PluginFields>()
    }

    /// Returns the fields as a value of `tracing`; `None` without fields.
    pub fn value(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if self.0.is_empty() { None } else { Some(self) }
    }
}

impl Display for PluginFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{name}={value:?}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PluginFields {}

fn plain(name: &str) -> String {
    let kept = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
    let plain = one_line(name, MAX_NAME).replace(|char| !kept(char), "_");
    match plain.as_str() {
        "" => "_".into(),
        own if OWN.contains(&own) => format!("plugin_{own}"),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> PluginFields {
        let owned: Vec<_> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        PluginFields::new(&owned)
    }

    #[test]
    fn no_name_is_the_servers_or_comes_twice() {
        let pairs =
            [("level", "1"), ("plugin_level", "2"), ("a", "3"), ("a", "4"), ("", "5"), ("a=b c", "6\n")];
        let fields = fields(&pairs);
        let expected = [
            ("plugin_level", "1"),
            ("plugin_level_2", "2"),
            ("a", "3"),
            ("a_2", "4"),
            ("_", "5"),
            ("a_b_c", "6"),
        ];
        assert_eq!(fields.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn they_are_recognised_and_read_as_text_elsewhere() {
        let fields = fields(&[("colour", "r\" ed"), ("n", "1")]);
        assert_eq!(fields.to_string(), r#"colour="r\" ed" n="1""#);
        assert!(PluginFields::of(fields.value().unwrap()).is_some());
        assert!(PluginFields::new(&[]).value().is_none());
        assert!(PluginFields::of(&fmt::Error).is_none());
    }
}
