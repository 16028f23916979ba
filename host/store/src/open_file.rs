//! A content that is open for reading: a file of a folder, a file of an origin, or what the program supplies.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use rustix::io::{Errno, preadv};

use tokio::runtime::Handle;
use tuffet_request::ClientKey;

use super::ahead::Trust;
use super::checksum::Checksum;
use super::folder_file::FolderFile;
use super::identity::{Change, Content, Identity};
use super::origin_file::{OriginFile, WAIT};
use super::program_file::ProgramFile;
use super::system::read_cached;
use super::{Ahead, ContentId, Disk, Lane, RemoteFile, Room, StoreError};

/// preadv(2): more buffers than this in one call are an error (`UIO_MAXIOV`).
const MAX_BUFFERS: usize = 1024;

/// Bytes per read when comparing a file.
const COMPARE_BYTES: usize = 256 << 10;

/// A content, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    body: Body,
    disk: Arc<Disk>,
    path: String,
    /// The client for which it was opened. Clients share the threads of a disk and the waits for an origin.
    client: ClientKey,
}

/// Where the bytes are.
#[derive(Debug)]
enum Body {
    Folder(FolderFile),
    Origin(OriginFile),
    Program(Arc<ProgramFile>),
}

/// Where to drop a content that was read or written.
#[derive(Debug)]
pub enum Closing {
    /// On any thread: it waits for nothing.
    AtOnce,
    /// On a thread of this disk, which it may wait for.
    OnDisk(Arc<Disk>),
    /// In a task: the program's drop may take long.
    InRuntime,
}

impl Closing {
    /// Whether a thread that must not block has to leave it to another one.
    pub fn may_wait(&self) -> bool {
        !matches!(self, Closing::AtOnce)
    }

    /// Drops the content of a client there.
    pub fn close(self, it: impl Send + 'static, lane: Lane, client: ClientKey, runtime: &Handle) {
        match self {
            Closing::AtOnce => drop(it),
            Closing::OnDisk(disk) => disk.drop_later(lane, client, it),
            Closing::InRuntime => drop(runtime.spawn(async move { drop(it) })),
        }
    }
}

impl OpenFile {
    fn new(body: Body, disk: &Arc<Disk>, path: &str) -> Self {
        Self { body, disk: Arc::clone(disk), path: path.to_owned(), client: ClientKey::SERVER }
    }

    pub(super) fn in_folder(file: FolderFile, disk: &Arc<Disk>, path: &str) -> Self {
        Self::new(Body::Folder(file), disk, path)
    }

    /// Wraps a file of an origin. Its bytes may still be arriving in the cache.
    pub(super) fn remote(
        found: RemoteFile,
        disk: &Arc<Disk>,
        origin: &Arc<str>,
        path: &str,
    ) -> Result<Self, StoreError> {
        Ok(Self::new(Body::Origin(OriginFile::new(found, disk, origin)?), disk, path))
    }

    /// Wraps a content that `maker` is still producing, in an unnamed file. It gets a separate [`Disk`], so that
    /// readers that wait for it delay no others.
    ///
    /// # Errors
    /// The errors of statx(2).
    pub fn made(found: RemoteFile, maker: &Arc<str>) -> Result<Self, StoreError> {
        let disk = Arc::new(Disk::new(maker, Some(Arc::clone(maker))));
        Ok(Self::new(Body::Origin(OriginFile::new(found, &disk, maker)?.made()), &disk, ""))
    }

    /// Wraps a content that the program supplies.
    pub(super) fn from_program(file: ProgramFile, disk: &Arc<Disk>, path: &str) -> Self {
        Self::new(Body::Program(Arc::new(file)), disk, path)
    }

    /// The content of the program, which futures read. `None`: threads read it, which may block.
    pub fn program(&self) -> Option<&Arc<ProgramFile>> {
        match &self.body {
            Body::Program(file) => Some(file),
            Body::Folder(_) | Body::Origin(_) => None,
        }
    }

    fn folder(&self) -> Option<&FolderFile> {
        match &self.body {
            Body::Folder(file) => Some(file),
            Body::Origin(_) | Body::Program(_) => None,
        }
    }

    /// The folder of `roots[].links` that contains it, if a link leads there.
    pub fn link_folder(&self) -> Option<&Path> {
        self.folder()?.via.as_deref()
    }

    /// Whether it is a file of a folder, rather than of an origin or of the program.
    pub fn is_in_folder(&self) -> bool {
        self.folder().is_some()
    }

    /// Whether the content can change while it is open: others may write to a file of a folder.
    pub fn can_change(&self) -> bool {
        self.folder().is_some()
    }

