//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

pub mod config;
pub mod names;
pub mod request;
pub mod store;
pub mod udp;
