//! Write policy plugins for Tuffet.
//!
//! A plugin is a WebAssembly component. The server calls it once for each request, before the first block, to
//! decide whether the client may do this ([`Authorize`]) and which file or content it gets ([`Resolve`]). It
//! calls it again before an upload becomes visible ([`Accept`]), and reports to it what has happened
//! ([`Observe`]). A plugin implements one or more of these hooks and lists them in [`export!`].
//!
//! ```
//! use serde::Deserialize;
//! use tuffet_sdk::{Authorize, Denial, Operation, Plugin, Problems, Request, Verdict};
//!
//! /// Refuses uploads outside of one folder.
//! struct Uploads {
//!     folder: String,
//! }
//!
//! #[derive(Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Settings {
//!     folder: String,
//! }
//!
//! impl Plugin for Uploads {
//!     type Settings = Settings;
//!
//!     fn configure(settings: Settings) -> Result<Self, Problems> {
//!         if settings.folder.starts_with('/') {
//!             return Err(Problems::one("/folder", "paths are relative to a root: leave the first \"/\" out"));
//!         }
//!         Ok(Uploads { folder: format!("{}/", settings.folder.trim_end_matches('/')) })
//!     }
//! }
//!
//! impl Authorize for Uploads {
//!     fn authorize(&self, request: &Request) -> Verdict {
//!         if request.operation == Operation::Write && !request.path.starts_with(&self.folder) {
//!             return Verdict::Deny(Denial::access_violation("no uploads here", "outside of the upload folder"));
//!         }
//!         Verdict::Abstain
//!     }
//! }
//!
//! tuffet_sdk::export!(Uploads: authorize);
//! ```
//!
//! The crate of a plugin is a `cdylib`, built for `wasm32-wasip2`:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib", "rlib"] # the rlib is for its own tests, which run natively
//! ```
//!
//! The server creates a fresh instance for each call, so only [`kv`] carries state from one request to the
//! next. An instance has no files, no network and no environment; its time and memory are limited. A hook
//! that cannot answer fails ([`TryAuthorize`], [`Failure`]): the configuration (`on-error`) decides whether the request is
//! denied. A panic is a trap, which ends the instance, too, and after several of which the server stops calling the plugin.
//!
//! A plugin requests everything beyond [`log()`] in its [`manifest!`], with the reason, and the operator
//! grants it: [`kv`], [`files`], [`sinks`], the content of an [`upload`], [`metrics`] of its own, HTTP (the feature `http` of this crate, or any client over
//! `wasi:http`), the client's MAC addresses, a clock, random numbers. In native tests, small stand-ins in
//! memory replace them ([`testing`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

// The macros of `bindings.rs`, or what they expand to.
mod answer;
#[cfg(feature = "generate")]
#[doc(hidden)]
pub mod bindings;
#[cfg(not(feature = "generate"))]
#[doc(hidden)]
#[path = "generated/mod.rs"]
pub mod bindings;
mod errors;
mod exported;
pub mod files;
mod glob;
pub mod history;
#[cfg(feature = "http")]
pub mod http;
pub mod kv;
mod log;
#[doc(hidden)]
pub mod manifest;
pub mod metrics;
mod plugin;
mod problem;
mod request;
mod settings;
pub mod sinks;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
pub mod upload;
mod words;

pub use answer::{Failure, RenderError, label};
pub use errors::code;
#[doc(hidden)]
pub use exported::Exported;
pub use glob::Glob;
pub use log::{Level, log, log_with};
pub use plugin::{
    Accept, Authorize, Observe, Plugin, Render, RenderParts, Resolve, TryAccept, TryAuthorize, TryResolve,
};
pub use problem::{Problem, Problems};
pub use request::Protocol;
pub use settings::parse;
pub use words::{decision, mac_source, outcome};

pub use bindings::accept_upload::exports::tuffet::policy::accept_upload::{Acceptance, Destination, Upload};
pub use bindings::authorize::exports::tuffet::policy::authorize::Verdict;
pub use bindings::observe::exports::tuffet::policy::observe::{
    DecidedRequest, Event, EventKind, OtherEvent, Progress, Summary,
};
pub use bindings::render::exports::tuffet::policy::render::Rendering;
pub use bindings::render_parts::exports::tuffet::policy::render_parts::LargeContent;
pub use bindings::resolve::exports::tuffet::policy::resolve::{Candidate, Resolution, Selection};
pub use bindings::types::tuffet::policy::contents::Content;
pub use bindings::types::tuffet::policy::types::{
    Arrival, Client, Denial, Error, ErrorCode, Label, Lease, Mac, MacAddresses, Mode, Operation, Profile,
    Request, Resolved, SessionValues, Target,
};

/// The example of the package's front page.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
