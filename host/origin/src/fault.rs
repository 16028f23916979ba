//! Points at which tests kill the process.

/// Kills the process by SIGKILL if a test selected this point.
#[cfg(test)]
pub(crate) fn point(name: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    if std::env::var("TUFFET_ORIGIN_KILL").is_ok_and(|at| at == name) {
        let _ = kill_process(getpid(), Signal::KILL);
        // The signal may take a moment.
        loop {
            std::thread::park();
        }
    }
}

/// Does nothing outside of tests.
#[cfg(not(test))]
#[inline]
pub(crate) fn point(_: &str) {}
