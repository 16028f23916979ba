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
        let (ast, groups) = match syntax {
            Syntax::Posix => ere::parse(pattern, ignore_case)?,
            Syntax::Perl => perl::parse(pattern, ignore_case)?,
        };
        let program = compile::compile(&ast, groups)
            .map_err(|what| BadRegex { at: pattern.len().saturating_sub(1), what })?;
        let tables = Tables::new(&program);
        Ok(Regex { program, tables, syntax })
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
