//! Common slips in YAML that the parser reports far from their cause: unquoted `*`, `{mac}.cfg` and `[::]:69`, colons
//! without a space, and sections that are indented.

use std::net::{Ipv6Addr, SocketAddrV6};

use super::error::{Fault, Position};

/// Returns the slip that explains a syntax error at `at`, with its own position.
pub(super) fn explain(text: &str, at: Position) -> Option<Fault> {
    // The parser may notice a slip on a later line.
    let lines: Vec<&str> = text.lines().take(at.line).collect();
    let line = lines.get(at.line.checked_sub(1)?).copied().unwrap_or_default();
    let column = at.column.saturating_sub(1);
    let found = alias(line, column).or_else(|| bracketed(line)).or_else(|| bare_ipv6(line, column));
    if let Some((column, message)) = found {
        return Some((Position { line: at.line, column: column + 1 }, message));
    }
    let before = lines.iter().enumerate().rev();
    if let Some((index, (column, message))) =
        before.clone().take(2).find_map(|(index, line)| Some((index, braced(line)?)))
    {
        return Some((Position { line: index + 1, column: column + 1 }, message));
    }
    if let Some((column, message)) = indented_section(line) {
        return Some((Position { line: at.line, column: column + 1 }, message));
    }
    let mut written = before.filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#'));
    // The line itself, and the last one before it.
    let own = written.next()?;
    let spaces = [Some(own), written.next()].into_iter().flatten().find_map(|(index, line)| {
        let (column, message) = missing_space(line)?;
        Some((Position { line: index + 1, column: column + 1 }, message))
    });
    spaces.or_else(|| indented_elsewhere(&lines))
}

/// Returns the advice for a key that has no space after its colon: `key:value`.
pub(super) fn space_after_colon<'a>(text: &str, mut keys: impl Iterator<Item = &'a str>) -> Option<String> {
    let (key, value) = text.split_once(':')?;
    (keys.any(|known| known == key) && !value.is_empty() && !value.starts_with(' '))
        .then(|| space_message(key, value))
}

fn space_message(key: &str, value: &str) -> String {
    let value: String = value.chars().take(40).collect();
    format!("a space is missing after `{key}:`; write `{key}: {value}`")
}

/// A value that begins with `*` is an alias, and its name begins with a letter or a digit.
fn alias(line: &str, column: usize) -> Option<(usize, String)> {
    let word = value_at(line, column)?;
    word.starts_with('*').then(|| {
        let message = format!(
            "YAML reads a value that begins with `*` as an alias; quote values that begin with `*`: write \"{word}\""
        );
        (column, message)
    })
}

/// The limit of brackets checked per line, and the longest address in characters.
const MAX_BRACKETS: usize = 64;
const MAX_ADDRESS: usize = 80;

/// `[::]:69` begins a list.
fn bracketed(line: &str) -> Option<(usize, String)> {
    let characters: Vec<char> = line.chars().collect();
    // A file may consist of one long line of brackets.
    let mut begins = (0..characters.len()).filter(|&column| characters[column] == '[').take(MAX_BRACKETS);
    begins.find_map(|column| {
        let word: String = characters[column..]
            .iter()
            .take(MAX_ADDRESS)
            .take_while(|c| c.is_ascii_hexdigit() || "[]:.%".contains(**c))
            .collect();
        // Without a port, it is quoted with one.
        let port = if word.ends_with(']') { ":69" } else { "" };
        let word = word + port;
        word.parse::<SocketAddrV6>().ok()?;
        Some((column, format!("YAML reads brackets as a list; quote the address: write \"{word}\"")))
    })
}

/// `::1:69` within braces or brackets.
fn bare_ipv6(line: &str, column: usize) -> Option<(usize, String)> {
    let word = value_at(line, column)?;
    let (ip, port) = word.rsplit_once(':')?;
    (word.starts_with(':') && ip.parse::<Ipv6Addr>().is_ok())
        .then(|| (column, format!("write an IPv6 address in brackets and in quotes: \"[{ip}]:{port}\"")))
}