    /// Whether each byte can be read only once, in order.
    pub fn is_sequential(&self) -> bool {
        matches!(&self.body, Body::Program(file) if file.is_sequential())
    }

    /// Size of the file when it was opened, in bytes.
    pub fn size(&self) -> u64 {
        match &self.body {
            Body::Folder(file) => file.opened.size,
            Body::Origin(file) => file.size,
            Body::Program(file) => file.size,
        }
    }

    /// The name of its root.
    pub fn root(&self) -> &str {
        self.disk.root()
    }

    /// Its disk.
    pub fn disk(&self) -> &Arc<Disk> {
        &self.disk
    }

    /// Whether the kernel can tell which parts of the file are in memory ([`OpenFile::read_now`]) and knows its size
    /// and times without asking a server. Otherwise, as with FUSE and network file systems, even closing it may block.
    pub fn is_in_place(&self) -> bool {
        match &self.body {
            Body::Folder(file) => file.in_place,
            Body::Origin(file) => file.in_place,
            Body::Program(_) => false,
        }
    }

    /// Where to drop it: even closing a file that is not in place may wait for its server.
    pub fn closing(&self) -> Closing {
        match &self.body {
            Body::Program(_) => Closing::InRuntime,
            _ if self.is_in_place() => Closing::AtOnce,
            Body::Folder(_) | Body::Origin(_) => Closing::OnDisk(Arc::clone(&self.disk)),
        }
    }

    /// Its path in the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The modification time in milliseconds since 1970; 0 for earlier times.
    pub fn modified_unix_ms(&self) -> u64 {
        match &self.body {
            Body::Folder(file) => file.modified_unix_ms(),
            Body::Origin(file) => file.modified_unix_ms,
            Body::Program(_) => 0,
        }
    }

    /// The identity of the file when it was opened.
    pub fn identity(&self) -> Identity {
        Identity(match &self.body {
            Body::Folder(file) => file.content(),
            Body::Origin(file) => Content::Numbered(file.content),
            Body::Program(file) => Content::Numbered(file.content),
        })
    }

    /// Returns a name for the content at the time of opening. It differs after each change, also after one of the
    /// metadata alone. A recently written file gets a unique name, because a further write may leave no trace.
    pub fn version(&self) -> String {
        let content = self.content_name();
        match self.identity().0 {
            Content::File { status: (seconds, nanoseconds), .. } if self.is_settled() => {
                format!("{content}-{seconds}.{nanoseconds:09}")
            }
            Content::File { .. } => format!("unsettled-{}", ContentId::unused()),
            Content::Numbered(_) => content,
        }
    }

    /// Returns whether a version names the content at the time of opening, whatever has become of the metadata.
    pub fn has_version(&self, version: &str) -> bool {
        let content = self.content_name();
        match self.identity().0 {
            Content::File { .. } => version.rsplit_once('-').is_some_and(|(its, _)| its == content),
            Content::Numbered(_) => version == content,
        }
    }

    /// Returns a name for the content at the time of opening, whatever becomes of the metadata.
    pub fn content_name(&self) -> String {
        match self.identity().0 {
            Content::File { device, inode, size, modified: (seconds, nanoseconds), .. } => {
                format!("{device:x}-{inode:x}-{size:x}-{seconds}.{nanoseconds:09}")
            }
            Content::Numbered(content) => format!("origin-{content}"),
        }
    }

    /// Returns a name for the content that no other one has in any process, of letters, digits and hyphens. `None` if a
    /// further write may leave no trace. `process`: what tells the names of this process from those of others.
    pub fn tag(&self, process: u64) -> Option<String> {
        match self.identity().0 {
            Content::File { .. } => self.is_settled().then(|| self.content_name().replace('.', "-")),
            Content::Numbered(_) => Some(format!("{process:x}-{}", self.content_name())),
        }
    }

    /// Whether the last write is old enough for a later change to show in the times.
    pub fn is_settled(&self) -> bool {
        self.is_settled_at(SystemTime::now())
    }

    /// As [`OpenFile::is_settled`], at this time.
    pub(super) fn is_settled_at(&self, now: SystemTime) -> bool {
        // What cannot change needs no time.
        self.folder().is_none_or(|file| file.is_settled_at(now))
    }

    /// Converts an error of reading this file.
    pub fn unreadable(&self, error: io::Error) -> StoreError {
        match &self.body {
            Body::Folder(_) => StoreError::Io(error),
            Body::Origin(file) => file.unreadable(&error),
            Body::Program(_) => StoreError::of_program(error),
        }
    }

