//! The tables of the page.

use super::{percent, until};
use crate::ecmp::{Hash, Rehash};
use crate::scenario::Costs;
use crate::study::{Part, StormResult};
use tuffet_measure::grouped;
use tuffet_measure::report::Table;

/// All tables, by the name of their marks.
pub(super) fn all(results: &[StormResult]) -> [(&'static str, String); 8] {
    let of = |part| results.iter().filter(move |result| result.storm.part == part);
    [
        ("servers", servers(&of(Part::Servers).collect::<Vec<_>>())),
        ("lost", lost(of(Part::Lost))),
        ("limits", limits(of(Part::Limits))),
        ("spread", spread(of(Part::Spread))),
        ("ports", ports(of(Part::Ports))),
        ("chains", chains(of(Part::Chains))),
        ("scale", scale(of(Part::Scale))),
        ("costs", costs()),
    ]
}

fn servers(results: &[&StormResult]) -> String {
    let mut table = Table::of_numbers(
        0,
        [
            "servers",
            "loss",
            "50 % booted",
            "99 %",
            "all",
            "99 % with policy",
            "cores, mean and most",
            "card, mean and most",
            "requests/s, most",
            "sent again",
            "chains begun anew",
        ],
    );
    for result in results.iter().filter(|result| result.storm.scenario.costs.policy == 0) {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let policy = results.iter().find(|other| {
            let other = &other.storm.scenario;
            other.costs.policy > 0 && (other.servers, other.loss) == (scenario.servers, scenario.loss)
        });
        table.row([
            scenario.servers.to_string(),
            loss(scenario.loss),
            until(summary.half, scenario),
            format!(
                "**{}**",
                match summary.most {
                    Some(_) => until(summary.most, scenario),
                    None => format!(
                        "{} in {} min",
                        percent(u64::from(summary.booted_permille)),
                        scenario.horizon / 60_000
                    ),
                }
            ),
            until(summary.all, scenario),
            policy.map_or_else(String::new, |policy| until(policy.summary.most, scenario)),
            format!("{}, {}", percent(summary.cpu_permille), percent(summary.cpu_most_permille)),
            format!("{}, {}", percent(summary.card_permille), percent(summary.card_most_permille)),
            grouped(summary.requests_per_s),
            percent(summary.resent_permille),
            grouped(summary.restarts),
        ]);
    }
    table.to_string()
}

fn lost<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        1,
        [
            "one of 32 servers",
            "50 % booted",
            "99 %",
            "all",
            "chains begun anew",
            "datagrams for another server",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let what = match (scenario.lost, scenario.rehash) {
            (None, _) => "none lost",
            (Some(_), Rehash::Resilient) => "lost at 5 s, resilient hashing",
            (Some(_), Rehash::Full) => "lost at 5 s, everything spread anew",
        };
        table.row([
            what.to_owned(),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            grouped(summary.restarts),
            grouped(summary.strays),
        ]);
    }
    table.to_string()
}

fn spread<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        0,
        [
            "switched on within, 4 servers",
            "50 % booted",
            "99 %",
            "all",
            "requests left unanswered",
            "chains begun anew",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        table.row([
            format!("{} s", scenario.within / 1_000),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            grouped(summary.unanswered),
            grouped(summary.restarts),
        ]);
    }
    table.to_string()
}

fn limits<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        0,
        [
            "`limits.transfers`, 8 servers",
            "50 % booted",
            "99 %",
            "all",
            "requests left unanswered",
            "chains begun anew",
            "card",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        table.row([
            grouped(u64::from(scenario.transfers)),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            grouped(summary.unanswered),
            grouped(summary.restarts),
            percent(summary.card_permille),
        ]);
    }
    table.to_string()
}

fn ports<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        2,
        [
            "servers answer from",
            "routers hash",
            "booted within 15 min",
            "99 %",
            "datagrams for another server",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        table.row([
            (if scenario.single_port {
                "the port that was asked (`single-port`)"
            } else {
                "a port of each transfer"
            })
            .to_owned(),
            match scenario.hash {
                Hash::Addresses => "addresses".to_owned(),
                Hash::Ports => "addresses and ports".to_owned(),
            },
            percent(u64::from(summary.booted_permille)),
            until(summary.most, scenario),
            grouped(summary.strays),
        ]);
    }
    table.to_string()
}

