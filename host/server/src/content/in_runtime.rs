//! Readers and sinks of the program, dropped within its runtime: a drop may abort an upload by a task.
//!
//! A worker, a deciding thread or a thread of a disk may be the last to hold them.

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
        drop(self.part.take());
    }
}

impl ReadAt for InRuntime<dyn ReadAt> {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>> {
        match &self.part {
            Some(reader) => reader.read_at(offset, buffer),
            None => gone(),
        }
    }
}

impl Sink for InRuntime<dyn Sink> {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> SuppliedFuture<'a, io::Result<()>> {
        match &mut self.part {
            Some(sink) => sink.write(bytes),
            None => gone(),
        }
    }

    fn commit<'a>(mut self: Box<Self>, path: &'a str) -> SuppliedFuture<'a, io::Result<()>> {
        match self.part.take() {
            Some(sink) => sink.commit(path),
            None => gone(),
        }
    }
}

/// Never: a part is taken only with its owner.
fn gone<'a, T: Send + 'a>() -> SuppliedFuture<'a, io::Result<T>> {
    Box::pin(std::future::ready(Err(io::ErrorKind::Unsupported.into())))
}
