//! A server of Tuffet, clients and the network between them in virtual time.
//!
//! The server is the real one: its worker, admission, negotiation and limits, with the hooks, roots and settings of a
//! [`tuffet::Builder`]. Only sockets and the clock are replaced. Nothing is bound, nothing sleeps, and the same seed gives
//! the same run:
//!
//! ```
//! use std::time::Duration;
//! use tuffet::{Server, Source, resolve_fn};
//! use tuffet_testing::virtual_time::{Options, Path, World};
//!
//! let image: Vec<u8> = (0..300_000_u32).map(|n| (n / 3) as u8).collect();
//! for seed in 0..20 {
//!     let content = image.clone();
//!     let builder = Server::builder()
//!         .resolve("image", resolve_fn(move |asked| (asked.path == "image").then(|| Source::bytes(content.clone()))));
//!     let path = Path { delay: Duration::from_millis(10), loss: 0.01, ..Path::default() };
//!     let mut world = World::new(builder, path, seed)?;
//!     let got = world.get("image", Options::windows(1428, 16))?;
//!     assert_eq!(got.bytes, image, "seed {seed}");
//!     assert!(world.elapsed() > Duration::from_millis(200));
//! }
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # What runs when
//!
//! Hooks, roots, readers and sinks run in real time, one call after the other, on a runtime of the world, while the virtual
//! clock stands still: to the clients they take no time. A run is as deterministic as they are. A call that takes longer
//! than [`World::set_patience`] no longer holds up the clock; that is how a test sees what clients of a hanging root get.
//! Observers run beside the world; [`World::end`] waits for them.
//!
//! `MaxBlksize::Auto` asks the kernel for the MTU of a route, and so depends on the machine. There is one worker, and no
//! multicast.

mod client;
mod request;
mod trace;
mod world;

pub use request::{Options, Report, Request, TransferId};
pub use trace::{Passage, Trace};
pub use tuffet_server::simulation::SimulationError;
pub use world::{Path, World};
