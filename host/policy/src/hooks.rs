//! The hooks of a policy, one trait each, implemented by WebAssembly components or Rust code.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::call_context::CallContext;
use super::content::Rendered;
use super::content_parts::AnnouncedContent;
use super::delivery::Delivery;
use super::failure::Failure;
use super::memo::Memo;
use super::opinion::{Opinion, ResolveOpinion, UploadOpinion};
use super::unsent::Unsent;
use super::upload::ReceivedUpload;
use tuffet_request::events::Kinds;
use tuffet_request::{Denial, Request};

/// The future of a hook's answer.
pub type HookFuture<'a, T> = BoxFuture<'a, Result<T, Failure>>;

/// Decides whether a request is allowed.
pub trait Authorize: Send + Sync {
    /// Returns the opinion on a request; `None` to abstain.
    fn authorize<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<Opinion>>;
}

/// Decides which file or content answers a request.
pub trait Resolve: Send + Sync {
    /// Returns the opinion on a request; `None` to abstain.
    fn resolve<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<ResolveOpinion>>;
}

/// Makes the content for a key that [`Resolve`] returned. All requests with that key share it.
pub trait Render: Send + Sync {
    /// Returns the content, or its denial.
    fn render<'a>(&'a self, key: &'a str, context: CallContext) -> BoxFuture<'a, Rendered>;

    /// Announces content in parts, or denies it; `None` if [`Render::render`] makes this content.
    fn begin<'a>(
        &'a self,
        key: &'a str,
        context: CallContext,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>>;

    /// Returns 1 to `length` bytes of the content from `offset` on.
    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        context: CallContext,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>>;

    /// The maximum size of a part in bytes.
    fn largest(&self) -> u64;
}

/// Decides whether a complete upload becomes visible.
pub trait AcceptUpload: Send + Sync {
    /// Returns the opinion on an upload; `None` to abstain.
    fn accept_upload<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        upload: &'a ReceivedUpload,
        context: CallContext,
    ) -> HookFuture<'a, Option<UploadOpinion>>;
}

/// Observes events of requests.
pub trait Observe: Send + Sync {
    /// The events that it subscribes to.
    fn wants(&self) -> Kinds;

    /// Takes events. After a failure they may be delivered again.
    fn observe<'a>(&'a self, events: &'a Delivery<'a>, context: CallContext) -> HookFuture<'a, ()>;

    /// Its unsent lines, if it wants calls without events when a full sink may have room again.
    fn unsent(&self) -> Option<&Unsent> {
        None
    }
}

/// The hooks of a chain member.
#[derive(Clone, Default)]
pub struct Hooks {
    /// `authorize`.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// `resolve`.
    pub resolve: Option<Arc<dyn Resolve>>,
    /// Renders content for keys returned by `resolve`.
    pub render: Option<Arc<dyn Render>>,
    /// `accept-upload`.
    pub accept_upload: Option<Arc<dyn AcceptUpload>>,
    /// `observe`.
    pub observe: Option<Arc<dyn Observe>>,
}
