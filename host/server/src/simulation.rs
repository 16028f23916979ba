//! A server in virtual time, for `tuffet_testing::virtual_time`.

use crate::bind::Server;
use crate::builder::{BuildError, Builder, Listener};
pub use crate::server::Simulation;
use crate::server::StartError;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::runtime::Handle;
pub use tuffet_engine::worker::{Departure, SocketId};

/// Where requests arrive if the program has no listener.
const ADDRESS: SocketAddr = SocketAddr::V4(std::net::SocketAddrV4::new(Ipv4Addr::new(198, 51, 100, 1), 69));

/// Why a server cannot be simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The server cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The system refuses what a worker needs.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Simulation {
    /// Puts a server together in virtual time: with all hooks and roots, one worker, and no socket of its listeners. Without
    /// a listener it has one. Hooks and roots run on `runtime`.
    ///
    /// # Errors
    /// As [`Builder::bind`], except for sockets; or the system has no descriptors.
    pub fn of(builder: Builder, runtime: &Handle) -> Result<Simulation, SimulationError> {
        let mut builder = match builder.settings.listeners.is_empty() {
            true => builder.listener(Listener::bind(ADDRESS)),
            false => builder,
        };
        // One thread drives the simulation, and groups have a thread of their own.
        (builder.settings.workers, builder.settings.multicast) = (1, None);
        let _inside = runtime.enter();
        Ok(Server::without_sockets(builder)?.into_assembly().simulate()?)
    }
}
