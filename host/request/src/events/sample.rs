//! A request with every fact that one can have, for tests of its representations.

use super::{Answered, DecisionRecord, Ending, Outcome, Summary, Tried};
use crate::calls::{Call, Calls};
use crate::class::ClientClass;
use crate::mac_address::MacAddress;
use crate::protocol::Protocol;
use crate::request::{Certificate, Lease, LeaseFact, MacFact, MacSource, Request};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_core::{OptionSet, Stats};

impl DecisionRecord {
    /// Returns a record for tests, with every fact and distinct texts.
    #[doc(hidden)]
    pub fn sample() -> DecisionRecord {
        let calls = Calls::default();
        calls.note(Call {
            plugin: "acl".into(),
            hook: "authorize",
            verdict: "allow",
            failure: None,
            cached: false,
            monitored: false,
            label: "canary".parse().ok(),
            took: Duration::from_micros(9),
        });
        let mac = |last, source| MacFact { address: MacAddress([2, 0, 0x5e, 0x10, 0, last]), source };
        let lease = Lease { hostname: Some("phone".into()), ..Lease::default() };
        let request = Request {
            protocol: Protocol::Http,
            certificate: Some(Arc::new(Certificate { sha256: "0a1b".into(), names: vec!["rack-7".into()] })),
            raw_name: Some("2fe9".into()),
            prefix: Some("tftpboot".into()),
            shim_folder: Some("efi".into()),
            stored_in: Some("boot".into()),
            any_case: true,
            path: "b/pxelinux.0".into(),
            // Not safe, so it is shown beside the path.
            requested: "..\\B\\PXELINUX.0".into(),
            local_address: Some([192, 0, 2, 9].into()),
            interface: Some("eth0".into()),
            vlan: Some(100),
            lease: Some(Box::new(LeaseFact { lease, age: Duration::from_secs(1) })),
            macs: vec![
                mac(1, MacSource::NeighbourTable),
                mac(2, MacSource::LeaseFile),
                mac(3, MacSource::RequestedName),
            ],
            class: ClientClass::U_BOOT,
            options: vec![("blksize".into(), "1468".into()), ("x".into(), String::new())],
            calls,
            ..Request::sample("")
        };
        let mut tried = Tried::new([("boot", "a"), ("boot", "b")].into_iter(), Some("mac-map".into()));
        tried.add_other_case("boot", "A");
        DecisionRecord {
            requested_options: OptionSet { blksize: Some(1_468), ..OptionSet::default() },
            decided_after: Some(Duration::from_millis(12)),
            resolved: Some("boot:elsewhere".into()),
            group: Some(([239, 1, 2, 3], 1758).into()),
            verdict_by: Some("acl".into()),
            plugin_calls: 1,
            size: Some(9_000),
            rate: Some(2_048),
            tried: Some(Arc::new(tried)),
            ..DecisionRecord::new(Arc::new(request), Instant::now())
        }
    }
}

impl Summary {
    /// Returns an ended request for tests, with every fact and distinct numbers.
    #[doc(hidden)]
    pub fn sample() -> Summary {
        let ending = Ending::new(Outcome::TimedOut, "silent after block 3");
        Summary {
            hint: Some("the path drops large datagrams".into()),
            options: OptionSet {
                blksize: Some(1_428),
                windowsize: Some(8),
                timeout: Some(6),
                tsize: Some(9_001),
                ..OptionSet::default()
            },
            bytes: 4_284,
            blocks: 3,
            stats: Stats {
                retransmissions: 10,
                duplicates: 11,
                timeouts: 12,
                needless: 13,
                ..Stats::default()
            },
            rtt: Some(Duration::from_millis(14)),
            first_block_after: Some(Duration::from_millis(15)),
            duration: Duration::from_millis(16_500),
            ..Summary::new(DecisionRecord::sample(), ending, Answered::Granted)
        }
    }
}
