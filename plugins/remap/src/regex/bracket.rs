//! Bracket expressions of POSIX: `[^]a-z[:digit:]]`.

use super::BadRegex;
use super::ast::{Bytes, class};

/// Parses a bracket expression, with `at` behind its `[`. Returns what it matches, and where it ends.
///
/// If case is ignored, letters become upper case before ranges are taken, and so does the text: `[_-z]` has
/// its ends the wrong way round then, as in glibc.
pub(super) fn parse(pattern: &[u8], at: usize, ignore_case: bool) -> Result<(Bytes, usize), BadRegex> {
    let open = at - 1;
    let unclosed = || BadRegex { at: open, what: "`[` without `]`: write `\\[` for the character".into() };
    let fold = |byte: u8| if ignore_case { byte.to_ascii_uppercase() } else { byte };
    let mut at = at;
    let inverted = pattern.get(at) == Some(&b'^');
    at += usize::from(inverted);
    let first = at;
    let mut bytes = Bytes::default();
    loop {
        let start = at;
        let element = match (pattern.get(at), pattern.get(at + 1)) {
            (None, _) => return Err(unclosed()),
            (Some(b']'), _) if at > first => break,
            (Some(b'['), Some(b':')) => {
                let (name, end) = named(pattern, at, b':').ok_or_else(unclosed)?;
                let name = match std::str::from_utf8(name) {
                    Ok("upper" | "lower") if ignore_case => "alpha",
                    Ok(name) => name,
                    Err(_) => "",
                };
                let its = class(name).ok_or_else(|| BadRegex {
                    at,
                    what: format!(
                        "there is no class `[:{name}:]`: there are alpha, digit, alnum, upper, lower, space, blank, \
                         punct, print, graph, cntrl and xdigit"
                    ),
                })?;
                bytes.add(&its);
                at = end;
                None
            }
            (Some(b'['), Some(kind @ (b'.' | b'='))) => {
                let (name, end) = named(pattern, at, *kind).ok_or_else(unclosed)?;
                let &[byte] = name else {
                    return Err(BadRegex { at, what: "write a single character here".into() });
                };
                at = end;
                Some(byte)
            }
            (Some(byte), _) => {
                at += 1;
                Some(*byte)
            }
        };
        let Some(from) = element else { continue };
        let is_range = pattern.get(at) == Some(&b'-') && !matches!(pattern.get(at + 1), Some(b']'));
        if !is_range {
            bytes.insert(fold(from));
            continue;
        }
        let to = match (pattern.get(at + 1), pattern.get(at + 2)) {
            (None, _) => return Err(unclosed()),
            (Some(b'['), Some(kind @ (b'.' | b'='))) => {
                let (name, end) = named(pattern, at + 1, *kind).ok_or_else(unclosed)?;
                let &[byte] = name else {
                    return Err(BadRegex { at: at + 1, what: "write a single character here".into() });
                };
                at = end;
                byte
            }
            (Some(b'['), Some(b':')) => {
                return Err(BadRegex {
                    at: at + 1,
                    what: "a range ends with a character, not a class".into(),
                });
            }
            (Some(byte), _) => {
                at += 2;
                *byte
            }
        };
        let (from, to) = (fold(from), fold(to));
        if from > to {
            let what = format!(
                "the range `{}-{}` has its ends the wrong way round{}",
                from.escape_ascii(),
                to.escape_ascii(),
                if ignore_case { ", as upper case" } else { "" }
            );
            return Err(BadRegex { at: start, what });
        }
        (from..=to).for_each(|byte| bytes.insert(byte));
    }
    if inverted {
        bytes = bytes.inverted();
    }
    Ok((if ignore_case { bytes.folded() } else { bytes }, at + 1))
}

/// The text between `[:` and `:]`, or another pair, and where it ends.
fn named(pattern: &[u8], at: usize, kind: u8) -> Option<(&[u8], usize)> {
    let start = at + 2;
    let length = pattern.get(start..)?.windows(2).position(|pair| pair == [kind, b']'])?;
    Some((&pattern[start..start + length], start + length + 2))
}
