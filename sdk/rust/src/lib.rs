//! Write policy plugins for Tuffet.
//!
//! A plugin is a WebAssembly component that the server asks, once for each request and before the first
//! block, who may do what ([`Authorize`]) and which file or content a request gets ([`Resolve`]). A plugin
//! implements one of the two hooks or both; [`export!`] says which.
//!
//! ```
//! use serde::Deserialize;
//! use tuffet_sdk::{Authorize, Denial, Operation, Plugin, Problems, Request, Verdict};
//!
//! /// Nobody uploads outside of one folder.
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
//! The server makes a fresh instance for each call, so nothing is remembered between requests. It gives an
//! instance no files, no network, no environment; time and memory are limited. A panic is a trap: the
//! configuration (`on-error`) says whether it denies.

#![cfg_attr(test, allow(clippy::unwrap_used))]

#[doc(hidden)]
pub mod bindings;
mod exported;
mod glob;
mod log;
mod plugin;
mod problem;
mod settings;

#[doc(hidden)]
pub use exported::Exported;
pub use glob::Glob;
pub use log::{Level, log, log_with};
pub use plugin::{Authorize, Plugin, Resolve};
pub use problem::{Problem, Problems};
pub use settings::parse;

pub use bindings::authorize::exports::tuffet::policy::authorize::Verdict;
pub use bindings::authorize::tuffet::policy::types::{
    Client, Denial, ErrorCode, Limits, Mac, MacSource, Mode, Operation, Request,
};
pub use bindings::resolve::exports::tuffet::policy::resolve::{Resolution, Target};
