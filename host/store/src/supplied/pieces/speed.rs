//! How far a transfer reads ahead: so far that a piece is there when the client needs it, and no farther.

use std::time::Duration;
use tokio::time::Instant;

/// What a transfer reads ahead before its speed is known, and what it reads ahead at least: pieces.
const FIRST: u64 = 16;
const LEAST: u64 = 4;

/// How quickly a transfer takes its pieces.
#[derive(Debug, Default)]
pub(super) struct Speed {
    /// The last piece that it got, and when.
    last: Option<(u64, Instant)>,
    /// How long it takes to want the next one.
    per_piece: Option<Duration>,
}

impl Speed {
    /// The transfer needs a piece.
    pub(super) fn needs(&mut self, piece: u64, now: Instant) {
        let Some((_, since)) = self.last.filter(|(last, _)| last + 1 == piece) else { return };
        let time = now.saturating_duration_since(since);
        self.per_piece = Some(match self.per_piece {
            None => time,
            // A pause says little about the speed after it.
            Some(before) => (before * 3 + time.min((before * 4).max(Duration::from_millis(1)))) / 4,
        });
    }

    /// The transfer gets a piece; returns whether it did not have it before.
    pub(super) fn gets(&mut self, piece: u64, now: Instant) -> bool {
        let is_new = self.last.is_none_or(|(last, _)| last != piece);
        if is_new {
            self.last = Some((piece, now));
        }
        is_new
    }

    /// Twice as many pieces as the transfer takes while one is read, since neither delays nor clients are regular.
    pub(super) fn pieces_ahead(&self, delay: Option<Duration>) -> u64 {
        let Some((delay, per_piece)) = delay.zip(self.per_piece) else { return FIRST };
        let needed = delay.as_nanos().div_ceil(per_piece.as_nanos().max(1));
        u64::try_from(2 * needed).unwrap_or(u64::MAX).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// A transfer that takes 20 pieces, each after this time.
    fn taking(per_piece: Duration) -> (Speed, Instant) {
        let (mut speed, mut now) = (Speed::default(), Instant::now());
        for piece in 0..20 {
            speed.needs(piece, now);
            // The back end is slow.
            now += ms(50);
            assert!(speed.gets(piece, now) && !speed.gets(piece, now));
            now += per_piece;
        }
        (speed, now)
    }

    #[test]
    fn a_transfer_reads_ahead_what_it_takes_while_a_piece_is_read() {
        assert_eq!(Speed::default().pieces_ahead(Some(ms(50))), FIRST);
        for (per_piece, ahead) in [(1, 100), (5, 20), (10, 10), (50, LEAST), (1000, LEAST)] {
            let (speed, _) = taking(ms(per_piece));
            assert_eq!(speed.pieces_ahead(Some(ms(50))), ahead, "{per_piece} ms for each piece");
            assert_eq!(speed.pieces_ahead(None), FIRST);
        }
        assert_eq!(taking(Duration::ZERO).0.pieces_ahead(Some(ms(1))), 2_000_000);
    }

    #[test]
    fn a_pause_is_no_speed() {
        let (mut speed, now) = taking(ms(1));
        speed.needs(20, now + Duration::from_secs(10));
        assert!(speed.pieces_ahead(Some(ms(50))) >= 50);
        // The transfer repeats a part, or skips one.
        let (mut speed, now) = taking(ms(1));
        speed.needs(3, now + Duration::from_secs(10));
        speed.needs(30, now + Duration::from_secs(10));
        assert_eq!(speed.pieces_ahead(Some(ms(50))), 100);
    }
}
