//! Hooks that are functions: for decisions that wait for nothing.

use std::future::ready;

use super::answers::{Resolution, UploadVerdict, Verdict};
use super::hook_call::HookCall;
use super::hooks::{AcceptUpload, Authorize, HookFuture, Observe, Resolve};
use super::upload::ReceivedUpload;
use tuffet_request::events::Event;
use tuffet_request::{Operation, Request};

/// A function as a hook: see [`authorize_fn`], [`resolve_fn`], [`accept_upload_fn`] and [`observe_fn`].
#[derive(Debug, Clone, Copy)]
pub struct HookFn<F>(F);

/// A hook from a function that returns the verdict.
pub fn authorize_fn<F>(function: F) -> HookFn<F>
where
    F: Fn(&Request) -> Verdict + Send + Sync + 'static,
{
    HookFn(function)
}

/// A hook from a function that returns the content for a read request. `None` is no opinion, as
/// [`Resolution::Abstain`]: the next hook and the roots are asked. [`Resolution::content_or_not_found`] ends the search.
///
/// The function is not asked about uploads, nor about names that are not safe, which content does not make safe.
pub fn resolve_fn<F, R>(function: F) -> HookFn<F>
where
    F: Fn(&Request) -> R + Send + Sync + 'static,
    R: Into<Resolution>,
{
    HookFn(function)
}

/// A hook from a function that decides about an upload.
pub fn accept_upload_fn<F>(function: F) -> HookFn<F>
where
    F: Fn(&Request, &ReceivedUpload) -> UploadVerdict + Send + Sync + 'static,
{
    HookFn(function)
}

/// An observer of all ends from a function.
pub fn observe_fn<F>(function: F) -> HookFn<F>
where
    F: Fn(&Event) + Send + Sync + 'static,
{
    HookFn(function)
}

impl<F> Authorize for HookFn<F>
where
    F: Fn(&Request) -> Verdict + Send + Sync + 'static,
{
    fn authorize<'h, 'r, 'c, 'a>(&'h self, request: &'r Request, _: &'c HookCall) -> HookFuture<'a, Verdict>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        Box::pin(ready(Ok((self.0)(request))))
    }
}

impl<F, R> Resolve for HookFn<F>
where
    F: Fn(&Request) -> R + Send + Sync + 'static,
    R: Into<Resolution>,
{
    fn resolve<'h, 'r, 'c, 'a>(&'h self, request: &'r Request, _: &'c HookCall) -> HookFuture<'a, Resolution>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        let asks = request.operation == Operation::Read && request.unsafe_name.is_none();
        Box::pin(ready(Ok(if asks { (self.0)(request).into() } else { Resolution::Abstain })))
    }
}

impl<F> AcceptUpload for HookFn<F>
where
    F: Fn(&Request, &ReceivedUpload) -> UploadVerdict + Send + Sync + 'static,
{
    fn accept_upload<'h, 'r, 'u, 'c, 'a>(
        &'h self,
        request: &'r Request,
        upload: &'u ReceivedUpload,
        _: &'c HookCall,
    ) -> HookFuture<'a, UploadVerdict>
    where
        'h: 'a,
        'r: 'a,
        'u: 'a,
        'c: 'a,
    {
        Box::pin(ready(Ok((self.0)(request, upload))))
    }
}

impl<F> Observe for HookFn<F>
where
    F: Fn(&Event) + Send + Sync + 'static,
{
    fn observe(&self, event: &Event) {
        (self.0)(event);
    }
}
