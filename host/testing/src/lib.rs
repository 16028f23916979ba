//! For tests of TFTP servers and clients, over real sockets of the loopback interface.
//!
//! - [`Client`]: a plain client, independent of the engine of Tuffet: for tests of a program that embeds a server.
//! - [`Network`]: a network between a client and a server that loses, doubles, reorders, delays or alters datagrams on
//!   purpose, by a seed or by a function: for tests of clients.
//!
//! ```no_run
//! use tuffet_testing::{Client, Faults, Network};
//!
//! let server = "127.0.0.1:6969".parse()?;
//! let network = Network::start(server, Faults::seeded(7).lose(0.1).double(0.05))?;
//! let bytes = Client::new(network.address()).blksize(1024).get("boot.img")?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod client;
mod faults;
mod network;
mod sending;

pub use client::{Client, ClientError};
pub use faults::{Delivery, Direction, Fate, Faults};
pub use network::Network;
