//! The host itself: the roots, the network, the file of keys, the sinks.

use std::sync::Arc;

use http::Request;
use tokio::task::spawn_blocking;
use wasmtime_wasi_http::{RequestOptions, WasiBody};

use super::calls::{HostCalls, Keys, Outlet, Pending};
use super::files::{absent, steady};
use super::http::Sent;
use super::http_send::send;
use crate::kv::{KvError, KvStore, Quota};
use crate::policy::bindings::tuffet::policy::files::{Error, Metadata};
use crate::policy::bindings::tuffet::policy::kv;
use crate::sinks::{Full, Sink};
use tuffet_store::Roots;

/// The host as a server has it.
#[derive(Debug)]
pub(in crate::policy) struct Live {
    pub roots: Roots,
}

impl HostCalls for Live {
    fn stat(&self, root: String, path: String) -> Pending<'_, Result<Option<Metadata>, Error>> {
        let roots = self.roots.clone();
        Box::pin(blocking(move || match roots.open_read(Some(&root), &path) {
            Ok(file) => Ok(Some(Metadata { bytes: file.size(), modified_unix_ms: file.modified_unix_ms() })),
            Err(error) => absent(&error),
        }))
    }

    fn read(&self, root: String, path: String, most: u64) -> Pending<'_, Result<Option<Vec<u8>>, Error>> {
        let roots = self.roots.clone();
        Box::pin(blocking(move || steady(|| roots.open_read(Some(&root), &path), &root, &path, most)))
    }

    fn http(&self, request: Request<WasiBody>, options: Option<RequestOptions>) -> Sent {
        Box::new(send(request, options))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(work).await.unwrap_or_else(|panicked| Err(Error::Unavailable(panicked.to_string())))
}

/// Keys in the file of keys, below the plugin's name.
#[derive(Debug)]
pub(in crate::policy) struct StoredKeys {
    pub store: Arc<KvStore>,
    pub namespace: Arc<str>,
    pub quota: Quota,
}

impl Keys for StoredKeys {
    fn get(&self, key: String) -> Pending<'_, Result<Option<Vec<u8>>, kv::Error>> {
        Box::pin(async move { self.store.get(&self.namespace, key).await.map_err(explain) })
    }

    fn set(
        &self,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<(), kv::Error>> {
        Box::pin(async move {
            self.store.set(&self.namespace, self.quota, key, value, ttl_seconds).await.map_err(explain)
        })
    }

    fn delete(&self, key: String) -> Pending<'_, Result<(), kv::Error>> {
        Box::pin(async move { self.store.delete(&self.namespace, self.quota, key).await.map_err(explain) })
    }

    fn increment(
        &self,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<i64, kv::Error>> {
        Box::pin(async move {
            self.store.increment(&self.namespace, self.quota, key, by, ttl_seconds).await.map_err(explain)
        })
    }
}

pub(super) fn explain(error: KvError) -> kv::Error {
    match error {
        KvError::Quota => kv::Error::Quota,
        KvError::NotACounter => kv::Error::Invalid("the value is no counter: it has not eight bytes".into()),
        KvError::Unavailable(error) => kv::Error::Unavailable(error),
    }
}

impl Outlet for Sink {
    fn emit(&self, plugin: Arc<str>, _: String, payload: String) -> Pending<'_, Result<(), Full>> {
        Box::pin(async move { self.emit(&plugin, payload).await })
    }
}
