//! Where something is written: a line of a file, or the command line.

use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    CommandLine,
    /// A file as a whole.
    File(Arc<str>),
    /// Counted from 1.
    Line(Arc<str>, usize),
}

impl Place {
    pub(super) fn file(path: &Path) -> Place {
        Place::File(path.display().to_string().into())
    }

    /// Returns a line of the same file; the command line has none.
    pub(super) fn line(&self, line: usize) -> Place {
        match self {
            Place::CommandLine => Place::CommandLine,
            Place::File(file) | Place::Line(file, _) => Place::Line(Arc::clone(file), line),
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::CommandLine => f.write_str("command line"),
            Place::File(file) => write!(f, "{file}"),
            Place::Line(file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// A word of a command line, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) place: Place,
}

impl Word {
    pub(super) fn new(text: impl Into<String>, place: &Place) -> Word {
        Word { text: text.into(), place: place.clone() }
    }
}
