//! A file open for reading, and the check for changes since it was opened.

use std::fmt;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::FileType;
use rustix::io::{Errno, preadv};

use tuffet_request::ClientKey;

use super::ahead::Trust;
use super::checked::Checked;
use super::checksum::Checksum;
use super::facts::Facts;
use super::file_systems::is_generated;
use super::identity::{Change, Content, Identity};
use super::open_folder::OpenFolder;
use super::remote_file::{Elsewhere, WAIT};
use super::supplied::Supply;
use super::system::{open_cached, read_cached};
use super::{Ahead, ContentId, Disk, ReadAt, RemoteFile, Room, StoreError, mode, spelling};

/// preadv(2): more buffers than this in one call are an error (`UIO_MAXIOV`).
const MAX_BUFFERS: usize = 1024;

/// Bytes per read when comparing a file.
const COMPARE_BYTES: usize = 256 << 10;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) body: Body,
    pub(super) disk: Arc<Disk>,
    pub(super) path: String,
    pub(super) opened: Facts,
    pub(super) in_place: bool,
    /// The folder of `roots[].links` that a link has led into.
    pub(super) via: Option<Arc<Path>>,
    /// Set for a file of an origin; `file` is then its cache file.
    pub(super) elsewhere: Option<Elsewhere>,
    /// The client for which it was opened. Clients share the threads of a disk and the waits for an origin.
    pub(super) client: ClientKey,
}

/// Where the bytes are.
pub(super) enum Body {
    /// In a file, shared by all readers of the same content of an origin.
    File(Arc<File>),
    /// Wherever the program takes them from.
    Supplied { reader: Arc<dyn ReadAt>, supply: Supply },
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Body::File(file) => file.fmt(f),
            Body::Supplied { .. } => f.write_str("supplied"),
        }
    }
}

impl OpenFile {
    pub(super) fn open(
        folder: &OpenFolder,
        disk: &Arc<Disk>,
        checked: &Checked,
        path: &str,
    ) -> Result<Self, StoreError> {
        let (file, via) = folder.open_file(path)?;
        let opened = Facts::of(&file)?;
        require_regular(opened.mode)?;
        // A file without blocks on a disk may be generated on reading.
        if opened.blocks == 0 {
            refuse_generated(&file, opened.size)?;
        }
        let in_place = disk.reads_in_place(opened.device, &file);
        // File servers and FUSE programs may have other rules for names, and may change them.
        if !(in_place && checked.has(path, &opened)) {
            spelling::require(folder, path)?;
            checked.note(path, &opened);
        }
        let disk = Arc::clone(disk);
        Ok(Self {
            body: Body::File(Arc::new(file)),
            disk,
            path: path.to_owned(),
            opened,
            in_place,
            via,
            elsewhere: None,
            client: ClientKey::SERVER,
        })
    }

    /// As [`OpenFile::open`], of a file whose path was checked a moment ago, if that waits for no disk.
    pub(super) fn open_now(
        folder: &OpenFolder,
        disk: &Arc<Disk>,
        checked: &Checked,
        path: &str,
    ) -> Option<Self> {
        // Of other file systems, even an open that the kernel could answer may ask a server.
        folder.identity.filter(|(_, device, _)| disk.is_known_in_place(*device))?;
        let file = File::from(open_cached(&*folder.dir, path).ok()?);
        let opened = Facts::of(&file).ok()?;
        let is_known = require_regular(opened.mode).is_ok()
            && opened.blocks > 0
            && disk.is_known_in_place(opened.device)
            && checked.has(path, &opened);
        is_known.then(|| Self {
            body: Body::File(Arc::new(file)),
            disk: Arc::clone(disk),
            path: path.to_owned(),
            opened,
            in_place: true,
            via: None,
            elsewhere: None,
            client: ClientKey::SERVER,
        })
    }

