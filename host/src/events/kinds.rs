//! The kinds of events that somebody wants to be told.

use super::Happening;
use serde::{Deserialize, Serialize};

/// A kind of event, as manifests name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    Started,
    Progressed,
    Finished,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Started => "started",
            Kind::Progressed => "progressed",
            Kind::Finished => "finished",
        }
    }
}

/// Some of the three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) started: bool,
    pub(crate) progressed: bool,
    pub(crate) finished: bool,
}

impl Kinds {
    pub(crate) const ALL: Kinds = Kinds { started: true, progressed: true, finished: true };

    /// Those, and those.
    pub(crate) fn or(self, other: Kinds) -> Kinds {
        Kinds {
            started: self.started || other.started,
            progressed: self.progressed || other.progressed,
            finished: self.finished || other.finished,
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Kind> {
        let all = [
            (self.started, Kind::Started),
            (self.progressed, Kind::Progressed),
            (self.finished, Kind::Finished),
        ];
        all.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind))
    }

    pub(crate) fn include(self, what: &Happening) -> bool {
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
