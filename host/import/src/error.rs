//! The reasons why nothing is imported.

use crate::location::Location;
use std::fmt::{self, Display};

/// An import that ends without a configuration.
#[derive(Debug)]
pub(crate) enum ImportError {
    /// The input cannot be read, or the original server would refuse it, too.
    Invalid { location: Location, text: String },
    /// The input is valid, but Tuffet has no equivalent configuration.
    Impossible { location: Location, text: String },
}

impl ImportError {
    pub(crate) fn invalid(location: &Location, text: impl Into<String>) -> ImportError {
        ImportError::Invalid { location: location.clone(), text: text.into() }
    }

    pub(crate) fn impossible(location: &Location, text: impl Into<String>) -> ImportError {
        ImportError::Impossible { location: location.clone(), text: text.into() }
    }
}

impl Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Invalid { location, text } | ImportError::Impossible { location, text } => {
                write!(f, "{location}: {text}")
            }
        }
    }
}