    /// Wraps a file of an origin. Its bytes may still be arriving in the cache.
    pub(super) fn remote(
        found: RemoteFile,
        disk: &Arc<Disk>,
        origin: &Arc<str>,
        path: &str,
    ) -> Result<Self, StoreError> {
        let file = Arc::clone(&found.file);
        let opened = Facts { size: found.meta.size, ..Facts::of(&file)? };
        let in_place = disk.reads_in_place(opened.device, &file);
        let disk = Arc::clone(disk);
        let elsewhere = Some(Elsewhere::new(origin, found));
        let body = Body::File(file);
        let (path, client) = (path.to_owned(), ClientKey::SERVER);
        Ok(Self { body, disk, path, opened, in_place, via: None, elsewhere, client })
    }

    /// Wraps a content that `maker` is still producing, in an unnamed file. It gets a separate [`Disk`], so that
    /// readers that wait for it delay no others.
    ///
    /// # Errors
    /// The errors of statx(2).
    pub fn made(found: RemoteFile, maker: &Arc<str>) -> Result<Self, StoreError> {
        let disk = Arc::new(Disk::new(maker, Some(Arc::clone(maker))));
        let mut file = Self::remote(found, &disk, maker, "")?;
        file.elsewhere = file.elsewhere.map(Elsewhere::made);
        Ok(file)
    }

    /// The folder of `roots[].links` that contains it, if a link leads there.
    pub fn link_folder(&self) -> Option<&Path> {
        self.via.as_deref()
    }

    /// Whether it is a file of a folder, rather than of an origin or of the program.
    pub fn is_in_folder(&self) -> bool {
        self.elsewhere.is_none()
    }

