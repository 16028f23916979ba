//! A loaded plugin and its hooks.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use tokio::sync::Semaphore;
use wasmtime::component::InstancePre;

use super::ask::Patience;
use super::bindings::exports::tuffet::policy::{accept_upload, authorize, lifecycle, resolve};
use super::bindings::tuffet::policy::types;
use super::breaker::Breaker;
use super::call::Call;
use super::convert::{Found, Opinion};
use super::counters::Counters;
use super::decisions::Decisions;
use super::engine::PolicyRuntime;
use super::failure::Failure;
use super::imports::Access;
use super::kept::Kept;
use super::sandbox::Sandbox;
use super::spec::CallLimits;
use super::wit_events as observe;
use tuffet_config::OnError;
use tuffet_request::Traced;
use tuffet_request::events::Kinds;

pub(super) struct Plugin {
    pub name: Arc<str>,
    pub on_error: OnError,
    pub access: Arc<Access>,
    /// The warnings for the operator.
    pub warnings: Vec<String>,
    pub limits: CallLimits,
    /// Calls of this plugin that run at once. Fewer than the runtime has instances, so that one plugin
    /// that is stuck in all of its calls leaves room for the others.
    pub calls: Semaphore,
    /// Calls that wait for their turn.
    pub waiting: AtomicU32,
    pub breaker: Breaker,
    pub counters: Arc<Counters>,
    /// Whether its verdicts are only recorded.
    pub monitors: bool,
    /// Its decision caches, by hook; `None` without a cache.
    pub verdicts: Option<Decisions<Opinion>>,
    pub resolutions: Option<Decisions<Found>>,
    /// Instances that wait for their next call; `None` where each call gets a fresh one.
    pub kept: Option<Kept>,
    pub runtime: PolicyRuntime,
    /// As JSON.
    pub settings: String,
    pub component: InstancePre<Sandbox>,
    pub lifecycle: lifecycle::GuestIndices,
    pub authorize: Option<authorize::GuestIndices>,
    pub resolve: Option<resolve::GuestIndices>,
    pub accept_upload: Option<accept_upload::GuestIndices>,
    pub observe: Option<observe::GuestIndices>,
    /// The events that it subscribes to.
    pub wants: Kinds,
}

impl Plugin {
    /// Configures an instance and looks its hooks up, to see that this works.
    pub async fn check(&self) -> Result<(), Failure> {
        let mut call = Call::begin(self, "", None, None).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(self).await?;
            if let Some(hook) = &self.authorize {
                instance.authorize(hook)?;
            }
            if let Some(hook) = &self.resolve {
                instance.resolve(hook)?;
            }
            if let Some(hook) = &self.accept_upload {
                instance.accept_upload(hook)?;
            }
            if let Some(hook) = &self.observe {
                instance.observe(hook)?;
            }
            Ok(())
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls the hook `authorize`.
    pub async fn authorize(
        &self,
        request: &types::Request,
        traced: Option<Traced>,
        patience: Patience,
    ) -> Result<authorize::Verdict, Failure> {
        let Some(hook) = &self.authorize else { return Ok(authorize::Verdict::Abstain) };
        let mut call = Call::begin(self, &request.id, traced, Some(patience)).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(self).await?;
            let (guest, store) = instance.authorize(hook)?;
            guest.call_authorize(store, request).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls the hook `resolve`.
    pub async fn resolve(
        &self,
        request: &types::Request,
        traced: Option<Traced>,
        patience: Patience,
    ) -> Result<resolve::Resolution, Failure> {
        let Some(hook) = &self.resolve else { return Ok(resolve::Resolution::Abstain) };
        let mut call = Call::begin(self, &request.id, traced, Some(patience)).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(self).await?;
            let (guest, store) = instance.resolve(hook)?;
            guest.call_resolve(store, request).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls the hook `accept-upload`.
    pub async fn accept_upload(
        &self,
        request: &types::Request,
        upload: &accept_upload::Upload,
        traced: Option<Traced>,
        patience: Patience,
    ) -> Result<accept_upload::Acceptance, Failure> {
        let Some(hook) = &self.accept_upload else { return Ok(accept_upload::Acceptance::Abstain) };
        let mut call = Call::begin(self, &request.id, traced, Some(patience)).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(self).await?;
            let (guest, store) = instance.accept_upload(hook)?;
            guest.call_accept_upload(store, request, upload).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Tells the hook `observe`.
    pub async fn observe(&self, events: &[observe::Event<'_>]) -> Result<(), Failure> {
        let Some(hook) = &self.observe else { return Ok(()) };
        let mut call = Call::begin(self, "events", None, None).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(self).await?;
            let (guest, store) = instance.observe(hook)?;
            guest.call_observe(store, events).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }
}
