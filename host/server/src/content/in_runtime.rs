//! Readers of the program, dropped within its runtime: a drop may begin a task.
//!
//! A worker, a deciding thread or a thread of a disk may be the last to hold them.

use std::io;
use tokio::runtime::Handle;
use tuffet_store::{ReadAt, SuppliedFuture};

/// A reader of the program, and the runtime in which it was made.
pub(crate) struct InRuntime {
    /// `None` once it is dropped.
    reader: Option<Box<dyn ReadAt>>,
    /// `None` if it was made outside any runtime.
    runtime: Option<Handle>,
}

impl InRuntime {
    pub(crate) fn new(reader: Box<dyn ReadAt>) -> InRuntime {
        InRuntime { reader: Some(reader), runtime: Handle::try_current().ok() }
    }
}

impl Drop for InRuntime {
    fn drop(&mut self) {
        let _inside = self.runtime.as_ref().map(Handle::enter);
        drop(self.reader.take());
    }
}

impl ReadAt for InRuntime {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>> {
        match &self.reader {
            Some(reader) => reader.read_at(offset, buffer),
            // Never: it is dropped with its owner.
            None => Box::pin(std::future::ready(Err(io::ErrorKind::Unsupported.into()))),
        }
    }
}
