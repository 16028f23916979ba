//! Hints: the usual meaning of a pattern in one or several transfers of a client.
//!
//! A hint appears in the log line of the transfer, in the live view and in events. It is derived from the summary, so
//! it costs the transfer nothing. docs/logs.md lists the patterns. Each requires evidence that the client took
//! part, so a single forged request and clients that disappear get no hint.

use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::Arc;
use tuffet_core::DEFAULT_BLKSIZE;
use tuffet_request::Operation;
use tuffet_request::events::{Outcome, Summary, Unanswered};
use tuffet_request::settings::SettingNames;

/// Remembered clients. A client that loses its slot to another one starts over.
const CLIENTS: usize = 512;

/// Consecutive unanswered transfers for the same name, from different ports, before there is a hint.
const UNANSWERED_IN_A_ROW: u8 = 2;

/// Blocks of a transfer without retransmission that prove its block size.
const CLEAN_BLOCKS: u64 = 20;

/// Transmissions of the first block, beside the first one, before its loss is no chance.
const REPEATS: u32 = 2;

/// The settings that the words of hints depend on.
#[derive(Debug, Clone, Default)]
pub(crate) struct HintSettings {
    /// The listeners.
    pub(crate) listeners: Arc<[HintedListener]>,
    /// Whether packets forbid routers to fragment them.
    pub(crate) dont_fragment: bool,
    /// How to name settings.
    pub(crate) names: SettingNames,
}

/// A listener, as its hints need it.
#[derive(Debug)]
pub(crate) struct HintedListener {
    pub(crate) name: Arc<str>,
    pub(crate) port: u16,
    pub(crate) single_port: bool,
}

/// Makes hints.
pub(crate) struct Hints {
    settings: HintSettings,
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
    pub fn new(settings: HintSettings) -> Hints {
        let clients = (0..CLIENTS).map(|_| None).collect();
        Hints { settings, clients, hasher: DefaultHashBuilder::default() }
    }

