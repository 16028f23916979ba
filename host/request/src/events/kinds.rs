//! The kinds of events that observers subscribe to.

use super::EventKind;
use serde::{Deserialize, Serialize};

/// A kind of event, as manifests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A request was granted.
    Started,
    /// A transfer made progress.
    Progressed,
    /// A request has ended.
    Finished,
}

impl Kind {
    /// Returns its name in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Started => "started",
            Kind::Progressed => "progressed",
            Kind::Finished => "finished",
        }
    }
}

/// A set of the three kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// [`Kind::Started`].
    pub started: bool,
    /// [`Kind::Progressed`].
    pub progressed: bool,
    /// [`Kind::Finished`].
    pub finished: bool,
}

impl Kinds {
    /// All three.
    pub const ALL: Kinds = Kinds { started: true, progressed: true, finished: true };

    /// Returns the union of two sets.
    #[doc(hidden)]
    pub fn or(self, other: Kinds) -> Kinds {
        Kinds {
            started: self.started || other.started,
            progressed: self.progressed || other.progressed,
            finished: self.finished || other.finished,
        }
    }

    /// Iterates over the kinds in the set.
    #[doc(hidden)]
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        let all = [
            (self.started, Kind::Started),
            (self.progressed, Kind::Progressed),
            (self.finished, Kind::Finished),
        ];
        all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind))
    }

    /// Returns whether the set includes the kind of this event.
    #[doc(hidden)]
    pub fn include(self, what: &EventKind) -> bool {
        match what {
            EventKind::Started { .. } => self.started,
            EventKind::Progressed { .. } => self.progressed,
            EventKind::Finished(_) => self.finished,
        }
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Kinds {
        kinds.into_iter().fold(Kinds::default(), |all, kind| match kind {
            Kind::Started => Kinds { started: true, ..all },
            Kind::Progressed => Kinds { progressed: true, ..all },
            Kind::Finished => Kinds { finished: true, ..all },
        })
    }
}
