//! The hooks of a policy, one trait each. Components of WebAssembly implement them, and so may Rust code.

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

/// The answer of a hook that is under way.
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
    /// Returns what answers a request; `None` to abstain.
    fn resolve<'a>(
        &'a self,
        request: &'a Request,
        memo: &'a mut Memo,
        context: CallContext,
    ) -> HookFuture<'a, Option<ResolveOpinion>>;
}

/// Makes the content for a key that [`Resolve`] answered with. All requests with that key share it.
pub trait Render: Send + Sync {
    /// Returns the content, or its denial.
    fn render<'a>(&'a self, key: &'a str, context: CallContext) -> BoxFuture<'a, Rendered>;

    /// Returns what it will make in parts, or a denial; `None` if [`Render::render`] makes this content.
    fn begin<'a>(
        &'a self,
        key: &'a str,
        context: CallContext,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>>;

    /// Returns the bytes of a content from `offset` on: 1 to `length`.
    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        context: CallContext,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>>;

    /// The most bytes of one part.
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

/// Hears what happens to requests.
pub trait Observe: Send + Sync {
    /// The events that it subscribes to.
    fn wants(&self) -> Kinds;

    /// Takes events. After a failure it may get them once more.
    fn observe<'a>(&'a self, events: &'a Delivery<'a>, context: CallContext) -> HookFuture<'a, ()>;

    /// Its unsent lines, if it wants to be called without events when a sink that was full may have room.
    fn unsent(&self) -> Option<&Unsent> {
        None
    }
}

/// The hooks that a member of chains implements.
#[derive(Clone, Default)]
pub struct Hooks {
    /// `authorize`.
    pub authorize: Option<Arc<dyn Authorize>>,
    /// `resolve`.
    pub resolve: Option<Arc<dyn Resolve>>,
    /// Makes the content that `resolve` names by a key.
    pub render: Option<Arc<dyn Render>>,
    /// `accept-upload`.
    pub accept_upload: Option<Arc<dyn AcceptUpload>>,
    /// `observe`.
    pub observe: Option<Arc<dyn Observe>>,
}
