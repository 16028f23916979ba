//! Parses the text of a glob into its alternatives.

use super::Token;

/// The most alternatives that `{…}` may multiply to.
const MAX_ALTERNATIVES: usize = 256;

pub(super) fn alternatives(pattern: &str) -> Result<Vec<Vec<Token>>, String> {
    if pattern.is_empty() {
        return Err("an empty glob matches nothing: write \"**\" for every path".into());
    }
    if pattern.starts_with('/') {
        return Err(format!("paths have no leading \"/\": write {:?}", pattern.trim_start_matches('/')));
    }
    if pattern.starts_with('!') {
        return Err("a glob cannot be negated: write \"\\!\" for a name that starts with \"!\"".into());
    }
    let mut reader = Reader { pattern, rest: pattern };
    let expanded = reader.sequence(false)?;
    expanded.into_iter().map(|pieces| join(pattern, &pieces)).collect()
}

/// An element of an alternative during parsing. `*` and `**` are distinguished only after the groups are
/// expanded, because `{*,a}*` would otherwise hide a `**`.
#[derive(Clone)]
enum Piece {
    Token(Token),
    Slash,
    Stars(usize),
}

struct Reader<'a> {
    pattern: &'a str,
    rest: &'a str,
}

impl Reader<'_> {
    /// Parses up to the end, or within a group up to its `}`. Returns all alternatives of that text.
    fn sequence(&mut self, in_group: bool) -> Result<Vec<Vec<Piece>>, String> {
        let mut done: Vec<Vec<Piece>> = Vec::new();
        let mut open: Vec<Vec<Piece>> = vec![Vec::new()];
        loop {
            let Some(c) = self.next() else {
                if in_group {
                    return Err(self.error("has \"{\" without \"}\": close it, or write \"\\{\""));
                }
                return Ok(open);
            };
            match c {
                '{' => {
                    let group = self.sequence(true)?;
                    if open.len() * group.len() > MAX_ALTERNATIVES {
                        return Err(self.too_many());
                    }
                    open = open
                        .iter()
                        .flat_map(|head| group.iter().map(move |tail| [head.as_slice(), tail].concat()))
                        .collect();
                }
                '}' if in_group => {
                    done.append(&mut open);
                    return if done.len() > MAX_ALTERNATIVES { Err(self.too_many()) } else { Ok(done) };
                }
                '}' => return Err(self.error("has \"}\" without \"{\": write \"\\}\" for the character")),
                ',' if in_group => {
                    done.append(&mut open);
                    open = vec![Vec::new()];
                }
                '*' => {
                    let stars = 1 + self.rest.len() - self.rest.trim_start_matches('*').len();
                    self.rest = self.rest.trim_start_matches('*');
                    append(&mut open, Piece::Stars(stars));
                }
                '/' => append(&mut open, Piece::Slash),
                '?' => append(&mut open, Piece::Token(Token::Any)),
                '[' => {
                    let class = self.class()?;
                    append(&mut open, Piece::Token(class));
                }
                '\\' => {
                    let literal = self.escaped()?;
                    append(&mut open, Piece::Token(Token::Literal(literal)));
                }
                c => append(&mut open, Piece::Token(Token::Literal(c))),
            }
        }
    }

    /// Parses a class after its `[`; a `]` in first position belongs to the class.
    fn class(&mut self) -> Result<Token, String> {
        let unclosed = "has \"[\" without \"]\": close it, or write \"\\[\" for the character";
        let negated = self.rest.starts_with(['!', '^']);
        if negated {
            self.next();
        }
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let low = match self.next().ok_or_else(|| self.error(unclosed))? {
                ']' if !ranges.is_empty() => return Ok(Token::Class { negated, ranges }),
                '\\' => self.escaped()?,
                c => c,
            };
            let mut high = low;
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                high = match self.next().ok_or_else(|| self.error(unclosed))? {
                    '\\' => self.escaped()?,
                    c => c,
                };
            }
            if low > high {
                return Err(self.error(&format!("has the range {low}-{high} the wrong way round")));
            }
            ranges.push((low, high));
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        self.next().ok_or_else(|| self.error("ends in a single \"\\\": write \"\\\\\" for a backslash"))
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn error(&self, what: &str) -> String {
        format!("\"{}\" {what}", self.pattern)
    }

    fn too_many(&self) -> String {
        self.error(&format!("multiplies to more than {MAX_ALTERNATIVES} alternatives: write several globs"))
    }
}

fn append(open: &mut [Vec<Piece>], piece: Piece) {
    for alternative in open {
        alternative.push(piece.clone());
    }
}

/// Distinguishes `*` from `**` and checks that a `**` is a whole part.
fn join(pattern: &str, pieces: &[Piece]) -> Result<Vec<Token>, String> {
    if matches!(pieces.first(), Some(Piece::Slash)) {
        return Err(format!(
            "\"{pattern}\" has an alternative that begins with \"/\", as no path does: write it before the group, as in \
             \"/{{a,b}}\", or write two globs"
        ));
    }
    let mut tokens = Vec::with_capacity(pieces.len());
    let mut pieces = pieces.iter().peekable();
    let mut at_start = true;
    while let Some(piece) = pieces.next() {
        let starts_part = std::mem::replace(&mut at_start, matches!(piece, Piece::Slash));
        match piece {
            Piece::Token(token) => tokens.push(token.clone()),
            Piece::Slash => tokens.push(Token::Literal('/')),
            Piece::Stars(1) => {
                // Two adjacent groups may put stars side by side: `{*,a}{*,b}`.
                if matches!(pieces.peek(), Some(Piece::Stars(_))) {
                    return Err(whole_part(pattern));
                }
                tokens.push(Token::Star);
            }
            Piece::Stars(2) if starts_part => match pieces.next() {
                None => tokens.push(Token::Rest),
                Some(Piece::Slash) => {
                    at_start = true;
                    tokens.extend([Token::Parts, Token::InsidePart]);
                }
                Some(_) => return Err(whole_part(pattern)),
            },
            Piece::Stars(_) => return Err(whole_part(pattern)),
        }
    }
    Ok(tokens)
}

fn whole_part(pattern: &str) -> String {
    format!(
        "\"{pattern}\": \"**\" must be a whole part, as in \"a/**/b\"; within a part write a single \"*\""
    )
}
