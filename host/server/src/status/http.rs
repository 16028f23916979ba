//! The connections of the listeners of HTTP.

use serde::{Deserialize, Serialize};

/// The connections of the listeners of HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpConnections {
    /// The most that may be open, of all listeners.
    pub limit: u64,
    /// The open ones of each listener.
    pub listeners: Vec<OpenConnections>,
    /// What the limits have cost since the start.
    pub at_limits: Vec<ConnectionsAtLimit>,
}

/// The open connections of a listener.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConnections {
    /// The name of the listener.
    pub listener: String,
    /// How many are open.
    pub open: u64,
}

/// What a limit of connections has cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionsAtLimit {
    /// The limit: its key in the configuration, such as `http.connections`.
    pub limit: String,
    /// Connections that made room for new ones.
    pub gave_way: u64,
    /// New connections that were closed at once, because none could make room.
    pub refused: u64,
}
