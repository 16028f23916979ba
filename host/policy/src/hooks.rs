//! The hooks of a policy, one trait each, implemented by WebAssembly components and by programs.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::answers::{Resolution, UploadVerdict, Verdict};
use super::content::Rendered;
use super::content_parts::AnnouncedContent;
use super::delivery::Delivery;
use super::failure::Failure;
use super::hook_call::HookCall;
use super::unsent::Unsent;
use super::upload::ReceivedUpload;
use tuffet_request::events::{Event, Kinds};
use tuffet_request::{Denial, Request};

/// The future of a hook's answer.
pub type HookFuture<'a, T> = BoxFuture<'a, Result<T, Failure>>;

/// Decides whether a request is allowed.
pub trait Authorize: Send + Sync + 'static {
    /// Returns the verdict.
    ///
    /// # Errors
    /// The hook cannot decide. The request is dropped, so that its client asks again; for a plugin, `on-error` applies.
    fn authorize<'hook, 'request, 'call, 'answer>(
        &'hook self,
        request: &'request Request,
        call: &'call HookCall,
    ) -> HookFuture<'answer, Verdict>
    where
        'hook: 'answer,
        'request: 'answer,
        'call: 'answer;
}

/// Decides which content answers a request.
///
/// A request whose name is not safe ([`Request::unsafe_name`]) is refused, unless the answer has a file with a safe name
/// that [`Authorize`] allows; content does not count.
pub trait Resolve: Send + Sync + 'static {
    /// Returns the answer.
    ///
    /// # Errors
    /// The hook cannot decide, as for [`Authorize`].
    fn resolve<'hook, 'request, 'call, 'answer>(
        &'hook self,
        request: &'request Request,
        call: &'call HookCall,
    ) -> HookFuture<'answer, Resolution>
    where
        'hook: 'answer,
        'request: 'answer,
        'call: 'answer;
}

/// Decides whether a complete upload becomes visible. Its client waits for the last ACK meanwhile.
pub trait AcceptUpload: Send + Sync + 'static {
    /// Returns the verdict.
    ///
    /// # Errors
    /// The hook cannot decide. The upload is not stored, and its client gets an ERROR; for a plugin, `on-error` applies.
    fn accept_upload<'hook, 'request, 'upload, 'call, 'answer>(
        &'hook self,
        request: &'request Request,
        upload: &'upload ReceivedUpload,
        call: &'call HookCall,
    ) -> HookFuture<'answer, UploadVerdict>
    where
        'hook: 'answer,
        'request: 'answer,
        'upload: 'answer,
        'call: 'answer;
}

/// Observes requests. Each event arrives exactly once, in the order of its sequence number, whatever the pace of the
/// observer; a server that ends counts the ends that it has not taken.
pub trait Observe: Send + Sync + 'static {
    /// The kinds of events that it gets; by default all ends. Asked once.
    fn wants(&self) -> Kinds {
        Kinds { finished: true, ..Kinds::default() }
    }

    /// Takes an event, on a thread of this observer, within the context of the server's runtime: it may block. The events of
    /// slow observers queue up to [`Capacity::events`](tuffet_request::settings::Capacity::events), and then new requests
    /// wait.
    fn observe(&self, event: &Event);
}

/// Makes the content for a key that [`Resolve`] returned. All requests with that key share it.
pub trait Render: Send + Sync {
    /// Returns the content, or its denial.
    fn render<'a>(&'a self, key: &'a str, call: &'a HookCall) -> BoxFuture<'a, Rendered>;

    /// Announces content in parts, or denies it; `None` if [`Render::render`] makes this content.
    fn begin<'a>(
        &'a self,
        key: &'a str,
        call: &'a HookCall,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>>;

    /// Returns 1 to `length` bytes of the content from `offset` on.
    fn part<'a>(
        &'a self,
        key: &'a str,
        offset: u64,
        length: u32,
        call: &'a HookCall,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>>;

    /// The maximum size of a part in bytes.
    fn largest(&self) -> u64;
}

/// Takes events in batches: a plugin that observes, or an [observer of the program](super::ObserverThread).
pub trait Deliver: Send + Sync {
    /// The events that it subscribes to.
    fn wants(&self) -> Kinds;

    /// Takes events. After a failure they may be delivered again.
    fn deliver<'a>(&'a self, events: &'a Delivery<'a>, call: &'a HookCall) -> HookFuture<'a, ()>;

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
    pub observe: Option<Arc<dyn Deliver>>,
}

/// Hooks behind pointers: of types that the program knows only while it runs, or that several servers share.
macro_rules! behind {
    ($pointer:ident) => {
        impl<T: Authorize + ?Sized> Authorize for $pointer<T> {
            fn authorize<'h, 'r, 'c, 'a>(
                &'h self,
                request: &'r Request,
                call: &'c HookCall,
            ) -> HookFuture<'a, Verdict>
            where
                'h: 'a,
                'r: 'a,
                'c: 'a,
            {
                (**self).authorize(request, call)
            }
        }

        impl<T: Resolve + ?Sized> Resolve for $pointer<T> {
            fn resolve<'h, 'r, 'c, 'a>(
                &'h self,
                request: &'r Request,
                call: &'c HookCall,
            ) -> HookFuture<'a, Resolution>
            where
                'h: 'a,
                'r: 'a,
                'c: 'a,
            {
                (**self).resolve(request, call)
            }
        }

        impl<T: AcceptUpload + ?Sized> AcceptUpload for $pointer<T> {
            fn accept_upload<'h, 'r, 'u, 'c, 'a>(
                &'h self,
                request: &'r Request,
                upload: &'u ReceivedUpload,
                call: &'c HookCall,
            ) -> HookFuture<'a, UploadVerdict>
            where
                'h: 'a,
                'r: 'a,
                'u: 'a,
                'c: 'a,
            {
                (**self).accept_upload(request, upload, call)
            }
        }

        impl<T: Observe + ?Sized> Observe for $pointer<T> {
            fn wants(&self) -> Kinds {
                (**self).wants()
            }

            fn observe(&self, event: &Event) {
                (**self).observe(event);
            }
        }
    };
}

behind!(Arc);
behind!(Box);
