//! Resolves paths of a root: below its folder, and through links into the folders of `roots[].links`.
//!
//! Almost always the kernel does it all, below the open folder of the root (`RESOLVE_BENEATH`). It refuses each absolute
//! link, and each that leads above that folder, wherever it leads to. Only then this module follows the path itself,
//! part by part. Each part is opened in the open folder above it, without following links, so a part that is swapped for
//! a link meanwhile is either opened as what it was or read as a link. The text of a link that leaves its folder is
//! compared with the paths of the root and of the folders of `links`, and the rest of it is resolved below the folder
//! that was opened there. Nothing else is ever opened, not even on the way.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;

use super::link_folders::{LinkFolder, LinkTarget, OpenLinkFolder, absolute};
use super::open_folder::OpenFolder;
use super::system::TO_ENTER;
use super::{StoreError, path};

/// The largest number of links in a path, as in the kernel.
const MAX_LINKS: u32 = 40;

/// The largest number of folders between the top and a file, because each is open while a path is followed.
const MAX_DEPTH: usize = 64;

/// The limit of attempts to open a part that others swap all the time.
const MAX_ATTEMPTS: u32 = 16;

/// Opening a FIFO returns at once. A terminal does not become the controlling terminal.
const TO_READ: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// Something opened, and the folder of `links` that contains it; `None`: the root does.
pub(super) type Reached<T> = (T, Option<Arc<Path>>);

impl OpenFolder {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// `LeadsOut` for a link that leads elsewhere, and those of opening.
    pub(super) fn open_file(&self, path: &str) -> Result<Reached<File>, StoreError> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(TO_READ.bits().cast_signed());
        match self.dir.open_with(path, &options) {
            Ok(file) => Ok((file.into_std(), None)),
            Err(error) if is_escape(&error) => {
                let (mut walk, _) = Walk::through(self, path, Goal::File)?;
                let file = walk.opened.take().ok_or(StoreError::NotRegular("a folder"))?;
                Ok((File::from(file), walk.via()))
            }
            Err(error) => Err(StoreError::from_open(error)),
        }
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// As [`OpenFolder::open_file`].
    pub(super) fn open_dir(&self, path: &str) -> Result<Reached<Dir>, StoreError> {
        match self.dir.open_dir(path) {
            Ok(folder) => Ok((folder, None)),
            Err(error) if is_escape(&error) => {
                let (walk, _) = Walk::through(self, path, Goal::Folder)?;
                Ok((walk.folder()?, walk.via()))
            }
            Err(error) => Err(StoreError::from_open(error)),
        }
    }

    /// As [`OpenFolder::open_dir`], for an upload: in the root itself.
    ///
    /// # Errors
    /// As [`OpenFolder::open_dir`], and `Denied` for a folder of `links`.
    pub(super) fn open_dir_to_write(&self, path: &str) -> Result<Dir, StoreError> {
        match self.open_dir(path)? {
            (folder, None) => Ok(folder),
            (_, Some(_)) => Err(READ_ONLY),
        }
    }

    /// Whether there is anything under this path. The last part may be any link.
    pub(super) fn has(&self, path: &str) -> bool {
        self.kind(path).is_some()
    }

    /// Whether the last part of a path is a link.
    pub(super) fn is_link(&self, path: &str) -> bool {
        self.kind(path) == Some(FileType::Symlink)
    }

    fn kind(&self, path: &str) -> Option<FileType> {
        let (folder, name) = path::split(path);
        let (folder, _) = self.open_dir(folder).ok()?;
        let about = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileType::from_raw_mode(about.st_mode))
    }

    /// Returns where in the root an existing path leads to, without links.
    ///
    /// # Errors
    /// As [`OpenFolder::open_dir_to_write`].
    pub(super) fn real(&self, path: &str) -> Result<PathBuf, StoreError> {
        match self.dir.canonicalize(path) {
            Err(error) if is_escape(&error) => {
                let (walk, name) = Walk::through(self, path, Goal::Name)?;
                match walk.via() {
                    None => Ok(walk.way.iter().map(|(_, name)| name).chain(&name).collect()),
                    Some(_) => Err(READ_ONLY),
                }
            }
            real => real.map_err(StoreError::from_open),
        }
    }
}

const READ_ONLY: StoreError =
    StoreError::Denied("a link leads to a folder of the `links` of its root, and these take no uploads");

const RESTLESS: StoreError = StoreError::Denied("others replace a part of the path all the time");

