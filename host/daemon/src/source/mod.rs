//! Where the configuration of a server comes from: a file, an HTTPS URL, or a key in a bucket of NATS JetStream.
//!
//! All three can be watched ([`watch`]): a change is a reload, which takes the new configuration as a whole or not
//! at all. What comes over the network is kept on disk once it runs ([`kept`]), so that a server starts while the
//! source is away.

mod bucket;
mod kept;
mod place;
mod watch;
mod web;

pub use kept::keep;
pub use place::nats_login;
pub use watch::Watched;

use kept::Kept;
use place::{Auth, Place};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tuffet_config::{Config, ConfigError, Overrides, Remote, digest};

/// The largest configuration in bytes; a larger text is something else.
const MAX_TEXT: usize = 16 << 20;

/// The source of a server's configuration.
#[derive(Debug)]
pub struct Source {
    place: Place,
    auth: Auth,
    kept: Option<Kept>,
    /// What was read last, whether it was good or not.
    seen: Mutex<Seen>,
    /// What a watcher has fetched for the next reload.
    fetched: Mutex<Option<Fetched>>,
    /// Whether a configuration was read before, so that this is a reload.
    started: AtomicBool,
}

/// What was read last.
#[derive(Debug, Clone, Default)]
struct Seen {
    revision: Option<String>,
    digest: Option<String>,
    /// The configuration and the files of secrets.
    files: Vec<PathBuf>,
}

/// A fetched text.
#[derive(Debug, Clone)]
struct Fetched {
    text: String,
    /// The ETag, or the revision of the key.
    revision: Option<String>,
}

impl Source {
    /// Returns the source that `--config` and `--config-auth` name.
    ///
    /// # Errors
    /// What is wrong with them, for the command line.
    pub fn of(config: &Path, auth: Option<&Path>) -> Result<Source, String> {
        let place = Place::parse(config)?;
        let auth = Auth::read(auth, &place)?;
        let kept = place.shown().zip(place.whole()).map(|(shown, whole)| Kept::of(&shown, &whole));
        Ok(Source {
            place,
            auth,
            kept,
            seen: Mutex::default(),
            fetched: Mutex::default(),
            started: AtomicBool::new(false),
        })
    }

    /// Reads the configuration and checks it. At a start, the kept one has to do where the source does not answer
    /// or has a bad one. Blocks on the network.
    ///
    /// # Errors
    /// The source does not answer; or every problem of the configuration.
    pub fn read(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        let (Place::Url(_) | Place::Key(_), Some(kept)) = (&self.place, &self.kept) else {
            let Place::File(path) = &self.place else { return Err(self.unusable()) };
            let mut seen = lock(&self.seen);
            seen.files = vec![path.clone()];
            let config = Config::load_with(path, overrides)?;
            seen.files.clone_from(&config.files);
            return Ok(config);
        };
        let waiting = lock(&self.fetched).take();
        let fetched = waiting.map_or_else(|| self.fetch(), Ok);
        let config = match fetched {
            Ok(fetched) => {
                let digest = Some(digest(&fetched.text));
                *lock(&self.seen) = Seen { revision: fetched.revision.clone(), digest, files: Vec::new() };
                self.parse(&fetched, kept, false, overrides)
            }
            Err(why) => Err(ConfigError::of_source(&kept.source, why)),
        };
        let config = match config {
            Err(error) if !self.started.load(Relaxed) => match kept.read() {
                Some(fetched) => {
                    let reasons = error.to_string();
                    tracing::error!(
                        target: "tuffet::source",
                        source = kept.source,
                        kept = %kept.file.display(),
                        reasons = reasons.replace('\n', "; "),
                        "the configuration cannot be fetched or is bad; the last good one is used, which was kept here"
                    );
                    let config = self.parse(&fetched, kept, true, overrides)?;
                    kept.may_be_used_for(&config).map_err(|why| ConfigError::of_source(&kept.source, why))?;
                    config
                }
                None => return Err(error),
            },
            config => config?,
        };
        self.started.store(true, Relaxed);
        Ok(config)
    }

    /// Reads the configuration from where it is, for a check: one that was kept here before is no answer. Blocks on
    /// the network.
    ///
    /// # Errors
    /// The source does not answer; or every problem of the configuration.
    pub fn read_for_check(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        match (&self.place, &self.kept) {
            (Place::File(path), _) => Config::load_with(path, overrides),
            (_, Some(kept)) => {
                let fetched = self.fetch().map_err(|why| ConfigError::of_source(&kept.source, why))?;
                self.parse(&fetched, kept, false, overrides)
            }
            (_, None) => Err(self.unusable()),
        }
    }

    fn parse(
        &self,
        fetched: &Fetched,
        kept: &Kept,
        stale: bool,
        overrides: &Overrides,
    ) -> Result<Config, ConfigError> {
        let mut config = Config::read(fetched.text.as_bytes(), &kept.source, overrides)?;
        config.remote = Some(Remote {
            source: kept.source.clone(),
            revision: fetched.revision.clone(),
            text: fetched.text.as_str().into(),
            kept: kept.file.clone(),
            stale,
        });
        Ok(config)
    }

    /// Fetches the text. Its threads have ended when it returns: a start has one thread alone.
    fn fetch(&self) -> Result<Fetched, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("it cannot be fetched: {error}"))?;
        runtime.block_on(async {
            match &self.place {
                Place::Url(url) => {
                    let fetched = web::fetch(url, &self.auth, None).await?;
                    fetched.ok_or_else(|| "the server answers that nothing has changed".to_owned())
                }
                Place::Key(key) => bucket::fetch(key, &self.auth).await,
                Place::File(_) => Err("it is a file".into()),
            }
        })
    }

    fn unusable(&self) -> ConfigError {
        ConfigError::of_source(&format!("{:?}", self.place), "it cannot be read")
    }

    /// Whether this text is another one than the one that was read last.
    fn is_new(&self, fetched: &Fetched) -> bool {
        let seen = lock(&self.seen);
        seen.digest.as_deref() != Some(&*digest(&fetched.text))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
