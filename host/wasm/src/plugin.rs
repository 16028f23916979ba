//! A loaded plugin.

use std::sync::Arc;

use tokio::time::Instant;

use super::access::Access;
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use super::code::Code;
use super::make_instance::{ConfigureLimit, PluginTurns};
use super::observe;
use super::prepared::PreparedInstances;
use tuffet_config::PluginLimits;
use tuffet_policy::{Breaker, Fact, Failure, LoadProblem, LoadProblemKind, PluginIdentity};
use tuffet_request::events::Kinds;

pub(super) struct Plugin {
    pub name: Arc<str>,
    pub identity: PluginIdentity,
    pub access: Arc<Access>,
    /// The warnings for the operator, with their kinds.
    pub warnings: Vec<(LoadProblemKind, String)>,
    pub limits: PluginLimits,
    /// The shared part of its instances.
    pub code: Arc<Code>,
    /// Running and waiting calls. One plugin may run fewer than the runtime permits in total, so a plugin that is
    /// stuck in all its calls leaves room for others.
    pub turns: Arc<PluginTurns>,
    /// Prepared instances, if each call gets a fresh one and the time of its configuration does not matter.
    pub prepared: Option<Arc<PreparedInstances>>,
    /// The number of calls that one instance serves; `None` if each call gets a fresh one.
    pub reuse: Option<u32>,
    /// The breaker, shared with the member in chains. It may open while a call waits for its turn.
    pub breaker: Arc<Breaker>,
    /// The facts that its decisions depend on, if they depend on nothing else.
    pub depends_on: Option<Vec<Fact>>,
    /// Whether it declares that its decisions depend on the path, and on nothing that it does not declare.
    pub judges_paths: bool,
    /// The roots that an answer may name; `None` for any.
    pub roots: Option<Arc<[String]>>,
    pub authorize: Option<authorize::GuestIndices>,
    pub resolve: Option<resolve::GuestIndices>,
    pub render: Option<render::GuestIndices>,
    pub render_parts: Option<render_parts::GuestIndices>,
    pub accept_upload: Option<accept_upload::GuestIndices>,
    pub observe: Option<observe::GuestIndices>,
    /// The events that it subscribes to.
    pub wants: Kinds,
}

impl Plugin {
    /// Configures an instance and looks up its hooks, to check that this works. Keeps the instance for the first
    /// call.
    pub async fn check(&self) -> Result<(), Failure> {
        let within = if self.reuse.is_some() { ConfigureLimit::Own } else { ConfigureLimit::Call };
        let began = Instant::now();
        let mut instance = self.code.configured(within, true).await?;
        let cost = began.elapsed();
        let looked_up = (|| {
            if let Some(hook) = &self.authorize {
                instance.authorize(hook)?;
            }
            if let Some(hook) = &self.resolve {
                instance.resolve(hook)?;
            }
            if let Some(hook) = &self.render {
                instance.render(hook)?;
            }
            if let Some(hook) = &self.render_parts {
                instance.render_parts(hook)?;
            }
            if let Some(hook) = &self.accept_upload {
                instance.accept_upload(hook)?;
            }
            if let Some(hook) = &self.observe {
                instance.observe(hook)?;
            }
            Ok(())
        })();
        looked_up.map_err(|error| self.code.explain(&instance, &error))?;
        if self.reuse.is_some() {
            self.turns.add(instance, cost);
        } else if let Some(prepared) = &self.prepared {
            prepared.add(instance);
        }
        Ok(())
    }

    /// The warnings for the operator.
    pub fn warnings(&self) -> impl Iterator<Item = LoadProblem> + '_ {
        self.warnings.iter().map(|(kind, warning)| LoadProblem {
            plugin: self.name.to_string(),
            kind: *kind,
            pointer: None,
            message: warning.clone(),
        })
    }
}