/// `{mac}.cfg` begins a mapping, and `${NAME}` ends a value within braces.
fn braced(line: &str) -> Option<(usize, String)> {
    let characters: Vec<char> = line.chars().collect();
    let begins = (1..characters.len()).filter(|&column| {
        let before = characters[..column].iter().rev().find(|c| !c.is_whitespace());
        let is_value = before.is_some_and(|c| ":-[,".contains(*c)) && characters[column - 1] != ':';
        is_value && (characters[column] == '{' || characters[column..].starts_with(&['$', '{']))
    });
    begins.take(MAX_BRACKETS).find_map(|column| {
        let end = column + characters[column..].iter().take(MAX_ADDRESS).position(|c| *c == '}')?;
        let begin = if characters[column] == '$' { column + 2 } else { column + 1 };
        let is_name = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
        let name = characters.get(begin..end)?;
        if name.is_empty() || !name.iter().all(is_name) {
            return None;
        }
        let after = characters[end + 1..].iter().take(MAX_ADDRESS);
        let rest: String = after.take_while(|c| !c.is_whitespace() && !",]}#".contains(**c)).collect();
        // `{ key }` may be a mapping.
        if rest.is_empty() && characters[column] == '{' {
            return None;
        }
        let word: String = characters[column..=end].iter().collect();
        Some((column, format!("YAML reads braces as a mapping; quote the text: write \"{word}{rest}\"")))
    })
}

/// The sections with a list or a mapping that no other mapping has a key for, but `listeners[].roots`.
pub(super) const SECTIONS: [&str; 11] = [
    "listeners",
    "roots",
    "plugins",
    "registries",
    "sinks",
    "admin",
    "profiles",
    "facts",
    "netboot",
    "telemetry",
    "privileges",
];

/// A section that is indented, so that it is part of the one before.
fn indented_section(line: &str) -> Option<(usize, String)> {
    let content = line.trim_start_matches(' ');
    let column = line.len() - content.len();
    let (key, value) = content.split_once(':')?;
    let is_section = SECTIONS.contains(&key);
    let ends = value.trim().is_empty() || value.starts_with(' ');
    (column > 0 && is_section && ends).then(|| {
        let message = format!(
            "`{key}:` is indented as if it were part of the lines above; begin the section at the left edge"
        );
        (column, message)
    })
}

/// A last line that begins in none of the columns in which the lists and mappings above it go on.
fn indented_elsewhere(lines: &[&str]) -> Option<Fault> {
    let (last, above) = lines.split_last()?;
    // Within brackets, and in texts of several lines, the indentation has no meaning.
    let count =
        |characters: &[char]| lines.iter().map(|line| line.matches(characters).count()).sum::<usize>();
    if count(&['[', '{']) != count(&[']', '}']) {
        return None;
    }
    // The columns of what is open, with the numbers of the lines that began it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut is_complete = false;
    for (index, line) in above.iter().enumerate() {
        let Some(columns) = columns_of(line) else { continue };
        open.retain(|(column, _)| columns.first().is_some_and(|first| column < first));
        open.extend(columns.iter().map(|column| (*column, index + 1)));
        let value = line.split_once(": ").map(|(_, value)| value.trim());
        is_complete = value
            .is_some_and(|value| !value.is_empty() && !value.starts_with(['#', '|', '>', '&', '"', '\'']));
    }
    let own = *columns_of(last)?.first()?;
    let (deepest, _) = *open.last()?;
    let fits = open.iter().any(|(column, _)| *column == own) || (own > deepest && !is_complete);
    // The nearest column; of two, the inner one.
    let (column, line) = *open.iter().rev().min_by_key(|(column, _)| column.abs_diff(own))?;
    (!fits).then(|| {
        let spaces = |count: usize| match count {
            0 => "no space".to_owned(),
            1 => "1 space".to_owned(),
            count => format!("{count} spaces"),
        };
        let message = format!(
            "the indentation fits nothing above: this line begins after {}, and what line {line} begins goes on after {}; \
             lines of one list or mapping begin in the same column",
            spaces(own),
            spaces(column)
        );
        (Position { line: lines.len(), column: own + 1 }, message)
    })
}

/// Returns the columns in which a line begins: of its dash, if it has one, and of the key behind it. `None` for a line without
/// content.
fn columns_of(line: &str) -> Option<Vec<usize>> {
    let content = line.trim_start_matches(' ');
    if content.is_empty() || content.starts_with('#') {
        return None;
    }
    let mut columns = vec![line.len() - content.len()];
    let mut rest = content;
    while let Some(behind) = rest.strip_prefix("- ") {
        rest = behind.trim_start_matches(' ');
        columns.push(line.len() - rest.len());
    }
    Some(columns)
}