/// Whether the kernel refused a path because it leads out. cap-std reports this without the number of an error.
fn is_escape(error: &io::Error) -> bool {
    error.raw_os_error().is_none() && error.kind() == io::ErrorKind::PermissionDenied
}

/// The last part of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Is entered.
    Folder,
    /// Is opened for reading, if it is no folder.
    File,
    /// Is named, once it is no link.
    Name,
}

/// A part of a path that is still to be followed.
enum Part {
    Name(OsString),
    /// The text of the link with this path ends here. It must have led into the root, or into a folder of `links`.
    EndOfLink(PathBuf),
}

/// A path that is being followed.
struct Walk<'a> {
    root: &'a OpenFolder,
    /// The folder of `links` that the path has led into.
    place: Option<OpenLinkFolder>,
    /// The folders below the root, or below that place, with their names.
    way: Vec<(OwnedFd, OsString)>,
    /// In reverse order.
    rest: Vec<Part>,
    links: u32,
    goal: Goal,
    /// With [`Goal::File`], the last part.
    opened: Option<OwnedFd>,
}

impl<'a> Walk<'a> {
    /// Follows a path. Returns also the name of its last part, unless that was entered.
    fn through(
        root: &'a OpenFolder,
        path: &str,
        goal: Goal,
    ) -> Result<(Walk<'a>, Option<OsString>), StoreError> {
        let (way, rest) = (Vec::new(), Vec::new());
        let mut walk = Walk { root, place: None, way, rest, links: 0, goal, opened: None };
        walk.push(Path::new(path));
        let name = walk.follow_all()?;
        Ok((walk, name))
    }

    /// The folder of `links` that the path has led into.
    fn via(&self) -> Option<Arc<Path>> {
        self.place.as_ref().map(|place| Arc::clone(&place.path))
    }

    /// The folder that the path has led to so far.
    fn folder(&self) -> Result<Dir, StoreError> {
        let folder = self.here().try_clone_to_owned().map_err(StoreError::from_io)?;
        Ok(Dir::from_std_file(File::from(folder)))
    }

