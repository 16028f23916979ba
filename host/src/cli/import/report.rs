//! What the written configuration does otherwise than the original.

use super::place::Place;
use std::fmt::{self, Display};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Works, but not in the same way.
    Differs,
    /// Has no counterpart: what it did is missing.
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remark {
    place: Place,
    kind: Kind,
    text: String,
}

impl Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Differs => "differs",
            Kind::Missing => "not carried over",
        };
        write!(f, "{}: {kind}: {}", self.place, self.text)
    }
}

#[derive(Debug, Default)]
pub(super) struct Report(Vec<Remark>);

impl Report {
    /// Reports a difference, and returns the comment for the key that it is about.
    pub(super) fn differs(&mut self, place: &Place, text: impl Into<String>) -> String {
        self.add(place, Kind::Differs, text.into())
    }

    /// Reports what has no counterpart, and returns the comment for the key that it is about.
    pub(super) fn missing(&mut self, place: &Place, text: impl Into<String>) -> String {
        self.add(place, Kind::Missing, text.into())
    }

    fn add(&mut self, place: &Place, kind: Kind, text: String) -> String {
        let remark = Remark { place: place.clone(), kind, text };
        let comment = remark.to_string();
        if !self.0.contains(&remark) {
            self.0.push(remark);
        }
        comment
    }

    pub(super) fn remarks(&self) -> &[Remark] {
        &self.0
    }

    /// Whether everything has a counterpart.
    pub(super) fn is_complete(&self) -> bool {
        self.0.iter().all(|remark| remark.kind != Kind::Missing)
    }
}
