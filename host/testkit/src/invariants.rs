//! What holds in every simulated world, whatever goes wrong: each invariant has a name, and a run that
//! breaks one fails by that name.
//!
//! Nothing here depends on how a world is made: the simulation of the protocol (`core/tests/simulation`)
//! and that of the server's worker (`host/engine/src/worker/simulation`) fill in the same facts.

use std::fmt::{self, Debug, Display};

/// The invariants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// A transfer that has begun ends, and reports one outcome: not none, not two. What an operator counts
    /// and bills, and what an observer is told, is right only then. After it nothing is sent but the last
    /// ACK once more (RFC 1350 section 6, "dallying").
    ExactlyOneOutcome,
    /// Whoever takes a transfer for complete has the bytes of the file, all of them, in order, and nothing
    /// else; who cannot have them ends with an ERROR or by a time-out (RFC 1350 sections 2 and 7). A file
    /// that fails, shrinks or changes under a transfer never looks whole.
    ///
    /// TFTP has no checksum: harm on the way is found by UDP's (RFC 768) and such datagrams are lost. Where
    /// there is none (over IPv4 it may be left out) nobody can promise this, and it is not asked.
    IdenticalBytesOrError,
    /// A sender takes a transfer for complete only when its receiver does: the last ACK says that
    /// everything was taken, and stored where it is an upload (RFC 1350 section 6).
    NoSuccessOfOneSideAlone,
    /// What a transfer needs is bounded, in room and in time: a state of fixed size, one window to send
    /// again, no block kept beyond a gap; and it is over a bounded time after the last thing that was new,
    /// however much its peer says. When all is over nothing is left.
    BoundedMemory,
    /// Before a client has shown that it hears what is sent to its address, it gets at most
    /// [`ANSWERS_BEFORE_PROOF`] packets of at most [`BYTES_BEFORE_PROOF`] bytes for each of its own, so that
    /// a server is of little use to who asks in another's name (RFC 5405 section 3.1.6, "amplification").
    BoundedAnswersBeforeProof,
    /// The first window after ACK 0, which may have been forged as well, goes out once for each datagram of the
    /// client, and [`FIRST_WINDOW_PROBES`] of its blocks at most go out again.
    BoundedFirstWindow,
    /// Every datagram and every time-out causes one window at most, or one packet: no storm of copies (RFC
    /// 1123 section 4.2.3.1, the Sorcerer's Apprentice, and its relatives for windows).
    BoundedAnswers,
    /// Where nothing is lost, doubled or late, nothing is sent twice: retransmission answers a loss.
    NoNeedlessRepeats,
    /// On a path that loses little, honest ends with sound disks come to a good end.
    HonestTransfersSucceed,
    /// A host that follows the rule of use sleeps: it is not woken again and again at the same time, and one
    /// datagram asks for a handful of steps.
    NoBusyLoop,
    /// A receiver is given each byte once and in order: offsets are contiguous, and the length is that of
    /// the payload at hand.
    ContiguousOffsets,
}

/// Packets for each datagram of a client that has not proven its address: an answer and two repeats.
pub const ANSWERS_BEFORE_PROOF: u64 = 3;

/// The longest of these packets: a DATA of 512 bytes, since larger blocks have to be negotiated, and an
/// OACK waits for its ACK (RFC 2347).
pub const BYTES_BEFORE_PROOF: u64 = 516;

/// Blocks of a first window that go out again for each datagram of a client before it has acknowledged one. Of a
/// window of one block, four.
pub const FIRST_WINDOW_PROBES: u64 = 10;

