//! Lists of texts as values of fields: `["boot:a", "boot:b"]` in the text format, an array in JSON.
//!
//! The value is a JSON array with escapes for characters that a terminal would not show. So the text format prints it
//! unchanged, and no element can pass for another one.

use std::fmt::{self, Debug, Write};

/// The fields with lists, in lines of the server.
const FIELDS: [&str; 2] = ["tried", "other_case"];

/// A list as the value of one of [`FIELDS`].
pub(crate) struct List<'a>(pub(crate) &'a [String]);

impl Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (index, text) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            let quoted = serde_json::to_string(text).map_err(|_| fmt::Error)?;
            f.write_str(&crate::escaped(&quoted))?;
        }
        f.write_char(']')
    }
}

/// Returns whether this field has lists.
pub fn is_list(field: &str) -> bool {
    FIELDS.contains(&field)
}

/// Returns a line of JSON with arrays in place of the strings that the formatter wrote for lists. `None` without a
/// list.
pub fn with_arrays(line: &str) -> Option<String> {
    // Within a string the quotes would be escaped, so a match is the field.
    let begins = FIELDS.map(|field| (format!("\"{field}\":"), "\"["));
    let mut changed: Option<String> = None;
    for (key, opening) in begins {
        let line = changed.as_deref().unwrap_or(line);
        let Some(start) = line.find(&format!("{key}{opening}")).map(|at| at + key.len()) else { continue };
        let mut values = serde_json::Deserializer::from_str(&line[start..]).into_iter::<String>();
        let Some(Ok(array)) = values.next() else { continue };
        let end = start + values.byte_offset();
        changed = Some([&line[..start], &array, &line[end..]].concat());
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_printed_unchanged_and_becomes_an_array() {
        let places = ["boot:a b".to_owned(), "boot:\"],\u{202e}\"outcome\":\"served".to_owned()];
        let text = format!("{:?}", List(&places));
        assert_eq!(text, r#"["boot:a b", "boot:\"],\u202e\"outcome\":\"served"]"#);
        let line = format!("{}\n", serde_json::json!({ "path": "\"tried\":\"[", "tried": text, "x": 1 }));
        let changed: serde_json::Value = serde_json::from_str(&with_arrays(&line).unwrap()).unwrap();
        assert_eq!(changed, serde_json::json!({ "path": "\"tried\":\"[", "tried": places, "x": 1 }));
        assert_eq!(with_arrays("{\"path\":\"\\\"tried\\\":\\\"[\"}\n"), None);
    }
}
