//! Writes YAML with comments. Written as text, because serialisers know no comments.

use tuffet_terminal::is_unseen;

/// A value. Numbers, words such as `true` and flow mappings that need no quotes are [`Value::Plain`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Plain(String),
    /// Quoted if it has to be.
    Text(String),
    /// Several lines, written as a block where YAML allows it.
    Lines(String),
    Map(Map),
    List(Vec<Map>),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    pub(crate) fn plain(text: impl ToString) -> Value {
        Value::Plain(text.to_string())
    }

    /// Returns a list in one line.
    pub(crate) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Value {
        let texts: Vec<String> = texts.into_iter().map(|text| quoted(text.as_ref())).collect();
        Value::Plain(format!("[{}]", texts.join(", ")))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    comments: Vec<String>,
    key: String,
    value: Value,
}

/// A mapping, in the order in which its keys were put.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Map(Vec<Entry>);

impl Map {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets a key; replaces an existing one and its comments.
    pub(crate) fn put(&mut self, key: &str, value: Value, comments: impl IntoIterator<Item = String>) {
        let entry = Entry { comments: comments.into_iter().collect(), key: key.to_owned(), value };
        match self.0.iter_mut().find(|entry| entry.key == key) {
            Some(old) => *old = entry,
            None => self.0.push(entry),
        }
    }

    /// Returns the text of a value in one line.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match &self.0.iter().find(|entry| entry.key == key)?.value {
            Value::Plain(text) | Value::Text(text) => Some(text),
            Value::Lines(_) | Value::Map(_) | Value::List(_) => None,
        }
    }

    /// Returns a mapping without this key.
    pub(crate) fn without(&self, key: &str) -> Map {
        Map(self.0.iter().filter(|entry| entry.key != key).cloned().collect())
    }

    /// Returns a mapping with this key alone.
    pub(crate) fn only(&self, key: &str) -> Map {
        Map(self.0.iter().filter(|entry| entry.key == key).cloned().collect())
    }

    /// Returns the mapping below a key, which is created if it is missing.
    pub(crate) fn below(&mut self, key: &str) -> &mut Map {
        let at = self.0.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            self.put(key, Value::Map(Map::default()), []);
            self.0.len() - 1
        });
        let value = &mut self.0[at].value;
        if !matches!(value, Value::Map(_)) {
            *value = Value::Map(Map::default());
        }
        match value {
            Value::Map(map) => map,
            _ => unreachable!("it was made a mapping above"),
        }
    }

    /// Returns the text of the document, with an empty line before each section.
    pub(crate) fn document(&self) -> String {
        let mut text = String::new();
        for entry in &self.0 {
            text.push('\n');
            entry.write(&mut text, 0, "");
        }
        text
    }

    /// Writes the entries, the first one after `lead` in place of the indentation.
    fn write(&self, text: &mut String, depth: usize, lead: &str) {
        for (number, entry) in self.0.iter().enumerate() {
            match number {
                0 => entry.write(text, depth, lead),
                _ => entry.write(text, depth, &indent(depth)),
            }
        }
    }
}

impl Entry {
    fn write(&self, text: &mut String, depth: usize, lead: &str) {
        // Before the dash of a list item, if it is one.
        let before = lead.len() - lead.trim_start().len();
        write_comments(text, &self.comments, &" ".repeat(before));
        *text += &format!("{lead}{}:", quoted(&self.key));
        self.value.write(text, depth);
    }
}

