//! Explains a request: from a configuration alone, or in the running server.

use super::policy::{compiled, keeps_its_user, load_policy_on, start_runtime_with};
use super::{ServeError, control_runtime, open_roots};
use crate::privileges;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use tuffet_config::{CacheSpec, Config, OriginSpec};
use tuffet_engine::limits::{Limiter, Standing};
use tuffet_request::Protocol;
use tuffet_request::settings::Settings;
use tuffet_server::Server;
use tuffet_server::admission::{self, Circumstances};
use tuffet_server::daemon::{BuilderParts, ServiceParts};
use tuffet_server::explanation::{DroppedRequests, Explanation, LastRequest, Limit, Question};
use tuffet_server::generation::{CurrentGeneration, Generation};
use tuffet_server::neighbours::Neighbours;
use tuffet_server::netlink;
use tuffet_server::origins::Origins;
use tuffet_server::vlans::Vlans;
use tuffet_server::watch::{Watch, unix_ms};
use tuffet_store::Disks;
use tuffet_udp::interface_index;
use tuffet_wasm::{Stage, StagedAnswers};

/// Explains a request to a server of this configuration, which need not run. Root permanently becomes the server's
/// user.
///
/// # Errors
/// The server could not start, or the request is invalid.
pub fn explain(config: &Config, question: &Question) -> Result<Explanation, ServeError> {
    let mut explained = None;
    explain_all(config, std::slice::from_ref(question), |_, explanation| explained = Some(explanation))?;
    explained.unwrap_or_else(|| Err("the request was not explained".into())).map_err(ServeError::Request)
}

/// As [`explain`], for many requests one after the other: calls `explained` with each and its explanation, or with why it
/// is invalid.
///
/// # Errors
/// The server could not start.
pub fn explain_all(
    config: &Config,
    questions: &[Question],
    mut explained: impl FnMut(&Question, Result<Explanation, String>),
) -> Result<(), ServeError> {
    // Opened before the change of user, as in a server.
    let caches = TemporaryCaches::new();
    let next = Origins::default().open(&caches.origins(&config.origins))?;
    let roots = open_roots(config, &Disks::default(), None, &next)?;
    let compiled = compiled(config).filter(|_| keeps_its_user(&config.privileges));
    let user = privileges::become_server(config)?;
    let runtime = start_runtime_with(compiled)?;
    let control = control_runtime()?;
    let done = control.block_on(async {
        // On a stage, plugins have neither keys nor sinks.
        let stage = Some(Arc::new(Stage::new(StagedAnswers::default())));
        let policy = load_policy_on(&runtime, config, &roots, stage).await?;
        let builder = Server::builder()
            .settings(config.settings.clone(), Vec::new())
            .open_roots(roots)
            .policy(policy)
            .records(runtime.records().clone());
        let generation = builder.unbound().map_err(|error| ServeError::build(config, error))?;
        let neighbours = match questions.iter().all(|question| question.mac().is_some()) {
            true => None,
            false => netlink::follow_neighbours().await.ok(),
        };
        let vlans = netlink::follow_vlans().await.unwrap_or_default();
        let limiter = Limiter::new(
            &config.bounds(),
            config.settings.capacity.transfers,
            config.settings.capacity.pending,
        );
        let listeners = ExplainedListener::all(&config.settings);
        for question in questions {
            let listener = match ExplainedListener::find(&listeners, question) {
                Ok(listener) => listener,
                Err(why) => {
                    explained(question, Err(why));
                    continue;
                }
            };
            let seen = || neighbours.as_ref()?.find_on_any_interface(question.client.ip());
            let circumstances = Circumstances {
                listener: Arc::clone(&listener.name),
                protocol: listener.protocol,
                single_port: listener.single_port,
                interface: listener.interface.clone(),
                vlan: vlan(&vlans, listener, question),
                neighbour: question.mac().or_else(seen),
                limits: limits(&limiter, question),
                last_requests: Vec::new(),
                user: user.clone(),
                runs: false,
            };
            explained(question, admission::explain(&generation, question, circumstances).await);
        }
        Ok(())
    });
    control.shutdown_background();
    done
}

/// A temporary folder for caches: the explanation queries origins without changing the server's caches.
struct TemporaryCaches(PathBuf);

impl TemporaryCaches {
    /// Creates nothing yet: the caches create their folders on first use.
    fn new() -> TemporaryCaches {
        TemporaryCaches(std::env::temp_dir().join(format!("tuffet-explain-{:016x}", fastrand::u64(..))))
    }

    fn origins(&self, specs: &[OriginSpec]) -> Vec<OriginSpec> {
        let caches = |(number, spec): (usize, &OriginSpec)| {
            let cache = CacheSpec { path: self.0.join(number.to_string()), ..spec.cache.clone() };
            OriginSpec { cache, ..spec.clone() }
        };
        specs.iter().enumerate().map(caches).collect()
    }
}

