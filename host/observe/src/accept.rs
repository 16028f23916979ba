//! Handles failures to accept connections, most often because the process has no descriptor left.

use std::io;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The pause before the next try: the pending connection stays in the queue, and would fail again at once.
const PAUSE: Duration = Duration::from_secs(1);

/// The shortest time between two log lines.
const QUIET: Duration = Duration::from_secs(60);

/// Limits the log lines about a listener's failures.
#[derive(Debug, Default)]
pub struct AcceptFailures {
    logged: Option<Instant>,
}

impl AcceptFailures {
    /// Logs the failure, at most once a minute, and waits before the next try.
    pub async fn pause(&mut self, listener: &str, error: &io::Error) {
        if self.logged.is_none_or(|logged| logged.elapsed() >= QUIET) {
            self.logged = Some(Instant::now());
            tracing::warn!(
                target: "tuffet::accept",
                %error,
                "{listener} cannot accept connections and retries each second; if too many files are open, \
                 raise the limit (`LimitNOFILE=`, `ulimit -n`)"
            );
        }
        sleep(PAUSE).await;
    }
}
