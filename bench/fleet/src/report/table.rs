//! The tables of the page.

use super::{percent, thousands, until};
use crate::ecmp::{Hash, Rehash};
use crate::scenario::Costs;
use crate::study::{Part, Result};
use std::fmt::Write;

/// Each by the name of its marks.
pub(super) fn all(results: &[Result]) -> [(&'static str, String); 8] {
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

fn servers(results: &[&Result]) -> String {
    let mut text = "| servers | loss | 50 % booted | 99 % | all | 99 % with policy | cores, mean and most | card, mean and most | requests/s, most | sent again | chains begun anew |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results.iter().filter(|result| result.storm.scenario.costs.policy == 0) {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let policy = results.iter().find(|other| {
            let other = &other.storm.scenario;
            other.costs.policy > 0 && (other.servers, other.loss) == (scenario.servers, scenario.loss)
        });
        let _ = writeln!(
            text,
            "| {} | {} | {} | **{}** | {} | {} | {}, {} | {}, {} | {} | {} | {} |",
            scenario.servers,
            loss(scenario.loss),
            until(summary.half, scenario),
            match summary.most {
                Some(_) => until(summary.most, scenario),
                None => format!(
                    "{} in {} min",
                    percent(u64::from(summary.booted_permille)),
                    scenario.horizon / 60_000
                ),
            },
            until(summary.all, scenario),
            policy.map_or_else(String::new, |policy| until(policy.summary.most, scenario)),
            percent(summary.cpu_permille),
            percent(summary.cpu_most_permille),
            percent(summary.card_permille),
            percent(summary.card_most_permille),
            thousands(summary.requests_per_s),
            percent(summary.resent_permille),
            thousands(summary.restarts),
        );
    }
    text
}

fn lost<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| one of 32 servers | 50 % booted | 99 % | all | chains begun anew | datagrams for another server |\n|---|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let what = match (scenario.lost, scenario.rehash) {
            (None, _) => "none lost",
            (Some(_), Rehash::Resilient) => "lost at 5 s, resilient hashing",
            (Some(_), Rehash::Full) => "lost at 5 s, everything spread anew",
        };
        let _ = writeln!(
            text,
            "| {what} | {} | {} | {} | {} | {} |",
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            thousands(summary.restarts),
            thousands(summary.strays)
        );
    }
    text
}

fn spread<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| switched on within, 4 servers | 50 % booted | 99 % | all | requests left unanswered | chains begun anew |\n|--:|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let _ = writeln!(
            text,
            "| {} s | {} | {} | {} | {} | {} |",
            scenario.within / 1_000,
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            thousands(summary.unanswered),
            thousands(summary.restarts),
        );
    }
    text
}

fn limits<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| `limits.transfers`, 8 servers | 50 % booted | 99 % | all | requests left unanswered | chains begun anew | card |\n|--:|--:|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            thousands(u64::from(scenario.transfers)),
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            thousands(summary.unanswered),
            thousands(summary.restarts),
            percent(summary.card_permille),
        );
    }
    text
}

fn ports<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| servers answer from | routers hash | booted within 15 min | 99 % | datagrams for another server |\n|---|---|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            if scenario.single_port {
                "the port that was asked (`single-port`)"
            } else {
                "a port of each transfer"
            },
            match scenario.hash {
                Hash::Addresses => "addresses",
                Hash::Ports => "addresses and ports",
            },
            percent(u64::from(summary.booted_permille)),
            until(summary.most, scenario),
            thousands(summary.strays)
        );
    }
    text
}

fn chains<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| a million clients that load | servers | policy | 50 % booted | 99 % | cores | card | requests/s, most |\n|---|--:|---|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let steps = scenario.chain.steps().len() as u64;
        let bytes = scenario.chain.bytes();
        let bytes =
            if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{} KiB", bytes >> 10) };
        let _ = writeln!(
            text,
            "| {bytes} by {steps} requests | {} | {} | {} | {} | {} | {} | {} |",
            scenario.servers,
            if scenario.costs.policy > 0 { "five plugins" } else { "none" },
            until(summary.half, scenario),
            until(summary.most, scenario),
            percent(summary.cpu_permille),
            percent(summary.card_permille),
            thousands(summary.requests_per_s),
        );
    }
    text
}

fn scale<'a>(results: impl Iterator<Item = &'a Result>) -> String {
    let mut text = "| servers | clients simulated | 50 % booted | 99 % | all | card | sent again |\n|--:|--:|--:|--:|--:|--:|--:|\n".to_owned();
    for result in results {
        let (scenario, summary) = (&result.storm.scenario, &result.summary);
        let _ = writeln!(
            text,
            "| {} | {}{} | {} | {} | {} | {} | {} |",
            scenario.servers,
            thousands(u64::from(scenario.clients / scenario.scale)),
            if scenario.scale == 1 { ", all" } else { "" },
            until(summary.half, scenario),
            until(summary.most, scenario),
            until(summary.all, scenario),
            percent(summary.card_permille),
            percent(summary.resent_permille),
        );
    }
    text
}

/// What was measured of a server's core, and what the model makes of the same transfer.
pub(crate) const MEASURED: [(&str, u64, u64, u64); 4] = [
    // Blocks, blocks in a window, nanoseconds of a core for the transfer.
    ("10 MiB, windowsize 64", 7_490, 64, 5_690_000),
    ("64 KiB, windowsize 8", 47, 8, 58_000),
    ("10 MiB, lockstep", 7_490, 1, 25_800_000),
    ("2 KiB, lockstep, blocks of 512", 5, 1, 19_000),
];

/// The model's time of a core for a transfer.
pub(crate) fn modelled(blocks: u64, window: u64) -> u64 {
    let costs = Costs::default();
    costs.request + blocks.div_ceil(window) * (costs.datagram + costs.send) + blocks * costs.block
}

fn costs() -> String {
    let mut text = "| transfer | measured, CPU ms | modelled |\n|---|--:|--:|\n".to_owned();
    for (name, blocks, window, measured) in MEASURED {
        let millis = |nanos: u64| format!("{}.{:03}", nanos / 1_000_000, nanos % 1_000_000 / 1_000);
        let _ = writeln!(text, "| {name} | {} | {} |", millis(measured), millis(modelled(blocks, window)));
    }
    text
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
