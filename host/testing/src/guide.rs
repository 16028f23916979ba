//! [example]: crate
//! [servers]: #in-virtual-time
//!
#![doc = include_str!("../guide/testing-clients.md")]
//!
//! # In virtual time
//!
//! With the feature `virtual-time`, `tuffet_testing::virtual_time` runs a server of the crate `tuffet`, whose guide has an
//! example.