impl Invariant {
    /// As failures name it.
    pub fn name(self) -> &'static str {
        match self {
            Invariant::ExactlyOneOutcome => "exactly-one-outcome",
            Invariant::IdenticalBytesOrError => "identical-bytes-or-error",
            Invariant::NoSuccessOfOneSideAlone => "no-success-of-one-side-alone",
            Invariant::BoundedMemory => "bounded-memory",
            Invariant::BoundedAnswersBeforeProof => "bounded-answers-before-proof",
            Invariant::BoundedFirstWindow => "bounded-first-window",
            Invariant::BoundedAnswers => "bounded-answers",
            Invariant::NoNeedlessRepeats => "no-needless-repeats",
            Invariant::HonestTransfersSucceed => "honest-transfers-succeed",
            Invariant::NoBusyLoop => "no-busy-loop",
            Invariant::ContiguousOffsets => "contiguous-offsets",
        }
    }

    /// Fails the run by the name of the invariant unless it `holds`.
    #[track_caller]
    pub fn demand(self, holds: bool, evidence: impl Display) {
        assert!(holds, "invariant `{}` is broken: {evidence}", self.name());
    }

    /// The same for two things that must be equal.
    #[track_caller]
    pub fn demand_eq<T: PartialEq + Debug>(self, got: T, due: T, evidence: impl Display) {
        self.demand(got == due, format_args!("{evidence}: {got:?}, not {due:?}"));
    }
}

/// How the transfers of one end went, when all is over.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lives {
    /// Transfers that have begun.
    pub begun: u64,
    /// Outcomes that were reported.
    pub outcomes: u64,
    /// Those that are still held.
    pub held: u64,
}

/// [`Invariant::ExactlyOneOutcome`], when all is over.
pub fn exactly_one_outcome(who: &str, lives: Lives) {
    Invariant::ExactlyOneOutcome.demand_eq(
        lives.outcomes,
        lives.begun,
        format_args!("outcomes of the {who}"),
    );
}

/// [`Invariant::BoundedMemory`], when all is over.
pub fn bounded_memory(who: &str, lives: Lives) {
    Invariant::BoundedMemory.demand_eq(lives.held, 0, format_args!("transfers that the {who} still holds"));
}

/// What an end that took its transfer for complete received, beside what was sent.
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

/// What passed between one client's address and a server while the address was not proven.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unproven {
    /// Datagrams that the server got.
    pub heard: u64,
    /// Packets that it sent.
    pub answers: u64,
    /// The bytes in them (UDP payload).
    pub bytes: u64,
}

/// [`Invariant::BoundedAnswersBeforeProof`], so far.
pub fn bounded_answers_before_proof(it: Unproven) {
    let (packets, bytes) = (it.heard * ANSWERS_BEFORE_PROOF, it.answers * BYTES_BEFORE_PROOF);
    Invariant::BoundedAnswersBeforeProof
        .demand(it.answers <= packets && it.bytes <= bytes, format_args!("{it:?}"));
}

/// What a sender did between the handshake and the first block that was acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub struct FirstWindow {
    /// Datagrams of the client, the ACK 0 included.
    pub heard: u64,
    /// Blocks that went out.
    pub blocks: u64,
    /// Blocks in a window.
    pub window: u64,
}

/// [`Invariant::BoundedFirstWindow`], so far.
pub fn bounded_first_window(it: FirstWindow) {
    let most = it.heard * (it.window + FIRST_WINDOW_PROBES.min(4 * it.window));
    Invariant::BoundedFirstWindow.demand(it.blocks <= most, format_args!("{it:?}, {most} at most"));
}

/// What an end heard and said in all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Talk {
    /// Datagrams received.
    pub heard: u64,
    /// Times that it acted on its own: time-outs, decisions, what was stored, failures of its side.
    pub own: u64,
    /// DATA packets sent.
    pub blocks: u64,
    /// All other packets sent.
    pub others: u64,
    /// Blocks in a window.
    pub window: u64,
}

/// [`Invariant::BoundedAnswers`], when all is over.
pub fn bounded_answers(who: &str, it: Talk) {
    let causes = it.heard + it.own;
    Invariant::BoundedAnswers
        .demand(it.blocks <= causes * it.window && it.others <= causes, format_args!("{who}: {it:?}"));
}
