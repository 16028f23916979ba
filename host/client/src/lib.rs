//! A TFTP client for tokio, on the protocol machine of the server Tuffet.
//!
//! A program that loads a file, and stores another one:
//!
//! ```no_run
//! use tuffet_client::Client;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = Client::new();
//!     let report = client.get("tftp://192.0.2.1/boot/image").file("image").await?;
//!     println!("{} bytes in {:?}", report.bytes, report.duration);
//!     let config = client.get("tftp://192.0.2.1/switch.cfg").bytes(1 << 20).await?;
//!     client.put("tftp://192.0.2.1/backup/switch.cfg").bytes(&config).await?;
//!     client.wait_idle().await;
//!     Ok(())
//! }
//! ```
//!
//! `Client::builder` sets the options: blocks and windows, how long a server may be silent, multicast groups.
//!
//! # What a transfer does
//!
//! - **Options** are requested (RFC 2347), and a server that knows none is served without. By default a client requests blocks
//!   of 1428 bytes, windows of 16 blocks and the size of the file.
//! - **Retransmission** follows the measured round-trip time. In windows, a gap is reported at once, and blocks behind it are
//!   not waited for (RFC 7440).
//! - **Addresses** of a host are tried in turn, as long as none has answered: a closed port, which the kernel of Linux
//!   reports, or no route costs no time, silence costs `Builder::patience`.
//! - **The port** of the server's answer is that of the transfer, whether it is a new one (RFC 1350) or the one of the request.
//!   Packets from others get an ERROR and change nothing.
//! - **Memory** is bounded: a download passes through, an upload keeps what is not acknowledged yet, and
//!   `Get::bytes` has a limit.
//! - **Cancelling** is dropping the future: the server gets an ERROR, and a file that is not complete does not appear.
//!
//! # Without I/O
//!
//! An [`Exchange`] is one transfer without sockets, clock and files: datagrams, local bytes and time go in, datagrams,
//! bytes and the time of the next look come out. The client is a loop around it. Without the default feature `tokio`, the
//! crate has the exchange alone, and runs everywhere.

#[cfg(feature = "tokio")]
mod client;
#[cfg(feature = "tokio")]
mod destination;
#[cfg(feature = "tokio")]
mod driver;
mod error;
mod exchange;
#[cfg(feature = "tokio")]
mod get;
#[cfg(feature = "tokio")]
mod group;
mod options;
#[cfg(feature = "tokio")]
mod put;
mod report;
#[cfg(feature = "tokio")]
mod socket;
mod upload;
mod url;

#[cfg(feature = "tokio")]
pub use client::{Builder, Client};
// For `tuffet get` by HTTP.
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub use destination::{Destination, Target};
pub use error::ClientError;
pub use exchange::{Exchange, Output};
#[cfg(feature = "tokio")]
pub use get::Get;
#[cfg(feature = "tokio")]
pub use group::Interface;
pub use options::Options;
#[cfg(feature = "tokio")]
pub use put::Put;
pub use report::{Progress, Report};
pub use tuffet_core::{Mode, Time};
pub use url::{Url, UrlError};
