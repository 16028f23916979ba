//! The implementations of a plugin's calls: the host ([`super::live`]), or the stage of a trial ([`super::staged`]).
//! Grants and limits are checked before.

use std::fmt::Debug;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use wasmtime_wasi_http::{RequestOptions, WasiBody};

use super::http::HttpFuture;
use crate::bindings::types::Error;
use crate::bindings::{files, kv};
use tuffet_kv::{Listing, ObserverTurn};
use tuffet_policy::PastRequest;
use tuffet_request::ClientKey;
use tuffet_sinks::Full;

/// The future result of a call.
pub(crate) type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The calls that every plugin has, if granted. Those that may wait name the client that the hook is called for.
pub(crate) trait HostCalls: Debug + Send + Sync {
    /// Returns size, time and version of a file; `None` if there is no such file.
    fn stat(
        &self,
        client: ClientKey,
        root: String,
        path: String,
    ) -> Pending<'_, Result<Option<files::Metadata>, Error>>;

    /// Returns a whole file of at most `max_bytes`; `None` if there is no such file.
    fn read(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        max_bytes: u64,
    ) -> Pending<'_, Result<Option<Vec<u8>>, Error>>;

    /// Returns bytes of this version of a file; fewer at its end.
    fn read_at(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        version: String,
        offset: u64,
        length: usize,
    ) -> Pending<'_, Result<Vec<u8>, Error>>;

    /// Returns the last requests of a client, newest first.
    fn history(&self, client: IpAddr) -> Vec<PastRequest>;

    /// Sends an HTTP request.
    fn http(&self, request: Request<WasiBody>, options: Option<RequestOptions>) -> HttpFuture;

    /// Notes that the plugin has read the clock without the grant.
    fn read_clock(&self) {}

    /// Returns the fixed time since 1970, with which random numbers are constant, too; `None` if the clock runs.
    fn time(&self) -> Option<Duration> {
        None
    }

    /// Records a log line of the plugin.
    fn logged(&self, _level: &'static str, _message: &str, _fields: &str) {}

    /// Records what a finished call used.
    fn spent(&self, _memory: u64, _cpu: Duration) {}
}

/// The keys of one plugin, or of a namespace that it shares.
pub(crate) trait Keys: Debug + Send + Sync {
    fn get(&self, key: String) -> Pending<'_, Result<Option<kv::Entry>, Error>>;

    fn set(&self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Pending<'_, Result<(), Error>>;

    fn delete(&self, key: String) -> Pending<'_, Result<(), Error>>;

    fn increment(&self, key: String, by: i64, ttl_seconds: Option<u32>) -> Pending<'_, Result<i64, Error>>;

    /// Returns the new revision; `None` if the key does not have the expected one.
    fn swap(
        &self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<Option<u64>, Error>>;

    fn list(&self, listing: Listing) -> Pending<'_, Result<Vec<kv::Listed>, Error>>;

    /// Removes some keys, and returns how many; 0 if there is none.
    fn delete_prefix(&self, prefix: String) -> Pending<'_, Result<u32, Error>>;

    /// Waits until no other process of this server calls the hook `observe` of the plugin.
    fn observer_turn(&self, _within: Duration) -> Pending<'_, Option<ObserverTurn>> {
        Box::pin(async { None })
    }
}

/// The receiver of the payloads for a sink.
pub(crate) trait SinkOutput: Debug + Send + Sync {
    /// Accepts a payload of this plugin for the sink of this name.
    fn emit(&self, plugin: Arc<str>, sink: String, payload: String) -> Pending<'_, Result<(), Full>>;
}
