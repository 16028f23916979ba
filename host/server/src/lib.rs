//! The server: the builder and the handle, hooks and roots of programs, admission, generations, drain, events. Programs
//! use the crate `tuffet`, which exports of this one what it promises to keep; the daemon and its views use the rest.

pub mod admission;
mod bind;
mod builder;
pub mod capture;
mod content;
pub mod daemon;
pub mod events;
pub mod explanation;
pub mod generation;
mod groups;
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

pub use admission::{Ask, AskError, Decided, ReadTransfer, Requests, StoredUpload, WriteTransfer};
pub use bind::{Server, needed_sockets};
pub use builder::{BuildError, Builder, Folder, Listener, OpenFolder, Service};
pub use content::{Root, RootError};
pub use handle::{Handle, ServerEnd, Snapshot};
pub use replacer::{ReplaceError, Replacer};
pub use server::StartError;
