//! Files of atftpd's `--pcre`: `EXPRESSION REPLACEMENT` on each line.

use crate::map::{MAX_PROBLEMS, Size};
use crate::regex::{Regex, Syntax};
use crate::run::{MAX_LENGTH, quoted};
use crate::template::{Client, Template};
use tuffet_sdk::{Level, log};

/// A rule: its line, what it matches, and what that becomes.
pub(crate) struct Pcre {
    line: usize,
    matches: Regex,
    text: Template,
}

/// Parses a file.
///
/// # Errors
/// Every wrong line, up to a bound.
pub(crate) fn parse(text: &[u8]) -> Result<Vec<Pcre>, Vec<String>> {
    let (mut rules, mut problems) = (Vec::new(), Vec::new());
    // No line, not an empty one.
    if text.is_empty() {
        return Ok(rules);
    }
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut size = Size::default();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if problems.len() == MAX_PROBLEMS {
            problems.push("and more".into());
            return Err(problems);
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match parse_line(line, number + 1) {
            Ok(rule) => {
                size.add(&rule.matches).map_err(|what| vec![format!("line {}: {what}", number + 1)])?;
                rules.push(rule);
            }
            Err(what) => problems.push(format!("line {}: {what}", number + 1)),
        }
    }
    if problems.is_empty() { Ok(rules) } else { Err(problems) }
}

/// Whether this name leads to the same file in atftpd, which opens its bytes as they are, as in Tuffet. Where it does not,
/// atftpd finds no file of the requested name, and takes the rewritten one.
pub(crate) fn is_literal(name: &[u8]) -> bool {
    let ends_in_folder = name.ends_with(b"/") || name.ends_with(b"/.");
    std::str::from_utf8(name).is_ok() && !name.contains(&b'\\') && !name.ends_with(b"\0") && !ends_in_folder
}

fn parse_line(line: &[u8], number: usize) -> Result<Pcre, String> {
    let fields: Vec<&[u8]> =
        line.split(|byte| matches!(byte, b'\t' | b' ')).filter(|field| !field.is_empty()).collect();
    let begins = line.first().is_some_and(|byte| !matches!(byte, b'\t' | b' '));
    let ends = line.last().is_some_and(|byte| !matches!(byte, b'\t' | b' '));
    let (&[pattern, text], true, true) = (fields.as_slice(), begins, ends) else {
        return Err("a line is an expression, white space and a replacement; atftpd has no comments and no empty lines".into());
    };
    let matches = Regex::new(pattern, Syntax::Perl, false)
        .map_err(|bad| format!("expression `{}`, {bad}", String::from_utf8_lossy(pattern)))?;
    let text = Template::of_atftpd(text)?;
    if text.last_group() > matches.groups() {
        let (named, has) = (text.last_group(), matches.groups());
        return Err(format!("the replacement names ${named}, and the expression has {has} groups"));
    }
    Ok(Pcre { line: number, matches, text })
}

/// What the first rule that matches makes of a name.
pub(crate) fn rewrite(rules: &[Pcre], name: &[u8], client: &Client) -> Option<Vec<u8>> {
    let (rule, groups) = rules.iter().find_map(|rule| Some((rule, rule.matches.find(name, false)?)))?;
    let (begin, end) = groups.whole();
    let (text, behind) = match rule.text.before_unset(&groups) {
        Some(before) => (before.render(name, &groups, client), &[][..]),
        None => (rule.text.render(name, &groups, client), &name[end..]),
    };
    let rewritten = [&name[..begin], &text, behind].concat();
    log(Level::Debug, format!("line {}: {} becomes {}", rule.line, quoted(name), quoted(&rewritten)));
    (rewritten.len() <= MAX_LENGTH).then_some(rewritten)
}