    /// Assigns the file to a client.
    #[must_use]
    pub(super) fn of_client(self, client: ClientKey) -> OpenFile {
        OpenFile { client, ..self }
    }

    /// The client for which it was opened; the server itself for its own reads.
    pub fn client(&self) -> ClientKey {
        self.client
    }

    /// The same file, treated as if its file system had no reads in place. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn not_in_place(mut self) -> OpenFile {
        if let Body::Folder(file) = &mut self.body {
            file.in_place = false;
        }
        self
    }

    /// Reads from `offset` into `buffers`, in order, and returns the number of bytes; takes no lock.
    ///
    /// A short count means that the file ends there, that there were more than 1024 buffers, or that the origin now has
    /// another version of the file. Waits for bytes of an origin.
    ///
    /// # Errors
    /// The errors of preadv(2), except interruption, and those of the origin.
    pub fn read_at(&self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let buffers = up_to_maximum(buffers);
        match &self.body {
            Body::Folder(file) => read_file(&file.file, offset, buffers),
            Body::Origin(file) => match file.wait(offset, buffers, WAIT)? {
                Some(read) => Ok(read),
                None => read_file(&file.file, offset, buffers),
            },
            Body::Program(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// As [`OpenFile::read_at`], but only from the page cache: never blocks on the disk. A short count means that the
    /// rest is not in memory, or not in the file.
    ///
    /// # Errors
    /// The errors of preadv2(2).
    pub fn read_now(&self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let buffers = up_to_maximum(buffers);
        match &self.body {
            Body::Folder(file) => read_file_now(&file.file, offset, buffers),
            Body::Origin(file) => {
                // Counted before the read, because bytes that arrive during it may have been read as zeros.
                let arrived = file.arrived(offset, buffers);
                if arrived == 0 {
                    return Ok(0);
                }
                Ok(read_file_now(&file.file, offset, buffers)?.min(arrived))
            }
            Body::Program(_) => Ok(0),
        }
    }

    /// Reads `length` bytes from `offset` on; of a content still being produced, the bytes available so far. `None` if
    /// the file has changed since it was opened, other than by growing. `room` accounts for the bytes while they stay in
    /// memory.
    ///
    /// # Errors
    /// The errors of preadv(2) and statx(2).
    pub fn read_ahead(&self, offset: u64, length: usize, room: Option<Room>) -> io::Result<Option<Ahead>> {
        let made = match &self.body {
            Body::Origin(file) => file.wait_for_some(offset, length, WAIT)?,
            Body::Folder(_) | Body::Program(_) => None,
        };
        let mut bytes = vec![0; made.unwrap_or(length)];
        if !self.read_full(offset, &mut bytes)? {
            return Ok(None);
        }
        let trust = match self.change()? {
            Change::None => Trust::Unchanged,
            Change::Grown => Trust::Grown,
            Change::Other => return Ok(None),
        };
        Ok(Some(Ahead { offset, bytes: bytes.into(), trust, _room: room }))
    }

    /// As [`OpenFile::read_ahead`], of bytes that are all in memory; otherwise `None`: it waits for no disk.
    ///
    /// # Errors
    /// As [`OpenFile::read_ahead`], and that the file has changed.
    pub fn read_ahead_now(&self, offset: u64, length: usize) -> io::Result<Option<Ahead>> {
        if !self.is_in_place() {
            return Ok(None);
        }
        let mut bytes = vec![0; length];
        if self.read_now(offset, &mut [IoSliceMut::new(&mut bytes)])? < length {
            return Ok(None);
        }
        match self.change()? {
            Change::None => {
                Ok(Some(Ahead { offset, bytes: bytes.into(), trust: Trust::Unchanged, _room: None }))
            }
            Change::Grown | Change::Other => {
                Err(io::Error::other("the file has changed since it was opened"))
            }
        }
    }

    /// As [`OpenFile::read_ahead`], of a file that has grown: reads all that it had when it was opened. `None` if that is
    /// not what has this checksum.
    ///
    /// # Errors
    /// The errors of preadv(2).
    pub fn read_proven(
        &self,
        offset: u64,
        length: usize,
        known: &Checksum,
        room: Option<Room>,
    ) -> io::Result<Option<Ahead>> {
        let (mut bytes, mut sum) = (Vec::with_capacity(length), Checksum::default());
        let mut piece = vec![0; COMPARE_BYTES];
        while sum.length() < self.size() {
            let at = sum.length();
            let left = usize::try_from(self.size() - at).unwrap_or(usize::MAX);
            let piece = &mut piece[..left.min(COMPARE_BYTES)];
            if !self.read_full(at, piece)? {
                return Ok(None);
            }
            sum.add(at, piece);
            let skipped = usize::try_from(offset.saturating_sub(at)).unwrap_or(usize::MAX);
            let wanted = piece.get(skipped..).unwrap_or_default();
            bytes.extend_from_slice(&wanted[..wanted.len().min(length - bytes.len())]);
        }
        Ok(sum.agrees(known).then(|| Ahead {
            offset,
            bytes: bytes.into(),
            trust: Trust::Proven,
            _room: room,
        }))
    }

    /// Reads the whole content; `None` if the file has changed since it was opened ([`OpenFile::unchanged`]).
    ///
    /// # Errors
    /// The errors of preadv(2) and statx(2).
    pub fn read_whole(&self) -> io::Result<Option<Vec<u8>>> {
        let mut content = vec![0; self.length()?];
        Ok(self.fill(&mut content)?.then_some(content))
    }

    /// As [`OpenFile::read_whole`], into shared memory.
    ///
    /// # Errors
    /// As [`OpenFile::read_whole`].
    pub fn read_shared(&self) -> io::Result<Option<Arc<[u8]>>> {
        // Zeroed pages take no memory until they are written, so this does not allocate the content twice.
        let mut content: Arc<[u8]> = vec![0; self.length()?].into();
        // The memory is not shared yet.
        let Some(room) = Arc::get_mut(&mut content) else { return Ok(None) };
        Ok(self.fill(room)?.then_some(content))
    }

    /// Returns whether the file is unchanged since it was opened and contains exactly these bytes. Needs little memory.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn has(&self, bytes: &[u8]) -> io::Result<bool> {
        if bytes.len() as u64 != self.size() {
            return Ok(false);
        }
        let (mut piece, mut at) = (vec![0; COMPARE_BYTES.min(bytes.len())], 0);
        for expected in bytes.chunks(COMPARE_BYTES) {
            let read = &mut piece[..expected.len()];
            if !self.fill_from(at, read)? || read != expected {
                return Ok(false);
            }
            at += expected.len() as u64;
        }
        self.unchanged()
    }

    pub(super) fn length(&self) -> io::Result<usize> {
        usize::try_from(self.size()).map_err(|_| Errno::FBIG.into())
    }

    /// Fills `content` with the whole file; returns whether it is unchanged since it was opened.
    fn fill(&self, content: &mut [u8]) -> io::Result<bool> {
        self.fill_from(0, content)
    }

    /// Fills `content` from `offset` on; returns whether the file is unchanged since it was opened.
    fn fill_from(&self, offset: u64, content: &mut [u8]) -> io::Result<bool> {
        Ok(self.read_full(offset, content)? && self.unchanged()?)
    }

    /// Fills `content` from `offset` on; returns whether the file has as many bytes.
    fn read_full(&self, offset: u64, content: &mut [u8]) -> io::Result<bool> {
        let mut filled = 0;
        while filled < content.len() {
            match self.read_at(offset + filled as u64, &mut [IoSliceMut::new(&mut content[filled..])])? {
                0 => return Ok(false),
                read => filled += read,
            }
        }
        Ok(true)
    }

    /// Returns whether size and modification time are the same as at the time of opening ([`OpenFile::change`]).
    ///
    /// # Errors
    /// The errors of statx(2).
    pub fn unchanged(&self) -> io::Result<bool> {
        Ok(self.change()? == Change::None)
    }

    /// Returns how the file has changed since it was opened.
    ///
    /// The version of a file of an origin never changes. A file that was renamed, replaced by a rename, or removed is
    /// unchanged: the open file is still the complete old one. A write that keeps the size goes undetected within the same
    /// tick of the kernel's clock as the write before, and if its program sets the modification time back.
    ///
    /// # Errors
    /// The errors of statx(2).
    pub fn change(&self) -> io::Result<Change> {
        self.folder().map_or(Ok(Change::None), FolderFile::change)
    }
}

fn up_to_maximum<'a, 'b>(buffers: &'a mut [IoSliceMut<'b>]) -> &'a mut [IoSliceMut<'b>] {
    let count = buffers.len().min(MAX_BUFFERS);
    &mut buffers[..count]
}

fn read_file(file: &File, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
    loop {
        match preadv(file, buffers, offset) {
            Err(Errno::INTR) => {}
            done => return Ok(done?),
        }
    }
}

fn read_file_now(file: &File, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
    match read_cached(file, buffers, offset) {
        // A signal, or a file system without support after all. A read from the disk gets the bytes.
        Err(Errno::AGAIN | Errno::INTR | Errno::OPNOTSUPP) => Ok(0),
        done => Ok(done?),
    }
}
