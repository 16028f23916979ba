//! Hints: the usual meaning of a pattern in one or several ended transfers of a client.
//!
//! A hint appears in the log line of the transfer, in the live view and in events. It is derived from the summary, so
//! it costs the transfer nothing. docs/logs.md lists the three patterns. Each requires evidence that the client took
//! part, so forged requests and clients that disappear get no hint.

use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::Arc;
use tuffet_core::DEFAULT_BLKSIZE;
use tuffet_request::Operation;
use tuffet_request::events::{Outcome, Summary, Unanswered};

/// Remembered clients. A client that loses its slot to another one starts over.
const CLIENTS: usize = 512;

/// Consecutive unanswered transfers for the same name, from different ports, before there is a hint.
const UNANSWERED_IN_A_ROW: u8 = 3;

/// Blocks of a transfer without retransmission that prove its block size.
const CLEAN_BLOCKS: u64 = 20;

/// Makes hints.
pub(crate) struct Hints {
    /// The names of the listeners with a single port.
    single_ports: Vec<Arc<str>>,
    /// Whether packets forbid routers to fragment them.
    dont_fragment: bool,
    clients: Box<[Option<Client>]>,
    hasher: DefaultHashBuilder,
}

/// The last transfers of a client.
struct Client {
    address: IpAddr,
    /// The hash of the last requested name, and the number of consecutive unanswered requests for it.
    name: u64,
    unanswered: u8,
    /// The largest block size of a transfer without retransmission; 0 if there was none.
    clean: u16,
}

impl Hints {
    /// `single_ports`: the names of the listeners with `single-port`. `dont_fragment` as in the settings.
    pub fn new(single_ports: Vec<Arc<str>>, dont_fragment: bool) -> Hints {
        let clients = (0..CLIENTS).map(|_| None).collect();
        Hints { single_ports, dont_fragment, clients, hasher: DefaultHashBuilder::default() }
    }

    /// Returns the hint for an ended transfer, if it shows a known pattern.
    pub(super) fn of(&mut self, summary: &Summary) -> Option<String> {
        let request = &summary.record.request;
        let (hasher, dont_fragment) = (self.hasher.clone(), self.dont_fragment);
        let client = self.client(request.client.ip().to_canonical());
        let blksize = summary.options.block_size();
        if summary.unanswered == Some(Unanswered::TimedOut) {
            let name = hasher.hash_one(&request.path);
            client.unanswered = if client.name == name { client.unanswered.saturating_add(1) } else { 1 };
            client.name = name;
            let repeats = summary.stats.duplicates > 0 || client.unanswered >= UNANSWERED_IN_A_ROW;
            return repeats.then(|| unreached(self.single_ports.contains(&request.listener)));
        }
        if summary.unanswered.is_none() && summary.options.blksize.is_some() || summary.blocks > 0 {
            client.unanswered = 0;
        }
        if summary.stats.cut_after > 0 {
            return Some(overflows(summary.stats.cut_after));
        }
        if request.operation != Operation::Read {
            return None;
        }
        let clean = client.clean;
        let remedy = if dont_fragment { DONT_FRAGMENT } else { MAX_BLKSIZE };
        let nothing_arrives = summary.ending.outcome == Outcome::TimedOut
            && summary.blocks == 0
            && summary.stats.duplicates > 0
            && blksize > DEFAULT_BLKSIZE;
        if nothing_arrives {
            return Some(too_large(blksize, clean, remedy));
        }
        if summary.ending.outcome != Outcome::Served {
            return None;
        }
        let again = u64::from(summary.stats.retransmissions);
        if again == 0 && summary.blocks >= CLEAN_BLOCKS {
            client.clean = clean.max(blksize);
        }
        // At least a fifth of the blocks was retransmitted, and none of smaller ones.
        let lossy = summary.blocks >= CLEAN_BLOCKS && again >= summary.blocks / 5;
        (lossy && clean > 0 && clean < blksize).then(|| begins_between(clean, blksize, remedy))
    }

    fn client(&mut self, address: IpAddr) -> &mut Client {
        let slot = self.hasher.hash_one(address) as usize % self.clients.len();
        let known = &mut self.clients[slot];
        if known.as_ref().is_none_or(|known| known.address != address) {
            *known = None;
        }
        known.get_or_insert(Client { address, name: 0, unanswered: 0, clean: 0 })
    }
}

fn unreached(single_port: bool) -> String {
    let why = if single_port {
        "does a firewall or a missing route drop them?"
    } else {
        "do firewalls or NAT drop answers from ports above 1023? see `listeners[].single-port`"
    };
    format!("the client repeats its request, so the server's answers do not reach it: {why}")
}

/// Against a path that drops large datagrams.
const MAX_BLKSIZE: &str = "see `transfer.max-blksize`";
const DONT_FRAGMENT: &str = "`transfer.dont-fragment: true` keeps routers from fragmenting them";

