//! Finds the decision that is equal to a new one.
//!
//! Thousands of machines that start together request the same file with the same options, and get the same decision.
//! The names, options and results that these have in common stay in memory once.

use super::{DecisionFacts, DecisionRecord};
use parking_lot::Mutex;
use std::array;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};

/// The number of remembered decisions: several files in use at the same time seldom displace each other.
const SLOTS: usize = 64;

/// The facts of the last different decisions, by name, options, class and network of the request. They live as long as a
/// record has them; afterwards this table keeps the memory of each slot, 200 bytes, but no text.
#[derive(Debug)]
pub struct RecentDecisions {
    /// Each with its own lock, held for a comparison: several threads decide.
    slots: [Mutex<Weak<DecisionFacts>>; SLOTS],
    hasher: RandomState,
}

impl Default for RecentDecisions {
    fn default() -> RecentDecisions {
        RecentDecisions { slots: array::from_fn(|_| Mutex::default()), hasher: RandomState::new() }
    }
}

impl RecentDecisions {
    /// Returns the facts of `record`: those of an equal decision, if a record with them exists.
    pub fn facts_of(&self, record: &DecisionRecord) -> Arc<DecisionFacts> {
        let request = &*record.request;
        let network = (&*request.listener, request.local_address, request.vlan);
        let hash = self.hasher.hash_one((&*request.path, record.requested_options, request.class, network));
        let mut slot = self.slots[hash as usize % SLOTS].lock();
        if let Some(facts) = slot.upgrade().filter(|facts| facts.are_of(record)) {
            return facts;
        }
        let facts = Arc::new(DecisionFacts::from(record));
        *slot = Arc::downgrade(&facts);
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{CompactRecord, Tried};
    use crate::protocol::Protocol;
    use crate::request::{Mode, Operation, Request};
    use std::time::Instant;
    use tuffet_core::OptionSet;

    fn decision(change: impl FnOnce(&mut Request, &mut DecisionRecord)) -> DecisionRecord {
        let mut request = Request::sample("b/a");
        request.options = vec![("blksize".into(), "1428".into()), ("x".into(), String::new())];
        let mut record = DecisionRecord::new(Arc::new(Request::sample("")), Instant::now());
        record.resolved = Some("boot:b/a".into());
        change(&mut request, &mut record);
        record.request = Arc::new(request);
        record
    }

    #[test]
    fn equal_decisions_share_their_facts_as_long_as_a_record_has_them() {
        let recent = RecentDecisions::default();
        let first = recent.facts_of(&decision(|_, _| {}));
        // What differs for each client.
        let other = decision(|request, record| {
            request.client = ([192, 0, 2, 9], 9).into();
            record.received = Instant::now();
        });
        assert!(Arc::ptr_eq(&first, &recent.facts_of(&other)));
        let open = CompactRecord::new(&other, Arc::clone(&first));
        assert_eq!(format!("{:?}", open.expand()), format!("{other:?}"));
        let forgotten = Arc::downgrade(&first);
        drop((first, open));
        assert_eq!(forgotten.strong_count(), 0);
        let again = recent.facts_of(&other);
        assert_eq!(again.texts.resolved(), Some("boot:b/a"));
    }

    /// A storm of machines in many networks that request one file.
    #[test]
    fn networks_do_not_displace_each_other() {
        let recent = RecentDecisions::default();
        let facts = || {
            let of = |vlan| recent.facts_of(&decision(|request, _| request.vlan = Some(vlan)));
            (0..32).map(of).collect::<Vec<_>>()
        };
        let (first, again) = (facts(), facts());
        let shared = first.iter().zip(&again).filter(|(first, again)| Arc::ptr_eq(first, again)).count();
        assert!(shared >= 4, "{shared}");
    }

    #[test]
    fn different_decisions_share_nothing() {
        type Change = fn(&mut Request, &mut DecisionRecord);
        let changes: [Change; 23] = [
            |request, _| request.listener = "wan".into(),
            |request, _| request.protocol = Protocol::Http,
            |request, _| request.operation = Operation::Write,
            |request, _| request.mode = Mode::Netascii,
            |request, _| request.requested = "/b/a".into(),
            |request, _| request.path = "a".into(),
            |request, _| request.raw_name = Some("2fe9".into()),
            |request, _| request.prefix = Some("tftpboot".into()),
            |request, _| request.shim_folder = Some("efi".into()),
            |request, _| request.stored_in = Some("boot".into()),
            |request, _| request.any_case = true,
            |request, _| request.local_address = Some([192, 0, 2, 9].into()),
            |request, _| request.interface = Some("eth0".into()),
            |request, _| request.vlan = Some(1),
            |request, _| request.class = "windows".parse().unwrap(),
            |request, _| request.options.truncate(1),
            |_, record| record.requested_options = OptionSet { tsize: Some(0), ..OptionSet::default() },
            |_, record| record.resolved = None,
            |_, record| record.verdict_by = Some("acl".into()),
            |_, record| record.plugin_calls = 1,
            |_, record| record.size = Some(7),
            |_, record| record.rate = Some(2_048),
            |_, record| record.tried = Some(Arc::new(Tried::new([("boot", "a")].into_iter(), None))),
        ];
        let recent = RecentDecisions::default();
        for change in changes {
            let (plain, changed) = (decision(|_, _| {}), decision(change));
            let first = recent.facts_of(&plain);
            let other = recent.facts_of(&changed);
            assert!(!Arc::ptr_eq(&first, &other), "{changed:?}");
            assert_eq!((first.are_of(&plain), first.are_of(&changed)), (true, false), "{changed:?}");
            assert_eq!((other.are_of(&plain), other.are_of(&changed)), (false, true), "{changed:?}");
        }
    }
}
