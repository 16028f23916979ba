//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

pub mod config;
pub mod names;
#[allow(dead_code, unused_imports)] // until admission asks it
mod policy;
pub mod request;
pub mod store;
pub mod udp;
