//! A loaded plugin and its hooks.

use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use super::bindings::exports::tuffet::policy::{accept_upload, authorize, lifecycle, observe, resolve};
use super::bindings::tuffet::policy::types;
use super::call::Call;
use super::engine::PolicyRuntime;
use super::failure::{Failure, Refused};
use super::sandbox::Sandbox;
use super::spec::{CallLimits, Grants};
use crate::config::OnError;

/// Calls of one plugin that run at once.
pub(super) const MAX_CALLS: usize = 32;

pub(super) struct Plugin {
    pub name: Arc<str>,
    pub on_error: OnError,
    pub grants: Grants,
    pub limits: CallLimits,
    /// Calls of this plugin that run at once. Fewer than the runtime has instances, so that one plugin
    /// that is stuck in all of its calls leaves room for the others.
    pub calls: Semaphore,
    pub runtime: PolicyRuntime,
    /// As JSON.
    pub settings: String,
    pub component: InstancePre<Sandbox>,
    pub lifecycle: lifecycle::GuestIndices,
    pub authorize: Option<authorize::GuestIndices>,
    pub resolve: Option<resolve::GuestIndices>,
    pub accept_upload: Option<accept_upload::GuestIndices>,
    pub observe: Option<observe::GuestIndices>,
}

impl Plugin {
    /// Configures an instance and looks its hooks up, to see that this works.
    pub async fn check(&self) -> Result<(), Failure> {
        let mut call = Call::begin(self, String::new()).await?;
        let store = &mut call.store;
        let work = async {
            let instance = self.instance(store).await?;
            if let Some(hook) = &self.authorize {
                hook.load(&mut *store, &instance)?;
            }
            if let Some(hook) = &self.resolve {
                hook.load(&mut *store, &instance)?;
            }
            if let Some(hook) = &self.accept_upload {
                hook.load(&mut *store, &instance)?;
            }
            if let Some(hook) = &self.observe {
                hook.load(&mut *store, &instance)?;
            }
            Ok(())
        };
        let ended = call.limit.run(work).await;
        call.end(ended)
    }

    /// Asks the hook `authorize`.
    pub async fn authorize(&self, request: &types::Request) -> Result<authorize::Verdict, Failure> {
        let Some(hook) = &self.authorize else { return Ok(authorize::Verdict::Abstain) };
        let mut call = Call::begin(self, request.id.clone()).await?;
        let store = &mut call.store;
        let work = async {
            let instance = self.instance(store).await?;
            hook.load(&mut *store, &instance)?.call_authorize(&mut *store, request).await
        };
        let ended = call.limit.run(work).await;
        call.end(ended)
    }

    /// Asks the hook `resolve`.
    pub async fn resolve(&self, request: &types::Request) -> Result<resolve::Resolution, Failure> {
        let Some(hook) = &self.resolve else { return Ok(resolve::Resolution::Abstain) };
        let mut call = Call::begin(self, request.id.clone()).await?;
        let store = &mut call.store;
        let work = async {
            let instance = self.instance(store).await?;
            hook.load(&mut *store, &instance)?.call_resolve(&mut *store, request).await
        };
        let ended = call.limit.run(work).await;
        call.end(ended)
    }

    /// A fresh, configured instance.
    async fn instance(&self, store: &mut Store<Sandbox>) -> wasmtime::Result<Instance> {
        let instance = self.component.instantiate_async(&mut *store).await?;
        let lifecycle = self.lifecycle.load(&mut *store, &instance)?;
        if let Err(problems) = lifecycle.call_configure(&mut *store, &self.settings).await? {
            return Err(Refused(problems).into());
        }
        store.data_mut().log.muted = false;
        Ok(instance)
    }
}
