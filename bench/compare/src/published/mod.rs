//! Tables that others published about TFTP, measured again on Tuffet beside one peer.
//!
//! Each table is a module of [`tables`]: what was published, the cases, and the page. [`bench`] runs a case,
//! over loopback, over a cable between two network namespaces ([`link`]) or through `tuffet-relay`
//! ([`relay`]). [`page`] writes what came out.

mod args;
mod bench;
mod link;
mod page;
mod relay;
mod scale;
mod tables;

pub(crate) use args::{Args, obey};
