//! The bytes of an answer of the program.

use super::in_runtime::InRuntime;
use super::pieces::{PieceReader, PieceStore, Reading};
use super::stream::StreamReader;
use super::{ReadAt, Supply};
use crate::{ContentId, Disk, OpenFile, ProgramFile};
use quick_cache::sync::Cache;
use std::fmt;
use std::sync::Arc;
use tokio::io::AsyncRead;
use tuffet_request::ClientKey;

/// Versions whose content is recognised when it is opened again.
const VERSIONS: usize = 1 << 16;

/// The bytes of an answer, of known size. Clones share them; a stream can be sent to one client only.
#[derive(Clone)]
pub struct Source(Kind);

#[derive(Clone)]
enum Kind {
    Bytes(Arc<[u8]>),
    File(Arc<OpenFile>),
    Ranged { size: u64, version: Version, reading: Reading, reader: Arc<dyn ReadAt> },
    Stream { size: u64, reader: Arc<dyn ReadAt> },
}

/// Distinguishes contents: an ETag, a digest, a revision with the name of what it revises. Contents of equal versions and
/// equal sizes have equal bytes, whatever their paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    text: Arc<str>,
    is_global: bool,
}

impl Version {
    /// Creates a version that counts within the root or hook that supplies the content. One that replaces it
    /// while the server runs is another root or hook, whatever its name.
    pub fn new(text: impl Into<Arc<str>>) -> Version {
        Version { text: text.into(), is_global: false }
    }

    /// Creates a version that counts in all roots and hooks of a server, before and after replacements. Only for what
    /// cannot have other bytes anywhere: the digest of the content.
    pub fn global(digest: impl Into<Arc<str>>) -> Version {
        Version { text: digest.into(), is_global: true }
    }
}

/// Where versions count: one root or hook of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope(ContentId);

impl Scope {
    /// Returns the scope of a new root or hook.
    pub fn unused() -> Scope {
        Scope(ContentId::unused())
    }
}

/// What identifies a content of the program.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Known {
    /// `None`: everywhere.
    scope: Option<Scope>,
    text: Arc<str>,
    /// A program may forget to change the version.
    size: u64,
}

impl Source {
    /// Bytes in memory, shared by all who get a clone of the same `Arc`.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Source {
        Source(Kind::Bytes(bytes.into()))
    }

    /// A file of a folder.
    #[doc(hidden)]
    pub fn file(file: OpenFile) -> Source {
        Source(Kind::File(Arc::new(file)))
    }

    /// A content of `size` bytes, read at offsets. Contents of equal versions are shared: up to a quarter of
    /// [`Limits::cache`](tuffet_request::settings::Limits::cache) they stay in memory, and larger ones are read once for
    /// all transfers at the same time, in pieces, ahead of them ([`Source::pieces`]).
    pub fn ranged(size: u64, version: Version, reader: impl ReadAt) -> Source {
        Source(Kind::Ranged { size, version, reading: Reading::default(), reader: Arc::new(reader) })
    }

    /// How a ranged content is read: in pieces of so many bytes (4 KiB to 16 MiB; default 256 KiB), and at most so many of
    /// them ahead of a transfer (1 to 256; default 128). A transfer begins with 16 ahead; once its speed is known, it
    /// reads twice as many ahead as it takes while the back end reads one, and at least four. All pieces share
    /// [`Limits::read_ahead`](tuffet_request::settings::Limits::read_ahead), and what a client has read ahead is bounded
    /// by its part of it. Other values count as the nearest of these; other contents are as they were.
    #[must_use]
    pub fn pieces(mut self, bytes: usize, ahead: usize) -> Source {
        if let Kind::Ranged { reading, .. } = &mut self.0 {
            *reading = Reading { piece: bytes.clamp(4 << 10, 16 << 20), depth: ahead.clamp(1, 256) };
        }
        self
    }

    /// A stream of exactly `size` bytes, for one transfer. Its windows are limited to 256 KiB, which stay in memory until
    /// the client has them. If the stream ends earlier, the transfer ends with an error; what follows after `size` bytes
    /// is not read.
    pub fn stream(size: u64, reader: impl AsyncRead + Send + Unpin + 'static) -> Source {
        Source(Kind::Stream { size, reader: Arc::new(StreamReader::new(reader)) })
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
pub enum OpenedSource {
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
    /// A file of a folder, or a reader of the program.
    File(Arc<OpenFile>),
}

/// Opens sources: gives each version its identity. Cheap to clone; clones share them.
#[derive(Clone)]
pub struct SourceOpener(Arc<Shared>);

struct Shared {
    versions: Cache<Known, ContentId>,
    pieces: PieceStore,
    /// Accounts for the memory of sources without a root.
    disk: Arc<Disk>,
}

impl SourceOpener {
    /// Creates one; `read_ahead` is the memory for pieces of ranged contents, in bytes.
    pub fn new(read_ahead: u64) -> SourceOpener {
        SourceOpener(Arc::new(Shared {
            versions: Cache::new(VERSIONS),
            pieces: PieceStore::new(read_ahead),
            disk: Disk::of_program(),
        }))
    }

    /// Sets the memory for pieces of ranged contents, in bytes.
    pub fn set_read_ahead(&self, bytes: u64) {
        self.0.pieces.set_budget(bytes);
    }

    /// Opens a source of this root or hook for a client; `disk` is that of its root, if it has one.
    pub fn open(
        &self,
        source: Source,
        scope: Scope,
        client: ClientKey,
        disk: Option<&Arc<Disk>>,
        path: &str,
    ) -> OpenedSource {
        let disk = disk.unwrap_or(&self.0.disk);
        match source.0 {
            Kind::Bytes(bytes) => OpenedSource::Bytes(bytes),
            Kind::File(file) => OpenedSource::File(file),
            Kind::Ranged { size, version, reading, reader } => {
                let new = || Ok::<_, std::convert::Infallible>(ContentId::unused());
                let Version { text, is_global } = version;
                let known = Known { scope: (!is_global).then_some(scope), text, size };
                let Ok(content) = self.0.versions.get_or_insert_with(&known, new);
                let program = InRuntime::new(reader);
                let reader =
                    Arc::new(PieceReader::new(&self.0.pieces, content, size, reading, client, program));
                let supply = Supply::Ranged { content, piece: reading.piece };
                let file = ProgramFile::new(reader, size, supply);
                OpenedSource::File(Arc::new(OpenFile::from_program(file, disk, path)))
            }
            Kind::Stream { size, reader } => {
                let reader = Arc::new(InRuntime::new(reader));
                let file = ProgramFile::new(reader, size, Supply::Stream);
                OpenedSource::File(Arc::new(OpenFile::from_program(file, disk, path)))
            }
        }
    }
}
