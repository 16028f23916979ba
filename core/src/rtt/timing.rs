//! The time-outs that are configured or negotiated for a transfer.

use crate::time::micros;
use core::time::Duration;

/// The time-outs of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    pub(super) floor: u32,
    pub(super) initial: u32,
    /// The `timeout` option of the client, 0 if none.
    pub(super) named: u32,
    pub(super) cap: u32,
    /// The shortest RTO in lockstep for a peer that is not known to bear copies.
    lockstep: u32,
    give_up: u32,
    /// How long a server waits for a client that has not answered at all.
    unproven: u32,
    dally: u32,
}

/// What in.tftpd waits before it repeats a block. Every client of the last decades has lived with it.
const LOCKSTEP_FLOOR: u32 = 1_000_000;

impl Timing {
    /// `floor`: the shortest RTO (default 2 ms), for peers with short and steady round trips; for others it is ten
    /// times as long, but not longer than `initial`. `initial`: the RTO before a round trip is measured (250 ms).
    /// `cap`: the longest RTO after back-off (4 s). `give_up`: how long the peer may be silent, or only repeat
    /// itself, before the transfer ends (65 s). `dally`: how long a receiver stays to repeat its last ACK (5 s, RFC 1350
    /// section 6).
    ///
    /// In lockstep the RTO for a peer that is not known to bear copies is at least 1 s; see
    /// [`Timing::with_lockstep_floor`].
    ///
    /// Each is limited to 71 minutes; `initial` and `cap` are raised to `floor` if they are lower.
    pub fn new(
        floor: Duration,
        initial: Duration,
        cap: Duration,
        give_up: Duration,
        dally: Duration,
    ) -> Self {
        let (floor, give_up) = (micros(floor).max(1), micros(give_up));
        let initial = micros(initial).max(floor);
        Timing {
            floor,
            initial,
            named: 0,
            cap: micros(cap).max(floor),
            lockstep: LOCKSTEP_FLOOR,
            give_up,
            unproven: give_up,
            dally: micros(dally),
        }
    }

    /// Replaces the shortest RTO in lockstep for a peer that is not known to bear copies of DATA packets (1 s). `cap` and
    /// the option `timeout` limit it.
    #[must_use]
    pub fn with_lockstep_floor(self, floor: Duration) -> Self {
        Timing { lockstep: micros(floor), ..self }
    }

    /// Returns the shortest RTO in lockstep for a peer that is not known to bear copies of DATA packets.
    pub fn lockstep_floor(&self) -> Duration {
        Duration::from_micros(self.lockstep_micros().into())
    }

    /// RFC 2349: the client names the seconds to wait before a retransmission. They are the RTO until a round
    /// trip is measured, and afterwards its cap unless `cap` is lower. `give_up` grows to three of them, but
    /// not for a client that has not answered at all: an unproven address cannot demand minutes of attention.
    /// tftp-hpa's `utimeout` means the same in microseconds.
    pub(crate) fn with_timeout_option(mut self, micros: u32) -> Self {
        let timeout_us = micros.max(self.floor);
        self.named = timeout_us;
        self.cap = self.cap.min(timeout_us);
        self.give_up = self.give_up.max(timeout_us.saturating_mul(3));
        self
    }

    /// The longest time-out after doubling.
    pub fn cap(&self) -> Duration {
        Duration::from_micros(self.cap.into())
    }

    pub(crate) fn lockstep_micros(&self) -> u32 {
        self.lockstep.min(self.cap)
    }

    pub(crate) fn give_up(&self) -> u32 {
        self.give_up
    }

    /// Returns the RTO before the first measurement, in microseconds.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    pub(crate) fn unproven(&self) -> u32 {
        self.unproven
    }

    pub(crate) fn dally(&self) -> u32 {
        self.dally
    }
}

impl Default for Timing {
    fn default() -> Self {
        let ms = Duration::from_millis;
        Timing::new(ms(2), ms(250), ms(4_000), ms(65_000), ms(5_000))
    }
}
