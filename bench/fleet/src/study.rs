//! The storms of docs/fleet.md.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use crate::figures::{Figures, Summary};
use crate::origin::Origin;
use crate::scenario::{Costs, POLICY, Scenario};
use serde::Serialize;

/// The scale of storms that would take too long with all clients.
pub(crate) const SCALE: u32 = 20;

pub(crate) const SERVERS: [u16; 7] = [1, 2, 4, 8, 16, 32, 64];
pub(crate) const LOSSES: [u32; 3] = [0, 1_000, 10_000];

/// Servers in the storms with a fault.
pub(crate) const LOST_OF: u16 = 32;

/// The part of the page that shows a storm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Part {
    Servers,
    Scale,
    Lost,
    Ports,
    Chains,
    Limits,
    Spread,
    Origins,
}

/// A storm of the page.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Storm {
    pub(crate) part: Part,
    pub(crate) scenario: Scenario,
}

/// A storm and its results.
#[derive(Debug, Serialize)]
pub(crate) struct StormResult {
    #[serde(flatten)]
    pub(crate) storm: Storm,
    pub(crate) summary: Summary,
    #[serde(skip)]
    pub(crate) figures: Figures,
}

/// All storms; `coarser` divides the number of clients.
pub(crate) fn storms(coarser: u32) -> Vec<Storm> {
    let mut storms = Vec::new();
    let mut add = |part, scenario: Scenario| {
        let scale = scenario.scale * coarser;
        storms.push(Storm { part, scenario: Scenario { scale, ..scenario } });
    };
    let usual = Scenario { scale: SCALE, horizon: 900_000, ..Scenario::default() };
    // The longest first, so that all threads finish at about the same time.
    for servers in [64, 16] {
        for scale in [1, 10, 100, 1_000] {
            add(Part::Scale, Scenario { servers, scale, ..usual.clone() });
        }
    }
    for rehash in [None, Some(Rehash::Resilient), Some(Rehash::Full)] {
        let lost = rehash.map(|_| (5_000, 6_000));
        let rehash = rehash.unwrap_or(Rehash::Resilient);
        add(Part::Lost, Scenario { servers: LOST_OF, lost, rehash, ..usual.clone() });
    }
    for servers in SERVERS {
        for loss in LOSSES {
            for policy in [0, POLICY] {
                let costs = Costs { policy, ..Costs::default() };
                add(Part::Servers, Scenario { servers, loss, costs, ..usual.clone() });
            }
        }
    }
    for (chain, servers, policy, scale) in [
        (Chain::Full, 64, 0, 100),
        (Chain::Phone, 1, 0, SCALE),
        (Chain::Phone, 1, POLICY, SCALE),
        (Chain::Phone, 4, 0, SCALE),
        (Chain::Phone, 4, POLICY, SCALE),
    ] {
        let costs = Costs { policy, ..Costs::default() };
        add(Part::Chains, Scenario { chain, servers, costs, scale, horizon: 3_600_000, ..usual.clone() });
    }
    for within in [10_000, 60_000, 180_000, 300_000] {
        add(Part::Spread, Scenario { servers: 4, within, ..usual.clone() });
    }
    for transfers in [500, 2_000, 5_000, 20_000, 100_000] {
        add(Part::Limits, Scenario { servers: 8, transfers, ..usual.clone() });
    }
    for (single_port, hash) in
        [(true, Hash::Addresses), (true, Hash::Ports), (false, Hash::Addresses), (false, Hash::Ports)]
    {
        add(Part::Ports, Scenario { servers: 32, single_port, hash, scale: 100, ..usual.clone() });
    }
    storms
}

/// The storms of docs/scale.md: the same clients before warm servers, and before cold ones with origins of several
/// kinds. The first of each chain is warm.
pub(crate) fn origins(coarser: u32) -> Vec<Storm> {
    const MBIT: u64 = 1_000_000;
    let near = Origin { line: 10_000 * MBIT, latency: 20_000_000, requests: 5_500, lookups: false };
    let usual = Scenario { scale: SCALE, horizon: 900_000, ..Scenario::default() };
    let full = Scenario { chain: Chain::Full, scale: 100, horizon: 3_600_000, ..usual.clone() };
    let mut storms = Vec::new();
    let mut add = |scenario: Scenario, servers, origin| {
        let scale = scenario.scale * coarser;
        storms.push(Storm { part: Part::Origins, scenario: Scenario { servers, origin, scale, ..scenario } });
    };
    add(full.clone(), 64, None);
    for line in [10_000, 1_000, 100] {
        add(full.clone(), 64, Some(Origin { line: line * MBIT, ..near }));
    }
    add(usual.clone(), 64, None);
    for line in [10_000, 1_000, 100] {
        add(usual.clone(), 64, Some(Origin { line: line * MBIT, ..near }));
    }
    add(usual.clone(), 256, None);
    for line in [1_000, 100] {
        add(usual.clone(), 256, Some(Origin { line: line * MBIT, ..near }));
    }
    for requests in [100_000, 5_500] {
        add(usual.clone(), 64, Some(Origin { requests, lookups: true, ..near }));
    }
    storms
}
