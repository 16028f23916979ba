//! Reload: replaces the active configuration as a whole, or not at all.

use super::http::AllCertificates;
use super::policy::{load_policy, warnings};
use super::revision::revision;
use super::{ServeError, describe_unopened, open_roots, serving_status};
use crate::logging;
use crate::privileges::outside_sandbox;
use crate::source::save_last_good;
use crate::systemd::ServiceManager;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tuffet_config::Config;
use tuffet_observe::admin::Access;
use tuffet_policy::Policy;
use tuffet_server::daemon::ServiceParts;
use tuffet_server::generation::CurrentGeneration;
use tuffet_server::origins::{Origins, PendingOrigins};
use tuffet_server::status::Status;
use tuffet_server::watch::Watch;
use tuffet_server::{Replacer, Service};
use tuffet_store::{Disks, Roots};
use tuffet_wasm::PolicyRuntime;

/// Reads the configuration again, from the source of the first one.
pub type Configure = Arc<dyn Fn() -> Result<Config, ServeError> + Send + Sync>;

/// The result of a reload: the number of the new generation, or the reasons for the refusal.
pub(super) type ReloadResult = Result<u64, Vec<String>>;

/// A request to reload, or to tell what a reload would do.
pub(super) enum ReloadRequest {
    /// The sender gets the result.
    Reload(Option<oneshot::Sender<ReloadResult>>),
    /// Nothing changes.
    Check(oneshot::Sender<ReloadCheck>),
}

/// What a reload would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadCheck {
    /// Why it would be refused; empty if it would not.
    pub refused: Vec<String>,
    /// The keys of the file that differ from those of the running configuration, each with both values.
    pub changes: Vec<String>,
    /// The warnings about the new configuration.
    pub warnings: Vec<String>,
}

/// The next generation, completely loaded.
struct Next {
    config: Config,
    roots: Roots,
    origins: PendingOrigins,
    policy: Policy,
    certificates: AllCertificates,
    /// `None` if it will not replace the active one.
    log: Option<logging::Prepared>,
}

/// The times of a shutdown in the active configuration: the delay, and the time for running transfers. Cheap to clone.
#[derive(Clone)]
pub(super) struct DrainTimes(Arc<Mutex<(Duration, Duration)>>);

impl DrainTimes {
    pub(super) fn of(config: &Config) -> DrainTimes {
        DrainTimes(Arc::new(Mutex::new((config.drain_delay, config.drain))))
    }

    pub(super) fn get(&self) -> (Duration, Duration) {
        *self.0.lock()
    }

    fn replace(&self, config: &Config) {
        *self.0.lock() = (config.drain_delay, config.drain);
    }
}

/// Executes reloads one after another.
pub(super) struct Reloader {
    pub(super) configure: Configure,
    /// The active configuration.
    pub(super) config: Config,
    pub(super) runtime: PolicyRuntime,
    pub(super) generation: CurrentGeneration,
    pub(super) status: Status,
    pub(super) watch: Watch,
    /// The access control of the admin listener.
    pub(super) access: Access,
    /// Notified of reloads.
    pub(super) manager: ServiceManager,
    /// Replaces what the server serves.
    pub(super) replacer: Replacer,
    pub(super) disks: Disks,
    pub(super) origins: Origins,
    pub(super) drain_times: DrainTimes,
    /// Those of the listeners of HTTPS.
    pub(super) certificates: AllCertificates,
}

