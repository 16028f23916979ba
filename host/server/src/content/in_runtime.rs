//! Readers and sinks of the program, whose panics are errors, and which are dropped within its runtime: a drop may abort
//! an upload by a task.
//!
//! A worker, a deciding thread or a thread of a disk may be the last to hold them.

use crate::contained::{contained, contained_future};
use std::io;
use tokio::runtime::Handle;
use tuffet_store::{ReadAt, Sink, SuppliedFuture};

/// A part of the program, and the runtime in which it was made.
pub(crate) struct InRuntime<T: ?Sized> {
    /// `None` once it is taken.
    part: Option<Box<T>>,
    /// `None` if it was made outside any runtime.
    runtime: Option<Handle>,
}

impl<T: ?Sized> InRuntime<T> {
    pub(crate) fn new(part: Box<T>) -> InRuntime<T> {
        InRuntime { part: Some(part), runtime: Handle::try_current().ok() }
    }
}

impl<T: ?Sized> Drop for InRuntime<T> {
    fn drop(&mut self) {
        let _inside = self.runtime.as_ref().map(Handle::enter);
        let part = self.part.take();
        // Nothing is left to end.
        let _ = contained(|| drop(part));
    }
}

impl ReadAt for InRuntime<dyn ReadAt> {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>> {
        match &self.part {
            Some(reader) => or_error(async move { reader.read_at(offset, buffer).await }),
            None => gone(),
        }
    }
}

impl Sink for InRuntime<dyn Sink> {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> SuppliedFuture<'a, io::Result<()>> {
        match &mut self.part {
            Some(sink) => or_error(async move { sink.write(bytes).await }),
            None => gone(),
        }
    }

    fn commit<'a>(mut self: Box<Self>, path: &'a str) -> SuppliedFuture<'a, io::Result<()>> {
        match self.part.take() {
            Some(sink) => or_error(async move { sink.commit(path).await }),
            None => gone(),
        }
    }
}

/// Makes an error of a panic.
fn or_error<'a, T: 'a>(
    call: impl Future<Output = io::Result<T>> + Send + 'a,
) -> SuppliedFuture<'a, io::Result<T>> {
    Box::pin(async move {
        contained_future(call).await.unwrap_or_else(|panicked| Err(io::Error::other(panicked)))
    })
}

/// Never: a part is taken only with its owner.
fn gone<'a, T: Send + 'a>() -> SuppliedFuture<'a, io::Result<T>> {
    Box::pin(std::future::ready(Err(io::ErrorKind::Unsupported.into())))
}