impl Value {
    /// Writes the value of a key at this depth, after its colon.
    fn write(&self, text: &mut String, depth: usize) {
        match self {
            Value::Plain(plain) => *text += &format!(" {plain}\n"),
            Value::Lines(lines) if fits_block(lines) => {
                // Without the digit, the first line would decide how far the block is indented.
                *text += if lines.starts_with([' ', '\t', '\n']) { " |2\n" } else { " |\n" };
                for line in lines.lines() {
                    let indent = if line.is_empty() { String::new() } else { indent(depth + 1) };
                    *text += &format!("{indent}{line}\n");
                }
            }
            Value::Text(line) | Value::Lines(line) => *text += &format!(" {}\n", quoted(line)),
            Value::Map(map) if map.is_empty() => *text += " {}\n",
            Value::Map(map) => {
                text.push('\n');
                map.write(text, depth + 1, &indent(depth + 1));
            }
            Value::List(items) if items.is_empty() => *text += " []\n",
            Value::List(items) => {
                text.push('\n');
                for item in items {
                    item.write(text, depth + 2, &format!("{}- ", indent(depth + 1)));
                }
            }
        }
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// The largest width of comment lines, in characters.
const WIDTH: usize = 110;

/// Writes comments, wrapped at spaces. A control character could end the comment, so it is escaped.
pub(crate) fn write_comments(text: &mut String, comments: &[String], indent: &str) {
    for comment in comments {
        let lead = format!("{indent}#");
        let mut line = lead.clone();
        for word in comment.split(' ') {
            if line.len() > lead.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                *text += &format!("{line}\n");
                line = format!("{lead}  ");
            }
            line.push(' ');
            word.chars().for_each(|it| {
                if is_printable(it) { line.push(it) } else { line.extend(it.escape_default()) }
            });
        }
        *text += &format!("{}\n", line.trim_end());
    }
}

/// Returns a scalar that every YAML reader takes for this text.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "_./-".contains(it))
        && !means_something_else(text);
    if is_plain {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for it in text.chars() {
        match it {
            '"' | '\\' => quoted.extend(['\\', it]),
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            '\r' => quoted += "\\r",
            it if is_printable(it) => quoted.push(it),
            it if u32::from(it) <= 0xFF => quoted += &format!("\\x{:02X}", u32::from(it)),
            it if u32::from(it) <= 0xFFFF => quoted += &format!("\\u{:04X}", u32::from(it)),
            it => quoted += &format!("\\U{:08X}", u32::from(it)),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether some readers take this word for a truth value, null or a number.
fn means_something_else(text: &str) -> bool {
    const WORDS: [&str; 10] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether YAML allows this character without an escape, and an editor shows it where it stands: a character that changes
/// the direction of text could make a rule look like another one.
fn is_printable(it: char) -> bool {
    !it.is_control() && !is_unseen(it) && !matches!(it, '\u{fffe}' | '\u{ffff}')
}

/// Whether a block preserves the text: it is not blank and has no other line breaks.
fn fits_block(lines: &str) -> bool {
    !lines.trim().is_empty()
        && lines.ends_with('\n')
        && !lines.ends_with("\n\n")
        && lines.chars().all(|it| it == '\n' || it == '\t' || is_printable(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Read, json};

    fn read(document: &str) -> Read {
        serde_yaml::from_str(document).unwrap_or_else(|error| panic!("{error} in {document}"))
    }

    #[test]
    fn every_text_is_read_as_it_was_written() {
        let long = "x ".repeat(300);
        let texts = [
            "",
            " ",
            "a",
            "/srv/tftp",
            "yes",
            "No",
            "null",
            "~",
            "-",
            "- a",
            "1",
            "0x1f",
            "1e3",
            ".5",
            "a: b",
            "a #b",
            "#a",
            "'a'",
            "\"a\"",
            "a\\b",
            "*a",
            "&a",
            "!a",
            "@a",
            "%a",
            "[a]",
            "{a}",
            "a,b",
            "?",
            "|",
            ">",
            "a\nb",
            "\ta\r\n",
            "\u{0}\u{7f}\u{85}",
            "\u{2028}\u{feff}",
            "a\u{202e}gpj.exe\u{2066}\u{200b}\u{e0041}",
            "gr\u{fc}n \u{1f600}",
            "[::]:69",
            "0.0.0.0:69",
            &long,
        ];
        for text in texts {
            for value in [Value::text(text), Value::Lines(text.to_owned())] {
                let mut map = Map::default();
                map.put("key", value, []);
                map.put(text, Value::texts([text, "b"]), [text.to_owned(), "a\nb: c".to_owned()]);
                let mut around = Map::default();
                around.put("list", Value::List(vec![map.clone(), map]), []);
                let expected =
                    if text == "key" { json!(null) } else { json!({ "key": text, text: [text, "b"] }) };
                assert_eq!(read(&around.document()), json!({ "list": [expected, expected] }), "{text:?}");
            }
        }
    }

    #[test]
    fn no_character_is_invisible_or_changes_the_direction() {
        let text = "r ^a\u{202e}b\u{ad} \u{2066}c\u{3164}\n";
        for value in [Value::text(text), Value::Lines(text.to_owned())] {
            let mut map = Map::default();
            map.put(text, value, [text.to_owned()]);
            let document = map.document();
            assert!(!document.chars().any(is_unseen), "{document:?}");
            assert_eq!(read(&document), json!({ text: text }));
        }
    }

    #[test]
    fn blocks_keep_every_character() {
        for lines in
            ["r a b\n", "  r\n r\n", "\n\nr\n", "r\n\n\tr \n", "r\n\n", "\n", "a\r\nb\n", "# c\nr ^/ \\\\\n"]
        {
            let mut map = Map::default();
            map.below("settings").put("map", Value::Lines(lines.to_owned()), []);
            assert_eq!(read(&map.document()), json!({ "settings": { "map": lines } }), "{}", map.document());
        }
    }

    #[test]
    fn comments_stand_where_their_keys_are() {
        let mut listener = Map::default();
        listener.put("address", Value::text("[::]:69"), ["one".to_owned(), "two\nlines".to_owned()]);
        listener.put("name", Value::text("all"), ["three".to_owned()]);
        let mut map = Map::default();
        map.put("listeners", Value::List(vec![listener.clone(), listener]), ["first".to_owned()]);
        map.below("transfer").put("max-blksize", Value::plain(512), ["four".to_owned()]);
        let item = "  # one\n  # two\\nlines\n  - address: \"[::]:69\"\n    # three\n    name: all\n";
        let expected =
            format!("\n# first\nlisteners:\n{item}{item}\ntransfer:\n  # four\n  max-blksize: 512\n");
        assert_eq!(map.document(), expected);
    }

    #[test]
    fn long_comments_are_wrapped() {
        let mut text = String::new();
        write_comments(&mut text, &["word ".repeat(60)], "  ");
        assert!(
            text.lines().count() > 2
                && text.lines().all(|line| line.starts_with("  # ") && line.len() <= WIDTH)
        );
    }
}
