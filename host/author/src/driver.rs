//! The async runtime that drives plugins and requests to registries.

use tokio::runtime::{Builder, Runtime};

use crate::error::ToolError;

/// A plugin yields while it waits, so few threads suffice.
const THREADS: usize = 2;

/// Starts the runtime.
///
/// # Errors
/// The system has no thread for it.
pub(crate) fn start() -> Result<Runtime, ToolError> {
    Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("tuffet-driver")
        .enable_all()
        .build()
        .map_err(|error| ToolError::System("the async runtime cannot start", error))
}