fn chains<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        1,
        [
            "a million clients that load",
            "servers",
            "policy",
            "50 % booted",
            "99 %",
            "cores",
            "card",
            "requests/s, most",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let steps = scenario.chain.steps().len() as u64;
        let bytes = scenario.chain.bytes();
        let bytes =
            if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) };
        table.row([
            format!("{bytes} by {steps} requests"),
            scenario.servers.to_string(),
            (if scenario.costs.policy > 0 { "five plugins" } else { "none" }).to_owned(),
            until(summary.half, scenario),
            until(summary.most, scenario),
            percent(summary.cpu_permille),
            percent(summary.card_permille),
            grouped(summary.requests_per_s),
        ]);
    }
    table.to_string()
}

fn scale<'a>(results: impl Iterator<Item = &'a StormResult>) -> String {
    let mut table = Table::of_numbers(
        0,
        ["servers", "clients simulated", "50 % booted", "99 %", "all", "card", "sent again"],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        table.row([
            scenario.servers.to_string(),
            format!(
                "{}{}",
                grouped(u64::from(scenario.clients / scenario.scale)),
                if scenario.scale == 1 { ", all" } else { "" }
            ),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            percent(summary.card_permille),
            percent(summary.resent_permille),
        ]);
    }
    table.to_string()
}

/// Cold caches before an origin, beside warm ones.
pub(super) fn origins(results: &[StormResult]) -> String {
    let mut table = Table::of_numbers(
        3,
        [
            "a million clients load",
            "servers",
            "origin",
            "50 % booted",
            "99 %",
            "all",
            "fetched",
            "lookups at the origin",
            "requests left unanswered",
            "chains begun anew",
        ],
    );
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        table.row([
            format!("{} MiB", scenario.chain.bytes() >> 20),
            scenario.servers.to_string(),
            scenario.origin.map_or_else(
                || "none: warm".to_owned(),
                |origin| {
                    let line = match origin.line / 1_000_000 {
                        line if line >= 1_000 => format!("{} Gbit/s", line / 1_000),
                        line => format!("{line} Mbit/s"),
                    };
                    let names = format!("{line}, missing names too, {} requests/s", grouped(origin.requests));
                    if origin.lookups { names } else { line }
                },
            ),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            format!("{} MiB", grouped(summary.fetched >> 20)),
            grouped(summary.lookups),
            grouped(summary.unanswered),
            grouped(summary.restarts),
        ]);
    }
    table.to_string()
}

/// The measured cost of transfers on a server's core, for comparison with the model.
pub(crate) const MEASURED: [(&str, u64, u64, u64); 4] = [
    // Blocks, blocks in a window, core nanoseconds for the transfer.
    ("10 MiB, windowsize 64", 7_490, 64, 5_690_000),
    ("64 KiB, windowsize 8", 47, 8, 58_000),
    ("10 MiB, lockstep", 7_490, 1, 25_800_000),
    ("2 KiB, lockstep, blocks of 512", 5, 1, 19_000),
];

/// The core time of a transfer in the model.
pub(crate) fn modelled(blocks: u64, window: u64) -> u64 {
    let costs = Costs::default();
    costs.request + blocks.div_ceil(window) * (costs.datagram + costs.send) + blocks * costs.block
}

fn costs() -> String {
    let mut table = Table::of_numbers(1, ["transfer", "measured, CPU ms", "modelled"]);
    for (name, blocks, window, measured) in MEASURED {
        let millis = |nanos: u64| format!("{}.{:03}", nanos / 1_000_000, nanos % 1_000_000 / 1_000);
        table.row([name.to_owned(), millis(measured), millis(modelled(blocks, window))]);
    }
    table.to_string()
}

fn loss(of_a_million: u32) -> String {
    match of_a_million {
        0 => "none".to_owned(),
        loss if loss % 10_000 == 0 => format!("{} %", loss / 10_000),
        loss => format!("{}.{} %", loss / 10_000, loss % 10_000 / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_costs_what_was_measured() {
        for (name, blocks, window, measured) in MEASURED {
            let modelled = modelled(blocks, window);
            let off = modelled.abs_diff(measured) * 100 / measured;
            assert!(off <= 25, "{name}: {modelled} instead of {measured} ns");
        }
    }

    #[test]
    fn losses_by_name() {
        assert_eq!([0, 1_000, 10_000].map(loss), ["none", "0.1 %", "1 %"]);
    }
}
