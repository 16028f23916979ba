//! Patterns over the path of a request.
//!
//! A rule that denies by name must never miss, so matching uses no heuristics. [`Glob::parse`] checks the
//! pattern and expands its alternatives, and each is matched by following every possible position at once.
//! The time is bounded by the length of the pattern times the length of the path.

mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

/// A checked glob. `*` and `?` stay within one part of the path, `**` stands for any number of parts, `[a-z]`
/// and `[!a-z]` are classes, `{a,b}` are alternatives, `\` takes the next character literally. Matching is
/// case-sensitive, unless [`Glob::ignoring_case`] was called.
///
/// A glob without `/` also matches the last part of the path: `*.key` matches `certs/server.key`. A leading `/` ties it to
/// the top: `/*.key` matches `server.key` alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    pattern: String,
    alternatives: Vec<Vec<Token>>,
    last_part_too: bool,
    ignores_case: bool,
}

impl Glob {
    /// Checks a pattern.
    ///
    /// # Errors
    /// What is wrong with the pattern and how to fix it: it is empty, starts with `//` or `!`, has an
    /// unterminated class, group or escape, a `**` that is not a whole part, or more than 256 alternatives.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        Ok(Glob {
            alternatives: parse::alternatives(pattern.strip_prefix('/').unwrap_or(pattern))?,
            last_part_too: !pattern.contains('/'),
            pattern: pattern.to_string(),
            ignores_case: false,
        })
    }

    /// Makes it match letters in any case.
    #[must_use]
    pub fn ignoring_case(self) -> Self {
        Glob { ignores_case: true, ..self }
    }

    /// Returns whether a normalised path (no leading `/`, no `.` or `..`) matches.
    pub fn matches(&self, path: &str) -> bool {
        self.fits(&self.alternatives, path, self.ignores_case)
    }

    /// Returns whether any spelling of a normalised path matches, as a root with `case: insensitive` compares names: by
    /// their letters in lower case.
    pub fn matches_in_any_case(&self, path: &str) -> bool {
        let alternatives: Vec<_> = self.alternatives.iter().map(|tokens| lower(tokens)).collect();
        let path: String = path.chars().flat_map(char::to_lowercase).collect();
        self.fits(&alternatives, &path, true)
    }

    fn fits(&self, alternatives: &[Vec<Token>], path: &str, ignores_case: bool) -> bool {
        let last_part = path.rsplit('/').next().unwrap_or(path);
        let fits = |tokens: &[Token], text: &str| follow(tokens, text, ignores_case);
        alternatives
            .iter()
            .any(|tokens| fits(tokens, path) || (self.last_part_too && fits(tokens, last_part)))
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pattern)
    }
}

/// One element of an alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// This character.
    Literal(char),
    /// `?`: one character of a part.
    Any,
    /// `[…]`: one character of a part, in these ranges or (negated) in none of them.
    Class { negated: bool, ranges: Vec<(char, char)> },
    /// `*`: any number of characters of a part.
    Star,
    /// `**/`: at the start of a part; any number of whole parts. Always followed by `InsidePart`.
    Parts,
    /// Within a part that `Parts` skips.
    InsidePart,
    /// A final `**`: the rest of the path.
    Rest,
}

/// Turns the letters of a pattern into lower case; one of them may become two.
fn lower(tokens: &[Token]) -> Vec<Token> {
    let lower = |token: &Token| match token {
        Token::Literal(letter) => letter.to_lowercase().map(Token::Literal).collect(),
        other => vec![other.clone()],
    };
    tokens.iter().flat_map(lower).collect()
}

/// Follows all positions in `tokens` that `text` can reach.
fn follow(tokens: &[Token], text: &str, ignores_case: bool) -> bool {
    let mut reached = vec![false; tokens.len() + 1];
    let mut next = reached.clone();
    reach(tokens, &mut reached, 0);
    for c in text.chars() {
        next.fill(false);
        for (at, token) in tokens.iter().enumerate().filter(|(at, _)| reached[*at]) {
            match token {
                Token::Literal(literal) if same(*literal, c, ignores_case) => {
                    reach(tokens, &mut next, at + 1)
                }
                Token::Any if c != '/' => reach(tokens, &mut next, at + 1),
                Token::Class { negated, ranges }
                    if c != '/' && within(ranges, c, ignores_case) != *negated =>
                {
                    reach(tokens, &mut next, at + 1);
                }
                Token::Star | Token::InsidePart if c != '/' => reach(tokens, &mut next, at),
                Token::InsidePart => reach(tokens, &mut next, at - 1),
                Token::Parts if c != '/' => reach(tokens, &mut next, at + 1),
                Token::Rest => reach(tokens, &mut next, at),
                _ => {}
            }
        }
        std::mem::swap(&mut reached, &mut next);
    }
    reached[tokens.len()]
}

/// Marks a position, and the following ones that need no character.
fn reach(tokens: &[Token], reached: &mut [bool], mut at: usize) {
    loop {
        reached[at] = true;
        match tokens.get(at) {
            Some(Token::Star | Token::Rest) => at += 1,
            Some(Token::Parts) => at += 2,
            _ => return,
        }
    }
}

fn same(one: char, other: char, ignores_case: bool) -> bool {
    one == other || (ignores_case && one.to_lowercase().eq(other.to_lowercase()))
}

fn within(ranges: &[(char, char)], c: char, ignores_case: bool) -> bool {
    let has = |c: char| ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
    has(c) || (ignores_case && (c.to_lowercase().any(has) || c.to_uppercase().any(has)))
}
