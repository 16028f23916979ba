//! `tuffet-published`: tables that others published about TFTP, measured again on Tuffet beside one peer.
//!
//! Each table is a module of [`tables`]: what was published, the cases, and the page. [`bench`] runs a case,
//! over loopback, over a cable between two network namespaces ([`link`]) or through `tuffet-relay`
//! ([`relay`]). [`page`] writes what came out.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod link;
mod page;
mod relay;
mod scale;
mod tables;

use args::Args;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::obey(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("tuffet-published: {error}");
            ExitCode::FAILURE
        }
    }
}
