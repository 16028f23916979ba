//! The kinds of events that somebody wants to be told.

use super::Happening;
use serde::{Deserialize, Serialize};

/// A kind of event, as manifests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A request was granted.
    Started,
    /// A transfer has moved on.
    Progressed,
    /// A request has ended.
    Finished,
}

impl Kind {
    /// The word for it in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Started => "started",
            Kind::Progressed => "progressed",
            Kind::Finished => "finished",
        }
    }
}

/// Some of the three.
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

    /// Those, and those.
    pub fn or(self, other: Kinds) -> Kinds {
        Kinds {
            started: self.started || other.started,
            progressed: self.progressed || other.progressed,
            finished: self.finished || other.finished,
        }
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        let all = [
            (self.started, Kind::Started),
            (self.progressed, Kind::Progressed),
            (self.finished, Kind::Finished),
        ];
        all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind))
    }

    /// Whether an event is of one of these kinds.
    pub fn include(self, what: &Happening) -> bool {
        match what {
            Happening::Started { .. } => self.started,
            Happening::Progressed { .. } => self.progressed,
            Happening::Finished(_) => self.finished,
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
