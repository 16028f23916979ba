//! Calls of a plugin's hooks, in the types of the interface.

use std::sync::Arc;

use super::answer_texts::{Answer, hide};
use super::bindings::types::Request as Input;
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use super::call::Call;
use super::instance::Instance;
use super::plugin::Plugin;
use super::subject::Subject;
use super::upload::UploadInput;
use super::wit_events::Event;
use tuffet_policy::{Cause, Failure, HookCall, text};

impl Plugin {
    /// Takes an instance, calls it, and gives it back.
    async fn run<T: Answer>(
        &self,
        subject: Subject<'_>,
        call: &HookCall,
        work: impl AsyncFnOnce(&mut Instance) -> wasmtime::Result<T>,
    ) -> Result<T, Failure> {
        let mut running = Call::begin(self, subject, call).await?;
        let (instance, limit) = running.parts();
        let work = async {
            instance.ready(&self.code).await?;
            work(instance).await
        };
        let ended = limit.run(work).await;
        running.end(ended)
    }

    /// Takes an instance, calls it, and gives it back, whether it answers or says that it cannot.
    async fn ask<T: Answer>(
        &self,
        subject: Subject<'_>,
        call: &HookCall,
        work: impl AsyncFnOnce(&mut Instance) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<T, Failure> {
        self.run(subject, call, work).await?.map_err(|mut why| {
            hide(&mut why, &self.access.secrets);
            Failure::because(text::reason(&why))
        })
    }

    /// Calls the hook `authorize`.
    pub async fn call_authorize(
        &self,
        request: &Input,
        call: &HookCall,
    ) -> Result<authorize::LabelledVerdict, Failure> {
        let Some(hook) = &self.authorize else {
            return Ok(authorize::LabelledVerdict { verdict: authorize::Verdict::Abstain, label: None });
        };
        let work = async |instance: &mut Instance| {
            let (guest, store) = instance.authorize(hook)?;
            guest.call_authorize(store, request).await
        };
        self.ask(Subject::request("authorize", request), call, work).await
    }

    /// Calls the hook `resolve`.
    pub async fn call_resolve(
        &self,
        request: &Input,
        call: &HookCall,
    ) -> Result<resolve::LabelledResolution, Failure> {
        let Some(hook) = &self.resolve else {
            return Ok(resolve::LabelledResolution { resolution: resolve::Resolution::Abstain, label: None });
        };
        let work = async |instance: &mut Instance| {
            let (guest, store) = instance.resolve(hook)?;
            guest.call_resolve(store, request).await
        };
        self.ask(Subject::request("resolve", request), call, work).await
    }

    /// Calls `render`.
    pub async fn call_render(&self, key: &str, call: &HookCall) -> Result<render::Rendered, Failure> {
        let Some(hook) = &self.render else {
            let detail = match &self.render_parts {
                None => "it answered with a rendering, and exports neither `render` nor `render-parts`",
                Some(_) => "it does not make this content in parts, and does not export `render`",
            };
            return Err(Failure::new(Cause::BadAnswer, detail));
        };
        let work = async |instance: &mut Instance| {
            let (guest, store) = instance.render(hook)?;
            guest.call_render(store, key).await
        };
        self.ask(Subject::RENDERING, call, work).await
    }

    /// Calls `begin` of `render-parts`.
    pub async fn call_begin(&self, key: &str, call: &HookCall) -> Result<render_parts::Beginning, Failure> {
        let Some(hook) = &self.render_parts else { return Ok(render_parts::Beginning::Whole) };
        let work = async |instance: &mut Instance| {
            let (guest, store) = instance.render_parts(hook)?;
            guest.call_begin(store, key).await
        };
        self.ask(Subject::RENDERING, call, work).await
    }

    /// Calls `part` of `render-parts`.
    pub async fn call_part(
        &self,
        key: &str,
        offset: u64,
        length: u32,
        call: &HookCall,
    ) -> Result<render_parts::MadePart, Failure> {
        let Some(hook) = &self.render_parts else {
            return Err(Failure::new(Cause::BadAnswer, "it does not have the interface `render-parts`"));
        };
        let work = async |instance: &mut Instance| {
            let (guest, store) = instance.render_parts(hook)?;
            guest.call_part(store, key, offset, length).await
        };
        self.ask(Subject::RENDERING, call, work).await
    }

    /// Calls the hook `accept-upload`.
    pub async fn call_accept_upload(
        &self,
        request: &Input,
        upload: &UploadInput,
        call: &HookCall,
    ) -> Result<accept_upload::Acceptance, Failure> {
        let Some(hook) = &self.accept_upload else { return Ok(accept_upload::Acceptance::Abstain) };
        let work = async |instance: &mut Instance| {
            instance.store.data_mut().upload = Some(Arc::clone(&upload.content));
            let (guest, store) = instance.accept_upload(hook)?;
            guest.call_accept_upload(store, request, &upload.about).await
        };
        self.ask(Subject::request("accept-upload", request), call, work).await
    }

    /// Calls the hook `observe`.
    pub async fn call_observe(&self, events: &[Event<'_>], call: &HookCall) -> Result<(), Failure> {
        let Some(hook) = &self.observe else { return Ok(()) };
        let work = async |instance: &mut Instance| {
            instance.store.data_mut().usage.events = u32::try_from(events.len()).unwrap_or(u32::MAX);
            let (guest, store) = instance.observe(hook)?;
            guest.call_observe(store, events).await
        };
        self.run(Subject::EVENTS, call, work).await
    }
}
