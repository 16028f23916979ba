//! Scales cases.

use crate::peers::cases::{KIB, Kind};
use crate::scale::Scale;
use std::time::Duration;

/// The largest file of a smoke run.
const SMALL: u64 = 100 * KIB + 7;

impl Scale {
    /// Returns the case at this scale.
    pub(crate) fn kind(self, kind: Kind) -> Kind {
        match (self, kind) {
            (Scale::Full, kind) => kind,
            (Scale::Quick, Kind::Transfers(mut load)) => {
                load.transfers = (load.transfers / 4).max(load.concurrency.min(load.transfers));
                Kind::Transfers(load)
            }
            (scale, Kind::Beside { load, storm }) => {
                match (scale.kind(Kind::Transfers(load)), scale.kind(Kind::Transfers(storm))) {
                    (Kind::Transfers(load), Kind::Transfers(storm)) => Kind::Beside { load, storm },
                    _ => kind,
                }
            }
            (scale, Kind::ToDisk(load)) => match scale.kind(Kind::Transfers(load)) {
                Kind::Transfers(load) => Kind::ToDisk(load),
                _ => kind,
            },
            (scale, Kind::Cold(load)) => match scale.kind(Kind::Transfers(load)) {
                Kind::Transfers(load) => Kind::Cold(load),
                _ => kind,
            },
            (scale, Kind::BesideCold { load, cold }) => {
                match (scale.kind(Kind::Transfers(load)), scale.kind(Kind::Transfers(cold))) {
                    (Kind::Transfers(load), Kind::Transfers(cold)) => Kind::BesideCold { load, cold },
                    _ => kind,
                }
            }
            (Scale::Quick, Kind::Memory { open, windowsize }) => Kind::Memory { open: open / 10, windowsize },
            (Scale::Quick, kind @ Kind::Idle { .. }) => kind,
            (Scale::Smoke, Kind::Transfers(mut load)) => {
                load.transfers = load.transfers.min(20);
                load.concurrency = load.concurrency.min(10);
                load.size = load.size.min(SMALL);
                load.limit = load.limit.min(Duration::from_secs(30));
                Kind::Transfers(load)
            }
            (Scale::Smoke, Kind::Memory { open, windowsize }) => {
                Kind::Memory { open: open.min(50), windowsize }
            }
            (Scale::Smoke, Kind::Idle { stalled }) => Kind::Idle { stalled: stalled.min(50) },
        }
    }

    /// The minimum duration of a round.
    pub(crate) fn least(self) -> Duration {
        Duration::from_millis(self.choose([1_500, 500, 0]))
    }

    /// The time from the last activity until a server counts as idle.
    pub(crate) fn settle(self) -> Duration {
        Duration::from_millis(self.choose([1_000, 1_000, 100]))
    }

    /// The duration of an idle measurement.
    pub(crate) fn rest(self) -> Duration {
        Duration::from_millis(self.choose([10_000, 3_000, 200]))
    }

    /// How long transfers stay open for a memory measurement.
    pub(crate) fn hold(self) -> Duration {
        Duration::from_millis(self.choose([12_000, 5_000, 700]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::cases::CASES;

    #[test]
    fn a_smaller_scale_keeps_the_kind_of_case() {
        for case in CASES {
            let (quick, smoke) = (Scale::Quick.kind(case.kind), Scale::Smoke.kind(case.kind));
            if let (Kind::Transfers(full), Kind::Transfers(quick), Kind::Transfers(smoke)) =
                (case.kind, quick, smoke)
            {
                assert!(
                    full.transfers >= quick.transfers
                        && quick.transfers >= smoke.transfers.min(quick.transfers)
                );
                assert!(quick.transfers > 0 && smoke.transfers > 0, "{}", case.name);
                assert_eq!((full.windowsize, full.write), (smoke.windowsize, smoke.write));
            }
        }
    }
}
