//! The busy time of cores, from `/proc/stat`.
//!
//! A process's own time leaves out the softirq work that its packets cause, and that of children which
//! have not been waited for. The time that its core was busy leaves out nothing, provided that nothing
//! else runs there: that is what the idle baseline is for.

use crate::{MeasureError, read};
use std::time::{Duration, Instant};

/// `/proc/stat` counts in ticks of this many per second (`USER_HZ`), on every architecture that Linux runs on
/// but Alpha and ia64.
const TICKS_PER_SECOND: f64 = 100.0;

/// What a core has done since the machine started, in ticks (`proc_stat(5)`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreTimes {
    /// user + nice + system + irq + softirq.
    pub busy: u64,
    /// Taken by the hypervisor for others: a run with much of it says little.
    pub stolen: u64,
}

impl CoreTimes {
    /// Reads the counters of these cores, added up.
    ///
    /// # Errors
    /// When `/proc/stat` cannot be read or knows no such core.
    pub fn read(cores: &[usize]) -> Result<Self, MeasureError> {
        let stat = read("/proc/stat")?;
        let mut sum = CoreTimes::default();
        for &core in cores {
            let times = of_core(&stat, core).ok_or(MeasureError::NoCore(core))?;
            sum.busy += times.busy;
            sum.stolen += times.stolen;
        }
        Ok(sum)
    }
}

/// How busy cores were over some time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Busy {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds of work, all cores added up.
    pub busy: f64,
    /// Seconds that the hypervisor took.
    pub stolen: f64,
}

impl Busy {
    /// Seconds of work beyond what the cores do when nothing is measured, never below 0.
    pub fn beyond(&self, idle: &Busy) -> f64 {
        let share = if idle.seconds > 0.0 { idle.busy / idle.seconds } else { 0.0 };
        (self.busy - share * self.seconds).max(0.0)
    }
}

/// Measures from its creation on.
#[derive(Debug)]
pub struct CoreMeter {
    cores: Vec<usize>,
    started: Instant,
    first: CoreTimes,
}

impl CoreMeter {
    /// Starts to measure these cores.
    ///
    /// # Errors
    /// As [`CoreTimes::read`].
    pub fn start(cores: &[usize]) -> Result<Self, MeasureError> {
        let first = CoreTimes::read(cores)?;
        Ok(CoreMeter { cores: cores.to_vec(), started: Instant::now(), first })
    }

    /// What happened since the start.
    ///
    /// # Errors
    /// As [`CoreTimes::read`].
    pub fn stop(&self) -> Result<Busy, MeasureError> {
        let seconds = self.started.elapsed().as_secs_f64();
        let last = CoreTimes::read(&self.cores)?;
        let ticks = |from: u64, to: u64| to.saturating_sub(from) as f64 / TICKS_PER_SECOND;
        Ok(Busy {
            seconds,
            busy: ticks(self.first.busy, last.busy),
            stolen: ticks(self.first.stolen, last.stolen),
        })
    }

    /// How busy these cores are with nothing to do but what the machine does anyway.
    ///
    /// # Errors
    /// As [`CoreTimes::read`].
    pub fn baseline(cores: &[usize], time: Duration) -> Result<Busy, MeasureError> {
        let meter = CoreMeter::start(cores)?;
        std::thread::sleep(time);
        meter.stop()
    }
}

/// `cpuN user nice system idle iowait irq softirq steal …`
fn of_core(stat: &str, core: usize) -> Option<CoreTimes> {
    let name = format!("cpu{core}");
    let line = stat.lines().find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    let ticks: Vec<u64> =
        line.split_ascii_whitespace().skip(1).map(str::parse).collect::<Result<_, _>>().ok()?;
    let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
    Some(CoreTimes { busy: at(0) + at(1) + at(2) + at(5) + at(6), stolen: at(7) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  10 0 0 0 0 0 0 0 0 0\ncpu0 1 2 4 900 800 8 16 32 0 0\ncpu10 7 0 0 0 0 0 0 0 0 0\n\
                        intr 12\n";

    #[test]
    fn busy_is_all_but_idle_waiting_and_stolen() {
        assert_eq!(of_core(STAT, 0), Some(CoreTimes { busy: 31, stolen: 32 }));
        assert_eq!(of_core(STAT, 10), Some(CoreTimes { busy: 7, stolen: 0 }));
        assert_eq!(of_core(STAT, 1), None, "cpu10 is not cpu1");
    }

    #[test]
    fn the_baseline_is_taken_by_its_share() {
        let idle = Busy { seconds: 2.0, busy: 0.1, stolen: 0.0 };
        let run = Busy { seconds: 4.0, busy: 3.2, stolen: 0.0 };
        assert!((run.beyond(&idle) - 3.0).abs() < 1e-9);
        assert_eq!(Busy { busy: 0.1, ..run }.beyond(&idle), 0.0);
    }

    #[test]
    fn a_busy_core_is_seen() {
        let core = crate::cores().unwrap()[0];
        let spinner = std::thread::spawn(move || {
            crate::pin(core).unwrap();
            let meter = CoreMeter::start(&[core]).unwrap();
            while meter.started.elapsed() < Duration::from_millis(300) {}
            meter.stop().unwrap()
        });
        let busy = spinner.join().unwrap();
        assert!(busy.busy + busy.stolen >= 0.2, "{busy:?}");
    }
}
