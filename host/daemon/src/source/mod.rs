//! The source of the configuration: a file, an HTTPS URL, or a key in a bucket of NATS JetStream.
//!
//! All three can be watched (`watch.rs`): a change triggers a reload, which takes the new configuration as a whole or
//! not at all. A configuration from the network is saved once it runs (`last_good.rs`), so that a server starts while
//! the source is unavailable.

mod bucket;
mod installed;
mod last_good;
mod location;
mod watch;
mod web;

pub use installed::installed;
pub(crate) use installed::log_unread;
pub use last_good::save_last_good;
pub use location::nats_login;
pub use watch::Watched;

use last_good::LastGood;
use location::{Auth, Location};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tuffet_config::{Config, ConfigError, Overrides, Remote, digest};

/// The largest configuration in bytes; a larger text is something else.
const MAX_TEXT: usize = 16 << 20;

/// The source of a server's configuration.
#[derive(Debug)]
pub struct Source {
    location: Location,
    auth: Auth,
    last_good: Option<LastGood>,
    /// The last configuration that was read, valid or not.
    last_read: Mutex<LastRead>,
    /// The text that a watcher has fetched for the next reload.
    fetched: Mutex<Option<FetchedText>>,
    /// Whether the server has a configuration, so that the next read is a reload.
    started: AtomicBool,
}

/// Identifies the configuration that was read last.
#[derive(Debug, Clone, Default)]
struct LastRead {
    revision: Option<String>,
    digest: Option<String>,
    /// The configuration and the files of secrets.
    files: Vec<PathBuf>,
}

/// A fetched text.
#[derive(Debug, Clone)]
struct FetchedText {
    text: String,
    /// The ETag, or the revision of the key.
    revision: Option<String>,
}

impl Source {
    /// Returns the source that `--config` and `--config-auth` name.
    ///
    /// # Errors
    /// Their problem, for the command line.
    pub fn of(config: &Path, auth: Option<&Path>) -> Result<Source, String> {
        let location = Location::parse(config)?;
        let auth = Auth::read(auth, &location)?;
        let last_good = location
            .display_url()
            .zip(location.full_url())
            .map(|(display_url, full_url)| LastGood::of(&display_url, &full_url));
        Ok(Source {
            location,
            auth,
            last_good,
            last_read: Mutex::default(),
            fetched: Mutex::default(),
            started: AtomicBool::new(false),
        })
    }

    /// Reads and checks the configuration. At a start, falls back to the last good copy if the source is unavailable or
    /// invalid. Blocks on the network.
    ///
    /// # Errors
    /// The source does not answer; or every problem of the configuration.
    pub fn read(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        let (Location::Url(_) | Location::Key(_), Some(last_good)) = (&self.location, &self.last_good) else {
            let Location::File(path) = &self.location else { return Err(self.unusable()) };
            let mut last_read = self.last_read.lock();
            last_read.files = vec![path.clone()];
            let config = Config::load_with(path, overrides)?;
            last_read.files.clone_from(&config.files);
            return Ok(config);
        };
        let waiting = self.fetched.lock().take();
        let fetched = waiting.map_or_else(|| self.fetch(), Ok);
        let config = match fetched {
            Ok(fetched) => {
                let digest = Some(digest(&fetched.text));
                *self.last_read.lock() =
                    LastRead { revision: fetched.revision.clone(), digest, files: Vec::new() };
                self.parse(&fetched, last_good, false, overrides)
            }
            Err(why) => Err(ConfigError::of_source(&last_good.source, why)),
        };
        let config = match config {
            Err(error) if !self.started.load(Relaxed) => match last_good.read() {
                Some(fetched) => {
                    let reasons = error.to_string();
                    tracing::error!(
                        target: "tuffet::source",
                        source = last_good.source,
                        kept = %last_good.file.display(),
                        reasons = reasons.replace('\n', "; "),
                        "configuration unavailable or invalid; using the last good copy"
                    );
                    let config = self.parse(&fetched, last_good, true, overrides)?;
                    last_good
                        .may_be_used_for(&config)
                        .map_err(|why| ConfigError::of_source(&last_good.source, why))?;
                    config
                }
                None => return Err(error),
            },
            config => config?,
        };
        self.started.store(true, Relaxed);
        Ok(config)
    }

    /// Reads the configuration from its source, for a check that ignores the last good copy. Blocks on the network.
    ///
    /// # Errors
    /// The source does not answer; or every problem of the configuration.
    pub fn read_for_check(&self, overrides: &Overrides) -> Result<Config, ConfigError> {
        match (&self.location, &self.last_good) {
            (Location::File(path), _) => Config::load_with(path, overrides),
            (_, Some(last_good)) => {
                let fetched = self.fetch().map_err(|why| ConfigError::of_source(&last_good.source, why))?;
                self.parse(&fetched, last_good, false, overrides)
            }
            (_, None) => Err(self.unusable()),
        }
    }

    fn parse(
        &self,
        fetched: &FetchedText,
        last_good: &LastGood,
        stale: bool,
        overrides: &Overrides,
    ) -> Result<Config, ConfigError> {
        let mut config = Config::read(fetched.text.as_bytes(), &last_good.source, overrides)?;
        config.remote = Some(Remote {
            source: last_good.source.clone(),
            revision: fetched.revision.clone(),
            text: fetched.text.as_str().into(),
            kept: last_good.file.clone(),
            stale,
        });
        Ok(config)
    }

    /// Fetches the text. Its threads end before it returns: a start must have a single thread.
    fn fetch(&self) -> Result<FetchedText, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("it cannot be fetched: {error}"))?;
        runtime.block_on(async {
            match &self.location {
                Location::Url(url) => {
                    let fetched = web::fetch(url, &self.auth, None).await?;
                    fetched
                        .ok_or_else(|| "the server answered with 304 to a request without an ETag".to_owned())
                }
                Location::Key(key) => bucket::fetch(key, &self.auth).await,
                Location::File(_) => Err("it is a file".into()),
            }
        })
    }

    fn unusable(&self) -> ConfigError {
        ConfigError::of_source(&format!("{:?}", self.location), "it cannot be read")
    }

    /// Returns whether this text differs from the last one.
    fn is_new(&self, fetched: &FetchedText) -> bool {
        let last_read = self.last_read.lock();
        last_read.digest.as_deref() != Some(&*digest(&fetched.text))
    }
}