    fn here(&self) -> BorrowedFd<'_> {
        let top = self.place.as_ref().map_or(&self.root.dir, |place| &place.dir);
        self.way.last().map_or(top.as_fd(), |(folder, _)| folder.as_fd())
    }

    fn push(&mut self, path: &Path) {
        let parts = path.components().rev().filter_map(|part| match part {
            Component::Normal(name) => Some(Part::Name(name.to_owned())),
            Component::ParentDir => Some(Part::Name("..".into())),
            _ => None,
        });
        self.rest.extend(parts);
    }

    fn follow_all(&mut self) -> Result<Option<OsString>, StoreError> {
        while let Some(part) = self.rest.pop() {
            let Part::Name(name) = part else { continue };
            if name == ".." {
                if self.way.pop().is_none() {
                    self.climb()?;
                }
            } else if self.goal != Goal::Folder && self.is_at_end() {
                if self.reach(&name)? {
                    return Ok(Some(name));
                }
            } else {
                self.enter(name)?;
            }
        }
        Ok(None)
    }

    fn is_at_end(&self) -> bool {
        self.rest.iter().all(|part| matches!(part, Part::EndOfLink(_)))
    }

    /// Enters a folder, or follows a link.
    fn enter(&mut self, name: OsString) -> Result<(), StoreError> {
        if self.way.len() >= MAX_DEPTH {
            return Err(StoreError::Denied("the path has too many folders to follow its links"));
        }
        for _ in 0..MAX_ATTEMPTS {
            let flags = TO_ENTER | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match openat(self.here(), &name, flags, Mode::empty()) {
                Ok(folder) => {
                    self.way.push((folder, name));
                    return Ok(());
                }
                // FreeBSD says `MLINK`.
                Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) => {}
                Err(errno) => return Err(StoreError::from_open(errno.into())),
            }
            match self.read_link(&name)? {
                Some(target) => return self.follow(&name, target),
                None if self.is_file(&name) => return Err(StoreError::NotFound),
                // A folder has taken the place of the link.
                None => {}
            }
        }
        Err(RESTLESS)
    }

    /// Reaches the last part; returns whether it was no link.
    fn reach(&mut self, name: &OsStr) -> Result<bool, StoreError> {
        for _ in 0..MAX_ATTEMPTS {
            if self.goal == Goal::File {
                let flags = OFlags::RDONLY | TO_READ | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                match openat(self.here(), name, flags, Mode::empty()) {
                    Ok(file) => {
                        self.opened = Some(file);
                        return Ok(true);
                    }
                    Err(Errno::LOOP | Errno::MLINK) => {}
                    Err(errno) => return Err(StoreError::from_open(errno.into())),
                }
            }
            match self.read_link(name)? {
                Some(target) => return self.follow(name, target).map(|()| false),
                None if self.goal == Goal::Name => return Ok(true),
                // A file has taken the place of the link.
                None => {}
            }
        }
        Err(RESTLESS)
    }

    fn is_file(&self, name: &OsStr) -> bool {
        let about = statat(self.here(), name, AtFlags::SYMLINK_NOFOLLOW);
        let kind = about.map(|about| FileType::from_raw_mode(about.st_mode));
        kind.is_ok_and(|kind| !matches!(kind, FileType::Directory | FileType::Symlink))
    }

    /// Returns the text of a link; `None` for anything else.
    fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, StoreError> {
        match readlinkat(self.here(), name, Vec::new()) {
            Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
            Err(Errno::INVAL) => Ok(None),
            Err(errno) => Err(StoreError::from_open(errno.into())),
        }
    }

    fn follow(&mut self, name: &OsStr, target: PathBuf) -> Result<(), StoreError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(StoreError::Denied("too many symbolic links"));
        }
        let mut path: PathBuf = self.place.iter().map(|place| &*place.path).collect();
        path.extend(self.way.iter().map(|(_, name)| name));
        path.push(name);
        self.rest.push(Part::EndOfLink(path));
        self.push(&target);
        if target.is_absolute() { self.jump(Vec::new()) } else { Ok(()) }
    }

    /// Goes above the top.
    fn climb(&mut self) -> Result<(), StoreError> {
        let top = match &self.place {
            Some(place) => place.real.as_deref().unwrap_or(&place.path),
            None => self.root.real_path(),
        };
        let names = top.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        });
        let mut above: Vec<OsString> = names.collect();
        above.pop();
        self.jump(above)
    }

    /// Goes on in the folder that the rest of a link leads into, from these folders below `/` on. Its text decides, and
    /// nothing on the way there is opened.
    fn jump(&mut self, mut at: Vec<OsString>) -> Result<(), StoreError> {
        // These are folders; whatever the text names might be a link.
        let mut known = at.len();
        let (mut best, mut taken, mut is_certain) = (None, 0, true);
        loop {
            if is_certain && let Some(target) = self.root.target(&absolute(&at)) {
                best = Some((target, taken));
            }
            match self.rest.iter().nth_back(taken) {
                Some(Part::Name(name)) if name == ".." => {
                    // Inside of a folder, the folder itself knows what is above.
                    is_certain &= best.is_none() && at.len() <= known;
                    at.pop();
                    known = known.min(at.len());
                }
                Some(Part::Name(name)) => at.push(name.clone()),
                Some(Part::EndOfLink(_)) | None => break,
            }
            taken += 1;
        }
        let Some((target, taken)) = best else { return Err(self.leads_out(&at)) };
        self.place = match target {
            LinkTarget::Root => None,
            LinkTarget::Link(folder) => Some(folder.open().ok_or_else(|| self.is_closed(folder))?),
        };
        self.way.clear();
        self.rest.truncate(self.rest.len() - taken);
        Ok(())
    }

    /// The path of the link that is being followed.
    fn link(&self) -> String {
        let link = self.rest.iter().rev().find_map(|part| match part {
            Part::EndOfLink(path) => Some(path.display().to_string()),
            Part::Name(_) => None,
        });
        // No other part leads above the top.
        link.unwrap_or_default()
    }

    fn leads_out(&self, at: &[OsString]) -> StoreError {
        let target = absolute(at);
        let is_name = |part: &&Part| matches!(part, Part::Name(_));
        let is_folder = self.goal == Goal::Folder
            || self.rest.iter().rev().skip_while(is_name).any(|part| is_name(&part));
        let folder = if is_folder { &target } else { target.parent().unwrap_or(&target) };
        StoreError::LeadsOut {
            link: self.link(),
            folder: folder.display().to_string(),
            target: target.display().to_string(),
        }
    }

    fn is_closed(&self, folder: &LinkFolder) -> StoreError {
        let (folder, why) = (folder.path().display().to_string(), folder.why_closed());
        StoreError::LinkFolder { link: self.link(), folder, why }
    }
}
