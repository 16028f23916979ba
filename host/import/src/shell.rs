//! Reads the files of /etc/default: assignments in the language of the shell, without running one.

use crate::error::ImportError;
use crate::location::{Location, Word};
use std::collections::HashMap;
use std::iter::Peekable;
use std::path::Path;
use std::str::Chars;

/// The largest value, in bytes: a variable may hold itself twice, and that again.
const MAX_VALUE: usize = 64 * 1024;

/// The variables that a file assigns.
#[derive(Debug, Default)]
pub(crate) struct Variables(HashMap<String, Assigned>);

/// The last value of a variable.
#[derive(Debug, Clone)]
pub(crate) struct Assigned {
    pub(crate) value: String,
    pub(crate) location: Location,
}

impl Assigned {
    /// Returns the words that an unquoted expansion gives.
    pub(crate) fn words(&self) -> Vec<Word> {
        self.value.split_ascii_whitespace().map(|word| Word::new(word, &self.location)).collect()
    }
}

impl Variables {
    pub(crate) fn read(path: &Path, text: &str) -> Result<Variables, ImportError> {
        let mut reader = Reader { rest: text.chars().peekable(), line: 1, file: Location::file(path) };
        let mut variables = Variables::default();
        while reader.skip_to_statement() {
            reader.statement(&mut variables)?;
        }
        Ok(variables)
    }

