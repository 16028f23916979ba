//! The foundation of the tests: a server process, the clients of other projects, raw UDP, a lossy path.

mod bytes;
mod certificate;
mod check;
mod client;
mod disk;
mod endpoint;
mod flood;
mod http;
mod log;
mod network;
mod outcome;
mod packet;
mod peer;
mod raw;
mod relay;
mod run;
mod scripted_http;
mod server;
mod setup;
mod skip;
mod slow_disk;
mod sniffer;
mod times;
mod wait;
mod web;

pub use bytes::{Folder, bytes, text};
pub use certificate::Certificate;
pub use check::{check, check_file, check_in};
pub use client::{Client, Options};
pub use disk::Disk;
pub use endpoint::{Endpoint, HttpAnswer};
pub use flood::Flood;
pub use http::{Events, connect, http, http_raw};
pub use network::Network;
pub use outcome::{assert_ended, assert_moved};
pub use packet::{Answer, ack, data, error, oack, request, rrq, wrq};
pub use peer::Peer;
pub use raw::Raw;
pub use relay::Relay;
pub use run::{Ran, run, run_as_it_is, run_for, tuffet};
pub use scripted_http::{HttpConnection, HttpRequest, loopback, serve_http};
pub use server::{SUMMED, Server};
pub use setup::{Setup, compiled, own_address, own_loopback};
pub use skip::{is_root, skipped};
pub use slow_disk::{Pace, SlowDisk, Step};
pub use sniffer::{Seen, Sniffer};
pub use wait::{until, wait_until};
pub use web::{Manner, Web};

use std::time::Duration;

/// Returns the version of the plugin interface, as its WIT has it.
pub fn interface_version() -> &'static str {
    const WIT: &str = include_str!("../../../../sdk/wit/policy.wit");
    let version = WIT.lines().find_map(|line| line.strip_prefix("package tuffet:policy@")?.strip_suffix(';'));
    version.unwrap()
}

/// How long a test waits for events that must happen soon. Only failing tests reach it.
pub const SOON: Duration = Duration::from_secs(60);

/// How long a whole client process may take.
pub const PATIENCE: Duration = Duration::from_secs(200);

/// A test for each client: `each_client!(sizes)` runs `fn sizes(client: Client)` as `sizes::curl` and so
/// on, and skips the clients that are not installed.
macro_rules! each_client {
    ($test:ident) => {
        mod $test {
            use crate::harness::Client;

            fn with(client: Client) {
                if client.is_installed() {
                    super::$test(client);
                }
            }

            #[test]
            fn curl() {
                with(Client::Curl);
            }

            #[test]
            fn atftp() {
                with(Client::Atftp);
            }

            #[test]
            fn tftp_hpa() {
                with(Client::TftpHpa);
            }

            #[test]
            fn busybox() {
                with(Client::Busybox);
            }

            #[test]
            fn tuffet() {
                with(Client::Tuffet);
            }
        }
    };
}
pub(crate) use each_client;
