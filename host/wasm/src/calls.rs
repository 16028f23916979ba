//! Calls of a plugin's hooks, in the types of the interface.

use std::sync::Arc;

use super::bindings::types::{self, Request as Input};
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use super::call::Call;
use super::plugin::Plugin;
use super::subject::Subject;
use super::upload::UploadInput;
use super::wit_events::Event;
use tuffet_policy::{CallContext, Cause, Failure};

impl Plugin {
    /// Calls the hook `authorize`.
    pub async fn call_authorize(
        &self,
        request: &Input,
        context: CallContext,
    ) -> Result<authorize::Verdict, Failure> {
        let Some(hook) = &self.authorize else { return Ok(authorize::Verdict::Abstain) };
        let mut call = Call::begin(self, Subject::request("authorize", request), context).await?;
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
    pub async fn call_resolve(
        &self,
        request: &Input,
        context: CallContext,
    ) -> Result<resolve::Resolution, Failure> {
        let Some(hook) = &self.resolve else { return Ok(resolve::Resolution::Abstain) };
        let mut call = Call::begin(self, Subject::request("resolve", request), context).await?;
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
    pub async fn call_render(
        &self,
        key: &str,
        context: CallContext,
    ) -> Result<Result<render::Rendering, types::Denial>, Failure> {
        let Some(hook) = &self.render else {
            let detail = match &self.render_parts {
                None => "it answered with a rendering, and exports neither `render` nor `render-parts`",
                Some(_) => "it does not make this content in parts, and does not export `render`",
            };
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        let mut call = Call::begin(self, Subject::RENDERING, context).await?;
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
    pub async fn call_begin(
        &self,
        key: &str,
        context: CallContext,
    ) -> Result<Result<Option<render_parts::LargeContent>, types::Denial>, Failure> {
        let Some(hook) = &self.render_parts else { return Ok(Ok(None)) };
        let mut call = Call::begin(self, Subject::RENDERING, context).await?;
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
    pub async fn call_part(
        &self,
        key: &str,
        offset: u64,
        length: u32,
        context: CallContext,
    ) -> Result<Result<Vec<u8>, types::Denial>, Failure> {
        let Some(hook) = &self.render_parts else {
            return Err(Failure::new(Cause::BadAnswer, "it does not have the interface `render-parts`"));
        };
        let mut call = Call::begin(self, Subject::RENDERING, context).await?;
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
    pub async fn call_accept_upload(
        &self,
        request: &Input,
        upload: &UploadInput,
        context: CallContext,
    ) -> Result<accept_upload::Acceptance, Failure> {
        let Some(hook) = &self.accept_upload else { return Ok(accept_upload::Acceptance::Abstain) };
        let mut call = Call::begin(self, Subject::request("accept-upload", request), context).await?;
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
    pub async fn call_observe(&self, events: &[Event<'_>], context: CallContext) -> Result<(), Failure> {
        let Some(hook) = &self.observe else { return Ok(()) };
        let mut call = Call::begin(self, Subject::EVENTS, context).await?;
        let (instance, limit) = call.parts();
        instance.store.data_mut().usage.events = u32::try_from(events.len()).unwrap_or(u32::MAX);
        let work = async {
            instance.ready(&self.code).await?;
            let (guest, store) = instance.observe(hook)?;
            guest.call_observe(store, events).await
        };
        let ended = limit.run(work).await;
        call.end(ended)
    }
}