fn too_large(blksize: u16, clean: u16, remedy: &str) -> String {
    let known = if clean > 0 && clean < blksize {
        format!("; blocks of {clean} bytes reach it")
    } else {
        String::new()
    };
    format!(
        "the client accepted the options and waits, but no block of {blksize} bytes arrives: does the path drop large \
         datagrams (MTU)? {remedy}{known}"
    )
}

fn begins_between(clean: u16, blksize: u16, remedy: &str) -> String {
    format!(
        "retransmissions begin between blocks of {clean} and of {blksize} bytes: does the path drop large datagrams \
         (MTU)? {remedy}"
    )
}

fn overflows(after: u16) -> String {
    // The same rule as in the pacer.
    let burst = (after - after / 8).max(1);
    format!(
        "windows are cut off after {after} blocks again and again, so the client's receive buffer is small: \
         `listeners[].burst: {burst}` spares it the losses"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};
    use tuffet_core::{OptionSet, Stats};
    use tuffet_request::Request;
    use tuffet_request::events::{Answered, DecisionRecord};

    fn ended(last: u8, outcome: Outcome, blocks: u64, blksize: u16, stats: Stats) -> Summary {
        let request = Request { client: ([192, 0, 2, last], 2000).into(), ..Request::sample("a") };
        Summary {
            record: Arc::new(DecisionRecord::new(Arc::new(request), Instant::now())),
            ending: outcome.into(),
            unanswered: None,
            hint: None,
            decision: Answered::Granted,
            options: OptionSet { blksize: Some(blksize), ..OptionSet::default() },
            bytes: blocks * u64::from(blksize),
            blocks,
            stats,
            rtt: None,
            first_block_after: None,
            duration: Duration::from_secs(1),
        }
    }

    fn silent(last: u8, duplicates: u32) -> Summary {
        let stats = Stats { duplicates, ..Stats::default() };
        let ended = ended(last, Outcome::TimedOut, 0, 512, stats);
        Summary { unanswered: Some(Unanswered::TimedOut), ..ended }
    }

    #[test]
    fn clients_that_repeat_their_requests() {
        let mut hints = Hints::new(vec!["nat".into()], false);
        assert_eq!(hints.of(&silent(1, 0)), None, "it may have gone away");
        assert!(hints.of(&silent(1, 1)).unwrap().ends_with("`listeners[].single-port`"));
        // From another port each time, as some ROMs do.
        assert_eq!((hints.of(&silent(2, 0)), hints.of(&silent(2, 0))), (None, None));
        assert!(hints.of(&silent(2, 0)).is_some());
        hints.of(&ended(2, Outcome::Served, 3, 512, Stats::default()));
        assert_eq!(hints.of(&silent(2, 0)), None, "it was reached meanwhile");
        let mut single = Hints::new(vec!["lan".into()], false);
        assert!(single.of(&silent(1, 1)).unwrap().ends_with("missing route drop them?"));
    }

    #[test]
    fn blocks_that_are_too_large_for_the_path() {
        let mut hints = Hints::new(Vec::new(), false);
        // It repeats its ACK of block 0.
        let stuck = Stats { duplicates: 2, retransmissions: 4, ..Stats::default() };
        let mut of = |outcome, blocks, blksize, stats| hints.of(&ended(1, outcome, blocks, blksize, stats));
        assert!(of(Outcome::TimedOut, 0, 1428, stuck).unwrap().ends_with("`transfer.max-blksize`"));
        assert_eq!(of(Outcome::TimedOut, 0, 512, stuck), None, "every path carries that");
        assert_eq!(of(Outcome::TimedOut, 0, 1428, Stats { duplicates: 0, ..stuck }), None, "it went away");
        let lossy = Stats { retransmissions: 30, ..Stats::default() };
        assert_eq!(of(Outcome::Served, 100, 1428, lossy), None, "any path may lose blocks");
        assert_eq!(of(Outcome::Served, 100, 1024, Stats::default()), None);
        assert!(
            of(Outcome::Served, 100, 1428, lossy).unwrap().contains("between blocks of 1024 and of 1428")
        );
        assert!(of(Outcome::TimedOut, 0, 1428, stuck).unwrap().ends_with("blocks of 1024 bytes reach it"));
        assert_eq!(of(Outcome::Served, 100, 1024, lossy), None, "that size was fine before");
        let mut whole = Hints::new(Vec::new(), true);
        let hint = whole.of(&ended(1, Outcome::TimedOut, 0, 1428, stuck)).unwrap();
        assert!(hint.contains("`transfer.dont-fragment: true` keeps"), "{hint}");
    }

    #[test]
    fn receivers_that_overflow() {
        let mut hints = Hints::new(Vec::new(), false);
        let cut = Stats { cut_after: 16, retransmissions: 90, ..Stats::default() };
        let hint = hints.of(&ended(1, Outcome::Served, 500, 512, cut)).unwrap();
        assert!(hint.contains("after 16 blocks") && hint.contains("`listeners[].burst: 14`"), "{hint}");
        let chance = Stats { retransmissions: 90, ..Stats::default() };
        assert_eq!(hints.of(&ended(2, Outcome::Served, 500, 512, chance)), None);
    }
}
