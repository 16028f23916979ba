//! Searches all states breadth-first, each once; reports a violation with the steps that lead to it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use super::end::End;
use super::state::{Step, World};
use crate::block::Rollover;
use crate::limits::Limits;
use crate::options::OptionSet;
use crate::rtt::Timing;
use crate::transfer::{Finish, Settings};
use crate::types::Operation;

/// Bytes in a block: the smallest size.
const BLKSIZE: u16 = 8;
/// More states than any search here has; beyond it the search would not end.
const MAX_STATES: usize = 20_000_000;

/// The parameters of a search.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub operation: Operation,
    /// Blocks in a window; 0 for no options (lockstep).
    pub window: u16,
    /// Whole blocks of the file.
    pub blocks: u64,
    /// Whether the last block is empty; otherwise it has three bytes.
    pub even: bool,
    /// The number of faults.
    pub faults: u8,
    /// The delay of a datagram in microseconds.
    pub tick: u64,
    /// Blocks of a window per millisecond.
    pub burst: Option<u16>,
}

impl Bounds {
    pub fn requested(&self) -> OptionSet {
        match self.window {
            0 => OptionSet::default(),
            blocks => OptionSet { blksize: Some(BLKSIZE), windowsize: Some(blocks), ..OptionSet::default() },
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { burst: self.burst, ..Limits::default() }
    }

    pub fn size(&self) -> u64 {
        self.blocks * u64::from(self.requested().block_size()) + if self.even { 0 } else { 3 }
    }

    /// Returns the bytes of the file from an offset on: no two blocks are alike.
    pub fn bytes(&self, offset: u64, length: u16) -> Vec<u8> {
        let blksize = u64::from(self.requested().block_size());
        (offset..offset + u64::from(length)).map(|at| (at / blksize * 16 + at % 8) as u8).collect()
    }

    pub fn settings(&self) -> Settings {
        let ms = Duration::from_millis;
        let timing = Timing::new(ms(20), ms(50), ms(400), ms(8_000), ms(4_000));
        Settings { timing, rollover: Rollover::Zero }
    }
}

/// Searches all states and returns their number.
///
/// # Panics
/// An invariant is violated.
pub fn search(bounds: &Bounds) -> usize {
    let start = World::new(bounds).unwrap_or_else(|wrong| panic!("at the start: {wrong}"));
    let mut known = HashMap::from([(digest(&start), 0_u32)]);
    // The predecessor and step by which each state was first reached; and all edges.
    let mut from: Vec<(u32, Option<Step>)> = vec![(0, None)];
    let mut ways: Vec<(u32, u32)> = Vec::new();
    let mut ends: Vec<u32> = Vec::new();
    let mut level = vec![(0_u32, start)];
    while !level.is_empty() {
        let mut deeper = Vec::new();
        for (id, state) in level {
            let fail = |wrong: &str, step: Option<Step>| -> ! {
                panic!("{wrong}\n{bounds:?}\n{}\n{state:#?}", trace(&from, id, step).join("\n"))
            };
            if let Err(wrong) = holds(&state, bounds) {
                fail(&wrong, None);
            }
            let steps = state.steps();
            if steps.is_empty() {
                if let Err(wrong) = ended(&state, bounds) {
                    fail(&wrong, None);
                }
                ends.push(id);
            }
            let mut found = Vec::new();
            for step in steps {
                match state.after(step, bounds) {
                    Ok(next) => found.push((step, digest(&next), next)),
                    Err(wrong) => fail(&wrong, Some(step)),
                }
            }
            for (step, digest, next) in found {
                let new = known.len() as u32;
                let next_id = *known.entry(digest).or_insert(new);
                ways.push((id, next_id));
                if next_id == new {
                    from.push((id, Some(step)));
                    deeper.push((new, next));
                }
            }
            assert!(known.len() < MAX_STATES, "too many states: {bounds:?}");
        }
        level = deeper;
    }
    if let Some(lost) = without_end(known.len(), &ways, &ends) {
        panic!("no end can be reached: {bounds:?}\n{}", trace(&from, lost, None).join("\n"));
    }
    known.len()
}

/// Checks the invariants of each state.
fn holds(state: &World, bounds: &Bounds) -> Result<(), String> {
    let faults = bounds.faults - state.faults;
    let rollbacks = state.client.rollbacks + state.server.rollbacks;
    if u16::from(rollbacks) > u16::from(faults) * (bounds.window.max(1) + 1) {
        return Err(format!("{rollbacks} rollbacks after {faults} faults"));
    }
    Ok(())
}

/// Checks the invariants of each end.
fn ended(state: &World, bounds: &Bounds) -> Result<(), String> {
    if !state.is_over() {
        return Err("a deadlock: nothing is awaited".into());
    }
    let World { client, server, .. } = state;
    // All ACKs of a one-block file may be lost: the client has it, and the server has never heard from it.
    let unheard = bounds.operation == Operation::Read && bounds.blocks == 0 && server.transfer.is_none();
    let served = server.finish == Some(Finish::Complete) || unheard;
    if client.finish != Some(Finish::Complete) || !served {
        return Err(format!("ended with {:?} and {:?}", client.finish, server.finish));
    }
    let receiver: &End = if bounds.operation == Operation::Read { client } else { server };
    if receiver.accepted != bounds.size() {
        return Err(format!("complete with {} bytes of {}", receiver.accepted, bounds.size()));
    }
    Ok(())
}

/// Returns a state from which no end is reachable.
fn without_end(states: usize, ways: &[(u32, u32)], ends: &[u32]) -> Option<u32> {
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); states];
    for (from, to) in ways {
        back[*to as usize].push(*from);
    }
    let mut reached = vec![false; states];
    let mut next = ends.to_vec();
    while let Some(state) = next.pop() {
        if !std::mem::replace(&mut reached[state as usize], true) {
            next.extend(&back[state as usize]);
        }
    }
    reached.iter().position(|reached| !reached).map(|state| state as u32)
}

/// Combines two 64-bit hashes: a collision among millions of states is out of the question.
fn digest(state: &World) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        state.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn trace(from: &[(u32, Option<Step>)], mut at: u32, last: Option<Step>) -> Vec<String> {
    let mut steps: Vec<String> = last.iter().map(|step| format!("{step:?}, which fails")).collect();
    while let (before, Some(step)) = from[at as usize] {
        steps.push(format!("{step:?}"));
        at = before;
    }
    steps.reverse();
    steps
}
