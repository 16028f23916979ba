//! Explains a request: with a configuration alone, or in the running server.

use super::policy::{compiled, keeps_its_user, load_policy_on, start_runtime_with};
use super::{ServeError, control_runtime, open_roots};
use crate::privileges;
use std::path::PathBuf;
use std::sync::Arc;
use tuffet::admission::{self, Circumstances};
use tuffet::explanation::{Explanation, Limit, Question};
use tuffet::generation::{Current, Generation};
use tuffet::neighbours::Neighbours;
use tuffet::origins::Origins;
use tuffet::vlans::Vlans;
use tuffet_config::{CacheSpec, Config, Listener, OriginSpec};
use tuffet_engine::limits::Limiter;
use tuffet_store::{Disks, Uploads};
use tuffet_udp::interface_index;
use tuffet_wasm::{Stage, StagedAnswers};

/// Explains a request to a server of this configuration, which need not run. Root becomes the server's user, for good.
///
/// # Errors
/// The problems that would prevent the server from starting; or the request cannot be made.
pub fn explain(config: &Config, question: &Question) -> Result<Explanation, ServeError> {
    // As a server does: before it becomes its user.
    let apart = Apart::new();
    let next = Origins::default().open(&apart.origins(&config.origins))?;
    let roots = open_roots(config, &Disks::default(), None, &next)?;
    let compiled = compiled(config).filter(|_| keeps_its_user(&config.privileges));
    let user = privileges::become_server(config)?;
    let runtime = start_runtime_with(compiled)?;
    let control = control_runtime()?;
    let explained = control.block_on(async {
        // On a stage, plugins have neither keys nor sinks.
        let stage = Some(Arc::new(Stage::new(StagedAnswers::default())));
        let policy = load_policy_on(&runtime, config, &roots, stage).await?;
        let uploads = Uploads::new(config.bounds().uploads_per_name);
        let generation = Arc::new(Generation::first(config, roots, policy, uploads));
        let neighbour = match question.mac() {
            Some(mac) => Some(mac),
            None => Neighbours::follow().await.ok().and_then(|its| its.anywhere(question.client.ip())),
        };
        let listener = listener(&config.listeners, question).map_err(ServeError::Request)?;
        let vlans = Vlans::follow().await.unwrap_or_default();
        let limiter = Limiter::new(&config.bounds(), config.limits.transfers, config.limits.pending);
        let given = Circumstances {
            listener: listener.name.as_str().into(),
            single_port: listener.single_port,
            interface: listener.interface.clone(),
            vlan: vlan(&vlans, listener, question),
            neighbour,
            limits: limits(&limiter, question, false),
            user,
            runs: false,
        };
        admission::explain(&generation, question, given).await.map_err(ServeError::Request)
    });
    control.shutdown_background();
    explained
}

/// A folder for caches that end with the explanation: origins are asked, and the caches of the server stay as they are.
struct Apart(PathBuf);

impl Apart {
    /// Makes nothing yet: the caches do when they are asked.
    fn new() -> Apart {
        Apart(std::env::temp_dir().join(format!("tuffet-explain-{:016x}", fastrand::u64(..))))
    }

    fn origins(&self, specs: &[OriginSpec]) -> Vec<OriginSpec> {
        let apart = |(number, spec): (usize, &OriginSpec)| {
            let cache = CacheSpec { path: self.0.join(number.to_string()), ..spec.cache.clone() };
            OriginSpec { cache, ..spec.clone() }
        };
        specs.iter().enumerate().map(apart).collect()
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // Where no origin was asked there is none.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The listener that the question names; without a name, the first one.
fn listener<'a>(listeners: &'a [Listener], question: &Question) -> Result<&'a Listener, String> {
    let names = || listeners.iter().map(|its| format!("`{}`", its.name)).collect::<Vec<_>>().join(", ");
    let found = match &question.listener {
        Some(name) => listeners.iter().find(|its| its.name == *name),
        None => listeners.first(),
    };
    found.ok_or_else(|| format!("there is no such listener; the configuration has {}", names()))
}

/// The VLAN that the request arrives from, if its interface is that of one.
fn vlan(vlans: &Vlans, listener: &Listener, question: &Question) -> Option<u16> {
    let interface = question.interface.as_ref().or(listener.interface.as_ref())?;
    vlans.of(interface_index(interface).ok()??)
}

/// The limits on admission, and what this client has taken of them, if requests are counted.
fn limits(limiter: &Limiter, question: &Question, counted: bool) -> Vec<Limit> {
    let standing = limiter.standing(&question.client).into_iter();
    let limits = standing.map(|its| Limit {
        limit: its.limit.into(),
        most: its.most,
        taken: its.taken.filter(|_| counted),
        reached: its.reached && counted,
    });
    limits.collect()
}

/// What the running server explains requests with.
#[derive(Clone)]
pub(super) struct Explainer {
    pub(super) generation: Current,
    /// A reload cannot change them.
    pub(super) listeners: Arc<[Listener]>,
    pub(super) neighbours: Neighbours,
    pub(super) vlans: Vlans,
    pub(super) limiter: Arc<Limiter>,
    /// The name of the server's user.
    pub(super) user: String,
}

impl Explainer {
    /// # Errors
    /// The request cannot be made.
    pub(super) async fn explain(&self, question: &Question) -> Result<Explanation, String> {
        let listener = listener(&self.listeners, question)?;
        let neighbour = question.mac().or_else(|| self.neighbours.anywhere(question.client.ip()));
        let given = Circumstances {
            listener: listener.name.as_str().into(),
            single_port: listener.single_port,
            interface: listener.interface.clone(),
            vlan: vlan(&self.vlans, listener, question),
            neighbour,
            limits: limits(&self.limiter, question, true),
            user: self.user.clone(),
            runs: true,
        };
        let generation: Arc<Generation> = self.generation.get();
        admission::explain(&generation, question, given).await
    }
}
