//! Why a transfer ends when its client sends another request, and whose fault that may be.

use std::borrow::Cow;
use tuffet_core::Transfer;
use tuffet_request::events::{Ending, Outcome, UNACKNOWLEDGED};

/// The request because of which an earlier transfer of its client ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Successor {
    /// The same request, from the same port.
    Same,
    /// Another one from the same port.
    Other,
    /// The same one, which began beside this transfer and which the client has answered.
    Beside,
}

impl Successor {
    /// Returns how the earlier transfer has ended.
    pub(super) fn ending_of(self, core: &Transfer) -> Ending {
        if core.is_confirmed() {
            return Outcome::Served.into();
        }
        // Some boot ROMs never send the last ACK, but the next request.
        if core.lacks_the_last_ack() {
            return Ending::new(Outcome::Served, UNACKNOWLEDGED);
        }
        Ending::new(Outcome::Aborted, self.detail(core))
    }

    /// Returns the detail of the earlier transfer: whose fault its end may be.
    fn detail(self, core: &Transfer) -> Cow<'static, str> {
        let blocks = core.blocks();
        match self {
            Successor::Other if core.is_unproven() => {
                "the client sent another request from the same port, and had acknowledged nothing of this one".into()
            }
            Successor::Other => {
                format!("the client sent another request from the same port after block {blocks}").into()
            }
            Successor::Same if core.is_held_back() => {
                "the client asked again from the same port, while its first answer waited for the rate".into()
            }
            Successor::Same if core.is_unproven() => {
                "the client asked again from the same port, and had acknowledged nothing: the answers do not reach it, \
                 or it started over"
                    .into()
            }
            Successor::Same if blocks == 0 => {
                "the client asked again from the same port, and had acknowledged the options alone: the first block does \
                 not reach it, or it started over"
                    .into()
            }
            Successor::Same | Successor::Beside => {
                format!("the client asked again from the same port after block {blocks}: it started over").into()
            }
        }
    }
}
