//! Texts with names in braces, which stand for values of a host.

use std::collections::BTreeMap;

/// A text: `{NAME}` stands for a value, `${NAME}` and other braces for themselves, so that scripts need no quoting.
#[derive(Debug)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Text(String),
    Name(String),
}

impl Template {
    pub fn parse(text: &str) -> Template {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            literal += before;
            let name = from[1..].split_once('}').map(|(name, _)| name).filter(|name| is_name(name));
            match name {
                Some(name) if !literal.ends_with('$') => {
                    pieces.push(Piece::Text(std::mem::take(&mut literal)));
                    pieces.push(Piece::Name(name.to_owned()));
                    rest = &from[name.len() + 2..];
                }
                _ => {
                    literal.push('{');
                    rest = &from[1..];
                }
            }
        }
        pieces.push(Piece::Text(literal + rest));
        Template(pieces)
    }

    /// Iterates over the names in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// Returns the text for a host. A value that is missing is empty; the settings were checked for that.
    pub fn fill(&self, mac: &str, values: &BTreeMap<String, String>) -> String {
        let value = |name: &str| match name {
            "mac" => mac,
            name => values.get(name).map_or("", String::as_str),
        };
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Name(name) => value(name),
        });
        pieces.collect()
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}
