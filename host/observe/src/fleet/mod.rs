//! Many servers as one view.
//!
//! Each server publishes the start and the end of its transfers on NATS (`publish.rs`), and, while there is a viewer,
//! its snapshot once a second. A view merges the newest snapshots of all servers into one (`view.rs`), so that every
//! view of one server can show many.

mod publish;
mod sanitise;
mod servers;
mod view;
mod watcher;

pub use publish::start;
pub use servers::Servers;
pub(crate) use view::Fleet;
pub use watcher::FleetWatcher;

use serde::{Deserialize, Serialize};
use std::time::Duration;
use tuffet_server::watch::{Active, Finished, Snapshot};

/// The time limit of a connection to a NATS server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The interval at which a viewer announces itself, and how long a server publishes for it.
const VIEW_INTERVAL: Duration = Duration::from_secs(3);
const VIEW_EXPIRY: Duration = Duration::from_secs(10);

/// The subjects below the configured prefix.
const STARTED: &str = "started";
const FINISHED: &str = "finished";
const SNAPSHOT: &str = "now";
const VIEW: &str = "view";

/// A message.
#[derive(Debug, Serialize, Deserialize)]
struct Message<T> {
    /// The name of the server.
    server: String,
    #[serde(flatten)]
    content: T,
}

/// Published when a transfer starts.
#[derive(Debug, Serialize, Deserialize)]
struct TransferStarted {
    transfer: Active,
}

/// Published when a request ends.
#[derive(Debug, Serialize, Deserialize)]
struct RequestEnded {
    transfer: Finished,
}

/// Published once a second for viewers.
#[derive(Debug, Serialize, Deserialize)]
struct ServerSnapshot {
    snapshot: Snapshot,
}

/// Returns the last token of a server's subjects.
fn token(server: &str) -> String {
    server.replace('.', "_")
}
