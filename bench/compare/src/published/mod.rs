//! Repeats published tables about TFTP on Tuffet and one peer.
//!
//! Each table is a module of [`tables`]: the published figures, the cases, and the page. [`bench`] runs a case over
//! loopback, over a cable between two network namespaces ([`link`]), or through `tuffet-relay` ([`relay`]). [`page`]
//! writes the results.

mod args;
mod bench;
mod link;
mod page;
mod relay;
mod scale;
mod tables;

pub(crate) use args::{Args, execute};
