//! The host itself: roots, network, keys, sinks.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use tokio::sync::oneshot;
use tokio::time::timeout;
use wasmtime_wasi_http::{RequestOptions, WasiBody};

use super::calls::{HostCalls, Keys, Pending, SinkOutput};
use super::error::Code;
use super::files::{absent, read_part, read_steady};
use super::http::HttpFuture;
use super::http_send::send;
use super::upload::UploadContent;
use crate::bindings::files::Metadata;
use crate::bindings::kv;
use crate::bindings::types::Error;
use tuffet_kv::{KvError, KvStore, Listing, Namespace, ObserverTurn, ObserverTurns, Versioned};
use tuffet_policy::{HistoryReader, PastRequest};
use tuffet_request::ClientKey;
use tuffet_sinks::{Full, Sink};
use tuffet_store::{Disk, Lane, Roots, StoreError, UploadContent as Content};

/// The time limit of a read. A shorter `wall` limit ends the call before.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// The host of a running server.
#[derive(Debug)]
pub(crate) struct Live {
    pub roots: Roots,
    /// The history of clients, for a plugin that may see it.
    pub history: Option<HistoryReader>,
}

impl HostCalls for Live {
    fn stat(
        &self,
        client: ClientKey,
        root: String,
        path: String,
    ) -> Pending<'_, Result<Option<Metadata>, Error>> {
        let roots = self.roots.clone();
        Box::pin(async move {
            let (its, name) = (roots.clone(), root.clone());
            let stat = move || match its.open_read(Some(&name), &path) {
                Ok(file) => Ok(Some(Metadata {
                    size: file.size(),
                    modified_unix_ms: file.modified_unix_ms(),
                    version: file.version(),
                })),
                Err(error) => absent(&error),
            };
            read_on_disk(&roots, client, root, stat).await
        })
    }

    fn read(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        max_bytes: u64,
    ) -> Pending<'_, Result<Option<Vec<u8>>, Error>> {
        let roots = self.roots.clone();
        Box::pin(async move {
            let (its, name) = (roots.clone(), root.clone());
            let read = move || read_steady(|| its.open_read(Some(&name), &path), &name, &path, max_bytes);
            read_on_disk(&roots, client, root, read).await
        })
    }

    fn read_at(
        &self,
        client: ClientKey,
        root: String,
        path: String,
        version: String,
        offset: u64,
        length: usize,
    ) -> Pending<'_, Result<Vec<u8>, Error>> {
        let roots = self.roots.clone();
        Box::pin(async move {
            let (its, name) = (roots.clone(), root.clone());
            let read =
                move || read_part(its.open_read(Some(&name), &path), &version, offset, length).map(Some);
            Ok(read_on_disk(&roots, client, root, read).await?.unwrap_or_default())
        })
    }

    fn history(&self, client: IpAddr) -> Vec<PastRequest> {
        self.history.as_ref().map(|history| history.of(client)).unwrap_or_default()
    }

    fn http(&self, request: Request<WasiBody>, options: Option<RequestOptions>) -> HttpFuture {
        Box::new(send(request, options))
    }
}

/// Runs `work` on a thread of that root, so that a hanging root delays only the calls that read it. Clients share these
/// threads.
async fn read_on_disk<T: Send + 'static>(
    roots: &Roots,
    client: ClientKey,
    root: String,
    work: impl FnOnce() -> Result<Option<T>, Error> + Send + 'static,
) -> Result<Option<T>, Error> {
    let Some(disk) = roots.disk(&root) else { return absent(&StoreError::UnknownRoot(root)) };
    run_on_disk(disk, client, work).await.unwrap_or_else(|why| Err(Code::Unavailable.with(why)))
}

