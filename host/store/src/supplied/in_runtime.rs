//! Readers of the program, whose panics are errors, and which are dropped within its runtime: a drop may begin a task.
//!
//! A worker, a deciding thread or a thread of a disk may be the last to hold them.

use super::{BoxFuture, ReadAt};
use bytes::Bytes;
use std::io;
use std::sync::Arc;
use tokio::runtime::Handle;
use tuffet_request::{catch_panic, panic_as_error};

/// A reader of the program, and the runtime in which it was made.
pub(crate) struct InRuntime {
    /// `None` once it is dropped.
    reader: Option<Arc<dyn ReadAt>>,
    /// `None` if it was made outside any runtime.
    runtime: Option<Handle>,
}

impl InRuntime {
    pub(crate) fn new(reader: Arc<dyn ReadAt>) -> InRuntime {
        InRuntime { reader: Some(reader), runtime: Handle::try_current().ok() }
    }
}

impl Drop for InRuntime {
    fn drop(&mut self) {
        let _inside = self.runtime.as_ref().map(Handle::enter);
        let reader = self.reader.take();
        // Nothing is left to end.
        let _ = catch_panic(|| drop(reader));
    }
}

impl ReadAt for InRuntime {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            // Never `None`: it is dropped with its owner.
            let reader = self.reader.as_ref().ok_or(io::ErrorKind::Unsupported)?;
            let bytes = panic_as_error(async move { reader.read_at(offset, length).await }).await?;
            match bytes.len() <= length {
                true => Ok(bytes),
                false => {
                    let why = format!("{} bytes were read where {length} were requested", bytes.len());
                    Err(io::Error::other(why))
                }
            }
        })
    }
}
