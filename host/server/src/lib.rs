//! A TFTP server as a library: for programs that serve files by TFTP themselves.
//!
//! ```no_run
//! use std::time::Duration;
//! use tuffet::{Folder, Listener, Server};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder()
//!         .listener(Listener::bind("127.0.0.1:6969".parse()?))
//!         .folder(Folder::new("boot", "/srv/tftp"))
//!         .bind()?;
//!     let handle = server.start()?;
//!     tokio::time::sleep(Duration::from_secs(3600)).await;
//!     handle.drain(Duration::from_secs(10)).await;
//!     Ok(())
//! }
//! ```
//!
//! # The phases of a request
//!
//! ```text
//! datagram - limits - authorize - resolve - open - blocks - [upload] accept-upload - end
//!   worker   worker   hooks       hooks     root   worker             hooks          observers
//! ```
//!
//! A request that is within the [`Limits`] passes the chain of [`Authorize`] (may it?), then that of [`Resolve`] (which
//! content?). Without an answer, its path is looked up in the roots in the order of their addition: folders
//! ([`Folder`]), and places that the program implements ([`Root`]). A worker then sends or takes the blocks; no hook is
//! asked meanwhile. A complete upload passes the chain of [`AcceptUpload`] before it becomes visible, and before its
//! last ACK. [`Observe`] gets each end exactly once, on a thread of its own.
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
//! A hook that returns a [`Failure`], panics, or takes longer than [`Builder::time_limit`], affects its own request alone:
//! the request is dropped with the outcome `failed`, so that its client asks again. A complete upload is aborted, with the
//! same outcome, and its client gets ERROR 0.
//!
//! # Content
//!
//! A [`Source`] has a size and bytes: in memory, in a file, read at offsets ([`ReadAt`]), or from a stream. A [`Sink`]
//! takes an upload: its client waits while a write waits, and it ends with [`Sink::commit`] or [`Sink::abort`]. Content
//! that fails, hangs or ends before its size ends its own transfer with an ERROR, and no other.
//!
//! # Threads and blocking
//!
//! The server has threads for sockets ([`Builder::workers`]), for deciding, and for the disks of folders. Hooks, roots,
//! readers and sinks run on the tokio runtime in which [`Server::start`] was called, and must not block it. The future of
//! a hook may begin on a thread for deciding, within the context of that runtime.
//!
//! # Errors
//!
//! [`BuildError::Usage`] is a bug of the program and says what to change; [`BuildError::Root`] and
//! [`BuildError::Listener`] come from the system. A running server returns no errors: each request ends in an
//! [`Outcome`], for [`Observe`], [`Handle::snapshot`] and the log. Replacing the [`Service`] ([`Handle::replace`]) is all
//! or nothing.
//! [`Handle::drain`] is bounded, whatever hangs; [`ServerEnd`] says what was not finished.
//!
//! # Features
//!
//! - `netlink`: MAC addresses of on-link clients and VLANs, from the kernel
//! - `simulation`: for `tuffet-testing`, which runs a server in virtual time; not part of the stable interface
//! - `origins`: roots in object stores and on web servers, behind a cache on disk
//! - `wasm`: plugins as WebAssembly components, for [`Builder::policy`]
//!
//! Without features there is no WebAssembly and no YAML. The library handles no signals, sets up no log subscriber,
//! changes no privileges and ends no process; it has no static state, so two servers in one process share nothing.
//! Linux is the only system for production; for development, the crate without features compiles for macOS and FreeBSD,
//! too.
//!
//! The [guide] says more about all of this. Below the facade, the modules have what the daemon needs besides:
//! [`server::Assembly`] puts a server together without starting it, so that exporters can be attached to
//! [`watch::Watch`].

pub mod admission;
mod bind;
mod builder;
pub mod capture;
mod content;
pub mod events;
pub mod explanation;
pub mod generation;
mod groups;
#[cfg(doc)]
pub mod guide;
mod handle;
pub mod interfaces;
mod known_listeners;
mod last_folders;
pub mod leases;
mod negotiation;
pub mod neighbours;
#[cfg(feature = "netlink")]
pub mod netlink;
pub mod origins;
mod recent_opens;
mod replacer;
mod routes;
pub mod sampling;
pub mod server;
#[cfg(feature = "simulation")]
#[doc(hidden)]
pub mod simulation;
#[cfg(any(feature = "wasm", feature = "origins"))]
mod state_sources;
pub mod status;
pub mod vlans;
pub mod watch;

pub use admission::{Ask, Decided, DecidedContent};
pub use bind::{Server, needed_sockets};
pub use builder::{BuildError, Builder, Folder, Listener, OpenFolder, Service};
/// The futures of hooks, roots, readers and sinks.
pub use bytes::Bytes;
pub use content::{Destination, OpenFile, ReadAt, Root, RootError, Sink, Source, Version};
pub use futures_util::future::BoxFuture;
pub use handle::{AskError, Handle, ServerEnd};
pub use replacer::{ReplaceError, Replacer};
pub use server::StartError;
pub use tuffet_engine::worker::{BoundSockets, ListenerSpec, OpenError};
pub use tuffet_policy::{
    AcceptUpload, Authorize, Failure, HookCall, HookFn, HookFuture, Observe, ReceivedUpload, Resolution,
    Resolve, Selection, Target, UploadVerdict, Verdict, accept_upload_fn, authorize_fn, observe_fn,
    resolve_fn,
};
pub use tuffet_policy::{DefaultVerdict, PluginRecords, Policy};
pub use tuffet_request::events::{Event, EventKind, Kinds, Outcome, Summary};
/// Why a name is not safe.
pub use tuffet_request::names::NameError;
pub use tuffet_request::settings::{self, Capacity, Limits, ListenerRules, Netboot, Profile, Transfer};
pub use tuffet_request::{
    ClientClass, Denial, ErrorCode, LeaseFormat, Links, MacAddress, Mode, Network, NewFolders, Operation,
    PortRange, Quota, RefusedOptions, Request, RequestId, SessionProfile, SessionValues, TidPorts,
    UnknownClass,
};
/// Why a folder cannot be opened.
pub use tuffet_store::RootError as FolderError;
pub use tuffet_store::{Disks, Roots, StoreError};

/// The examples of the package's front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
