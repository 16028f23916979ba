//! The model: two real transfers and the links between them, in every reachable state.
//!
//! A search over all interleavings: at each step any datagram may arrive, a decision or a store may complete,
//! a time-out may occur; and as often as the bounds allow, a datagram is lost, duplicated or delayed for any
//! time, or a time-out occurs before the answer. The state machines are those of the server, cloned at each
//! branch; only the host and the links are modelled.
//!
//! Invariants of each state: bytes are accepted in order and equal those of the file; no block is sent that
//! was not granted; one gap is answered once, and nothing is retransmitted without a fault; there is always
//! something to wait for; an end is reachable. Invariants of each end: both sides are complete, with
//! identical bytes. (The faults are too few to make either side give up.)

mod end;
mod link;
mod search;
mod state;

use crate::types::Operation;
use search::{Bounds, search};

/// Searches every combination of direction, window and file, with this many faults.
fn all(windows: &[u16], blocks: u64, faults: u8, tick: u64) {
    let mut states = 0;
    for operation in [Operation::Read, Operation::Write] {
        for &window in windows {
            for blocks in 0..=blocks {
                for even in [false, true] {
                    let bounds = Bounds { operation, window, blocks, even, faults, tick, burst: None };
                    states += search(&bounds);
                }
            }
        }
    }
    eprintln!("windows {windows:?}, up to {blocks} blocks, {faults} faults, {tick} µs: {states} states");
}

#[test]
fn every_interleaving_with_one_fault() {
    all(&[0, 1, 2, 3], 4, 1, 0);
}

#[test]
fn every_interleaving_with_two_faults() {
    all(&[1, 2], 2, 2, 0);
}

#[test]
fn every_interleaving_over_a_slow_link() {
    all(&[1, 2], 2, 1, 700);
}

#[test]
fn every_interleaving_of_a_window_that_is_spread() {
    for faults in [0, 1] {
        let bounds = Bounds {
            operation: Operation::Read,
            window: 3,
            blocks: 4,
            even: false,
            faults,
            tick: 0,
            burst: Some(2),
        };
        search(&bounds);
    }
}

/// `make test SUITE=model`: all of it, in minutes.
#[test]
#[ignore = "takes minutes: make model"]
fn every_interleaving_within_larger_bounds() {
    all(&[0, 1, 2, 3, 4], 6, 1, 0);
    all(&[0, 1, 2, 3, 4], 6, 1, 700);
    all(&[0, 1, 2, 3, 4], 4, 2, 0);
    all(&[1, 2, 3], 4, 2, 700);
    all(&[0, 1, 2], 3, 3, 0);
}