    /// Refuses a file with flags in a variable that is not one of `known` and is used in none of them: they would be lost.
    ///
    /// # Errors
    /// Names the first such variable.
    pub(crate) fn require_known(&self, known: &[&str]) -> Result<(), ImportError> {
        let has_flags =
            |assigned: &Assigned| assigned.value.split_ascii_whitespace().any(|word| word.starts_with('-'));
        let is_used = |value: &str| {
            known.iter().filter_map(|name| self.get(name)).any(|assigned| assigned.value.contains(value))
        };
        let unread = self.0.iter().filter(|(name, assigned)| {
            !known.contains(&name.as_str()) && has_flags(assigned) && !is_used(&assigned.value)
        });
        match unread.min_by_key(|(name, _)| name.as_str()) {
            Some((name, assigned)) => {
                let text = format!(
                    "{name} has flags, and is none of the variables that start scripts give to the server ({}); give the \
                     flags on the command line instead",
                    known.join(", ")
                );
                Err(ImportError::invalid(&assigned.location, text))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Assigned> {
        self.0.get(name)
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    file: Location,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    fn next_if(&mut self, accepted: impl FnOnce(char) -> bool) -> Option<char> {
        if accepted(*self.rest.peek()?) { self.next() } else { None }
    }

    fn location(&self) -> Location {
        self.file.line(self.line)
    }

    fn error(&self, text: &str) -> ImportError {
        ImportError::invalid(&self.location(), text)
    }

    /// Skips white space, separators and comments; returns whether something follows.
    fn skip_to_statement(&mut self) -> bool {
        loop {
            while self.next_if(|it| it.is_ascii_whitespace() || it == ';').is_some() {}
            if self.next_if(|it| it == '#').is_none() {
                return self.rest.peek().is_some();
            }
            while self.next_if(|it| it != '\n').is_some() {}
        }
    }

    fn statement(&mut self, variables: &mut Variables) -> Result<(), ImportError> {
        let location = self.location();
        let mut name = String::new();
        while let Some(letter) = self.next_if(|it| it.is_ascii_alphanumeric() || it == '_') {
            name.push(letter);
        }
        let is_export = ["export", "readonly"].contains(&name.as_str());
        if is_export && self.next_if(|it| it == ' ' || it == '\t').is_some() {
            return Ok(());
        }
        if name.is_empty() || self.next_if(|it| it == '=').is_none() {
            // `export NAME` without a value changes nothing.
            if variables.0.contains_key(&name) {
                return Ok(());
            }
            let advice = "only assignments such as NAME=\"value\" can be read; give the flags on the command line instead";
            return Err(ImportError::invalid(&location, advice));
        }
        let value = self.value(variables)?;
        variables.0.insert(name, Assigned { value, location });
        Ok(())
    }

    fn value(&mut self, variables: &Variables) -> Result<String, ImportError> {
        let mut value = String::new();
        while let Some(&next) = self.rest.peek() {
            match next {
                ';' => break,
                it if it.is_ascii_whitespace() => break,
                '&' | '|' | '<' | '>' | '(' | ')' => {
                    return Err(
                        self.error(&format!("`{next}` has a meaning for the shell: put it in quotes"))
                    );
                }
                '\'' => self.single_quoted(&mut value)?,
                '"' => self.double_quoted(variables, &mut value)?,
                '\\' => {
                    self.next();
                    // Before a line feed, it continues the line.
                    value.extend(self.next().filter(|it| *it != '\n'));
                }
                '$' | '`' => self.expansion(variables, &mut value)?,
                _ => value.extend(self.next()),
            }
            if value.len() > MAX_VALUE {
                return Err(self.error("the value is too long"));
            }
        }
        Ok(value)
    }

    fn single_quoted(&mut self, value: &mut String) -> Result<(), ImportError> {
        let unclosed = self.error("the quote ' is not closed");
        self.next();
        loop {
            match self.next().ok_or(()) {
                Ok('\'') => return Ok(()),
                Ok(other) => value.push(other),
                Err(()) => return Err(unclosed),
            }
        }
    }

    fn double_quoted(&mut self, variables: &Variables, value: &mut String) -> Result<(), ImportError> {
        let unclosed = self.error("the quote \" is not closed");
        self.next();
        loop {
            match self.rest.peek().copied() {
                None => return Err(unclosed),
                Some('$' | '`') => self.expansion(variables, value)?,
                Some(next) => {
                    self.next();
                    match next {
                        '"' => return Ok(()),
                        '\\' => match self.next() {
                            Some('\n') => {}
                            Some(escaped @ ('$' | '`' | '"' | '\\')) => value.push(escaped),
                            other => value.extend(['\\'].into_iter().chain(other)),
                        },
                        other => value.push(other),
                    }
                }
            }
            if value.len() > MAX_VALUE {
                return Err(self.error("the value is too long"));
            }
        }
    }

    /// Expands `$NAME` and `${NAME}`; a variable that the file has not assigned is empty.
    fn expansion(&mut self, variables: &Variables, value: &mut String) -> Result<(), ImportError> {
        if self.next() == Some('`') || self.rest.peek() == Some(&'(') {
            return Err(self.error(
                "the output of a command cannot be read; give the flags on the command line instead",
            ));
        }
        let braces = self.next_if(|it| it == '{').is_some();
        let mut name = String::new();
        while let Some(letter) = self.next_if(|it| it.is_ascii_alphanumeric() || it == '_') {
            name.push(letter);
        }
        if braces && self.next_if(|it| it == '}').is_none() {
            return Err(self.error("only `${NAME}` can be read, without further operators"));
        }
        match variables.get(&name) {
            Some(assigned) => *value += &assigned.value,
            None if name.is_empty() && !braces => value.push('$'),
            None => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Variables, String> {
        Variables::read(Path::new("defaults"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn values_as_a_shell_reads_them() {
        let cases = [
            ("A=b", "b"),
            ("A=", ""),
            ("A=\"b c\"", "b c"),
            ("A='b \"c\" $d'", "b \"c\" $d"),
            ("A=\"b \\\"c\\\" \\$d \\e\"", "b \"c\" $d \\e"),
            ("A=b\\ c", "b c"),
            ("A=a'b'\"c\"", "abc"),
            ("A='one\ntwo'", "one\ntwo"),
            ("A=\"one \\\n two\"", "one  two"),
            ("B=x; A=\"$B ${B}y $C\"", "x xy "),
            ("A=1\nA=\"$A 2\"", "1 2"),
            ("export A=b # a comment", "b"),
            ("A=b\nexport A", "b"),
            ("  # nothing\n\n\tA=b#c", "b#c"),
            ("A=:69\r\n", ":69"),
            ("A=b$", "b$"),
        ];
        for (text, expected) in cases {
            let variables = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(variables.get("A").map(|it| it.value.as_str()), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_assignment_is_named_with_its_line() {
        let cases = [
            ("A=1\n\nif true; then", 3, "only assignments"),
            (". /etc/other", 1, "only assignments"),
            ("A=\"b\n\nc", 1, "the quote \" is not closed"),
            ("\nA='b", 2, "the quote ' is not closed"),
            ("A=$(hostname)", 1, "the output of a command"),
            ("A=\"`hostname`\"", 1, "the output of a command"),
            ("A=${B:-c}", 1, "only `${NAME}`"),
            ("A=b&", 1, "has a meaning for the shell"),
        ];
        for (text, line, expected) in cases {
            let error = read(text).err().unwrap_or_else(|| panic!("{text} was read"));
            assert!(error.starts_with(&format!("defaults:{line}: ")) && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_value_that_doubles_itself_is_bounded() {
        let text = "A=0123456789\n".to_owned() + &"A=$A$A\n".repeat(100);
        assert!(read(&text).unwrap_err().contains("the value is too long"));
    }
}