    fn file(&self) -> io::Result<&File> {
        match &self.body {
            Body::File(file) => Ok(file),
            Body::Supplied { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// # Errors
    /// `NotPublic` if its permissions for others exclude reading.
    pub(super) fn require_world_readable(&self) -> Result<(), StoreError> {
        let mode = self.opened.mode & 0o7777;
        if mode & 0o004 != 0 { Ok(()) } else { Err(StoreError::NotPublic { access: "read", mode }) }
    }

    /// Size of the file when it was opened, in bytes.
    pub fn size(&self) -> u64 {
        self.opened.size
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
        self.in_place
    }

    /// Its path in the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The modification time in milliseconds since 1970; 0 for earlier times.
    pub fn modified_unix_ms(&self) -> u64 {
        if let Some(elsewhere) = &self.elsewhere {
            return elsewhere.modified_unix_ms();
        }
        let (seconds, nanoseconds) = self.opened.modified;
        u64::try_from(seconds).unwrap_or(0).saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)
    }

    /// The identity of the file when it was opened.
    pub fn identity(&self) -> Identity {
        if let Some(elsewhere) = &self.elsewhere {
            return Identity(Content::Elsewhere(elsewhere.content()));
        }
        let Facts { mount, device, inode, size, modified, status, .. } = self.opened;
        Identity(Content::File { mount, device, inode, size, modified, status })
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
            Content::Elsewhere(_) => content,
        }
    }

    /// Returns whether a version names the content at the time of opening, whatever has become of the metadata.
    pub fn has_version(&self, version: &str) -> bool {
        let content = self.content_name();
        match self.identity().0 {
            Content::File { .. } => version.rsplit_once('-').is_some_and(|(its, _)| its == content),
            Content::Elsewhere(_) => version == content,
        }
    }

    /// Returns a name for the content at the time of opening, whatever becomes of the metadata.
    pub fn content_name(&self) -> String {
        match self.identity().0 {
            Content::File { device, inode, size, modified: (seconds, nanoseconds), .. } => {
                format!("{device:x}-{inode:x}-{size:x}-{seconds}.{nanoseconds:09}")
            }
            Content::Elsewhere(content) => format!("origin-{content}"),
        }
    }

    /// Whether the last write is old enough for a later change to show in the times.
    pub fn is_settled(&self) -> bool {
        // The version of a file of an origin never changes.
        self.elsewhere.is_some() || self.is_settled_at(SystemTime::now())
    }

    /// As [`OpenFile::is_settled`], at this time. File times advance in steps of up to 10 ms by the kernel's clock, or
    /// up to 2 s if the file system stores whole seconds. A second write within the same step may leave the identity
    /// unchanged.
    pub(super) fn is_settled_at(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.opened.status;
        let step = if nanoseconds == 0 { Duration::from_secs(2) } else { Duration::from_millis(50) };
        let settled = Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds as u32) + step;
        now.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| now >= settled)
    }

    /// Converts an error of reading this file.
    pub fn unreadable(&self, error: io::Error) -> StoreError {
        match &self.elsewhere {
            Some(elsewhere) => {
                let why = error.to_string();
                StoreError::Unreachable { origin: Arc::clone(elsewhere.origin()), why }
            }
            None => StoreError::Io(error),
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
    pub fn elsewhere(self) -> OpenFile {
        OpenFile { in_place: false, ..self }
    }

    /// Reads from `offset` into `buffers`, in order, and returns the number of bytes; takes no lock.
    ///
    /// A short count means that the file ends there, that there were more than 1024 buffers, or that the origin now has
    /// another version of the file. Waits for bytes of an origin.
    ///
    /// # Errors
    /// The errors of preadv(2), except interruption, and those of the origin.
    pub fn read_at(&self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = buffers.len().min(MAX_BUFFERS);
        if let Some(elsewhere) = &self.elsewhere {
            let past = elsewhere.wait(offset, &mut buffers[..count], self.size(), WAIT)?;
            if let Some(read) = past {
                return Ok(read);
            }
        }
        let file = self.file()?;
        loop {
            match preadv(file, &mut buffers[..count], offset) {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }

    /// As [`OpenFile::read_at`], but only from the page cache: never blocks on the disk. A short count means that the
    /// rest is not in memory, or not in the file.
    ///
    /// # Errors
    /// The errors of preadv2(2).
    pub fn read_now(&self, offset: u64, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = buffers.len().min(MAX_BUFFERS);
        let Body::File(file) = &self.body else { return Ok(0) };
        // Counted before the read, because bytes that arrive during it may have been read as zeros.
        let arrived = self.elsewhere.as_ref().map_or(usize::MAX, |it| it.arrived(offset, &buffers[..count]));
        if arrived == 0 {
            return Ok(0);
        }
        match read_cached(file, &mut buffers[..count], offset) {
            // A signal, or a file system without support after all. A read from the disk gets the bytes.
            Err(Errno::AGAIN | Errno::INTR | Errno::OPNOTSUPP) => Ok(0),
            done => Ok(done?.min(arrived)),
        }
    }

    /// Reads `length` bytes from `offset` on; of a content still being produced, the bytes available so far. `None` if
    /// the file has changed since it was opened, other than by growing. `room` accounts for the bytes while they stay in
    /// memory.
    ///
    /// # Errors
    /// The errors of preadv(2) and statx(2).
    pub fn read_ahead(&self, offset: u64, length: usize, room: Option<Room>) -> io::Result<Option<Ahead>> {
        let made = match &self.elsewhere {
            Some(elsewhere) => elsewhere.wait_for_some(offset, length, WAIT)?,
            None => None,
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
        if !self.in_place {
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
        if self.elsewhere.is_some() {
            return Ok(Change::None);
        }
        let (now, then) = (Facts::of(self.file()?)?, &self.opened);
        Ok(match (now.size, now.modified) {
            (size, modified) if (size, modified) == (then.size, then.modified) => Change::None,
            (size, _) if size > then.size => Change::Grown,
            _ => Change::Other,
        })
    }
}

pub(super) fn require_regular(mode: u32) -> Result<(), StoreError> {
    Err(StoreError::NotRegular(match mode::kind(mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a symbolic link",
        FileType::Unknown => "of an unknown type",
    }))
}

/// Refuses generated files, because an incomplete one would look complete to the client.
fn refuse_generated(file: &File, size: u64) -> Result<(), StoreError> {
    // FUSE file systems may generate files, too.
    if is_generated(file)? || (size == 0 && preadv(file, &mut [IoSliceMut::new(&mut [0])], 0)? > 0) {
        return Err(StoreError::NotRegular("one that is made up while it is read, as in /proc"));
    }
    Ok(())
}
