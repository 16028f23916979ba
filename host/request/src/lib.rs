//! The vocabulary of the server: a request and its facts, from its arrival to its outcome.
//!
//! It contains types and pure functions on them: no sockets, files or threads. All other crates of the server share
//! these types, so none has to depend on the crate that creates them.

mod bounds;
mod calls;
mod catch_panic;
mod class;
mod client;
pub mod events;
mod fair_queue;
mod histogram;
#[cfg(feature = "schema")]
pub mod key_order;
mod label;
mod mac_address;
pub mod names;
mod negotiated;
mod network;
mod packed_address;
mod packed_time;
mod progress;
mod protocol;
mod request;
mod resources;
mod root;
mod session;
mod setting_names;
pub mod settings;
mod tid_ports;
mod trail;
pub mod units;
mod uploads;

pub use bounds::{Bounds, PerSecond};
pub use calls::{Call, Calls};
pub use catch_panic::{Panicked, catch_panic, catch_panic_async, panic_as_error};
pub use class::{ClientClass, UnknownClass};
pub use client::ClientKey;
pub use fair_queue::FairQueue;
pub use histogram::{BOUNDS_US, Distribution, Histogram};
pub use label::{Label, NotALabel};
pub use mac_address::MacAddress;
pub use network::Network;
pub use packed_address::PackedAddress;
pub use progress::{Moved, Progress};
pub use protocol::Protocol;
pub use request::{
    Acknowledged, Certificate, Denial, ErrorCode, Lease, LeaseFact, LeaseFormat, Mac, MacFact, MacSource,
    Mode, Operation, OptionName, Request, RequestId,
};
pub use resources::{KvState, SinkCounted};
pub use root::{Case, LinkFolder, RootSpec, Unopened};
pub use session::{RefusedOptions, SessionProfile, SessionValues};
pub use tid_ports::{MAX_TID_PORTS, PortRange, TidPorts};
pub use trail::{SpanId, Step, TraceId, TraceParent, Traced, Trail, What};
pub use uploads::{FileMode, FolderQuota, Links, NewFolders, Quota, UploadRules, VersionNames, Versions};
