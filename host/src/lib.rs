//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

pub mod request;
pub mod udp;
