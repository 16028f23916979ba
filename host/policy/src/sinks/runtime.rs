//! What outputs that speak asynchronous protocols run on: a thread of their own, so that connections are
//! looked after while the sink waits for lines.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// Not to be dropped where tokio runs; sinks drop theirs in their own thread.
pub(super) fn start() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).thread_name("tuffet-sink-net").enable_all().build()
}
