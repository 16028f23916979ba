//! The part of PCRE that needs no backtracking, for the rules of atftpd.

use super::BadRegex;
use super::ast::{Assertion, Ast, Bytes, MAX_DEPTH, MAX_REPEAT, class, is_word};

/// Parses an expression. Also returns the number of its groups.
pub(super) fn parse(pattern: &[u8], ignore_case: bool) -> Result<(Ast, u16), BadRegex> {
    let mut parser = Parser { pattern, at: 0, groups: 0, depth: 0, ignore_case };
    let parsed = parser.alternatives()?;
    match parser.peek() {
        None => Ok((parsed, parser.groups)),
        Some(_) => bad(parser.at, "`)` without `(`: write `\\)` for the character"),
    }
}

struct Parser<'a> {
    pattern: &'a [u8],
    at: usize,
    groups: u16,
    depth: usize,
    ignore_case: bool,
}

fn bad<T>(at: usize, what: impl Into<String>) -> Result<T, BadRegex> {
    Err(BadRegex { at, what: what.into() })
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        let is_there = self.pattern[self.at..].starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn alternatives(&mut self) -> Result<Ast, BadRegex> {
        let mut branches = vec![self.branch()?];
        while self.takes(b"|") {
            branches.push(self.branch()?);
        }
        if branches.len() == 1 {
            return Ok(branches.remove(0));
        }
        // An empty branch keeps its place: a concatenation of nothing is no `Empty`, which would come last.
        let keep = |branch| if matches!(branch, Ast::Empty) { Ast::Concat(Vec::new()) } else { branch };
        Ok(Ast::Either(branches.into_iter().map(keep).collect()))
    }

    fn branch(&mut self) -> Result<Ast, BadRegex> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|byte| !matches!(byte, b'|' | b')')) {
            match self.repeated()? {
                Ast::Empty => {}
                part => parts.push(part),
            }
        }
        Ok(if parts.is_empty() { Ast::Empty } else { Ast::Concat(parts) })
    }

    fn repeated(&mut self) -> Result<Ast, BadRegex> {
        let part = self.single()?;
        let at = self.at;
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => match self.counts()? {
                Some(counts) => counts,
                None => return Ok(part),
            },
            _ => return Ok(part),
        };
        self.at += usize::from(self.pattern[at] != b'{');
        let lazy = self.takes(b"?");
        if !lazy && self.peek() == Some(b'+') {
            return bad(self.at, "possessive repetitions are not supported: leave the second `+` out");
        }
        if matches!(self.peek(), Some(b'*' | b'?')) {
            return bad(self.at, "this repeats a repetition: put what it repeats into ( )");
        }
        if !matters(&part) || most == Some(0) {
            return Ok(Ast::Empty);
        }
        Ok(Ast::Repeat { of: Box::new(part), least, most, lazy })
    }

    /// Counts in braces; `None` where a `{` is a character, which `single` takes.
    fn counts(&mut self) -> Result<Option<(u32, Option<u32>)>, BadRegex> {
        let rest = &self.pattern[self.at + 1..];
        let Some(length) = rest.iter().position(|byte| *byte == b'}') else { return Ok(None) };
        let Ok(text) = std::str::from_utf8(&rest[..length]) else { return Ok(None) };
        let (least, most) = text.split_once(',').unwrap_or((text, text));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(least) || !(most.is_empty() || is_number(most)) {
            return Ok(None);
        }
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if number <= MAX_REPEAT => Ok(number),
            _ => bad(self.at, format!("a count is at most {MAX_REPEAT}")),
        };
        let least = number(least)?;
        let most = if most.is_empty() { None } else { Some(number(most)?) };
        if most.is_some_and(|most| most < least) {
            return bad(self.at, format!("{{{text}}}: the first count is the larger one"));
        }
        self.at += length + 2;
        Ok(Some((least, most)))
    }

    fn single(&mut self) -> Result<Ast, BadRegex> {
        let at = self.at;
        let Some(byte) = self.peek() else { return Ok(Ast::Empty) };
        self.at += 1;
        Ok(match byte {
            b'(' => return self.group(at),
            b'[' => return self.bracket(at),
            b'.' => Ast::Bytes(Bytes::of(|byte| byte != b'\n')),
            b'^' => Ast::Assert(Assertion::LineStart),
            b'$' => Ast::Assert(Assertion::End),
            b'*' | b'+' | b'?' => {
                let byte = char::from(byte);
                return bad(at, format!("`{byte}` repeats nothing: write `\\{byte}` for the character"));
            }
            b'\\' => return self.escape(at),
            byte => self.literal(byte),
        })
    }

    fn group(&mut self, open: usize) -> Result<Ast, BadRegex> {
        if self.depth == MAX_DEPTH {
            return bad(open, format!("more than {MAX_DEPTH} groups lie in each other"));
        }
        let counted = if self.takes(b"?:") {
            None
        } else if self.peek() == Some(b'?') {
            return bad(
                open,
                "of groups with `?`, only `(?:` is supported: look-around cannot be matched in linear time",
            );
        } else {
            self.groups += 1;
            Some(self.groups)
        };
        self.depth += 1;
        let inner = self.alternatives()?;
        self.depth -= 1;
        if !self.takes(b")") {
            return bad(open, "`(` without `)`: write `\\(` for the character");
        }
        Ok(match counted {
            Some(number) => Ast::Group(number, Box::new(inner)),
            // So that an assertion in it can be repeated, and an empty one is nothing.
            None => inner,
        })
    }

    fn escape(&mut self, at: usize) -> Result<Ast, BadRegex> {
        let Some(byte) = self.peek() else {
            return bad(at, "`\\` at the end: write `\\\\` for the character");
        };
        self.at += 1;
        Ok(match byte {
            b'1'..=b'9' | b'g' | b'k' => {
                return bad(
                    at,
                    "back-references cannot be matched in linear time: write what the group matches once more",
                );
            }
            b'b' => Ast::Assert(Assertion::WordEdge),
            b'B' => Ast::Assert(Assertion::NoWordEdge),
            b'A' => Ast::Assert(Assertion::TextStart),
            b'z' | b'Z' => Ast::Assert(Assertion::End),
            byte => match escaped_class(byte) {
                Some(bytes) => Ast::Bytes(bytes),
                None => self.literal(self.escaped(byte, at)?),
            },
        })
    }

    /// The character that `\` and a byte stand for.
    fn escaped(&self, byte: u8, at: usize) -> Result<u8, BadRegex> {
        Ok(match byte {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            byte if byte.is_ascii_alphanumeric() => {
                return bad(at, format!("`\\{}` is not supported here", char::from(byte)));
            }
            byte => byte,
        })
    }

    fn literal(&self, byte: u8) -> Ast {
        Ast::Bytes(self.in_case(Bytes::one(byte)))
    }

    fn in_case(&self, bytes: Bytes) -> Bytes {
        if !self.ignore_case {
            return bytes;
        }
        Bytes::of(|byte| {
            bytes.contains(byte.to_ascii_lowercase()) || bytes.contains(byte.to_ascii_uppercase())
        })
    }

    fn bracket(&mut self, open: usize) -> Result<Ast, BadRegex> {
        let unclosed = "`[` without `]`: write `\\[` for the character";
        let inverted = self.takes(b"^");
        let first = self.at;
        let mut bytes = Bytes::default();
        loop {
            let start = self.at;
            let from = match self.peek() {
                None => return bad(open, unclosed),
                Some(b']') if start > first => break,
                Some(b'[') if self.pattern[start..].starts_with(b"[:") => {
                    let rest = &self.pattern[start + 2..];
                    let Some(length) = rest.windows(2).position(|pair| pair == b":]") else {
                        return bad(open, unclosed);
                    };
                    let name = String::from_utf8_lossy(&rest[..length]);
                    let its = match name.as_ref() {
                        "word" => Some(Bytes::of(is_word)),
                        name => class(name),
                    };
                    let Some(its) = its else { return bad(start, format!("there is no class `[:{name}:]`")) };
                    bytes.add(&its);
                    self.at += length + 4;
                    continue;
                }
                Some(_) => match self.element(start)? {
                    Ok(byte) => byte,
                    Err(its) => {
                        bytes.add(&its);
                        continue;
                    }
                },
            };
            let is_range =
                self.peek() == Some(b'-') && !matches!(self.pattern.get(self.at + 1), Some(b']') | None);
            let to = if is_range {
                self.at += 1;
                match self.element(self.at)? {
                    Ok(to) => to,
                    Err(_) => return bad(start, "a range ends with a character, not a class"),
                }
            } else {
                from
            };
            if from > to {
                return bad(start, "the ends of the range are the wrong way round");
            }
            (from..=to).for_each(|byte| bytes.insert(byte));
        }
        self.at += 1;
        let bytes = self.in_case(bytes);
        Ok(Ast::Bytes(if inverted { bytes.inverted() } else { bytes }))
    }

    /// A character in brackets, or a class such as `\d`.
    fn element(&mut self, at: usize) -> Result<Result<u8, Bytes>, BadRegex> {
        let Some(byte) = self.peek() else { return bad(at, "`[` without `]`") };
        self.at += 1;
        if byte != b'\\' {
            return Ok(Ok(byte));
        }
        let Some(byte) = self.peek() else { return bad(at, "`\\` at the end") };
        self.at += 1;
        match escaped_class(byte) {
            Some(bytes) => Ok(Err(bytes)),
            None => Ok(Ok(self.escaped(byte, at)?)),
        }
    }
}

/// Whether a part has any node: only then is repeating it of any use.
fn matters(part: &Ast) -> bool {
    match part {
        Ast::Empty => false,
        Ast::Concat(parts) | Ast::Either(parts) => parts.iter().any(matters),
        _ => true,
    }
}

fn escaped_class(byte: u8) -> Option<Bytes> {
    let space = || class("space").unwrap_or_default();
    Some(match byte {
        b'd' => Bytes::of(|byte| byte.is_ascii_digit()),
        b'D' => Bytes::of(|byte| !byte.is_ascii_digit()),
        b'w' => Bytes::of(is_word),
        b'W' => Bytes::of(|byte| !is_word(byte)),
        b's' => space(),
        b'S' => space().inverted(),
        _ => return None,
    })
}