/// Runs `work` on a thread of this disk.
///
/// # Errors
/// The work was not done, with the reason.
async fn run_on_disk<T: Send + 'static>(
    disk: &Disk,
    client: ClientKey,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = oneshot::channel();
    let work = move || {
        // The caller timed out; skips the work.
        if !sender.is_closed() {
            let _ = sender.send(work());
        }
    };
    // If the work is refused, the sender is dropped with it.
    disk.submit(Lane::Plugin, client, READ_TIMEOUT, work, |_| {});
    let unavailable = |why: &str| Err(format!("root `{}` {why}", disk.root()));
    match timeout(READ_TIMEOUT, receiver).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => unavailable("could not be read: too many reads wait for it, or one of them failed"),
        Err(_) => unavailable(&format!("did not answer within {} s", READ_TIMEOUT.as_secs())),
    }
}

/// A complete upload under its temporary name.
#[derive(Debug)]
pub(crate) struct StoredUpload {
    pub content: Content,
    pub bytes: u64,
    pub client: ClientKey,
}

impl UploadContent for StoredUpload {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, offset: u64, length: u64) -> Pending<'_, Result<Vec<u8>, String>> {
        let content = self.content.clone();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let read = move || content.read_at(offset, length).map_err(|error| error.to_string());
        Box::pin(async { run_on_disk(self.content.disk(), self.client, read).await.flatten() })
    }
}

/// The keys of a plugin in the store.
#[derive(Debug)]
pub(crate) struct StoredKeys {
    pub store: Arc<KvStore>,
    pub namespace: Namespace,
    pub turns: ObserverTurns,
}

impl Keys for StoredKeys {
    fn get(&self, key: String) -> Pending<'_, Result<Option<kv::Entry>, Error>> {
        Box::pin(async move {
            let found = self.store.get(&self.namespace, key).await.map_err(explain)?;
            Ok(found.map(|Versioned { value, revision, .. }| kv::Entry { value, revision }))
        })
    }

    fn set(&self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Pending<'_, Result<(), Error>> {
        Box::pin(
            async move { self.store.set(&self.namespace, key, value, ttl_seconds).await.map_err(explain) },
        )
    }

    fn delete(&self, key: String) -> Pending<'_, Result<(), Error>> {
        Box::pin(async move { self.store.delete(&self.namespace, key).await.map_err(explain) })
    }

    fn increment(&self, key: String, by: i64, ttl_seconds: Option<u32>) -> Pending<'_, Result<i64, Error>> {
        Box::pin(
            async move { self.store.increment(&self.namespace, key, by, ttl_seconds).await.map_err(explain) },
        )
    }

    fn swap(
        &self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Pending<'_, Result<Option<u64>, Error>> {
        Box::pin(async move {
            let swapped = self.store.swap(&self.namespace, key, revision, value, ttl_seconds).await;
            swapped.map_err(explain)
        })
    }

    fn list(&self, listing: Listing) -> Pending<'_, Result<Vec<kv::Listed>, Error>> {
        Box::pin(async move {
            let found = self.store.list(&self.namespace, listing).await.map_err(explain)?;
            let listed = |(key, Versioned { value, revision, .. })| kv::Listed {
                key,
                entry: kv::Entry { value, revision },
            };
            Ok(found.into_iter().map(listed).collect())
        })
    }

    fn delete_prefix(&self, prefix: String) -> Pending<'_, Result<u32, Error>> {
        Box::pin(async move { self.store.delete_prefix(&self.namespace, prefix).await.map_err(explain) })
    }

    fn observer_turn(&self, within: Duration) -> Pending<'_, Option<ObserverTurn>> {
        Box::pin(self.turns.wait(within))
    }
}

pub(super) fn explain(error: KvError) -> Error {
    let code = match &error {
        KvError::Quota => Code::Quota,
        KvError::NotACounter | KvError::Conflict => Code::BadArgument,
        KvError::Unavailable(_) => Code::Unavailable,
    };
    code.with(error.to_string())
}

impl SinkOutput for Sink {
    fn emit(&self, plugin: Arc<str>, _: String, payload: String) -> Pending<'_, Result<(), Full>> {
        Box::pin(async move { self.emit(&plugin, payload).await })
    }
}
