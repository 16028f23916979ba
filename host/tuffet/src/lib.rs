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
//!
//! There is no WebAssembly and no YAML. The library handles no signals, sets up no log subscriber,
//! changes no privileges and ends no process; it has no static state, so two servers in one process share nothing.
//! Linux is the only system for production; for development, the crate without features compiles for macOS and FreeBSD,
//! too.
//!
//! The [guide] says more about all of this.
//!
//! The server itself is the crate `tuffet-server`, whose interface may change with each version: this one exports what it
//! promises to keep. A program that runs plugins as the daemon does needs more of it (`tuffet_server::daemon`).

#[cfg(doc)]
pub mod guide;

// The server.
pub use tuffet_engine::worker::OpenError;
pub use tuffet_server::{
    BuildError, Builder, Folder, Handle, Listener, OpenFolder, ReplaceError, Replacer, Server, ServerEnd,
    Service, StartError,
};
/// Why a folder cannot be opened.
pub use tuffet_store::RootError as FolderError;

// Hooks.
pub use tuffet_policy::{
    AcceptUpload, Authorize, Cause, DefaultVerdict, Failure, HookCall, HookFn, HookFuture, Observe,
    ReceivedUpload, Resolution, Resolve, Selection, Target, UploadVerdict, Verdict, accept_upload_fn,
    authorize_fn, observe_fn, resolve_fn,
};

// Content.
/// The bytes that a reader returns.
pub use bytes::Bytes;
pub use tuffet_server::{Root, RootError};
/// The futures of hooks, roots, readers and sinks.
pub use tuffet_store::BoxFuture;
pub use tuffet_store::{Destination, ReadAt, Sink, Source, UploadContent, Version};

// Other protocols.
pub use tuffet_request::{Certificate, Protocol};
pub use tuffet_server::{Ask, AskError, Decided, ReadTransfer, Requests, StoredUpload, WriteTransfer};

// Requests, and what became of them.
pub use tuffet_request::events::{
    Answered, DecisionRecord, Ending, Event, EventKind, Kinds, LastError, OptionSet, Outcome, Stats, Summary,
    Tried, Unanswered,
};
/// Why a name is not safe.
pub use tuffet_request::names::NameError;
pub use tuffet_request::{
    ClientClass, Denial, Distribution, ErrorCode, Label, Lease, LeaseFact, Mac, MacAddress, MacFact,
    MacSource, Mode, Network, Operation, OptionName, Request, RequestId, UnknownClass,
};
#[cfg(feature = "netlink")]
pub use tuffet_server::netlink::{follow_neighbours, follow_vlans};
pub use tuffet_server::{Snapshot, watch::Totals};
pub use tuffet_server::{neighbours::Neighbours, vlans::Vlans};

/// The parts of [`Totals`].
pub mod totals {
    pub use tuffet_server::watch::{
        ByOperation, Dropped, Ended, FileCacheTotals, Labelled, PluginTotals, ProfileTotals, Queues,
        SinkQueue, Word,
    };
}

// Settings.
pub use tuffet_request::settings::{
    Capacity, Ceilings, LeaseFile, Limits, ListenerRules, MaxBlksize, Netboot, OptionRule, OptionRules,
    PerClient, Profile, Retransmit, RetransmitRules, Start, Transfer,
};
pub use tuffet_request::{
    FolderQuota, LeaseFormat, Links, NewFolders, PortRange, Quota, RefusedOptions, SessionProfile,
    SessionValues, TidPorts,
};

/// The examples of the package's front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
