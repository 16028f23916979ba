//! Commands about the caches of origins, from the control socket or for a process of its own.

use super::Reply;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tuffet::origins::Origins;

/// How long a file that is fetched ahead may make no progress.
const WITHIN: Duration = Duration::from_secs(60);

/// A command.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The files in all caches.
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

/// Carries out a command on a thread that may wait.
pub(super) async fn answer(origins: Origins, wanted: Wanted) -> Reply {
    let answered = spawn_blocking(move || answer_here(&origins, &wanted)).await;
    answered.unwrap_or_else(|_| Reply::NotCached("a bug: the command panicked".into()))
}

/// Carries out a command. Blocks on the network and on the disk of the cache.
pub fn answer_here(origins: &Origins, wanted: &Wanted) -> Reply {
    let reply = match wanted {
        Wanted::List => origins.cached().map(Reply::Cached),
        Wanted::Warm { root, path } => origins.warm(root, path, WITHIN).map(Reply::Warmed),
        Wanted::Forget { root, path } => origins.forget(root, path).map(Reply::Forgotten),
    };
    reply.unwrap_or_else(Reply::NotCached)
}
