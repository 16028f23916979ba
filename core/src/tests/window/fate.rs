//! Transfers, windows and link faults as inputs of the properties.

use super::BLKSIZE;
use crate::block::Rollover;
use proptest::prelude::*;

/// A transfer: `blocks` more after `base`, the last of them with `rest` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Job {
    pub rollover: Rollover,
    pub window: u16,
    pub base: u64,
    pub blocks: u64,
    pub rest: u16,
}

pub fn jobs() -> impl Strategy<Value = Job> {
    let window = prop_oneof![3 => 1..=8_u16, 3 => 1..=64_u16, 1 => 1..=32_767_u16];
    let base = prop_oneof![Just(0_u64), 65_400..65_600_u64, 130_900..131_200_u64, 0..1_u64 << 40];
    let rollover = prop_oneof![Just(Rollover::Zero), Just(Rollover::One)];
    (rollover, window, base, 0..BLKSIZE).prop_flat_map(|(rollover, window, base, rest)| {
        let most = (u64::from(window) * 3).max(300);
        (1..=most).prop_map(move |blocks| Job { rollover, window, base, blocks, rest })
    })
}

/// The fate of datagrams in flight, or the passing of time.
#[derive(Debug, Clone, Copy)]
pub enum Fate {
    /// The next ones arrive: this many DATA, or ACKs.
    Data(u16),
    Acks(u8),
    LoseData(u8),
    LoseAck,
    DoubleData,
    DoubleAck,
    /// The next one arrives after all others.
    HoldData,
    HoldAck,
    Timeout,
    /// The receiver times out.
    LateTimeout,
    Wait(u16),
}

pub fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        4 => (1..100_u16).prop_map(Fate::Data),
        4 => (1..5_u8).prop_map(Fate::Acks),
        1 => (1..20_u8).prop_map(Fate::LoseData),
        1 => Just(Fate::LoseAck),
        1 => Just(Fate::DoubleData),
        1 => Just(Fate::DoubleAck),
        1 => Just(Fate::HoldData),
        1 => Just(Fate::HoldAck),
        1 => Just(Fate::Timeout),
        1 => Just(Fate::LateTimeout),
        2 => (0..10_000_u16).prop_map(Fate::Wait),
    ];
    prop::collection::vec(fate, 0..200)
}
