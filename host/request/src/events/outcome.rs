//! The outcomes of requests, derived from the ends of transfers.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use tuffet_core::{Finish, Operation};

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The client acknowledged the last block; or all others, and left without that, as the detail says.
    Served,
    /// The upload is on disk under its name and the last ACK was sent.
    Stored,
    /// The client requested only the size, closed early as GRUB and iPXE do, or took one packet and closed its port, as
    /// monitors do. Not a failure.
    Probed,
    /// The client ended it, broke the protocol, or requested something else instead.
    Aborted,
    /// Policy, a root's rules or a limit refused it.
    Denied,
    /// The file does not exist.
    NotFound,
    /// The client fell silent.
    TimedOut,
    /// An error of the server.
    Failed,
}

impl Outcome {
    /// All outcomes, in the order of their values.
    pub const ALL: [Outcome; 8] = [
        Outcome::Served,
        Outcome::Stored,
        Outcome::Probed,
        Outcome::Aborted,
        Outcome::Denied,
        Outcome::NotFound,
        Outcome::TimedOut,
        Outcome::Failed,
    ];

    /// Whether the request failed from the client's point of view.
    pub fn is_failure(self) -> bool {
        matches!(self, Outcome::Denied | Outcome::NotFound | Outcome::TimedOut | Outcome::Failed)
    }

    /// Whether the server refused the request, rather than failed at it.
    pub fn is_refusal(self) -> bool {
        matches!(self, Outcome::Denied | Outcome::NotFound)
    }

    /// Returns the word in logs, metrics and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Served => "served",
            Outcome::Stored => "stored",
            Outcome::Probed => "probed",
            Outcome::Aborted => "aborted",
            Outcome::Denied => "denied",
            Outcome::NotFound => "not-found",
            Outcome::TimedOut => "timed-out",
            Outcome::Failed => "failed",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An outcome with an optional detail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// How it ended.
    pub outcome: Outcome,
    /// Only for the log, because it may contain facts that the client must not learn.
    pub detail: Option<Cow<'static, str>>,
    /// The ERROR that refused the request, or by which the client ended it.
    pub error: Option<LastError>,
}

/// An ERROR packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LastError {
    /// The server refused the request with this code.
    Sent(u16),
    /// The client ended the transfer.
    Received {
        /// Its code.
        code: u16,
        /// Its text, as sent.
        text: Box<str>,
    },
}

impl Ending {
    /// Creates an ending with a detail for the log.
    pub fn new(outcome: Outcome, detail: impl Into<Cow<'static, str>>) -> Self {
        Ending { outcome, detail: Some(detail.into()), error: None }
    }
}

impl From<Outcome> for Ending {
    fn from(outcome: Outcome) -> Self {
        Ending { outcome, detail: None, error: None }
    }
}

/// The detail of a served file whose last ACK is missing: some boot ROMs never send it.
pub const UNACKNOWLEDGED: &str = "the ACK of the last block is missing";

/// The detail of a file that a client has wrong, because it counts packets and got one twice.
const MISCOUNTED: &str = "the client counted a repeated block as the next one, so its file is wrong";

/// Returns the outcome of a transfer that the server did not end itself. `blocks` is the number of blocks received by
/// the receiving end; `text` is the text of the client's ERROR.
pub fn outcome_of(operation: Operation, finish: Finish, blocks: u64, text: Option<String>) -> Ending {
    match (finish, operation) {
        (Finish::Complete, Operation::Read) => Outcome::Served.into(),
        (Finish::Complete, Operation::Write) => Outcome::Stored.into(),
        (Finish::PeerError(code), _) => {
            let text = text.unwrap_or_default();
            let detail = format!("ERROR {code} {text:?} from the client");
            let error = LastError::Received { code, text: text.into() };
            Ending { error: Some(error), ..Ending::new(ended_by_client(operation, code, blocks), detail) }
        }
        (Finish::TimedOut, Operation::Read) if blocks == 0 => {
            Ending::new(Outcome::TimedOut, "the client never answered")
        }
        (Finish::TimedOut, _) => Ending::new(Outcome::TimedOut, format!("silent after block {blocks}")),
        (Finish::Unacknowledged, _) => Ending::new(Outcome::Served, UNACKNOWLEDGED),
        (Finish::Miscounted, _) => Ending::new(Outcome::Failed, MISCOUNTED),
        // The server reports its own failures separately; this one is a violation of the protocol.
        (Finish::Failed(code), _) => {
            Ending::new(Outcome::Aborted, format!("the client broke the protocol: {code:?}"))
        }
    }
}

/// UEFI requests the size and then refuses the options (ERROR 8). GRUB and iPXE close with ERROR 0 once they have
/// enough data.
fn ended_by_client(operation: Operation, code: u16, blocks: u64) -> Outcome {
    match (operation, code) {
        (Operation::Read, 0) => Outcome::Probed,
        (Operation::Read, 8) if blocks == 0 => Outcome::Probed,
        _ => Outcome::Aborted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_of_the_client_are_distinguished() {
        let outcome = |operation, finish, blocks| outcome_of(operation, finish, blocks, None).outcome;
        assert_eq!(outcome(Operation::Read, Finish::PeerError(8), 0), Outcome::Probed);
        assert_eq!(outcome(Operation::Read, Finish::PeerError(0), 50), Outcome::Probed);
        assert_eq!(outcome(Operation::Read, Finish::PeerError(3), 50), Outcome::Aborted);
        assert_eq!(outcome(Operation::Read, Finish::PeerError(8), 50), Outcome::Aborted);
        assert_eq!(outcome(Operation::Write, Finish::PeerError(0), 0), Outcome::Aborted);
        assert_eq!(outcome(Operation::Write, Finish::Complete, 9), Outcome::Stored);
        assert_eq!(outcome(Operation::Read, Finish::TimedOut, 0), Outcome::TimedOut);
    }
}
