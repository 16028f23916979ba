//! Runs scenarios on several threads, in independent parts.

use crate::ecmp::Routes;
use crate::figures::Figures;
use crate::scenario::Scenario;
use crate::world::World;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns the results of each scenario, which do not depend on the threads. Calls `done` with the number of
/// a scenario whenever a part of it is finished.
pub(crate) fn simulate(
    scenarios: &[Scenario],
    threads: usize,
    done: &(dyn Fn(usize) + Sync),
) -> Vec<Figures> {
    let parts: Vec<(usize, Option<u16>)> =
        scenarios.iter().enumerate().flat_map(|(index, scenario)| parts(index, scenario)).collect();
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Figures>> = parts.iter().map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((&(index, part), result)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    parts.get(number).zip(results.get(number))
                } {
                    let figures = simulate_part(&scenarios[index], part);
                    if let Ok(mut result) = result.lock() {
                        *result = figures;
                    }
                    done(index);
                }
            });
        }
    });
    let mut all: Vec<Figures> = scenarios.iter().map(|_| Figures::default()).collect();
    for ((index, _), result) in parts.into_iter().zip(results) {
        all[index].add(result.into_inner().unwrap_or_default());
    }
    all.into_iter().zip(scenarios).map(|(figures, scenario)| figures.finish(scenario.scale)).collect()
}

/// Splits a scenario by server where possible.
fn parts(index: usize, scenario: &Scenario) -> Vec<(usize, Option<u16>)> {
    if scenario.is_independent() {
        (0..scenario.servers).map(|server| (index, Some(server))).collect()
    } else {
        vec![(index, None)]
    }
}

pub(crate) fn simulate_part(scenario: &Scenario, server: Option<u16>) -> Figures {
    let routes = Routes {
        hash: scenario.hash,
        rehash: scenario.rehash,
        seed: scenario.seed,
        servers: scenario.servers,
        withdrawn: None,
    };
    let clients = chosen(scenario, &routes, server);
    let servers = server.map_or(0..scenario.servers, |server| server..server + 1);
    World::new(scenario, routes, &clients, servers).run()
}

/// The simulated clients. In a scaled fleet, each server gets its share of the clients that the hash would
/// send to it. If fewer clients were drawn at random, the hash would seem to distribute them worse than it
/// does.
fn chosen(scenario: &Scenario, routes: &Routes, server: Option<u16>) -> Vec<u32> {
    let mut seen = vec![0_u32; usize::from(scenario.servers)];
    (0..scenario.clients)
        .filter(|&client| {
            let at = routes.server(client, 0, 0);
            if server.is_some_and(|server| server != at) {
                return false;
            }
            let Some(count) = seen.get_mut(usize::from(at)) else { return false };
            *count += 1;
            *count % scenario.scale == scenario.scale / 2
        })
        .collect()
}
