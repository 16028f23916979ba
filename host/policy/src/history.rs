//! The last requests of each client, for plugins with the grant `client-history`.
//!
//! Recorded only while such a plugin is loaded. The memory is bounded by the number of requests per client and the
//! number of clients. A flood of made-up addresses displaces addresses with a single request, rather than frequent
//! ones.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use quick_cache::sync::Cache;

use tuffet_request::Operation;
use tuffet_request::events::{Outcome, Summary};

/// Remembered requests per client.
const REQUESTS: usize = 16;
/// Remembered clients.
const CLIENTS: usize = 4096;
/// Remembered bytes of a path.
const MAX_PATH: usize = 255;

/// A request that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRequest {
    /// Read or write.
    pub operation: Operation,
    /// The normalised path.
    pub path: Box<str>,
    /// How it ended.
    pub outcome: Outcome,
    /// When it ended.
    pub ended: Instant,
}

type Past = Arc<Mutex<VecDeque<PastRequest>>>;

/// The last requests of each client, since the start of the process. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct ClientHistory(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    clients: Cache<IpAddr, Past>,
    readers: AtomicUsize,
}

/// A plugin's access to the history.
#[derive(Debug)]
pub struct HistoryReader(ClientHistory);

impl Default for ClientHistory {
    fn default() -> Self {
        ClientHistory(Arc::new(Shared { clients: Cache::new(CLIENTS), readers: AtomicUsize::new(0) }))
    }
}

impl ClientHistory {
    /// Records an ended request, if a plugin may read it.
    pub fn note(&self, summary: &Summary) {
        if self.0.readers.load(Relaxed) == 0 {
            return;
        }
        let request = &summary.record.request;
        let past = PastRequest {
            operation: request.operation,
            path: request.path[..request.path.floor_char_boundary(MAX_PATH)].into(),
            outcome: summary.ending.outcome,
            ended: Instant::now(),
        };
        self.add(request.client.ip().to_canonical(), past);
    }

    fn add(&self, client: IpAddr, past: PastRequest) {
        let new = || Ok::<_, std::convert::Infallible>(Past::default());
        let Ok(its) = self.0.clients.get_or_insert_with(&client, new);
        let mut its = its.lock();
        its.truncate(REQUESTS - 1);
        its.push_front(past);
    }

    /// Returns access for a plugin. The history is recorded until the last reader is dropped.
    pub fn reader(&self) -> HistoryReader {
        self.0.readers.fetch_add(1, Relaxed);
        HistoryReader(self.clone())
    }
}

impl HistoryReader {
    /// Returns the last requests of a client, newest first.
    pub fn of(&self, client: IpAddr) -> Vec<PastRequest> {
        let Some(its) = self.0.0.clients.get(&client.to_canonical()) else { return Vec::new() };
        its.lock().iter().cloned().collect()
    }
}

impl Drop for HistoryReader {
    fn drop(&mut self) {
        let shared = &self.0.0;
        if shared.readers.fetch_sub(1, Relaxed) == 1 {
            shared.clients.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(path: &str) -> PastRequest {
        PastRequest {
            operation: Operation::Read,
            path: path.into(),
            outcome: Outcome::Served,
            ended: Instant::now(),
        }
    }

    #[test]
    fn the_newest_requests_of_each_client_are_remembered() {
        let history = ClientHistory::default();
        let reader = history.reader();
        let [one, other] = [IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2])];
        for number in 0..20 {
            history.add(one, past(&number.to_string()));
        }
        history.add(other, past("other"));
        let paths: Vec<_> = reader.of(one).iter().map(|past| past.path.to_string()).collect();
        assert_eq!(paths, (4..20).rev().map(|number| number.to_string()).collect::<Vec<_>>());
        assert_eq!(reader.of(other).len(), 1);
        assert_eq!(reader.of([192, 0, 2, 3].into()), []);
        drop(reader);
        assert_eq!(history.reader().of(one), [], "forgotten without a reader");
    }

    #[test]
    fn the_number_of_clients_is_bounded() {
        let history = ClientHistory::default();
        for client in 0..100_000_u32 {
            history.add(IpAddr::from(client.to_be_bytes()), past("a"));
        }
        assert!(history.0.clients.len() <= CLIENTS, "{}", history.0.clients.len());
    }
}
