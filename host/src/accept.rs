//! A listener that takes no connection: most often the process has no descriptor left.

use std::io;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long to leave it alone: the connection that could not be taken is still there, and would be tried again
/// at once.
const PAUSE: Duration = Duration::from_secs(1);

/// The least time between two lines about it.
const QUIET: Duration = Duration::from_secs(60);

/// What is known of the trouble of one listener.
#[derive(Debug, Default)]
pub(crate) struct Trouble {
    told: Option<Instant>,
}

impl Trouble {
    /// Tells of it now and then, and waits before the next try.
    pub(crate) async fn pause(&mut self, listener: &str, error: &io::Error) {
        if self.told.is_none_or(|told| told.elapsed() >= QUIET) {
            self.told = Some(Instant::now());
            tracing::warn!(
                %error,
                "{listener} cannot accept connections and retries each second; if too many files are open, \
                 raise the limit (`LimitNOFILE=`, `ulimit -n`)"
            );
        }
        sleep(PAUSE).await;
    }
}
