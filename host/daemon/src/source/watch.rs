//! Watches the source of the configuration on a separate thread, and requests a reload when it has changed.
//!
//! A file is checked once a second by its path, so swapped links of a ConfigMap, a replaced file and a mount over its
//! folder are noticed on any file system; kernel notifications would follow the old file. A second check must find the
//! same, so that a half-written file triggers no reload. A URL is polled with the ETag of the last answer; a bucket
//! pushes.

use super::bucket::KeyWatch;
use super::location::Location;
use super::{FetchedText, Source, web};
use futures_util::future::BoxFuture;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The interval for files.
const FILE_INTERVAL: Duration = Duration::from_secs(1);
/// The default interval for URLs.
const URL_INTERVAL: Duration = Duration::from_secs(30);
/// The pause before the next connection to a bucket.
const RECONNECT_PAUSE: Duration = Duration::from_secs(2);

/// Requests a reload and waits for its end; returns whether the server still runs.
pub(crate) type RequestReload = Box<dyn Fn() -> BoxFuture<'static, bool> + Send>;

/// A source to watch.
#[derive(Debug)]
pub struct Watched {
    source: Arc<Source>,
    /// The interval for URLs.
    every: Duration,
}

/// Identifies the file at a path: its real path, device, inode, size, and time of modification.
type FileIdentity = Option<(PathBuf, u64, u64, u64, i64, i64)>;

impl Watched {
    /// Watches this source; `every` is the interval for URLs.
    pub fn new(source: Arc<Source>, every: Option<Duration>) -> Watched {
        Watched { source, every: every.unwrap_or(URL_INTERVAL) }
    }

    /// Starts the thread. It ends with the server.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start(self, request_reload: RequestReload) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let name = "tuffet-config".to_owned();
        let run = move || runtime.block_on(self.run(&request_reload));
        std::thread::Builder::new().name(name).spawn(run).map(drop)
    }

    async fn run(&self, request_reload: &RequestReload) {
        match &self.source.location {
            Location::File(_) => self.watch_files(request_reload).await,
            Location::Url(_) => self.poll_url(request_reload).await,
            Location::Key(_) => self.follow_key(request_reload).await,
        }
    }

    async fn watch_files(&self, request_reload: &RequestReload) {
        let mut taken = self.files();
        loop {
            sleep(FILE_INTERVAL).await;
            let now = self.files();
            if now == taken {
                continue;
            }
            sleep(FILE_INTERVAL / 2).await;
            if self.files() != now {
                continue;
            }
            tracing::info!(target: "tuffet::source::watch", "the configuration has changed; reloading");
            if !request_reload().await {
                return;
            }
            // The new configuration may name other files.
            let after = self.files();
            taken = if after.len() == now.len() { now } else { after };
        }
    }

    /// Returns the identities of the configuration and its secrets.
    fn files(&self) -> Vec<FileIdentity> {
        self.source.last_read.lock().files.iter().map(|path| identity(path)).collect()
    }

    async fn poll_url(&self, request_reload: &RequestReload) {
        let Location::Url(url) = &self.source.location else { return };
        let mut failed = None;
        loop {
            // Jitter: many servers must not poll in step.
            sleep(self.every.mul_f64(0.75 + 0.5 * fastrand::f64())).await;
            let etag = self.source.last_read.lock().revision.clone();
            match web::fetch(url, &self.source.auth, etag.as_deref()).await {
                Ok(fetched) => {
                    if failed.take().is_some() {
                        tracing::info!(
                            target: "tuffet::source::watch",
                            "the source of the configuration answers again"
                        );
                    }
                    if let Some(fetched) = fetched
                        && !self.reload_if_new(fetched, request_reload).await
                    {
                        return;
                    }
                }
                Err(why) => warn(&mut failed, why),
            }
        }
    }

    async fn follow_key(&self, request_reload: &RequestReload) {
        let Location::Key(key) = &self.source.location else { return };
        let mut failed = None;
        loop {
            let why = match KeyWatch::open(key, &self.source.auth).await {
                Ok(mut watch) => loop {
                    match watch.next().await {
                        Ok(fetched) => {
                            failed = None;
                            if !self.reload_if_new(fetched, request_reload).await {
                                return;
                            }
                        }
                        Err(why) => break why,
                    }
                },
                Err(why) => why,
            };
            warn(&mut failed, why);
            sleep(RECONNECT_PAUSE.mul_f64(0.5 + fastrand::f64())).await;
        }
    }

    /// Reloads if the text is new; returns whether the server still runs.
    async fn reload_if_new(&self, fetched: FetchedText, request_reload: &RequestReload) -> bool {
        if !self.source.is_new(&fetched) {
            self.source.last_read.lock().revision = fetched.revision;
            return true;
        }
        tracing::info!(
            target: "tuffet::source::watch",
            revision = fetched.revision, "the configuration has changed; reloading"
        );
        *self.source.fetched.lock() = Some(fetched);
        request_reload().await
    }
}

/// Logs a failure, once for each reason.
fn warn(before: &mut Option<String>, why: String) {
    if before.as_ref() != Some(&why) {
        tracing::warn!(
            target: "tuffet::source::watch",
            error = why,
            "the source of the configuration does not answer; the running one stays in force"
        );
        *before = Some(why);
    }
}

fn identity(path: &Path) -> FileIdentity {
    let real = path.canonicalize().ok()?;
    let about = fs::metadata(&real).ok()?;
    Some((real, about.dev(), about.ino(), about.size(), about.mtime(), about.mtime_nsec()))
}
