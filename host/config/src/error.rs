//! The problems of a configuration, with their positions.

use std::fmt;
use std::path::PathBuf;

/// All problems found. Displays one per line, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    problems: Vec<Problem>,
    unchecked: Option<&'static str>,
}

/// One problem: `FILE:LINE:COLUMN: PROBLEM; REMEDY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its place.
    pub place: ProblemPlace,
    /// The problem and its remedy.
    pub message: String,
}

/// The place of a problem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemPlace {
    /// On the command line: the flag.
    Flag(&'static str),
    /// In a file as a whole.
    File(PathBuf),
    /// At a position in a file.
    Position(PathBuf, Position),
}

/// A position in a text, counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// A problem at a position in a text.
pub(super) type Fault = (Position, String);

impl ConfigError {
    /// Sorts the problems into the order of the file. There must be at least one.
    pub(super) fn new(mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| a.place.cmp(&b.place));
        problems.dedup();
        Self { problems, unchecked: None }
    }

    pub(super) fn one(place: ProblemPlace, message: impl Into<String>) -> Self {
        Self { problems: vec![Problem { place, message: message.into() }], unchecked: None }
    }

    /// Creates the error for a source as a whole, for instance because it does not answer.
    pub fn of_source(name: &str, message: impl Into<String>) -> Self {
        Self::one(ProblemPlace::File(name.into()), message)
    }

    /// Records the checks that these problems prevented.
    pub(super) fn unchecked(self, what: &'static str) -> Self {
        Self { unchecked: Some(what), ..self }
    }

    /// Returns the checks that these problems prevented, if any.
    pub fn not_checked(&self) -> Option<&'static str> {
        self.unchecked
    }

    /// Returns the problems, in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl fmt::Display for ProblemPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Position(path, position) => write!(f, "{}:{position}", path.display()),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
