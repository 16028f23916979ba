//! Extended regular expressions, as glibc's `regcomp` takes them: POSIX, and the operators of GNU.

use super::BadRegex;
use super::ast::{Assertion, Ast, Bytes, MAX_DEPTH, MAX_REPEAT, class, is_word};
use super::bracket;

/// Parses an expression. Also returns the number of its groups.
pub(super) fn parse(pattern: &[u8], ignore_case: bool) -> Result<(Ast, u16), BadRegex> {
    let mut parser = Parser { pattern, at: 0, groups: 0, depth: 0, ignore_case };
    let parsed = parser.alternatives()?;
    Ok((parsed, parser.groups))
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

    /// Outside of groups, `)` is a character.
    fn closes(&self) -> bool {
        self.depth > 0 && self.peek() == Some(b')')
    }

    fn alternatives(&mut self) -> Result<Ast, BadRegex> {
        let mut branches = vec![self.branch()?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            branches.push(self.branch()?);
        }
        Ok(match branches.pop() {
            Some(only) if branches.is_empty() => only,
            last => {
                branches.extend(last);
                Ast::Either(branches)
            }
        })
    }

    fn branch(&mut self) -> Result<Ast, BadRegex> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|byte| byte != b'|') && !self.closes() {
            match self.repeated()? {
                Ast::Empty => {}
                part => parts.push(part),
            }
        }
        Ok(match parts.len() {
            0 => Ast::Empty,
            1 => parts.remove(0),
            _ => Ast::Concat(parts),
        })
    }

    fn repeated(&mut self) -> Result<Ast, BadRegex> {
        let mut part = self.single()?;
        // `^*` is no repetition, but a `*` that repeats nothing.
        if matches!(part, Ast::Assert(_)) {
            return Ok(part);
        }
        let start = self.at;
        for _ in 0..MAX_DEPTH {
            let (least, most) = match self.peek() {
                Some(b'*') => (0, None),
                Some(b'+') => (1, None),
                Some(b'?') => (0, Some(1)),
                Some(b'{') => {
                    let counts = self.counts()?;
                    part = repeat(part, counts.0, counts.1);
                    continue;
                }
                _ => return Ok(part),
            };
            self.at += 1;
            part = repeat(part, least, most);
        }
        bad(start, format!("more than {MAX_DEPTH} repetitions of repetitions"))
    }

    /// `{2}`, `{2,}`, `{,3}`, `{2,3}`
    fn counts(&mut self) -> Result<(u32, Option<u32>), BadRegex> {
        let open = self.at;
        self.at += 1;
        let least = self.number(open)?;
        let (least, most) = match (least, self.peek()) {
            (Some(count), Some(b'}')) => (count, Some(count)),
            (least, Some(b',')) => {
                self.at += 1;
                (least.unwrap_or(0), self.number(open)?)
            }
            _ => {
                return bad(
                    open,
                    "`{` is not followed by counts, such as {2} or {2,4}: write `\\{` for the character",
                );
            }
        };
        if self.peek() != Some(b'}') {
            return bad(open, "`{` is not followed by counts and `}`: write `\\{` for the character");
        }
        self.at += 1;
        match most {
            Some(most) if most < least => {
                bad(open, format!("{{{least},{most}}}: the first count is the larger one"))
            }
            most => Ok((least, most)),
        }
    }

    fn number(&mut self, open: usize) -> Result<Option<u32>, BadRegex> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let value = number.unwrap_or(0) * 10 + u32::from(digit - b'0');
            if value > MAX_REPEAT {
                return bad(open, format!("a count is at most {MAX_REPEAT}"));
            }
            number = Some(value);
            self.at += 1;
        }
        Ok(number)
    }

    fn single(&mut self) -> Result<Ast, BadRegex> {
        let at = self.at;
        let Some(byte) = self.peek() else { return Ok(Ast::Empty) };
        self.at += 1;
        Ok(match byte {
            b'(' => return self.group(at),
            b'[' => {
                let (bytes, end) = bracket::parse(self.pattern, self.at, self.ignore_case)?;
                self.at = end;
                Ast::Bytes(bytes)
            }
            b'.' => Ast::Bytes(Bytes::any()),
            b'^' => Ast::Assert(Assertion::LineStart),
            b'$' => Ast::Assert(Assertion::End),
            b'*' | b'+' | b'?' | b'{' => {
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
        self.groups += 1;
        self.depth += 1;
        let number = self.groups;
        let inner = self.alternatives()?;
        self.depth -= 1;
        if self.peek() != Some(b')') {
            return bad(open, "`(` without `)`: write `\\(` for the character");
        }
        self.at += 1;
        Ok(Ast::Group(number, Box::new(inner)))
    }

    fn escape(&mut self, at: usize) -> Result<Ast, BadRegex> {
        let Some(byte) = self.peek() else {
            return bad(at, "`\\` at the end: write `\\\\` for the character");
        };
        self.at += 1;
        let space = class("space").unwrap_or_default();
        Ok(match byte {
            b'1'..=b'9' => {
                return bad(
                    at,
                    "back-references cannot be matched in linear time: write what the group matches once more",
                );
            }
            b'<' => Ast::Assert(Assertion::WordStart),
            b'>' => Ast::Assert(Assertion::WordEnd),
            b'b' => Ast::Assert(Assertion::WordEdge),
            b'B' => Ast::Assert(Assertion::NoWordEdge),
            b'`' => Ast::Assert(Assertion::TextStart),
            b'\'' => Ast::Assert(Assertion::End),
            b'w' => Ast::Bytes(Bytes::of(is_word)),
            b'W' => Ast::Bytes(Bytes::of(|byte| !is_word(byte))),
            b's' => Ast::Bytes(space),
            b'S' => Ast::Bytes(space.inverted()),
            byte => self.literal(byte),
        })
    }

    fn literal(&self, byte: u8) -> Ast {
        let bytes = Bytes::one(if self.ignore_case { byte.to_ascii_uppercase() } else { byte });
        Ast::Bytes(if self.ignore_case { bytes.folded() } else { bytes })
    }
}

/// What is repeated never is nothing, and takes its groups along.
fn repeat(of: Ast, least: u32, most: Option<u32>) -> Ast {
    if matches!(of, Ast::Empty) || most == Some(0) {
        return Ast::Empty;
    }
    Ast::Repeat { of: Box::new(of), least, most, lazy: false }
}
