//! Small storms in which all bytes are compared.

use crate::chain::Chain;
use crate::ecmp::{Hash, Rehash};
use crate::figures::Figures;
use crate::origin::Origin;
use crate::scenario::{Costs, Scenario};
use crate::simulate::{simulate, simulate_part};

fn small() -> Scenario {
    Scenario { clients: 1_000, servers: 4, within: 1_000, bytes: true, ..Scenario::default() }
}

fn run(scenario: &Scenario) -> Figures {
    let figures = simulate(std::slice::from_ref(scenario), 2, &|_| ()).remove(0);
    assert_eq!(figures.wrong, 0, "other bytes than were asked for");
    figures
}

/// Requests, blocks sent and blocks retransmitted, over all servers.
fn sums(figures: &Figures) -> (u64, u64, u64) {
    figures.servers.iter().fold((0, 0, 0), |sum, server| {
        (sum.0 + server.requests, sum.1 + server.blocks, sum.2 + server.resent)
    })
}

#[test]
fn all_boot_and_no_packet_is_sent_in_vain() {
    let figures = run(&small());
    assert_eq!(figures.booted.len(), 1_000);
    // 735 blocks of the loader, 3 of the configuration.
    assert_eq!((sums(&figures), figures.repeated), ((9_000, 738_000, 0), 0));
    assert_eq!(figures.servers.iter().map(|server| server.clients).sum::<u32>(), 1_000);
}

#[test]
fn all_boot_over_a_path_that_loses() {
    let figures = run(&Scenario { loss: 10_000, ..small() });
    assert_eq!(figures.booted.len(), 1_000);
    let (_, blocks, resent) = sums(&figures);
    // The count includes a repeated OACK.
    assert!(
        resent > 738_000 / 100 && blocks >= 738_000 + resent * 9 / 10,
        "{blocks}, {resent} of them again"
    );
    assert!(figures.repeated > 0);
}

#[test]
fn one_seed_is_one_storm_on_any_number_of_threads() {
    let scenario = Scenario { loss: 1_000, ..small() };
    let one = simulate(std::slice::from_ref(&scenario), 1, &|_| ());
    let three = simulate(std::slice::from_ref(&scenario), 3, &|_| ());
    assert_eq!(one, three);
    assert_ne!(one, simulate(&[Scenario { seed: 2, ..scenario }], 1, &|_| ()));
}

#[test]
fn servers_simulated_alone_are_as_servers_simulated_together() {
    let scenario = Scenario { loss: 1_000, ..small() };
    let together = simulate_part(&scenario, None).finish(1);
    assert_eq!(together, run(&scenario));
}

#[test]
fn all_boot_in_the_end_when_a_server_is_lost() {
    for rehash in [Rehash::Resilient, Rehash::Full] {
        let figures = run(&Scenario { lost: Some((500, 700)), rehash, ..small() });
        assert_eq!(figures.booted.len(), 1_000, "{rehash:?}");
        assert!(figures.restarts > 0);
        let lost = figures.servers.first().map(|server| server.requests);
        assert!(lost > Some(0) && lost < Some(2_250), "{lost:?}: it served, and stopped");
    }
}

#[test]
fn more_clients_than_a_server_takes_wait_for_their_turn() {
    let figures = run(&Scenario { clients: 500, servers: 1, transfers: 4, ..small() });
    assert_eq!(figures.booted.len(), 500);
    let server = &figures.servers[0];
    assert!(server.unanswered > 0 && server.most_transfers == 4, "{server:?}");
}

#[test]
fn ports_of_transfers_need_a_hash_over_addresses() {
    let storm = |single_port, hash| {
        run(&Scenario { clients: 200, single_port, hash, horizon: 60_000, ..small() }).booted.len()
    };
    assert_eq!(storm(false, Hash::Addresses), 200);
    assert_eq!(storm(true, Hash::Ports), 200);
    assert!(storm(false, Hash::Ports) < 100);
}

#[test]
fn a_smaller_fleet_of_slower_servers_takes_as_long() {
    let whole = Scenario { clients: 40_000, servers: 4, bytes: false, ..small() };
    let tenth = run(&Scenario { scale: 10, ..whole.clone() });
    assert!((3_990..=4_010).contains(&tenth.booted.len()), "{}", tenth.booted.len());
    let (whole, tenth) = (run(&whole).time_until(500), tenth.time_until(500));
    let (whole, tenth) = (whole.unwrap_or(0), tenth.unwrap_or(0));
    assert!(whole.abs_diff(tenth) * 5 < whole, "{whole} and {tenth} ms");
}

#[test]
fn every_chain_ends() {
    for chain in [Chain::Loader, Chain::Full, Chain::Phone] {
        let figures = run(&Scenario { clients: 5, chain, ..small() });
        assert_eq!(figures.booted.len(), 5, "{chain:?}");
        assert_eq!(sums(&figures).0, 5 * chain.steps().len() as u64);
    }
}

#[test]
fn a_core_does_one_thing_at_a_time() {
    let slow = Costs { request: 2_000_000, ..Costs::default() };
    let storm = Scenario { costs: slow, cores: 1, servers: 2, bytes: false, ..small() };
    let figures = run(&storm);
    // 9,000 requests of 2 ms each on two cores.
    assert!(figures.time_until(1_000) >= Some(9_000), "{:?}", figures.time_until(1_000));
    let summary = figures.summary(&storm);
    assert!(summary.cpu_permille > 500 && summary.cpu_most_permille <= 1_000, "{summary:?}");
}

const ORIGIN: Origin = Origin { line: 100_000_000, latency: 20_000_000, requests: 1_000_000, lookups: false };

#[test]
fn each_server_fetches_each_file_once_and_all_boot() {
    let warm = run(&small());
    let figures = run(&Scenario { origin: Some(ORIGIN), ..small() });
    assert_eq!(figures.booted.len(), 1_000);
    let fetched: Vec<u64> = figures.servers.iter().map(|server| server.fetched).collect();
    assert_eq!(fetched, [(1 << 20) + (4 << 10); 4]);
    // 25 Mbit/s for each of four servers: 1 MiB takes 0.34 s, and nothing is sent again while clients wait for it.
    let slower = figures.time_until(1).unwrap() - warm.time_until(1).unwrap();
    assert!((300..=400).contains(&slower), "{slower} ms");
    assert_eq!((sums(&figures), figures.repeated), ((9_000, 738_000, 0), 0));
}

#[test]
fn clients_that_wait_for_a_slow_origin_do_not_give_up_while_bytes_come() {
    // 1 Mbit/s for each: 1 MiB takes 8 s, windows of 64 blocks come every 0.7 s.
    let slow = Origin { line: 4_000_000, ..ORIGIN };
    let figures = run(&Scenario { origin: Some(slow), ..small() });
    assert_eq!((figures.booted.len(), figures.restarts), (1_000, 0));
    assert!(figures.time_until(1) >= Some(8_000), "{:?}", figures.time_until(1));
}

#[test]
fn names_of_clients_load_the_origin_that_has_none_of_them() {
    let figures = run(&Scenario { origin: Some(Origin { lookups: true, ..ORIGIN }), ..small() });
    assert_eq!(figures.booted.len(), 1_000);
    assert_eq!(figures.servers.iter().map(|server| server.lookups).sum::<u64>(), 6_000);
    let few = Origin { lookups: true, requests: 500, ..ORIGIN };
    let figures = run(&Scenario { origin: Some(few), ..small() });
    // 6,000 lookups at 500 a second.
    assert!(figures.time_until(990) >= Some(11_000), "{:?}", figures.time_until(990));
}
