//! The modules of `bindings.rs`, expanded by `scripts/bindings/rust.sh`. Do not change them by hand.
#![allow(unsafe_code, missing_docs, unused_qualifications, clippy::all, clippy::unwrap_used, clippy::panic)]

#[rustfmt::skip]
pub mod accept_upload;
#[rustfmt::skip]
pub mod authorize;
#[rustfmt::skip]
pub mod base;
#[rustfmt::skip]
pub mod files;
#[rustfmt::skip]
pub mod history;
#[rustfmt::skip]
pub mod kv;
#[rustfmt::skip]
pub mod metrics;
#[rustfmt::skip]
pub mod observe;
#[rustfmt::skip]
pub mod render;
#[rustfmt::skip]
pub mod render_parts;
#[rustfmt::skip]
pub mod resolve;
#[rustfmt::skip]
pub mod sinks;
#[rustfmt::skip]
pub mod types;
#[rustfmt::skip]
pub mod upload_content;
