//! Content that the program supplies or takes, instead of files.
//!
//! Futures read and write it, so that a slow or hanging one occupies no thread and can be ended.

use super::ContentId;
use bytes::Bytes;
use std::future::Future;
use std::io;
use std::pin::Pin;

/// The future of a supplied operation.
pub type SuppliedFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A content of known size, read at offsets.
pub trait ReadAt: Send + Sync + 'static {
    /// Reads at most `length` bytes from `offset` on; fewer are good. This range ends within the content, so no bytes mean
    /// that it has become shorter: its transfers then end with an error, never with less than they promised.
    ///
    /// The server sends from these bytes without copying them. A reader that fills a buffer returns it: a `Vec` becomes
    /// [`Bytes`] with `into`.
    ///
    /// # Errors
    /// Why the content cannot be read. Its transfers end with an error.
    fn read_at(&self, offset: u64, length: usize) -> SuppliedFuture<'_, io::Result<Bytes>>;
}

/// How a content can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Supply {
    /// Once, in order, by one transfer.
    Stream,
    /// At any offset.
    Ranged {
        /// What identifies it among all others.
        content: ContentId,
        /// Its reader has it in memory in pieces of this size. A read of it ends at the end of a piece.
        piece: usize,
    },
}

/// The destination of one upload. Each ends with a [`Sink::commit`] that succeeds, or with [`Sink::abort`].
pub trait Sink: Send + 'static {
    /// Takes the next bytes. While it waits, the client waits, too: its blocks are not acknowledged.
    ///
    /// # Errors
    /// Why the upload cannot continue. Its client gets an error.
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> SuppliedFuture<'a, io::Result<()>>;

    /// Makes the upload visible under this path, once it is complete and accepted. The last block is acknowledged
    /// afterwards. The path is the one that the sink was created for, unless a hook named another. A commit that takes too
    /// long, or longer than the end of the server, is cut off.
    ///
    /// # Errors
    /// Why the upload is not stored. Its client gets an error.
    fn commit<'a>(&'a mut self, path: &'a str) -> SuppliedFuture<'a, io::Result<()>>;

    /// Forgets the upload: it ended early, was refused, or a write or the commit failed, panicked or was cut off. The
    /// server waits for this when it ends, within the limit of its drain. By default, the sink is dropped.
    ///
    /// # Errors
    /// What may be left of the upload, for the log.
    fn abort(self: Box<Self>) -> SuppliedFuture<'static, io::Result<()>> {
        Box::pin(async move {
            drop(self);
            Ok(())
        })
    }
}
