//! The runtime for asynchronous protocols. It has a separate thread, which maintains connections while the sink waits
//! for lines.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Starts the runtime. It must not be dropped within tokio; sinks drop theirs on their own thread.
pub(super) fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).thread_name("tuffet-sink-net").enable_all().build()
}
