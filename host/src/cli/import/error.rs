//! Why nothing is imported.

use super::place::Place;
use std::fmt::{self, Display};

/// An import that ends without a configuration.
#[derive(Debug)]
pub(super) enum ImportError {
    /// The input is wrong: the original server would refuse it, too, or it cannot be read.
    Invalid { place: Place, text: String },
    /// The input is right, but no configuration does what it asks for.
    Impossible { place: Place, text: String },
}

impl ImportError {
    pub(super) fn invalid(place: &Place, text: impl Into<String>) -> ImportError {
        ImportError::Invalid { place: place.clone(), text: text.into() }
    }

    pub(super) fn impossible(place: &Place, text: impl Into<String>) -> ImportError {
        ImportError::Impossible { place: place.clone(), text: text.into() }
    }
}

impl Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Invalid { place, text } | ImportError::Impossible { place, text } => {
                write!(f, "{place}: {text}")
            }
        }
    }
}
