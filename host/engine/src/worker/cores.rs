//! Whether threads are waiting for a core.
//!
//! A client on this machine that waits for a core answers late although no packet was lost.
//! [`super::scheduling_delay`] infers this from the waits of the worker itself, which is too late for transfers that
//! are running at the first wait. So the worker asks the kernel when a timer of such a client expires.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;
use tuffet_core::Time;

/// How long the worker uses an answer of the kernel.
const VALID_FOR: Duration = Duration::from_millis(2);
/// While threads wait for a core, a packet is not repeated for this long after it was sent.
const ALLOWANCE: Duration = Duration::from_millis(150);

/// Asks the kernel for the number of runnable threads. [`Cores::default`] never asks, as simulations need.
#[derive(Default)]
pub(super) struct Cores {
    loadavg: Option<File>,
    count: usize,
    checked: Option<Time>,
    contended: bool,
}

impl Cores {
    /// Without /proc, threads never seem to wait for a core.
    pub(super) fn watch() -> Cores {
        let count = thread::available_parallelism().map_or(1, usize::from);
        Cores { loadavg: File::open("/proc/loadavg").ok(), count, ..Cores::default() }
    }

    /// How long after it was sent a packet must not be repeated yet; zero while a core is free.
    pub(super) fn allowance(&mut self, now: Time) -> Duration {
        let Some(loadavg) = &self.loadavg else { return Duration::ZERO };
        if self.checked.is_none_or(|checked| now.since(checked) >= VALID_FOR) {
            self.checked = Some(now);
            let mut text = [0; 64];
            let length = loadavg.read_at(&mut text, 0).unwrap_or(0);
            // The number includes this thread.
            self.contended = runnable(&text[..length]).is_some_and(|threads| threads > self.count + 1);
        }
        if self.contended { ALLOWANCE } else { Duration::ZERO }
    }
}

/// The runnable threads: the first number of the fourth field (proc_loadavg(5)).
fn runnable(loadavg: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(loadavg).ok()?;
    text.split(' ').nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn at(millis: u64) -> Time {
        Time::from_micros(millis * 1_000)
    }

    #[test]
    fn the_number_of_threads_that_want_to_run_is_read() {
        assert_eq!(runnable(b"8.71 4.39 2.62 11/158 6523\n"), Some(11));
        assert_eq!(runnable(b""), None);
        assert_eq!(runnable(b"8.71 4.39 2.62 many"), None);
    }

    #[test]
    fn repeats_wait_only_while_more_threads_than_cores_want_to_run() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut write = |threads: usize| {
            file.as_file_mut().set_len(0).unwrap();
            file.as_file().write_all_at(format!("0 0 0 {threads}/99 1\n").as_bytes(), 0).unwrap();
            file.flush().unwrap();
            File::open(file.path()).unwrap()
        };
        let mut cores = Cores { loadavg: Some(write(3)), count: 2, ..Cores::default() };
        assert_eq!(cores.allowance(at(10)), Duration::ZERO, "the worker and one thread for each core");
        write(4);
        assert_eq!(cores.allowance(at(11)), Duration::ZERO, "not asked at each time-out");
        assert_eq!(cores.allowance(at(12)), ALLOWANCE);
        write(2);
        assert_eq!(cores.allowance(at(14)), Duration::ZERO);
    }

    #[test]
    fn simulations_never_ask() {
        assert_eq!(Cores::default().allowance(at(5)), Duration::ZERO);
    }
}
