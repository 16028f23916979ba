//! Tuffet: a TFTP server whose data path is native and whose policy is WebAssembly.

pub mod request;

#[allow(dead_code, unused_imports)] // until admission asks it
mod policy;
