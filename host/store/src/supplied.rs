//! Content that the program supplies or takes, instead of files.
//!
//! Futures read and write it, so that a slow or hanging one occupies no thread and can be ended.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// The future of a supplied operation.
pub type SuppliedFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A content of known size, read at offsets.
pub trait ReadAt: Send + Sync + 'static {
    /// Reads bytes from `offset` on into `buffer`, and returns their number. The buffer ends within the content, so 0
    /// means that the content has become shorter: its transfers then end with an error, never with less than they
    /// promised.
    ///
    /// # Errors
    /// Why the content cannot be read. Its transfers end with an error.
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>>;
}

/// The destination of one upload. Dropping it aborts the upload.
pub trait Sink: Send + 'static {
    /// Takes the next bytes. While it waits, the client waits, too: its blocks are not acknowledged.
    ///
    /// # Errors
    /// Why the upload cannot continue. Its client gets an error.
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> SuppliedFuture<'a, io::Result<()>>;

    /// Makes the upload visible under this path, once it is complete and accepted. The last block is acknowledged
    /// afterwards. The path is the one that the sink was created for, unless a hook named another.
    ///
    /// # Errors
    /// Why the upload is not stored. Its client gets an error.
    fn commit<'a>(self: Box<Self>, path: &'a str) -> SuppliedFuture<'a, io::Result<()>>;
}
