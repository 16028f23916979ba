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
//! use tuffet::{Authorize, Failure, HookCall, Request, Server, Verdict};
//!
//! struct Inventory;
//!
//! impl Inventory {
//!     async fn knows(&self, client: std::net::IpAddr) -> std::io::Result<bool> {
//!         Ok(client.is_loopback())
//!     }
//! }
//!
//! #[async_trait]
//! impl Authorize for Inventory {
//!     async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
//!         Ok(match self.knows(request.client.ip()).await? {
//!             true => Verdict::Abstain,
//!             false => Verdict::deny("the inventory does not have it"),
//!         })
//!     }
//! }
//!
//! let builder = Server::builder().authorize("inventory", Inventory);
//! ```
//!
//! The methods have a lifetime for each reference and one for the answer, as that crate writes them; this crate does not
//! need it. By hand, a method returns `Box::pin(async move { … })`. The traits can be objects: a hook may be a `Box<dyn
//! Authorize>`, which the program chooses while it runs, or an `Arc<dyn Authorize>`, which several servers share.
//!
//! # Threads and failures
//!
//! The futures run on the server's tokio runtime and must not block: others wait for the same threads. A hook that
//! returns a [`Failure`], panics, or takes longer than [`Builder::time_limit`](crate::Builder::time_limit), affects its own
//! request alone: the request is dropped with the outcome `failed`, so that its client asks again. A complete upload is
//! aborted, with the same outcome, and its client gets ERROR 0.

pub use tuffet_policy::{
    AcceptUpload, Authorize, Failure, HookCall, HookFn, HookFuture, Observe, ReceivedUpload, Resolution,
    Resolve, Selection, Target, UploadVerdict, Verdict, accept_upload_fn, authorize_fn, observe_fn,
    resolve_fn,
};
