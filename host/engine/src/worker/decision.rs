//! The decision about a request, as the control side sends it to a worker.

use super::content::Content;
use std::sync::Arc;
use tuffet_core::{Limits, Settings};
use tuffet_request::ErrorCode;
use tuffet_request::events::{Answered, Ending};
use tuffet_store::Identity;

/// The decision about a request.
pub enum Decision {
    /// It is granted.
    Grant {
        /// The bytes of the transfer.
        content: Content,
        /// The ceilings of the negotiation.
        limits: Limits,
        /// The settings of this transfer, instead of those of the worker.
        settings: Option<Arc<Settings>>,
        /// The identity of its file if the client may read it as a member of a group.
        group: Option<Box<Identity>>,
    },
    /// It is refused with an ERROR.
    Refuse {
        /// The code of the ERROR.
        code: ErrorCode,
        /// Its text.
        message: String,
        /// How the request ends.
        ending: Ending,
    },
    /// It is dropped.
    Drop {
        /// How the request ends.
        ending: Ending,
    },
}

impl Decision {
    /// The decision in one word.
    pub fn answered(&self) -> Answered {
        match self {
            Decision::Grant { .. } => Answered::Granted,
            Decision::Refuse { .. } => Answered::Refused,
            Decision::Drop { .. } => Answered::Dropped,
        }
    }

    /// Bytes on the wire, if known: the size of the file to be read, or the size that the client `announced`
    /// for an upload.
    pub fn size(&self, announced: Option<u64>) -> Option<u64> {
        match self {
            Decision::Grant { content: Content::Upload(_), .. } => announced,
            Decision::Grant { content, .. } => content.size(),
            Decision::Refuse { .. } | Decision::Drop { .. } => None,
        }
    }
}
