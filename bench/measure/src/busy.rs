//! The busy time of cores, from `/proc/stat`.
//!
//! A process's own time omits the softirq work for its packets, and the time of children before they are reaped. The
//! busy time of its core omits nothing, provided that nothing else runs there; the idle baseline shows that.

use crate::{MeasureError, read};
use std::time::{Duration, Instant};

/// `/proc/stat` counts in ticks of this many per second (`USER_HZ`), on every Linux architecture except Alpha
/// and ia64.
const TICKS_PER_SECOND: f64 = 100.0;

/// The counters of cores since the start of the machine, in ticks (`proc_stat(5)`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreTimes {
    /// user + nice + system + irq + softirq.
    pub busy: u64,
    /// Time that the hypervisor gave to others. A run with much of it means little.
    pub stolen: u64,
}

impl CoreTimes {
    /// Reads the sums of the counters of these cores.
    ///
    /// # Errors
    /// `/proc/stat` cannot be read or lacks one of the cores.
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

/// How busy cores were over a period.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Busy {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds of work, summed over the cores.
    pub busy: f64,
    /// Seconds that the hypervisor took.
    pub stolen: f64,
}

impl Busy {
    /// Seconds of work beyond the idle baseline, never below 0.
    pub fn beyond(&self, idle: &Busy) -> f64 {
        let share = if idle.seconds > 0.0 { idle.busy / idle.seconds } else { 0.0 };
        (self.busy - share * self.seconds).max(0.0)
    }
}

/// Measures busy time from its creation on.
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

    /// Returns the busy time since the start.
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

    /// Measures the idle baseline of these cores: the machine's own work.
    ///
    /// # Errors
    /// As [`CoreTimes::read`].
    pub fn baseline(cores: &[usize], time: Duration) -> Result<Busy, MeasureError> {
        let meter = CoreMeter::start(cores)?;
        std::thread::sleep(time);
        meter.stop()
    }
}

/// Finds the line `cpuN user nice system idle iowait irq softirq steal …`.
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
    use crate::CpuTime;

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
            let before = CpuTime::of_thread().unwrap();
            while CpuTime::of_thread().unwrap().since(before).total() < Duration::from_millis(250) {}
            meter.stop().unwrap()
        });
        let busy = spinner.join().unwrap();
        assert!(busy.busy >= 0.2, "{busy:?}");
    }
}
