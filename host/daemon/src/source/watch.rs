//! Watches the source of the configuration, on a thread of its own, and asks for a reload when it has changed.
//!
//! A file is looked at once a second, by its path: so the links of a ConfigMap may be swapped, the file replaced,
//! its folder mounted over, on any file system, where notifications of the kernel would be about what the path was
//! before. A second look must find the same, so that half a file is no reload. A URL is asked at intervals, with the
//! ETag of the last answer; a bucket pushes.

use super::bucket::Following;
use super::place::Place;
use super::{Fetched, Source, lock, web};
use futures_util::future::BoxFuture;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The interval for files, and the default one for URLs.
const LOOK: Duration = Duration::from_secs(1);
const ASK: Duration = Duration::from_secs(30);
/// The pause before a bucket is followed again after a failure.
const AGAIN: Duration = Duration::from_secs(2);

/// Asks for a reload and waits for its end; returns whether there is still a server.
pub(crate) type Changed = Box<dyn Fn() -> BoxFuture<'static, bool> + Send>;

/// A source that is to be watched.
#[derive(Debug)]
pub struct Watched {
    source: Arc<Source>,
    /// The interval for URLs.
    every: Duration,
}

/// What a path leads to.
type Identity = Option<(PathBuf, u64, u64, u64, i64, i64)>;

impl Watched {
    /// Watches this source, every so often if it does not report changes itself.
    pub fn new(source: Arc<Source>, every: Option<Duration>) -> Watched {
        Watched { source, every: every.unwrap_or(ASK) }
    }

    /// Starts the thread. It ends when there is no server any more.
    ///
    /// # Errors
    /// The system has no thread.
    pub fn start(self, changed: Changed) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let name = "tuffet-config".to_owned();
        let run = move || runtime.block_on(self.run(&changed));
        std::thread::Builder::new().name(name).spawn(run).map(drop)
    }

    async fn run(&self, changed: &Changed) {
        match &self.source.place {
            Place::File(_) => self.look(changed).await,
            Place::Url(_) => self.ask(changed).await,
            Place::Key(_) => self.follow(changed).await,
        }
    }

    async fn look(&self, changed: &Changed) {
        let mut taken = self.files();
        loop {
            sleep(LOOK).await;
            let now = self.files();
            if now == taken {
                continue;
            }
            sleep(LOOK / 2).await;
            if self.files() != now {
                continue;
            }
            tracing::info!(target: "tuffet::source::watch", "the configuration has changed; reloading");
            if !changed().await {
                return;
            }
            // The new configuration may name other files.
            let after = self.files();
            taken = if after.len() == now.len() { now } else { after };
        }
    }

    /// What the paths of the configuration and of its secrets lead to.
    fn files(&self) -> Vec<Identity> {
        lock(&self.source.seen).files.iter().map(|path| identity(path)).collect()
    }

    async fn ask(&self, changed: &Changed) {
        let Place::Url(url) = &self.source.place else { return };
        let mut failed = None;
        loop {
            // Many servers must not ask in step.
            sleep(self.every.mul_f64(0.75 + 0.5 * fastrand::f64())).await;
            let etag = lock(&self.source.seen).revision.clone();
            match web::fetch(url, &self.source.auth, etag.as_deref()).await {
                Ok(fetched) => {
                    if failed.take().is_some() {
                        tracing::info!(
                            target: "tuffet::source::watch",
                            "the source of the configuration answers again"
                        );
                    }
                    if let Some(fetched) = fetched
                        && !self.take(fetched, changed).await
                    {
                        return;
                    }
                }
                Err(why) => warn(&mut failed, why),
            }
        }
    }

    async fn follow(&self, changed: &Changed) {
        let Place::Key(key) = &self.source.place else { return };
        let mut failed = None;
        loop {
            let why = match Following::open(key, &self.source.auth).await {
                Ok(mut following) => loop {
                    match following.next().await {
                        Ok(fetched) => {
                            failed = None;
                            if !self.take(fetched, changed).await {
                                return;
                            }
                        }
                        Err(why) => break why,
                    }
                },
                Err(why) => why,
            };
            warn(&mut failed, why);
            sleep(AGAIN.mul_f64(0.5 + fastrand::f64())).await;
        }
    }

    /// Reloads with a text that is new; returns whether there is still a server.
    async fn take(&self, fetched: Fetched, changed: &Changed) -> bool {
        if !self.source.is_new(&fetched) {
            lock(&self.source.seen).revision = fetched.revision;
            return true;
        }
        tracing::info!(
            target: "tuffet::source::watch",
            revision = fetched.revision, "the configuration has changed; reloading"
        );
        *lock(&self.source.fetched) = Some(fetched);
        changed().await
    }
}

/// Warns of a failure, once for each reason.
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

fn identity(path: &Path) -> Identity {
    let real = path.canonicalize().ok()?;
    let about = fs::metadata(&real).ok()?;
    Some((real, about.dev(), about.ino(), about.size(), about.mtime(), about.mtime_nsec()))
}