    /// Returns the hint for an ended transfer, if it shows a known pattern. `waits_again`: whether its client, which never
    /// answered it, has asked for the same file since, from another port, and waits.
    pub(super) fn of(&mut self, summary: &Summary, waits_again: bool) -> Option<String> {
        let request = &summary.record.request;
        let hasher = self.hasher.clone();
        let client = self.client(request.client.ip().to_canonical());
        let blksize = summary.options.block_size();
        if let Some(how @ (Unanswered::TimedOut | Unanswered::AskedAgain)) = summary.unanswered {
            let name = hasher.hash_one(&request.path);
            client.unanswered = if client.name == name { client.unanswered.saturating_add(1) } else { 1 };
            client.name = name;
            let repeats = how == Unanswered::AskedAgain
                || waits_again
                || summary.stats.duplicates > 0
                || client.unanswered >= UNANSWERED_IN_A_ROW;
            return repeats.then(|| self.settings.unreached(&request.listener));
        }
        if summary.unanswered.is_none() && summary.options.blksize.is_some() || summary.blocks > 0 {
            client.unanswered = 0;
        }
        if summary.stats.cut_after > 0 {
            return Some(overflows(summary.stats.cut_after, self.settings.names));
        }
        if request.operation != Operation::Read {
            return None;
        }
        let clean = client.clean;
        if lacks_large_blocks(summary) {
            return Some(self.settings.too_large(blksize, clean));
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
        (lossy && clean > 0 && clean < blksize).then(|| self.settings.begins_between(clean, blksize))
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

/// Returns whether a client accepted the options, and showed that it waited for the first large block in vain: by
/// repeating itself, by an ERROR, or by asking again.
fn lacks_large_blocks(summary: &Summary) -> bool {
    let was_granted = summary.options.blksize.is_some() && summary.options.block_size() > DEFAULT_BLKSIZE;
    let waited = match summary.ending.outcome {
        Outcome::TimedOut => summary.stats.duplicates > 0,
        Outcome::Aborted | Outcome::Probed => summary.stats.retransmissions >= REPEATS,
        _ => false,
    };
    was_granted && waited && summary.blocks == 0 && summary.unanswered.is_none()
}

impl HintSettings {
    fn unreached(&self, listener: &str) -> String {
        const REPEATS: &str =
            "the client asks again and has acknowledged nothing, so the server's answers do not reach it";
        match self.listeners.iter().find(|its| &*its.name == listener) {
            Some(HintedListener { single_port: true, port, .. }) => {
                format!("{REPEATS}: does a firewall or a missing route drop what leaves from port {port}?")
            }
            its => {
                let port = its.map_or(69, |its| its.port);
                let single_port =
                    self.names.either("`Listener::single_port`", "`single-port: true` of the listener");
                format!(
                    "{REPEATS}: does a firewall or NAT drop what leaves from other ports than {port}? \
                     {single_port} answers from {port} alone; or let nftables follow TFTP: \
                     `udp dport {port} ct helper set \"tftp\"`"
                )
            }
        }
    }

    fn remedy(&self) -> &'static str {
        if self.dont_fragment {
            self.names.either(
                "`Transfer::dont_fragment` keeps routers from fragmenting them",
                "`transfer.dont-fragment: true` keeps routers from fragmenting them",
            )
        } else {
            self.names.either("see `Transfer::max_blksize`", "see `transfer.max-blksize`")
        }
    }

    /// `clean`: the block size that reached the client before; 0 if none is known.
    pub(crate) fn too_large(&self, blksize: u16, clean: u16) -> String {
        let known = if clean > 0 && clean < blksize {
            format!("; blocks of {clean} bytes reach it")
        } else {
            String::new()
        };
        format!(
            "the client accepted the options and waits, but no block of {blksize} bytes arrives: does the path drop \
             large datagrams (MTU)? {}{known}",
            self.remedy()
        )
    }

    fn begins_between(&self, clean: u16, blksize: u16) -> String {
        format!(
            "retransmissions begin between blocks of {clean} and of {blksize} bytes: does the path drop large datagrams \
             (MTU)? {}",
            self.remedy()
        )
    }
}

fn overflows(after: u16, names: SettingNames) -> String {
    // The same rule as in the pacer.
    let burst = (after - after / 8).max(1);
    let setting = match names {
        SettingNames::Fields => format!("a `Ceilings::burst` of {burst}"),
        SettingNames::Keys => format!("`listeners[].burst: {burst}`"),
    };
    format!(
        "windows are cut off after {after} blocks again and again, so the client's receive buffer is small: \
         {setting} spares it the losses"
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
        let record = DecisionRecord::new(Arc::new(request), Instant::now());
        Summary {
            options: OptionSet { blksize: Some(blksize), ..OptionSet::default() },
            bytes: blocks * u64::from(blksize),
            blocks,
            stats,
            duration: Duration::from_secs(1),
            ..Summary::new(record, outcome, Answered::Granted)
        }
    }

    fn settings(single_port: &str, dont_fragment: bool) -> HintSettings {
        let listener = HintedListener { name: "lan".into(), port: 69, single_port: single_port == "lan" };
        HintSettings { listeners: Arc::new([listener]), dont_fragment, names: SettingNames::Keys }
    }

    fn silent(last: u8, duplicates: u32) -> Summary {
        let stats = Stats { duplicates, ..Stats::default() };
        let ended = ended(last, Outcome::TimedOut, 0, 512, stats);
        Summary { unanswered: Some(Unanswered::TimedOut), ..ended }
    }

    #[test]
    fn clients_that_repeat_their_requests() {
        let mut hints = Hints::new(settings("nat", false));
        assert_eq!(hints.of(&silent(1, 0), false), None, "it may have gone away");
        let hint = hints.of(&silent(1, 1), false).unwrap();
        assert!(hint.contains("other ports than 69") && hint.contains("`single-port: true`"), "{hint}");
        let again = Summary { unanswered: Some(Unanswered::AskedAgain), ..silent(3, 0) };
        assert!(hints.of(&again, false).is_some(), "the first one");
        // From another port each time, as some ROMs do.
        assert_eq!(hints.of(&silent(2, 0), false), None);
        assert!(hints.of(&silent(2, 0), false).is_some());
        hints.of(&ended(2, Outcome::Served, 3, 512, Stats::default()), false);
        assert_eq!(hints.of(&silent(2, 0), false), None, "it was reached meanwhile");
        assert!(hints.of(&silent(4, 0), true).is_some(), "it waits at another port");
        let mut single = Hints::new(settings("lan", false));
        let hint = single.of(&silent(1, 1), false).unwrap();
        assert!(
            hint.contains("a missing route drop what leaves from port 69") && !hint.contains("single"),
            "{hint}"
        );
    }

    #[test]
    fn blocks_that_are_too_large_for_the_path() {
        let mut hints = Hints::new(settings("", false));
        // It repeats its ACK of block 0.
        let stuck = Stats { duplicates: 2, retransmissions: 4, ..Stats::default() };
        let mut of =
            |outcome, blocks, blksize, stats| hints.of(&ended(1, outcome, blocks, blksize, stats), false);
        assert!(of(Outcome::TimedOut, 0, 1428, stuck).unwrap().ends_with("`transfer.max-blksize`"));
        assert_eq!(of(Outcome::TimedOut, 0, 512, stuck), None, "every path carries that");
        assert_eq!(of(Outcome::TimedOut, 0, 1428, Stats { duplicates: 0, ..stuck }), None, "it went away");
        for outcome in [Outcome::Aborted, Outcome::Probed] {
            assert!(of(outcome, 0, 1428, stuck).is_some(), "it gave up by itself");
            assert_eq!(of(outcome, 0, 1428, Stats::default()), None, "at once: a probe");
        }
        let lossy = Stats { retransmissions: 30, ..Stats::default() };
        assert_eq!(of(Outcome::Served, 100, 1428, lossy), None, "any path may lose blocks");
        assert_eq!(of(Outcome::Served, 100, 1024, Stats::default()), None);
        assert!(
            of(Outcome::Served, 100, 1428, lossy).unwrap().contains("between blocks of 1024 and of 1428")
        );
        assert!(of(Outcome::TimedOut, 0, 1428, stuck).unwrap().ends_with("blocks of 1024 bytes reach it"));
        assert_eq!(of(Outcome::Served, 100, 1024, lossy), None, "that size was fine before");
        let mut whole = Hints::new(settings("", true));
        let hint = whole.of(&ended(1, Outcome::TimedOut, 0, 1428, stuck), false).unwrap();
        assert!(hint.contains("`transfer.dont-fragment: true` keeps"), "{hint}");
    }

    #[test]
    fn receivers_that_overflow() {
        let mut hints = Hints::new(settings("", false));
        let cut = Stats { cut_after: 16, retransmissions: 90, ..Stats::default() };
        let hint = hints.of(&ended(1, Outcome::Served, 500, 512, cut), false).unwrap();
        assert!(hint.contains("after 16 blocks") && hint.contains("`listeners[].burst: 14`"), "{hint}");
        let chance = Stats { retransmissions: 90, ..Stats::default() };
        assert_eq!(hints.of(&ended(2, Outcome::Served, 500, 512, chance), false), None);
    }
}
