//! Locations in the input: a line of a file, or the command line.

use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Location {
    CommandLine,
    /// A file as a whole.
    File(Arc<str>),
    /// Counted from 1.
    Line(Arc<str>, usize),
}

impl Location {
    pub(crate) fn file(path: &Path) -> Location {
        Location::File(path.display().to_string().into())
    }

    /// Returns a line of the same file; the command line has none.
    pub(crate) fn line(&self, line: usize) -> Location {
        match self {
            Location::CommandLine => Location::CommandLine,
            Location::File(file) | Location::Line(file, _) => Location::Line(Arc::clone(file), line),
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::CommandLine => f.write_str("command line"),
            Location::File(file) => write!(f, "{file}"),
            Location::Line(file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// A word of a command line and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) location: Location,
}

impl Word {
    pub(crate) fn new(text: impl Into<String>, location: &Location) -> Word {
        Word { text: text.into(), location: location.clone() }
    }
}
