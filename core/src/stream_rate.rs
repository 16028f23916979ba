//! The rates of a server, kept by a stream of bytes instead of the blocks of a transfer: for other protocols.

use crate::allowance::Allowance;
use crate::limits::Limits;
use crate::pacer::Rate;
use crate::time::Time;
use crate::total_rate::Member;

/// What a stream takes and gives back at once, in bytes: a packet of Ethernet.
const PIECE: u16 = 1_460;

/// The rates that a stream keeps: its own, and the one that it shares with transfers and other streams.
#[derive(Debug)]
pub struct StreamRate(Option<Rate>);

impl StreamRate {
    /// The rates of these limits.
    pub fn of(limits: &Limits) -> StreamRate {
        let own = limits.rate.map(|rate| Allowance::new(rate, PIECE.into()));
        let member = |total| Box::new(Member::new(total, limits.client, PIECE));
        let shared = limits.total_rate.clone().map(member);
        StreamRate((own.is_some() || shared.is_some()).then(|| Rate::new(own, shared, PIECE)))
    }

    /// Takes up to `wanted` bytes, and returns how many may pass now. A stream ends with a whole piece, as a read ends with a
    /// whole block.
    ///
    /// # Errors
    /// Until when the stream has to wait before any byte may pass.
    pub fn take(&mut self, now: Time, wanted: usize) -> Result<usize, Time> {
        let Some(rate) = &mut self.0 else { return Ok(wanted) };
        let piece = usize::from(PIECE);
        let pieces = u32::try_from(wanted.div_ceil(piece)).unwrap_or(u32::MAX);
        match rate.take(now, pieces) {
            0 if wanted > 0 => Err(rate.covered().max(now.after(1))),
            taken => Ok((taken as usize).saturating_mul(piece).min(wanted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::total_rate::TotalRate;
    use std::sync::Arc;

    /// Returns the bytes that pass in ten seconds, taken as they come.
    fn in_ten_seconds(streams: &mut [StreamRate]) -> Vec<u64> {
        let mut states = vec![(0, Time::default()); streams.len()];
        for micros in (0..10_000_000).step_by(1_000) {
            let now = Time::from_micros(micros);
            for (stream, (passed, wait)) in streams.iter_mut().zip(&mut states) {
                match if *wait <= now { stream.take(now, 256 << 10) } else { Err(*wait) } {
                    Ok(bytes) => *passed += bytes as u64,
                    Err(until) => *wait = until,
                }
            }
        }
        states.into_iter().map(|(passed, _)| passed).collect()
    }

    #[test]
    fn a_stream_keeps_its_rate_and_shares_that_of_others() {
        let total = Arc::new(TotalRate::new(4_000_000));
        let limits =
            |rate, client| Limits { rate, client, total_rate: Some(Arc::clone(&total)), ..Limits::default() };
        let mut alone = [StreamRate::of(&Limits { rate: Some(1_000_000), ..Limits::default() })];
        let passed = in_ten_seconds(&mut alone)[0];
        assert!((9_500_000..=10_500_000).contains(&passed), "{passed}");
        let mut both = [StreamRate::of(&limits(None, 1)), StreamRate::of(&limits(Some(1_000_000), 2))];
        let passed = in_ten_seconds(&mut both);
        assert!((9_000_000..=10_500_000).contains(&passed[1]), "{passed:?}");
        let all: u64 = passed.iter().sum();
        assert!((38_000_000..=41_500_000).contains(&all), "{passed:?}");
    }

    #[test]
    fn without_a_rate_everything_passes() {
        assert_eq!(StreamRate::of(&Limits::default()).take(Time::default(), usize::MAX), Ok(usize::MAX));
    }
}
