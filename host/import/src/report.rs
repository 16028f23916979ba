//! Differences between the written configuration and the original.

use crate::location::Location;
use std::fmt::{self, Display};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Works in another way.
    Differs,
    /// Has no counterpart.
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    location: Location,
    kind: Kind,
    text: String,
}

impl Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Differs => "differs",
            Kind::Missing => "not carried over",
        };
        write!(f, "{}: {kind}: {}", self.location, self.text)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Report(Vec<Remark>);

impl Report {
    /// Reports a difference, and returns the comment for its key.
    pub(crate) fn differs(&mut self, location: &Location, text: impl Into<String>) -> String {
        self.add(location, Kind::Differs, text.into())
    }

    /// Reports something without a counterpart, and returns the comment for its key.
    pub(crate) fn missing(&mut self, location: &Location, text: impl Into<String>) -> String {
        self.add(location, Kind::Missing, text.into())
    }

    fn add(&mut self, location: &Location, kind: Kind, text: String) -> String {
        let remark = Remark { location: location.clone(), kind, text };
        let comment = remark.to_string();
        if !self.0.contains(&remark) {
            self.0.push(remark);
        }
        comment
    }

    pub(crate) fn remarks(&self) -> &[Remark] {
        &self.0
    }

    /// Whether everything has a counterpart.
    pub(crate) fn is_complete(&self) -> bool {
        self.0.iter().all(|remark| remark.kind != Kind::Missing)
    }
}
