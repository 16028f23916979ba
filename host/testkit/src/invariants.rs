//! The invariants of every simulated world, under all faults: each has a name, and a violation fails the run
//! with that name.
//!
//! Nothing here depends on the construction of a world: the simulation of the protocol
//! (`core/tests/simulation`) and that of the server's worker (`host/engine/src/worker/simulation`) fill in
//! the same facts.

use std::fmt::{self, Debug, Display};

/// The invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// A transfer that has begun ends, and reports one outcome: not none, not two. Otherwise the counts of an
    /// operator and the events of an observer would be wrong. After the outcome only the last ACK is repeated
    /// (RFC 1350 section 6, "dallying").
    ExactlyOneOutcome,
    /// An end that considers a transfer complete has exactly the bytes of the file, in order; otherwise it
    /// ends with an ERROR or by a time-out (RFC 1350 sections 2 and 7). A file that fails, shrinks or changes
    /// during a transfer never looks complete.
    ///
    /// TFTP has no checksum: UDP's (RFC 768) detects corruption on the path, and such datagrams are lost.
    /// Without a UDP checksum (it is optional over IPv4) this cannot be guaranteed, and is not required.
    IdenticalBytesOrError,
    /// A sender considers a transfer complete only if its receiver does: the last ACK confirms that all
    /// blocks were accepted, and stored if it is an upload (RFC 1350 section 6).
    NoSuccessOfOneSideAlone,
    /// The resources of a transfer are bounded, in memory and in time: a state of fixed size, one window to
    /// retransmit, no block kept beyond a gap; and it ends within a bounded time after the last progress,
    /// regardless of the traffic of its peer. No state remains after all transfers have ended.
    BoundedMemory,
    /// Before a client has proven that it receives at its address, it gets at most [`ANSWERS_BEFORE_PROOF`]
    /// packets of at most [`BYTES_BEFORE_PROOF`] bytes for each of its own, so that a server is of little use
    /// to an attacker who spoofs an address (RFC 5405 section 3.1.6, "amplification").
    BoundedAnswersBeforeProof,
    /// The first window after ACK 0, which may have been forged as well, is sent once per datagram of the
    /// client, and at most [`FIRST_WINDOW_PROBES`] of its blocks are retransmitted.
    BoundedFirstWindow,
    /// Every datagram and every time-out causes at most one window or one packet: no storm of copies (RFC
    /// 1123 section 4.2.3.1, the Sorcerer's Apprentice, and its relatives for windows).
    BoundedAnswers,
    /// No receiver that compares block numbers is taken for one that counts copies, whatever the path does.
    NoHonestClientIsAccused,
    /// If nothing is lost, duplicated or late, nothing is sent twice: retransmission answers a loss.
    NoNeedlessRepeats,
    /// On a path with few losses, honest ends with sound disks succeed.
    HonestTransfersSucceed,
    /// A host that follows the rule of use sleeps: it is not woken repeatedly at the same time, and one
    /// datagram causes a handful of steps.
    NoBusyLoop,
    /// A receiver gets each byte once and in order: offsets are contiguous, and the length is that of the
    /// payload at hand.
    ContiguousOffsets,
}

/// Packets per datagram of a client that has not proven its address: an answer and two retransmissions.
pub const ANSWERS_BEFORE_PROOF: u64 = 3;

/// The longest of these packets: a DATA of 512 bytes, because larger blocks must be negotiated, and an OACK
/// waits for its ACK (RFC 2347).
pub const BYTES_BEFORE_PROOF: u64 = 516;

/// Blocks of a first window that are retransmitted per datagram of a client before it has acknowledged one.
/// Four of a window of one block.
pub const FIRST_WINDOW_PROBES: u64 = 10;

