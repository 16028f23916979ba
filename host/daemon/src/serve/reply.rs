//! What a server replies to a command on its control socket.

use super::keys::KeyRow;
use super::reload::ReloadCheck;
use serde::{Deserialize, Serialize};
use tuffet_server::capture::CaptureTotals;
use tuffet_server::explanation::Explanation;
use tuffet_server::origins::CachedRow;
use tuffet_server::status::Report;
use tuffet_server::watch::{Finished, Snapshot};

/// The server's reply.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// The reload succeeded: this generation is active.
    Reloaded(u64),
    /// The reload was refused, with the reasons.
    Refused(Vec<String>),
    /// What a reload would do.
    Checked(ReloadCheck),
    /// The state of the server.
    Status(Box<Report>),
    /// The live view.
    Live(Box<Snapshot>),
    /// The last ended requests, newest first.
    Recent(Vec<Finished>),
    /// Metrics in the text format of Prometheus.
    Metrics(String),
    /// The explanation of a request.
    Explained(Box<Explanation>),
    /// The request to explain is invalid.
    Unexplained(String),
    /// The capture begins; parts follow.
    Capturing,
    /// The capture has ended.
    Captured(CaptureTotals),
    /// The files in the caches of origins.
    Cached(Vec<CachedRow>),
    /// The file is in the cache; its size in bytes.
    Warmed(u64),
    /// Whether the file was cached and is now removed.
    Forgotten(bool),
    /// The command about a cache failed, and why.
    NotCached(String),
    /// Keys of a plugin.
    Keys(Vec<KeyRow>),
    /// So many keys were set or removed.
    KeysChanged(u32),
    /// The command about keys failed, and why.
    NoKeys(String),
    /// There are too many viewers, or another capture, or another server that takes over.
    Busy,
    /// A socket follows for each of these, for the server that takes over: with the interface that its listener has, or
    /// waits for.
    Offered(Vec<Option<String>>),
    /// The server serves, and was not asked to be replaced.
    Serving,
    /// The next server answers requests.
    Restarted,
    /// The command is unknown.
    Unknown(String),
}