impl Drop for TemporaryCaches {
    fn drop(&mut self) {
        // The folder is missing if no origin was queried.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What an explanation needs of a listener.
#[derive(Debug, Clone)]
pub(super) struct ExplainedListener {
    name: Arc<str>,
    protocol: Protocol,
    single_port: bool,
    interface: Option<String>,
}

impl ExplainedListener {
    /// Those of a server, of TFTP first.
    pub(super) fn all(settings: &Settings) -> Vec<ExplainedListener> {
        let own = settings.listeners.iter().map(|its| ExplainedListener {
            name: its.name.as_str().into(),
            protocol: Protocol::Tftp,
            single_port: its.single_port,
            interface: its.interface.clone(),
        });
        let others = settings.other_listeners.iter().map(|its| ExplainedListener {
            name: its.name.as_str().into(),
            protocol: its.protocol,
            single_port: false,
            interface: None,
        });
        own.chain(others).collect()
    }

    /// Returns the listener that the question names; without a name, the first one.
    fn find<'a>(
        listeners: &'a [ExplainedListener],
        question: &Question,
    ) -> Result<&'a ExplainedListener, String> {
        let names = || listeners.iter().map(|its| format!("`{}`", its.name)).collect::<Vec<_>>().join(", ");
        let found = match &question.listener {
            Some(name) => listeners.iter().find(|its| *its.name == **name),
            None => listeners.first(),
        };
        found.ok_or_else(|| format!("there is no such listener; the configuration has {}", names()))
    }
}

/// Returns the VLAN of the request's interface, if it has one.
fn vlan(vlans: &Vlans, listener: &ExplainedListener, question: &Question) -> Option<u16> {
    let interface = question.interface.as_ref().or(listener.interface.as_ref())?;
    vlans.of(interface_index(interface).ok()??)
}

/// Returns the limits on admission, where no requests are counted.
fn limits(limiter: &Limiter, question: &Question) -> Vec<Limit> {
    let standing = limiter.standing(&question.client).into_iter();
    standing.map(|its| Limit { taken: None, reached: false, ..limit(&its) }).collect()
}

fn limit(its: &Standing) -> Limit {
    Limit {
        limit: its.limit.into(),
        most: its.most,
        burst: its.burst,
        taken: its.taken,
        reached: its.reached,
        dropped: None,
    }
}

/// The most earlier requests of a client that an explanation shows.
const LAST_REQUESTS: usize = 5;

/// The state with which the running server explains requests.
#[derive(Clone)]
pub(super) struct Explainer {
    pub(super) generation: CurrentGeneration,
    /// Fixed: a reload cannot change them.
    pub(super) listeners: Arc<[ExplainedListener]>,
    pub(super) neighbours: Neighbours,
    pub(super) vlans: Vlans,
    pub(super) limiter: Arc<Limiter>,
    pub(super) watch: Watch,
    /// The name of the server's user.
    pub(super) user: String,
}

impl Explainer {
    /// Returns the limits on admission with their use by this client, and what it has lost to them.
    fn limits(&self, question: &Question) -> Vec<Limit> {
        let mut limits: Vec<Limit> = self.limiter.standing(&question.client).iter().map(limit).collect();
        let client = question.client.ip().to_canonical();
        for (key, its) in self.watch.refused_clients().into_iter().filter(|(_, its)| its.client == client) {
            let dropped =
                DroppedRequests { requests: its.requests, seconds_ago: its.last.elapsed().as_secs() };
            match limits.iter_mut().find(|limit| limit.limit == key) {
                Some(limit) => limit.dropped = Some(dropped),
                // The limits of all clients together.
                None => limits.push(Limit {
                    limit: key.into(),
                    most: None,
                    burst: None,
                    taken: None,
                    reached: false,
                    dropped: Some(dropped),
                }),
            }
        }
        limits
    }

    fn last_requests(&self, question: &Question) -> Vec<LastRequest> {
        let now = unix_ms(SystemTime::now());
        let last = self.watch.last_requests(question.client.ip(), LAST_REQUESTS).into_iter();
        let last = last.map(|its| LastRequest {
            seconds_ago: now.saturating_sub(its.ended_unix_ms) / 1000,
            operation: its.who.operation.to_string(),
            path: its.who.path.clone(),
            outcome: its.outcome.to_string(),
            detail: its.detail,
            hint: its.hint,
        });
        last.collect()
    }

    /// # Errors
    /// The request is invalid.
    pub(super) async fn explain(&self, question: &Question) -> Result<Explanation, String> {
        let listener = ExplainedListener::find(&self.listeners, question)?;
        let neighbour =
            question.mac().or_else(|| self.neighbours.find_on_any_interface(question.client.ip()));
        let circumstances = Circumstances {
            listener: Arc::clone(&listener.name),
            protocol: listener.protocol,
            single_port: listener.single_port,
            interface: listener.interface.clone(),
            vlan: vlan(&self.vlans, listener, question),
            neighbour,
            limits: self.limits(question),
            last_requests: self.last_requests(question),
            user: self.user.clone(),
            runs: true,
        };
        let generation: Arc<Generation> = self.generation.get();
        let explained = admission::explain(&generation, question, circumstances).await?;
        Ok(Explanation { reasons: self.watch.state().reasons, ..explained })
    }
}