impl Invariant {
    /// Returns the name in failures.
    pub fn name(self) -> &'static str {
        match self {
            Invariant::ExactlyOneOutcome => "exactly-one-outcome",
            Invariant::IdenticalBytesOrError => "identical-bytes-or-error",
            Invariant::NoSuccessOfOneSideAlone => "no-success-of-one-side-alone",
            Invariant::BoundedMemory => "bounded-memory",
            Invariant::BoundedAnswersBeforeProof => "bounded-answers-before-proof",
            Invariant::BoundedFirstWindow => "bounded-first-window",
            Invariant::BoundedAnswers => "bounded-answers",
            Invariant::NoHonestClientIsAccused => "no-honest-client-is-accused",
            Invariant::NoNeedlessRepeats => "no-needless-repeats",
            Invariant::HonestTransfersSucceed => "honest-transfers-succeed",
            Invariant::NoBusyLoop => "no-busy-loop",
            Invariant::ContiguousOffsets => "contiguous-offsets",
        }
    }

    /// Fails the run with the name of the invariant unless it `holds`.
    #[track_caller]
    pub fn demand(self, holds: bool, evidence: impl Display) {
        assert!(holds, "invariant `{}` is broken: {evidence}", self.name());
    }

    /// Fails the run unless the two values are equal.
    #[track_caller]
    pub fn demand_eq<T: PartialEq + Debug>(self, got: T, due: T, evidence: impl Display) {
        self.demand(got == due, format_args!("{evidence}: {got:?}, not {due:?}"));
    }
}

/// The transfers of one end, after the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lives {
    /// Transfers that have begun.
    pub begun: u64,
    /// Outcomes that were reported.
    pub outcomes: u64,
    /// Transfers still held.
    pub held: u64,
}

/// Checks [`Invariant::ExactlyOneOutcome`] after the run.
pub fn exactly_one_outcome(who: &str, lives: Lives) {
    Invariant::ExactlyOneOutcome.demand_eq(
        lives.outcomes,
        lives.begun,
        format_args!("outcomes of the {who}"),
    );
}

/// Checks [`Invariant::BoundedMemory`] after the run.
pub fn bounded_memory(who: &str, lives: Lives) {
    Invariant::BoundedMemory.demand_eq(lives.held, 0, format_args!("transfers that the {who} still holds"));
}

/// Checks the bytes at an end that considers its transfer complete against those that were sent.
pub fn identical_bytes(who: &str, received: &[u8], file: &[u8]) {
    let first = received.iter().zip(file).position(|(got, due)| got != due);
    let evidence = Difference { received: received.len(), file: file.len(), first };
    Invariant::IdenticalBytesOrError
        .demand(received == file, format_args!("the {who} took it for complete with {evidence}"));
}

struct Difference {
    received: usize,
    file: usize,
    first: Option<usize>,
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.received, self.file)?;
        self.first.map_or(Ok(()), |at| write!(f, ", another one at {at}"))
    }
}

/// The exchange between one client's address and a server while the address was unproven.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unproven {
    /// Datagrams that the server received.
    pub heard: u64,
    /// Packets that it sent.
    pub answers: u64,
    /// The bytes in them (UDP payload).
    pub bytes: u64,
}

/// Checks [`Invariant::BoundedAnswersBeforeProof`] up to now.
pub fn bounded_answers_before_proof(it: Unproven) {
    let (packets, bytes) = (it.heard * ANSWERS_BEFORE_PROOF, it.answers * BYTES_BEFORE_PROOF);
    Invariant::BoundedAnswersBeforeProof
        .demand(it.answers <= packets && it.bytes <= bytes, format_args!("{it:?}"));
}

/// The sender's activity between the handshake and the first acknowledged block.
#[derive(Debug, Clone, Copy, Default)]
pub struct FirstWindow {
    /// Datagrams of the client, including the ACK 0.
    pub heard: u64,
    /// Blocks sent.
    pub blocks: u64,
    /// Blocks in a window.
    pub window: u64,
}

/// Checks [`Invariant::BoundedFirstWindow`] up to now.
pub fn bounded_first_window(it: FirstWindow) {
    let most = it.heard * (it.window + FIRST_WINDOW_PROBES.min(4 * it.window));
    Invariant::BoundedFirstWindow.demand(it.blocks <= most, format_args!("{it:?}, {most} at most"));
}

/// The total traffic of an end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Talk {
    /// Datagrams received.
    pub heard: u64,
    /// Actions without a datagram: time-outs, decisions, completed stores, failures of its side.
    pub own: u64,
    /// DATA packets sent.
    pub blocks: u64,
    /// All other packets sent.
    pub others: u64,
    /// Blocks in a window.
    pub window: u64,
}

/// Checks [`Invariant::BoundedAnswers`] after the run.
pub fn bounded_answers(who: &str, it: Talk) {
    let causes = it.heard + it.own;
    Invariant::BoundedAnswers
        .demand(it.blocks <= causes * it.window && it.others <= causes, format_args!("{who}: {it:?}"));
}
