//! What answers the calls of a plugin: the host ([`super::live`]), or the stage of a trial ([`super::staged`]). Who may
//! call what, and how often, is checked before.

use std::fmt::Debug;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use wasmtime_wasi_http::{RequestOptions, WasiBody};

use super::http::Sent;
use crate::bindings::types::Error;
use crate::bindings::{files, kv};
use tuffet_kv::Listing;
use tuffet_policy::PastRequest;
use tuffet_sinks::Full;

/// An answer that may have to wait.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What every plugin has, its grants permitting.
pub(crate) trait HostCalls: Debug + Send + Sync {
    /// Size, time and version of a file; `None` where there is no such file.
    fn stat(&self, root: String, path: String) -> Pending<'_, Result<Option<files::Metadata>, Error>>;

    /// A file whole, if it has at most so many bytes; `None` where there is no such file.
    fn read(&self, root: String, path: String, most: u64) -> Pending<'_, Result<Option<Vec<u8>>, Error>>;

    /// Bytes of this version of a file; fewer where it ends.
    fn read_at(
        &self,
        root: String,
        path: String,
        version: String,
        offset: u64,
        length: usize,
    ) -> Pending<'_, Result<Vec<u8>, Error>>;

    /// The last requests of a client, newest first.
    fn history(&self, client: IpAddr) -> Vec<PastRequest>;

    /// Sends a request by HTTP.
    fn http(&self, request: Request<WasiBody>, options: Option<RequestOptions>) -> Sent;

    /// Where the clock stands since the beginning of 1970, and random numbers are constant; `None` where the clock
    /// goes on.
    fn time(&self) -> Option<Duration> {
        None
    }

    /// The plugin wrote a line to the log.
    fn logged(&self, _level: &'static str, _message: &str, _fields: &str) {}

    /// A call has ended that used so much.
    fn spent(&self, _memory: u64, _cpu: Duration) {}
}

/// The keys of one plugin: its own, or those of a namespace that it shares with others.
pub(crate) trait Keys: Debug + Send + Sync {
    fn get(&self, key: String) -> Pending<'_, Result<Option<kv::Entry>, Error>>;

    fn set(&self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Pending<'_, Result<(), Error>>;

    fn delete(&self, key: String) -> Pending<'_, Result<(), Error>>;

    fn increment(&self, key: String, by: i64, ttl_seconds: Option<u32>) -> Pending<'_, Result<i64, Error>>;

    /// The new revision; `None` if the key has not the expected one.
    fn swap(
        &self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<Option<u64>, Error>>;

    fn list(&self, listing: Listing) -> Pending<'_, Result<Vec<String>, Error>>;
}

/// Where the payloads for a sink go.
pub(crate) trait Outlet: Debug + Send + Sync {
    /// Takes a payload of this plugin for the sink of this name.
    fn emit(&self, plugin: Arc<str>, sink: String, payload: String) -> Pending<'_, Result<(), Full>>;
}
