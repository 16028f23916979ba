//! Asks a root, within the limit of opening files.

use crate::content::{Source, SuppliedRoot};
use crate::generation::Generation;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tuffet_request::ClientKey;
use tuffet_request::catch_panic_async;
use tuffet_store::{Disk, Lane, StoreError};

/// Opens a file in a root of the program, within the limit of opening files.
pub(super) async fn open_root(
    generation: &Generation,
    supplied: &SuppliedRoot,
    path: &str,
) -> Result<Source, StoreError> {
    let SuppliedRoot { name, root, .. } = supplied;
    let opening = catch_panic_async(async { root.open(path).await });
    let why = match timeout(generation.open_time, opening).await {
        Ok(Ok(opened)) => return opened.map_err(|error| error.into_store(name)),
        Ok(Err(panicked)) => panicked.to_string(),
        Err(_) => format!("no answer {}", generation.within_open_time()),
    };
    Err(StoreError::Unreachable { origin: Arc::clone(name), why })
}

/// Runs `work` for a client on a thread of this kind, within the limit of opening files.
pub(super) async fn on_lane<T: Send + 'static>(
    generation: &Generation,
    disk: &Arc<Disk>,
    lane: Lane,
    client: ClientKey,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = oneshot::channel();
    let work = move || drop(sender.send(work()));
    disk.submit(lane, client, generation.open_time, work, |_| {});
    match timeout(generation.open_time, receiver).await {
        Ok(Ok(done)) => Ok(done),
        _ => Err(format!("root `{}` did not answer {}", disk.root(), generation.within_open_time())),
    }
}
