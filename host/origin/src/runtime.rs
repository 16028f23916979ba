//! The threads that talk to origins. They start with the first request, so that they never have privileges that the
//! process drops.

use parking_lot::Mutex;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// The number of network threads. Blocking threads for disks start on demand.
const NETWORK_THREADS: usize = 2;
/// The time after which an idle blocking thread ends.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// Returns the runtime of all origins of this process. It is separate from the one that decides requests.
pub(crate) fn handle() -> io::Result<Handle> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle().clone());
    }
    let _starting = STARTING.lock();
    if RUNTIME.get().is_none() {
        let runtime = Builder::new_multi_thread()
            .worker_threads(NETWORK_THREADS)
            .thread_name("tuffet-origin")
            .thread_keep_alive(IDLE_TIME)
            .enable_all()
            .build()?;
        // `STARTING` excludes other writers.
        let _ = RUNTIME.set(runtime);
    }
    RUNTIME.get().map(|runtime| runtime.handle().clone()).ok_or_else(|| io::ErrorKind::Other.into())
}
