//! Commands about the caches of origins, from the control socket or in a separate process.

use super::Reply;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tuffet_server::origins::Origins;

/// How long prefetching a file may make no progress.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// A command about caches.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheCommand {
    /// List the files in all caches.
    List,
    /// Fetch a file ahead.
    Warm {
        /// The name of the root.
        root: String,
        /// The path below the root.
        path: String,
    },
    /// Remove a file from the cache.
    Forget {
        /// The name of the root.
        root: String,
        /// The path below the root.
        path: String,
    },
}

/// Runs a command on a blocking thread.
pub(super) async fn run(origins: Origins, command: CacheCommand) -> Reply {
    let answered = spawn_blocking(move || run_blocking(&origins, &command)).await;
    answered.unwrap_or_else(|_| Reply::NotCached("a bug: the command panicked".into()))
}

/// Runs a command. Blocks on the network and on the disk of the cache.
pub fn run_blocking(origins: &Origins, command: &CacheCommand) -> Reply {
    let reply = match command {
        CacheCommand::List => origins.cached().map(Reply::Cached),
        CacheCommand::Warm { root, path } => origins.warm(root, path, STALL_TIMEOUT).map(Reply::Warmed),
        CacheCommand::Forget { root, path } => origins.forget(root, path).map(Reply::Forgotten),
    };
    reply.unwrap_or_else(Reply::NotCached)
}
