//! For tests of TFTP servers and clients.
//!
//! The [guide] tells how clients in any language are tested with it.
//!
//! - [`Client`]: a plain client, independent of the engine of Tuffet: for tests of a program that embeds a server.
//! - [`Network`]: a network between a client and a server that loses, doubles, reorders, delays or alters datagrams on
//!   purpose, or answers wrongly, by a seed or by a function: for tests of clients.
//! - `virtual_time` (feature `virtual-time`): a server of Tuffet, clients and the network between them in virtual time, for
//!   tests of hooks and roots: thousands of seeds in seconds.
//!
//! ```no_run
//! use tuffet_testing::{Client, Faults, Network};
//!
//! let server = "127.0.0.1:6969".parse()?;
//! let network = Network::start(server, Faults::seeded(7).lose(0.1).double(0.05))?;
//! let bytes = Client::new(network.address()).blksize(1024).get("boot.img")?;
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod alteration;
mod client;
mod direction;
mod exchange;
mod faults;
#[cfg(doc)]
pub mod guide;
mod network;
mod packet;
mod sending;
#[cfg(feature = "virtual-time")]
pub mod virtual_time;
mod wrong;

pub use alteration::{Alteration, Fault};
pub use client::{Client, ClientError};
pub use direction::Direction;
pub use faults::{Delivery, Fate, Faults};
pub use network::Network;
pub use wrong::{UnknownWrong, Wrong};