impl Reloader {
    /// Reloads on request, until all senders are gone.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<ReloadRequest>) {
        while let Some(request) = requests.recv().await {
            let reply_to = match request {
                ReloadRequest::Reload(reply_to) => reply_to,
                ReloadRequest::Check(reply_to) => {
                    // The client may be gone.
                    let _ = reply_to.send(self.check().await);
                    continue;
                }
            };
            self.manager.reloading();
            // Also if the configuration is refused: who renamed the file waits for this.
            let _ = spawn_blocking(logging::reopen).await;
            let result = self.reload().await;
            let mut status = serving_status(self.generation.get().number);
            if let Err(reasons) = &result {
                status = format!("{status}; the last reload was refused: {}", reasons.join("; "));
            }
            self.manager.ready(&status);
            if let Some(reply_to) = reply_to {
                // The client may be gone.
                let _ = reply_to.send(result);
            }
        }
    }

    async fn reload(&mut self) -> ReloadResult {
        let started = Instant::now();
        match self.load().await {
            Ok(Loaded { config, number, origins, log }) => {
                if let Some(log) = log {
                    log.apply();
                }
                self.watch.log_started(config.log.started);
                let plugins = config.policy.plugins.len();
                let roots = self.generation.get().files.roots.clone();
                self.origins.take(origins);
                roots.look_for_replaced();
                self.access.replace(config.admin.as_ref().and_then(|admin| admin.token.clone()));
                self.config = config;
                self.status.revised(revision(&self.config), self.config.file());
                self.drain_times.replace(&self.config);
                save_in_background(&self.config);
                let took_ms = started.elapsed().as_millis() as u64;
                tracing::info!(
                    target: "tuffet::server::reload",
                    generation = number, plugins, took_ms, "reloaded"
                );
                Ok(number)
            }
            Err(error) => {
                let reasons: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
                let generation = self.generation.get().number;
                tracing::error!(
                    target: "tuffet::server::reload",
                    generation,
                    reasons = reasons.join("; "),
                    "the reload was refused; the previous configuration stays in force"
                );
                self.status.refused(reasons.clone());
                Err(reasons)
            }
        }
    }

    /// Tells what a reload would do, and loads everything for that. The server stays as it is.
    async fn check(&self) -> ReloadCheck {
        let mut changes = Vec::new();
        let result = match self.read().await {
            Ok(config) => {
                changes = self.config.changes_to(&config);
                self.prepare(config, false).await
            }
            Err(error) => Err(error),
        };
        let (refused, warnings) = match result {
            Ok(Next { config, policy, certificates, .. }) => {
                let mut warnings = warnings(&config, &policy);
                warnings.extend(config.unopened.iter().map(describe_unopened));
                warnings.extend(certificates.warnings(&config));
                (Vec::new(), warnings)
            }
            Err(error) => (error.to_string().lines().map(str::to_owned).collect(), Vec::new()),
        };
        ReloadCheck { refused, changes, warnings }
    }

    /// Loads the next generation completely, and then replaces the active one; returns its number.
    async fn load(&self) -> Result<Loaded, ServeError> {
        let config = self.read().await?;
        let Next { config, roots, origins, policy, certificates, log } = self.prepare(config, true).await?;
        for warning in warnings(&config, &policy) {
            tracing::warn!(target: "tuffet::policy", "{warning}");
        }
        for warning in certificates.warnings(&config) {
            tracing::warn!(target: "tuffet::http", "{warning}");
        }
        let service = Service::new()
            .service_settings(config.settings.clone().into_service())
            .open_roots(roots)
            .policy(policy);
        let replaced = self.replacer.replace(service).await;
        let number = replaced
            .map_err(|error| ServeError::System("the server cannot be replaced", io::Error::other(error)))?;
        self.certificates.replace(&certificates);
        Ok(Loaded { config, number, origins, log })
    }

    async fn read(&self) -> Result<Config, ServeError> {
        let configure = Arc::clone(&self.configure);
        off_thread(move || configure()).await
    }

    /// Loads the next generation. `live`: whether it will replace the active one; otherwise nothing is shared with that.
    async fn prepare(&self, config: Config, live: bool) -> Result<Next, ServeError> {
        let fixed = self.config.needs_restart(&config);
        if !fixed.is_empty() {
            let message = |key: &str| {
                format!(
                    "`{key}` cannot change while the server runs; restart it, or restore the previous value"
                )
            };
            let problems = fixed.iter().map(|key| (format!("/{}", key.replace('.', "/")), message(key)));
            return Err(config.error(problems).into());
        }
        let (config, barred) = off_thread(move || {
            let barred = outside_sandbox(&config);
            Ok((config, barred))
        })
        .await?;
        if !barred.is_empty() {
            return Err(config.error(barred).into());
        }
        let (config, certificates) = off_thread(move || {
            let certificates = AllCertificates::load(&config)?;
            Ok((config, certificates))
        })
        .await?;
        let current = live.then(|| self.config.log.clone());
        let (config, log) = off_thread(move || {
            let log = current.map(|current| logging::prepare(&current, &config)).transpose()?;
            Ok((config, log))
        })
        .await?;
        for unopened in config.unopened.iter().filter(|_| live) {
            tracing::warn!(target: "tuffet::store::root", root = unopened.root, "{}", describe_unopened(unopened));
        }
        let (disks, origins, before) = if live {
            let before = self.generation.get().files.roots.clone();
            (self.disks.clone(), self.origins.clone(), Some(before))
        } else {
            (Disks::default(), Origins::default(), None)
        };
        let (config, roots, origins) = off_thread(move || {
            let next = origins.open(&config.origins)?;
            if live {
                next.start()?;
            }
            let roots = open_roots(&config, &disks, before.as_ref(), &next)?;
            Ok((config, roots, next))
        })
        .await?;
        let policy = load_policy(&self.runtime, &config, &roots, live).await?;
        Ok(Next { config, roots, origins, policy, certificates, log })
    }
}

/// What a reload has loaded.
struct Loaded {
    config: Config,
    /// The number of the generation.
    number: u64,
    origins: PendingOrigins,
    log: Option<logging::Prepared>,
}

/// Saves a remote configuration, for a start while its source is unavailable.
pub(super) fn save_in_background(config: &Config) {
    if let Some(remote) = config.remote.clone() {
        // Not awaited: the save ends by itself.
        drop(spawn_blocking(move || save_last_good(&remote)));
    }
}

/// Runs `work` on a thread that may block.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ServeError> + Send + 'static,
) -> Result<T, ServeError> {
    spawn_blocking(work).await.unwrap_or_else(|panicked| {
        Err(ServeError::System("a bug: the reload panicked", io::Error::other(panicked)))
    })
}
