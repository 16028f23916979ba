//! The bytes of an answer.

use super::in_runtime::InRuntime;
use super::outstanding::Outstanding;
use super::stream::StreamReader;
use quick_cache::sync::Cache;
use std::fmt;
use std::sync::Arc;
use tokio::io::AsyncRead;
use tuffet_store::{ContentId, Disk, OpenFile, ReadAt};

/// Versions whose content is recognised when it is opened again.
const VERSIONS: usize = 1 << 16;

/// The bytes of an answer, of known size.
pub struct Source(Kind);

enum Kind {
    Bytes(Arc<[u8]>),
    File(Box<OpenFile>),
    Ranged { size: u64, version: Version, reader: Box<dyn ReadAt> },
    Stream { size: u64, reader: Box<dyn ReadAt> },
}

/// Distinguishes contents: an ETag, a digest, a revision with the name of what it revises. Equal versions mean equal
/// bytes, whatever the path, in all roots and hooks of a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version(Arc<str>);

impl Version {
    /// Creates a version from its text.
    pub fn new(text: impl Into<Arc<str>>) -> Version {
        Version(text.into())
    }
}

impl Source {
    /// Bytes in memory, shared by all who get a clone of the same `Arc`.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Source {
        Source(Kind::Bytes(bytes.into()))
    }

    /// A file of a folder, as [`OpenFolder::open_file`](crate::OpenFolder::open_file) opens it.
    pub fn file(file: OpenFile) -> Source {
        Source(Kind::File(Box::new(file)))
    }

    /// A content of `size` bytes, read at offsets. Contents of equal versions are read once and shared, as far as they
    /// fit into the memory for hot files ([`Limits::cache`](tuffet_request::settings::Limits::cache)); otherwise each
    /// transfer reads it in pieces of at most 256 KiB, two at a time.
    pub fn ranged(size: u64, version: Version, reader: impl ReadAt) -> Source {
        Source(Kind::Ranged { size, version, reader: Box::new(reader) })
    }

    /// A stream of exactly `size` bytes, for one transfer. Its windows are limited to 256 KiB, which stay in memory until
    /// the client has them. If the stream ends earlier, the transfer ends with an error; what follows after `size` bytes
    /// is not read.
    pub fn stream(size: u64, reader: impl AsyncRead + Send + Unpin + 'static) -> Source {
        Source(Kind::Stream { size, reader: Box::new(StreamReader::new(reader)) })
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        match &self.0 {
            Kind::Bytes(bytes) => bytes.len() as u64,
            Kind::File(file) => file.size(),
            Kind::Ranged { size, .. } | Kind::Stream { size, .. } => *size,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("size", &self.size()).finish_non_exhaustive()
    }
}

/// An opened source.
#[derive(Debug)]
pub(crate) enum OpenedSource {
    Bytes(Arc<[u8]>),
    File(Arc<OpenFile>),
}

/// Opens sources: gives each version its identity. Cheap to clone; clones share them.
#[derive(Clone)]
pub(crate) struct SourceOpener(Arc<Shared>);

struct Shared {
    versions: Cache<Version, ContentId>,
    /// Accounts for the memory of sources without a root.
    disk: Arc<Disk>,
    outstanding: Outstanding,
}

impl SourceOpener {
    pub(crate) fn new() -> SourceOpener {
        SourceOpener(Arc::new(Shared {
            versions: Cache::new(VERSIONS),
            disk: Disk::of_program(),
            outstanding: Outstanding::default(),
        }))
    }

    /// What the program does for the server.
    pub(crate) fn outstanding(&self) -> &Outstanding {
        &self.0.outstanding
    }

    /// Opens a source; `disk` is that of its root, if it has one.
    pub(crate) fn open(&self, source: Source, disk: Option<&Arc<Disk>>, path: &str) -> OpenedSource {
        let disk = disk.unwrap_or(&self.0.disk);
        match source.0 {
            Kind::Bytes(bytes) => OpenedSource::Bytes(bytes),
            Kind::File(file) => OpenedSource::File(Arc::new(*file)),
            Kind::Ranged { size, version, reader } => {
                let new = || Ok::<_, std::convert::Infallible>(ContentId::unused());
                let Ok(content) = self.0.versions.get_or_insert_with(&version, new);
                let reader = Arc::new(InRuntime::new(reader));
                OpenedSource::File(Arc::new(OpenFile::supplied(reader, size, Some(content), disk, path)))
            }
            Kind::Stream { size, reader } => {
                let reader = Arc::new(InRuntime::new(reader));
                OpenedSource::File(Arc::new(OpenFile::supplied(reader, size, None, disk, path)))
            }
        }
    }
}
