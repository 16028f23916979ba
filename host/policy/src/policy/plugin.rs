//! A loaded plugin and its hooks.

use std::sync::Arc;

use tokio::time::Instant;

use super::ahead::Ahead;
use super::bindings::types::{self, Request as Input};
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use super::breaker::Breaker;
use super::call::{Asker, Call};
use super::code::Code;
use super::convert::{Found, Opinion};
use super::counters::Counters;
use super::decisions::Decisions;
use super::failure::{Cause, Failure};
use super::identity::PluginIdentity;
use super::imports::Access;
use super::make::{PluginTurns, Within};
use super::overload::Overload;
use super::renderings::Renderings;
use super::sandbox::Subject;
use super::spec::LoadProblemKind;
use super::upload::UploadInput;
use super::wit_events as observe;
use tuffet_config::{OnError, PluginLimits};
use tuffet_request::events::Kinds;

pub(super) struct Plugin {
    pub name: Arc<str>,
    pub identity: PluginIdentity,
    pub on_error: OnError,
    pub access: Arc<Access>,
    /// The warnings for the operator, with what they are about.
    pub warnings: Vec<(LoadProblemKind, String)>,
    pub limits: PluginLimits,
    /// The shared part of its instances.
    pub code: Arc<Code>,
    /// Running and waiting calls. Fewer may run than the runtime permits in total, so a plugin that is stuck
    /// in all of its calls leaves room for the others.
    pub turns: Arc<PluginTurns>,
    /// Unused instances, if each call gets a fresh one, and it does not matter when that was configured.
    pub ahead: Option<Arc<Ahead>>,
    /// The number of calls that one instance serves; `None` if each call gets a fresh one.
    pub reuse: Option<u32>,
    /// Prefix length that identifies a client in IPv6.
    pub ipv6_prefix: u8,
    /// Logs calls that got no turn.
    pub overload: Arc<Overload>,
    pub breaker: Breaker,
    pub counters: Arc<Counters>,
    /// Whether its verdicts are only recorded.
    pub monitors: bool,
    /// Its decision caches, by hook; `None` without a cache.
    pub verdicts: Option<Decisions<Opinion>>,
    pub resolutions: Option<Decisions<Found>>,
    /// Content that it rendered, by key.
    pub renderings: Arc<Renderings>,
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
    /// Configures an instance and looks up its hooks, to check that this works. If instances are reused, this
    /// is the first of them.
    pub async fn check(&self) -> Result<(), Failure> {
        let within = if self.reuse.is_some() { Within::Itself } else { Within::Call };
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
        } else if let Some(ahead) = &self.ahead {
            ahead.add(instance);
        }
        Ok(())
    }

    /// Calls the hook `authorize`.
    pub async fn authorize(&self, request: &Input, asker: Asker) -> Result<authorize::Verdict, Failure> {
        let Some(hook) = &self.authorize else { return Ok(authorize::Verdict::Abstain) };
        let mut call = Call::begin(self, Subject::request("authorize", request), asker).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.authorize(hook)?;
            guest.call_authorize(store, request).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls the hook `resolve`.
    pub async fn resolve(&self, request: &Input, asker: Asker) -> Result<resolve::Resolution, Failure> {
        let Some(hook) = &self.resolve else { return Ok(resolve::Resolution::Abstain) };
        let mut call = Call::begin(self, Subject::request("resolve", request), asker).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.resolve(hook)?;
            guest.call_resolve(store, request).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls `render`.
    pub async fn render(
        &self,
        key: &str,
        asker: Asker,
    ) -> Result<Result<render::Rendering, types::Denial>, Failure> {
        let Some(hook) = &self.render else {
            let detail = match &self.render_parts {
                None => "it answered with a rendering, and exports neither `render` nor `render-parts`",
                Some(_) => "it does not make this content in parts, and does not export `render`",
            };
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        let mut call = Call::begin(self, Subject::RENDERING, asker).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.render(hook)?;
            guest.call_render(store, key).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls `begin` of `render-parts`; `None` if `render` makes the content.
    pub async fn begin_parts(
        &self,
        key: &str,
        asker: Asker,
    ) -> Result<Result<Option<render_parts::LargeContent>, types::Denial>, Failure> {
        let Some(hook) = &self.render_parts else { return Ok(Ok(None)) };
        let mut call = Call::begin(self, Subject::RENDERING, asker).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.render_parts(hook)?;
            guest.call_begin(store, key).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls `part` of `render-parts`.
    pub async fn part(
        &self,
        key: &str,
        offset: u64,
        length: u32,
        asker: Asker,
    ) -> Result<Result<Vec<u8>, types::Denial>, Failure> {
        let Some(hook) = &self.render_parts else {
            return Err(Failure::new(Cause::BadAnswer, "it does not have the interface `render-parts`"));
        };
        let mut call = Call::begin(self, Subject::RENDERING, asker).await?;
        let (instance, limit) = call.parts();
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.render_parts(hook)?;
            guest.call_part(store, key, offset, length).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }

    /// Calls the hook `accept-upload`.
    pub async fn accept_upload(
        &self,
        request: &Input,
        upload: &UploadInput,
        asker: Asker,
    ) -> Result<accept_upload::Acceptance, Failure> {
        let Some(hook) = &self.accept_upload else { return Ok(accept_upload::Acceptance::Abstain) };
        let mut call = Call::begin(self, Subject::request("accept-upload", request), asker).await?;
        let (instance, limit) = call.parts();
        instance.store.data_mut().upload = Some(Arc::clone(&upload.content));
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.accept_upload(hook)?;
            guest.call_accept_upload(store, request, &upload.about).await
        };
        let ended = limit.run(work).await;
        // A reused instance must not hold the file open.
        call.parts().0.store.data_mut().upload = None;
        call.end(ended)
    }

    /// Calls the hook `observe`.
    pub async fn observe(&self, events: &[observe::Event<'_>], asker: Asker) -> Result<(), Failure> {
        let Some(hook) = &self.observe else { return Ok(()) };
        let mut call = Call::begin(self, Subject::EVENTS, asker).await?;
        let (instance, limit) = call.parts();
        instance.store.data_mut().taken.events = u32::try_from(events.len()).unwrap_or(u32::MAX);
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.observe(hook)?;
            guest.call_observe(store, events).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }
}
