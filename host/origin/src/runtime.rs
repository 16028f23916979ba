//! The threads that speak to origins: none before the first request to one, so that they have no privilege that was
//! dropped meanwhile.

use parking_lot::Mutex;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads for the network. Disks have others, which come and go.
const THREADS: usize = 2;
/// How long an idle thread for disks stays.
const STAY: Duration = Duration::from_secs(10);

/// The runtime of all origins of this process. It is never the one that decides requests.
pub(crate) fn handle() -> io::Result<Handle> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle().clone());
    }
    let _starting = STARTING.lock();
    if RUNTIME.get().is_none() {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("tuffet-origin")
            .thread_keep_alive(STAY)
            .enable_all()
            .build()?;
        // Nobody else sets it.
        let _ = RUNTIME.set(runtime);
    }
    RUNTIME.get().map(|runtime| runtime.handle().clone()).ok_or_else(|| io::ErrorKind::Other.into())
}