/// A line that begins with `key:value`.
fn missing_space(line: &str) -> Option<(usize, String)> {
    let content = line.trim_start_matches([' ', '-', '{']);
    let (key, value) = content.split_once(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let is_value = value.starts_with(|c: char| !c.is_whitespace()) && !value.starts_with("//");
    (is_key && is_value)
        .then(|| (line.chars().count() - content.chars().count(), space_message(key, value.trim_end())))
}

/// Returns the plain value that begins at a column.
fn value_at(line: &str, column: usize) -> Option<String> {
    let rest = line.chars().skip(column);
    let word: String = rest.take_while(|c| !c.is_whitespace() && !",]}#\"'".contains(*c)).collect();
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_indented_by_too_much_or_too_little_is_named_with_the_one_that_it_misses() {
        for (text, place, message) in [
            (
                "roots:\n  - name: a\n   path: b\n",
                (3, 4),
                "after 3 spaces, and what line 2 begins goes on after 4",
            ),
            (
                "roots:\n  - name: a\n     path: b\n",
                (3, 6),
                "after 5 spaces, and what line 2 begins goes on after 4",
            ),
            ("a:\n  b: 1\n c: 2\n", (3, 2), "after 1 space, and what line 2 begins goes on after 2 spaces"),
            ("a: 1\n  b: 2\n", (2, 3), "after 2 spaces, and what line 1 begins goes on after no space"),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let (at, said) = indented_elsewhere(&lines).expect(text);
            assert_eq!((at.line, at.column), place, "{text}");
            assert!(said.contains(message), "{text}: {said}");
        }
        for fits in [
            "roots:\n- name: a\n  path: b\n",
            "a:\n  b:\n    - c\n  d: 1\n",
            "a:\n    b: 1\nc:\n  d: 1\n",
            "a: |\n  text\n  more\n",
            "a: 1\n",
            "",
        ] {
            let lines: Vec<&str> = fits.lines().collect();
            assert_eq!(indented_elsewhere(&lines), None, "{fits}");
        }
    }

    #[test]
    fn a_slip_is_found_where_it_is() {
        for (text, (line, column), place, message) in [
            ("a:\n  - *.key\n", (2, 5), (2, 5), "quote values that begin with `*`: write \"*.key\""),
            ("a: { b: * }\n", (1, 9), (1, 9), "write \"*\""),
            ("- a: [::]:69\n", (1, 10), (1, 6), "write \"[::]:69\""),
            ("a: [::1]\n", (1, 5), (1, 4), "write \"[::1]:69\""),
            ("a: [fe80::1%2]:69\n", (1, 15), (1, 4), "write \"[fe80::1%2]:69\""),
            ("[{ a: ::1:69 }]\n", (1, 7), (1, 7), "\"[::1]:69\""),
            ("# x\na:1\n\nb: 2\n", (4, 2), (2, 1), "write `a: 1`"),
            ("- b-c:1\n", (1, 8), (1, 3), "write `b-c: 1`"),
            ("a: {mac}.cfg\n", (1, 9), (1, 4), "write \"{mac}.cfg\""),
            ("a:\n  - {mac}/b\n", (2, 10), (2, 5), "write \"{mac}/b\""),
            ("a: { b: ${TOKEN} }\n", (1, 10), (1, 9), "write \"${TOKEN}\""),
            ("a:\n  - b: 1\n  roots:\n", (3, 3), (3, 3), "begin the section at the left edge"),
        ] {
            let (at, said) = explain(text, Position { line, column }).expect(text);
            assert_eq!((at.line, at.column), place, "{text}");
            assert!(said.contains(message), "{text}: {said}");
        }
        for text in ["a: b: c\n", "a: 'x\n", "u: http://h\n: :\n", "a: [1]:2\n", "\n", "", "ä: [x\n"] {
            for column in 1..9 {
                assert_eq!(explain(text, Position { line: 1, column }), None, "{text}");
            }
        }
        assert_eq!(explain("a", Position { line: 7, column: 3 }), None);
        assert_eq!(explain("a", Position { line: 0, column: 0 }), None);
    }
}
