//! The hooks of a program: what it decides about requests, and what it learns of them.
//!
//! A request passes these phases: limits, [`Authorize`], [`Resolve`], opening the content, blocks, for an upload
//! [`AcceptUpload`], and the end, of which [`Observe`] learns. Hooks of a program and plugins of an operator form one
//! chain for each phase.
//!
//! # Writing hooks
//!
//! A decision that waits for nothing can be a function: [`authorize_fn`], [`resolve_fn`], [`accept_upload_fn`],
//! [`observe_fn`]. For one that waits, write an `async fn` with the crate [`async-trait`](https://docs.rs/async-trait):
//!
//! ```
//! use async_trait::async_trait;
//! use tuffet::{Authorize, Request, Server, Verdict};
//!
//! struct Inventory;
//!
//! impl Inventory {
//!     async fn knows(&self, client: std::net::IpAddr) -> bool {
//!         client.is_loopback()
//!     }
//! }
//!
//! #[async_trait]
//! impl Authorize for Inventory {
//!     async fn authorize(&self, request: &Request) -> Verdict {
//!         match self.knows(request.client.ip()).await {
//!             true => Verdict::Abstain,
//!             false => Verdict::deny("the inventory does not have it"),
//!         }
//!     }
//! }
//!
//! let builder = Server::builder().authorize("inventory", Inventory);
//! ```
//!
//! The methods have a lifetime for each reference and one for the answer, as that crate writes them; this crate does not
//! need it. By hand, a method is `fn authorize<'h, 'r, 'a>(&'h self, request: &'r Request) -> BoxFuture<'a, Verdict> where
//! 'h: 'a, 'r: 'a`, and returns `Box::pin(async move { … })`. The traits can be objects: a hook may be a `Box<dyn
//! Authorize>`, which the program chooses while it runs, or an `Arc<dyn Authorize>`, which several servers share.
//!
//! # Threads and failures
//!
//! The futures run on the server's tokio runtime and must not block: others wait for the same threads. A hook that
//! panics, or that takes longer than [`Builder::time_limit`](crate::Builder::time_limit), affects its own request alone:
//! the request is dropped with the outcome `failed`, so that its client asks again. A complete upload is aborted, with the
//! same outcome, and its client gets ERROR 0.

mod function;
mod member;
mod native;
mod native_observer;
mod pointers;

use crate::content::Source;
pub use function::{HookFn, accept_upload_fn, authorize_fn, observe_fn, resolve_fn};
use futures_util::future::BoxFuture;
pub(crate) use member::member;
pub(crate) use native::Native;
pub(crate) use native_observer::NativeObserver;
use tuffet_policy::{Destination, ReceivedUpload, Target};
use tuffet_request::events::{Event, Kinds};
use tuffet_request::{Denial, ErrorCode, Request, SessionProfile};

/// Decides whether a request is allowed.
pub trait Authorize: Send + Sync + 'static {
    /// Returns the verdict.
    fn authorize<'hook, 'request, 'answer>(
        &'hook self,
        request: &'request Request,
    ) -> BoxFuture<'answer, Verdict>
    where
        'hook: 'answer,
        'request: 'answer;
}

/// A verdict on a request.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// No opinion: the next hook decides, and after the last one the default.
    Abstain,
    /// Allowed, with this profile. The profiles of several hooks combine to the lowest ceilings.
    Allow(SessionProfile),
    /// Refused with an ERROR. No further hook is asked.
    Deny(Denial),
    /// Dropped without an answer, for this reason, so that the client asks another server. No further hook is asked.
    Drop(String),
}

impl Verdict {
    /// Allows the request as it is.
    pub fn allow() -> Verdict {
        Verdict::Allow(SessionProfile::default())
    }

    /// Denies the request with ERROR 2 (RFC 1350); `reason` is for the log alone.
    pub fn deny(reason: impl Into<String>) -> Verdict {
        Verdict::Deny(access_denied(reason.into()))
    }
}

/// Decides which content answers a request.
///
/// A request whose name is not safe ([`Request::unsafe_name`]) is refused, unless the answer has a file with a safe name
/// that [`Authorize`] allows; content does not count.
pub trait Resolve: Send + Sync + 'static {
    /// Returns the answer.
    fn resolve<'hook, 'request, 'answer>(
        &'hook self,
        request: &'request Request,
    ) -> BoxFuture<'answer, Resolution>
    where
        'hook: 'answer,
        'request: 'answer;
}

/// The answer of [`Resolve`].
#[derive(Debug)]
pub enum Resolution {
    /// No opinion: the next hook decides, and after the last one the requested path is looked up in the roots.
    Abstain,
    /// The first of these files that exists; for an upload, the first. If none exists, the request is refused. At most 64.
    Files(Vec<Target>),
    /// The first of these files that exists, and otherwise what the next hook answers.
    FilesOrNext(Vec<Target>),
    /// This content, for a read request.
    Content(Source),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Dropped without an answer, for this reason.
    Drop(String),
}

impl Resolution {
    /// The file at this path of a root.
    pub fn file(root: impl Into<String>, path: impl Into<String>) -> Resolution {
        Resolution::Files(vec![Target { root: root.into(), path: path.into() }])
    }

    /// This content; without one, ERROR 1: nothing else has the file.
    pub fn content_or_not_found(content: Option<Source>) -> Resolution {
        content.map_or_else(|| Resolution::not_found("the hook has no such file"), Resolution::Content)
    }

    /// Refuses the request with ERROR 1, "file not found" (RFC 1350); `reason` is for the log alone.
    pub fn not_found(reason: impl Into<String>) -> Resolution {
        let (code, message) = (ErrorCode::FileNotFound, "file not found".into());
        Resolution::Deny(Denial { code, message, reason: reason.into() })
    }

    /// Denies the request with ERROR 2 (RFC 1350); `reason` is for the log alone.
    pub fn deny(reason: impl Into<String>) -> Resolution {
        Resolution::Deny(access_denied(reason.into()))
    }
}

impl From<Source> for Resolution {
    fn from(source: Source) -> Resolution {
        Resolution::Content(source)
    }
}

impl From<Option<Source>> for Resolution {
    /// Without a content, it has no opinion.
    fn from(content: Option<Source>) -> Resolution {
        content.map_or(Resolution::Abstain, Resolution::Content)
    }
}

/// Decides whether a complete upload becomes visible. Its client waits for the last ACK meanwhile.
pub trait AcceptUpload: Send + Sync + 'static {
    /// Returns the decision.
    fn accept_upload<'hook, 'request, 'upload, 'answer>(
        &'hook self,
        request: &'request Request,
        upload: &'upload ReceivedUpload,
    ) -> BoxFuture<'answer, UploadVerdict>
    where
        'hook: 'answer,
        'request: 'answer,
        'upload: 'answer;
}

/// The decision of [`AcceptUpload`].
#[derive(Debug, Clone)]
pub enum UploadVerdict {
    /// No opinion.
    Abstain,
    /// It becomes visible.
    Accept,
    /// It becomes visible under this path of its root.
    Rename(Destination),
    /// Refused with an ERROR.
    Deny(Denial),
}

/// Observes requests. Each event arrives exactly once, in the order of its sequence number, whatever the pace of the
/// observer; the ends that it has not taken when a server ends are counted in [`ServerEnd`](crate::ServerEnd).
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

fn access_denied(reason: String) -> Denial {
    Denial { code: ErrorCode::AccessViolation, message: "access denied".into(), reason }
}
