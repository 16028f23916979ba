//! Content that the program supplies or takes, instead of files.
//!
//! Futures read and write it, so that a slow or hanging one occupies no thread and can be ended.

mod in_runtime;
mod pieces;
mod source;
mod stream;

use super::ContentId;
use bytes::Bytes;
pub use source::{OpenedSource, Scope, Source, SourceOpener, Version};
use std::future::Future;
use std::io;
use std::pin::Pin;

/// The future of a supplied operation.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

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
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>>;
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

/// The name that an upload gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// A path in its root.
    pub path: String,
    /// Whether to use the next free name if a file has this one.
    pub next_free: bool,
}

impl Destination {
    /// The highest number that is appended to a path.
    pub(super) const MAX_NUMBER: u32 = 999;

    /// The names to try, in this order: the path, and for the next free name `PATH.1` to `PATH.999` after it.
    pub fn names(&self) -> impl Iterator<Item = String> + Send + use<'_> {
        let most = if self.next_free { Destination::MAX_NUMBER } else { 0 };
        let numbered = (1..=most).map(|number| format!("{}.{number}", self.path));
        std::iter::once(self.path.clone()).chain(numbered)
    }

    /// The path of which this path is a numbered name, as in [`Destination::names`].
    #[doc(hidden)]
    pub fn numbered(path: &str) -> Option<&str> {
        let (of, number) = path.rsplit_once('.')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        let in_range = number.parse().is_ok_and(|number: u32| number <= Destination::MAX_NUMBER);
        (is_number && in_range).then_some(of)
    }
}

/// The destination of one upload. Each ends with a [`Sink::commit`] that succeeds, or with [`Sink::abort`].
pub trait Sink: Send + 'static {
    /// Takes the next bytes. While it waits, the client waits, too: its blocks are not acknowledged.
    ///
    /// # Errors
    /// Why the upload cannot continue. Its client gets an error.
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>>;

    /// Makes the upload visible, once it is complete and accepted, and returns its path. The last block is acknowledged
    /// afterwards.
    ///
    /// The path of the destination is the one that the sink was created for, unless a hook named another. With
    /// [`next_free`](Destination::next_free), nothing may be replaced: the upload gets the first free one of
    /// [`Destination::names`]. No other sink of the root is committed to any of these names meanwhile, nor before this one
    /// is committed or aborted, so that a name that is free stays free, unless another program uses the store. A commit that
    /// takes too long, or longer than the end of the server, is cut off.
    ///
    /// # Errors
    /// Why the upload is not stored. Its client gets an error.
    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>>;

    /// Forgets the upload: it ended early, was refused, or a write or the commit failed, panicked or was cut off. The
    /// server waits for this when it ends, within the limit of its drain. By default, the sink is dropped.
    ///
    /// # Errors
    /// What may be left of the upload, for the log.
    fn abort(self: Box<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            drop(self);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_name_is_the_path_or_a_numbered_one() {
        let to = |next_free| Destination { path: "a/b.cfg".into(), next_free };
        assert_eq!(to(false).names().collect::<Vec<_>>(), ["a/b.cfg"]);
        let names: Vec<String> = to(true).names().collect();
        assert_eq!((names.len(), &*names[1], &*names[999]), (1000, "a/b.cfg.1", "a/b.cfg.999"));
        assert!(names.iter().skip(1).all(|name| Destination::numbered(name) == Some("a/b.cfg")));
        for name in ["a/b.cfg", "a/b.cfg.0", "a/b.cfg.07", "a/b.cfg.1000", "a/b.cfg.", "a/b.cfg.+7", "7"] {
            assert_eq!(Destination::numbered(name), None, "{name}");
        }
    }
}
