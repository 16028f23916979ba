//! Tuffet: a TFTP server with a native data path and policy in WebAssembly.
//!
//! This crate decides requests and owns the workers that answer them. `tuffet-daemon` adds the log, signals and
//! privileges.

pub mod admission;
mod bind;
mod builder;
pub mod capture;
pub mod content;
pub mod events;
pub mod explanation;
pub mod generation;
mod groups;
mod handle;
pub mod hooks;
pub mod interfaces;
mod last_folders;
pub mod leases;
mod negotiation;
pub mod neighbours;
#[cfg(feature = "netlink")]
pub mod netlink;
pub mod origins;
mod replacer;
mod routes;
pub mod sampling;
pub mod server;
#[cfg(any(feature = "wasm", feature = "origins"))]
mod state_sources;
pub mod status;
pub mod vlans;
pub mod watch;

pub use admission::{Ask, Decided, DecidedContent};
pub use bind::Server;
pub use builder::{BuildError, Builder, Folder, Listener, OpenFolder};
pub use content::{ReadAt, Root, RootError, Sink, Source, Version};
pub use handle::{Drained, Handle};
pub use hooks::{AcceptUpload, Authorize, Observe, Resolution, Resolve, UploadVerdict, Verdict};
pub use replacer::{ReplaceError, Replacer};
pub use server::StartError;
pub use tuffet_engine::worker::{ListenerSpec, OpenError};
pub use tuffet_policy::{DefaultVerdict, Destination, PluginRecords, Policy, ReceivedUpload, Target};
pub use tuffet_request::events::{Event, Happening, Kinds, Outcome, Summary};
pub use tuffet_request::settings::{self, Limits, Netboot, Profile, Transfer};
pub use tuffet_request::{
    ClientClass, Denial, ErrorCode, MacAddress, Mode, Operation, PortRange, Request, RequestId,
    SessionProfile, TidPorts,
};
