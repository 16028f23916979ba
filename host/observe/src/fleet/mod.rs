//! Many servers as one view.
//!
//! Each server publishes the start and the end of its transfers on NATS ([`publish`]), and once a second its
//! snapshot, while somebody watches. A view merges the newest snapshots of all servers into one ([`view`]), so
//! that whatever shows one server shows many.

mod intake;
mod publish;
mod servers;
mod view;
mod watching;

pub use publish::start;
pub use servers::Servers;
pub(crate) use view::Fleet;
pub use watching::Watching;

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tuffet::watch::{Active, Finished, Snapshot};

/// How long a NATS server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// The interval at which a viewer says that it watches, and how long a server believes it.
const VIEW: Duration = Duration::from_secs(3);
const VIEWED: Duration = Duration::from_secs(10);

/// The subjects below the configured beginning.
const STARTED: &str = "started";
const FINISHED: &str = "finished";
const NOW: &str = "now";
const VIEWING: &str = "view";

/// A message.
#[derive(Debug, Serialize, Deserialize)]
struct Message<T> {
    /// The name of the server.
    server: String,
    #[serde(flatten)]
    content: T,
}

/// A transfer has started.
#[derive(Debug, Serialize, Deserialize)]
struct Started {
    transfer: Active,
}

/// A request has ended.
#[derive(Debug, Serialize, Deserialize)]
struct Ended {
    transfer: Finished,
}

/// The state of a server.
#[derive(Debug, Serialize, Deserialize)]
struct Now {
    snapshot: Snapshot,
}

/// The end of the subjects of a server.
fn token(server: &str) -> String {
    server.replace('.', "_")
}
