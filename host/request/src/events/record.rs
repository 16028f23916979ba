//! The facts of a decision.

use super::Tried;
use crate::request::Request;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_core::OptionSet;

/// A request and its decision. Admission creates one for each request; the log and observers share it. While the
/// transfer is open, it is a [`CompactRecord`](super::CompactRecord).
#[derive(Debug, Clone)]
pub struct DecisionRecord {
    /// The request as policy received it.
    pub request: Arc<Request>,
    /// The requested options that the protocol knows.
    pub requested_options: OptionSet,
    /// When the request arrived.
    pub received: Instant,
    /// From the request to the decision; `None` before it.
    pub decided_after: Option<Duration>,
    /// The file: `ROOT:PATH`; `content/NAME` or `content` if a plugin generated it.
    pub resolved: Option<Arc<str>>,
    /// The multicast group of the client; `None` for a unicast transfer.
    pub group: Option<SocketAddr>,
    /// The plugin that decided; `None` if the configuration did.
    pub verdict_by: Option<Arc<str>>,
    /// The number of plugin calls.
    pub plugin_calls: u32,
    /// Bytes on the wire, if known: the size of the file to be read, or the size that the client announced.
    pub size: Option<u64>,
    /// The rate limit of its transfer in bytes of file data per second.
    pub rate: Option<u32>,
    /// The places that were searched for its file, if it was not granted.
    pub tried: Option<Arc<Tried>>,
}

impl DecisionRecord {
    /// Creates the record of a request that arrived at `received` and is not decided yet.
    #[doc(hidden)]
    pub fn new(request: Arc<Request>, received: Instant) -> DecisionRecord {
        DecisionRecord {
            request,
            requested_options: OptionSet::default(),
            received,
            decided_after: None,
            resolved: None,
            group: None,
            verdict_by: None,
            plugin_calls: 0,
            size: None,
            rate: None,
            tried: None,
        }
    }

    /// Returns the name of the root and the path in it, if a file was resolved.
    pub fn file(&self) -> Option<(&str, &str)> {
        resolved_file(self.resolved.as_deref()?)
    }
}

/// Splits the target of a resolution into the name of a root and a path; `None` if it is no file.
pub fn resolved_file(resolved: &str) -> Option<(&str, &str)> {
    // Names of roots contain no slash; generated content, `content/NAME`, may contain a colon.
    resolved.split_once(':').filter(|(root, _)| !root.contains('/'))
}
