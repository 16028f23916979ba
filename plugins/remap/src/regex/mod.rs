//! Regular expressions over bytes, in time that is linear in the text.
//!
//! A map file means what glibc makes of it, submatches included, and a rule of atftpd what PCRE makes of it.
//! Both are compiled to the same automaton. A search passes over the text a few times, and no pass tries a
//! byte twice for the same state:
//!
//! 1. forwards, with sets of states as bits: is there a match at all ([`scan`]);
//! 2. where does the first one begin, and the longest one from there end;
//! 3. backwards: which states lead to that end;
//! 4. forwards: by way of which groups ([`walk`]).

mod ast;
mod bracket;
mod compile;
mod ere;
mod perl;
mod program;
mod scan;
#[cfg(test)]
mod tests;
mod walk;

pub(crate) use walk::Groups;

use program::Program;
use scan::Tables;

/// The longest expression, in bytes.
const MAX_LENGTH: usize = 32 << 10;
/// The most bytes of the tables of an expression, which grow with the square of its counts.
const MOST: usize = 4 << 20;

/// The notation of an expression, and which of several matches counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Extended regular expressions as glibc takes them; of the matches that begin first, the longest.
    Posix,
    /// Those of PCRE that need no backtracking; of the matches that begin first, the one tried first.
    Perl,
}

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadRegex {
    /// A byte of the expression, counted from 0.
    pub at: usize,
    /// What is wrong, and how to write it.
    pub what: String,
}

impl std::fmt::Display for BadRegex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "character {}: {}", self.at + 1, self.what)
    }
}

/// A compiled expression.
pub(crate) struct Regex {
    program: Program,
    tables: Tables,
    syntax: Syntax,
}

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn new(pattern: &[u8], syntax: Syntax, ignore_case: bool) -> Result<Regex, BadRegex> {
        if pattern.len() > MAX_LENGTH {
            return Err(BadRegex { at: MAX_LENGTH, what: format!("it is longer than {MAX_LENGTH} bytes") });
        }
        let (ast, groups) = match syntax {
            Syntax::Posix => ere::parse(pattern, ignore_case)?,
            Syntax::Perl => perl::parse(pattern, ignore_case)?,
        };
        let program = compile::compile(&ast, groups)
            .map_err(|what| BadRegex { at: pattern.len().saturating_sub(1), what })?;
        let at = pattern.len().saturating_sub(1);
        let too_large = || BadRegex { at, what: compile::TOO_LARGE.into() };
        let tables = Tables::new(&program, MOST).ok_or_else(too_large)?;
        Ok(Regex { program, tables, syntax })
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Regex>() + size_of_val(&*self.program.nodes) + self.tables.bytes()
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.program.groups
    }

    /// Whether it matches a part of the text. `continues`: the text is the rest of a longer one, and `^` does
    /// not match at its beginning.
    pub fn is_match(&self, text: &[u8], continues: bool) -> bool {
        self.tables.matches(text, continues)
    }

    /// The match, and its groups.
    pub fn find(&self, text: &[u8], continues: bool) -> Option<Groups> {
        if !self.is_match(text, continues) {
            return None;
        }
        walk::find(&self.program, &self.tables, text, continues, self.syntax == Syntax::Posix)
    }
}
