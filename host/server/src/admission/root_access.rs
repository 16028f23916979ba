//! Asks a root, within the limit of opening files.

use super::refusals::{NotOpened, failed, undone};
use crate::content::{Source, SuppliedRoot};
use crate::generation::Generation;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tuffet_request::{ClientKey, Operation, catch_panic_async};
use tuffet_store::{Disk, Lane, Reach, StoreError, Undone};

/// Opens a file in a root of the program.
pub(super) async fn open_root(
    generation: &Generation,
    supplied: &SuppliedRoot,
    path: &str,
) -> Result<Source, NotOpened> {
    let SuppliedRoot { name, root, .. } = supplied;
    let opening = async { Ok(root.open(path).await.map_err(|error| error.into_store(name))?) };
    within_open_time(generation, name, Instant::now(), opening).await
}

/// Waits for a root of the program, within the limit of opening files since `began`.
pub(super) async fn within_open_time<T>(
    generation: &Generation,
    root: &str,
    began: Instant,
    opening: impl Future<Output = Result<T, NotOpened>>,
) -> Result<T, NotOpened> {
    match timeout(time_left(generation, began), catch_panic_async(opening)).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(panicked)) => Err(NotOpened::Decided(failed(format!("root `{root}` failed: {panicked}")))),
        Err(_) => Err(NotOpened::Decided(undone(generation, root, Undone::Late))),
    }
}

/// The rest of the time for opening.
pub(super) fn time_left(generation: &Generation, began: Instant) -> Duration {
    generation.open_time.saturating_sub(began.elapsed())
}

/// Opens a file on threads of its root, for at most the limit of opening files since `began`. `open` returns `None` for
/// what is beyond the reach.
pub(super) async fn open_on_disk<T: Send + 'static>(
    generation: &Arc<Generation>,
    disk: &Disk,
    (operation, client): (Operation, ClientKey),
    began: Instant,
    open: impl Fn(Reach) -> Result<Option<T>, StoreError> + Clone + Send + 'static,
) -> Result<T, NotOpened> {
    let ways: &[_] = match disk.elsewhere() {
        None => &[(Lane::Open, Reach::Origin)],
        // A cache cannot decide about an upload.
        Some(_) if operation == Operation::Write => &[(Lane::LookUp, Reach::Origin)],
        // Answers from the cache do not wait for look-ups.
        Some(_) if disk.is_taken(Lane::LookUp, client) => {
            &[(Lane::Open, Reach::StaleCache), (Lane::LookUp, Reach::Origin)]
        }
        Some(_) => &[(Lane::Open, Reach::Cache), (Lane::LookUp, Reach::Origin)],
    };
    for &(lane, reach) in ways {
        let open = open.clone();
        match disk.run(lane, client, time_left(generation, began), move || open(reach)).await {
            Ok(Ok(Some(opened))) => return Ok(opened),
            Ok(Ok(None)) => {}
            Ok(Err(error)) => return Err(error.into()),
            Err(why) => return Err(NotOpened::Decided(undone(generation, disk.root(), why))),
        }
    }
    Err(StoreError::NotFound.into())
}
