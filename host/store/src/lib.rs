//! The files of the server: roots, confined so that no name leads out of them.
//!
//! Each root is a folder opened once; the kernel resolves every later path relative to that open folder and
//! does not let it leave, whatever `..`, symbolic links or renames it meets (`openat2` with `RESOLVE_BENEATH`
//! through cap-std, and cap-std's own walk on kernels without it). Symbolic links that stay inside a root
//! work. Hard links and bind mounts are the operator's decision.
//!
//! Everything here but [`OpenFile::read_now`] may wait for a disk and belongs on a thread of that [`Disk`].

mod absence;
mod any_case;
mod attributes;
mod cache;
mod checked;
mod disk;
mod error;
mod facts;
mod links;
mod listing;
mod memory;
mod open_file;
mod path;
mod remote;
mod remote_file;
mod remote_root;
mod replaced;
mod replaced_root;
mod spelling;
mod sweep;
#[cfg(test)]
mod sweep_tests;
mod temporary;
#[cfg(test)]
mod tests;
mod upload;
mod upload_elsewhere;
mod uploads;
mod write_rules;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use parking_lot::RwLock;
use thiserror::Error;
use tuffet_request::{Case, ClientKey, RootSpec};

pub use absence::{Absence, Sought};
pub use any_case::Stored;
pub use cache::{FileCache, Growth, MemoryBytes};
pub use disk::{Disk, DiskState, Disks, Entered, Hung, Lane, Pool, Room, Undone};
pub use error::StoreError;
use listing::Listings;
pub use open_file::{Ahead, Identity, OpenFile};
pub use remote::{Arrival, ContentId, Origin, Reach, RemoteFile, RemoteMeta, Waited};
pub use remote_root::Origins;
use remote_root::Place;
pub use sweep::Swept;
pub use upload::{Sealed, Upload, UploadContent};
pub use uploads::{Uploads, Writing};
use write_rules::WriteRules;

/// How long a free name is looked for: each one asks the origin, and other uploads of the root wait meanwhile.
const FREE_NAME_TIME: Duration = Duration::from_secs(10);

/// The configured roots, in the order in which they are searched. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Roots {
    roots: Arc<[Root]>,
}

#[derive(Debug)]
struct Root {
    name: Arc<str>,
    /// Prefixes of requested names, without their leading slash.
    also_at: Vec<Arc<str>>,
    writable: bool,
    private: bool,
    world_readable: bool,
    /// If the letters of names need not agree in case.
    listings: Option<Listings>,
    max_upload: u64,
    rules: WriteRules,
    path: PathBuf,
    /// Whether to serve a folder that takes its place.
    follow: bool,
    /// `None` where it did not answer when it was to be opened, until it does; and where the files live elsewhere.
    folder: RwLock<Option<Arc<Dir>>>,
    /// Where the files live, if not in a folder.
    elsewhere: Option<Place>,
    disk: Arc<Disk>,
    checked: checked::Checked,
}

/// A root that cannot be opened.
#[derive(Debug, Error)]
#[error("root `{name}`: the folder {} cannot be opened: {source}; create it, correct its path, or allow this user to enter it", path.display())]
pub struct RootError {
    /// The name of the root.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

impl Roots {
    /// Opens the folders of all roots.
    ///
    /// # Errors
    /// The first root whose folder is missing, is not a folder, or cannot be entered.
    pub fn open(specs: &[RootSpec]) -> Result<Self, RootError> {
        Self::open_on(specs, &Disks::default())
    }

    /// As [`Roots::open`], with the existing disks of the server.
    ///
    /// # Errors
    /// As [`Roots::open`].
    pub fn open_on(specs: &[RootSpec], disks: &Disks) -> Result<Self, RootError> {
        Self::open_without(specs, disks, &[], None, &Origins::new())
    }

    /// As [`Roots::open_on`], but waits for none of the roots that are named in `silent`, whose folders do not answer.
    /// Such a root keeps its folder of `before`, or has none until [`Roots::look_for_replaced`] gets an answer.
    /// `origins` are those of the roots that live elsewhere.
    ///
    /// # Errors
    /// As there.
    pub fn open_without(
        specs: &[RootSpec],
        disks: &Disks,
        silent: &[String],
        before: Option<&Roots>,
        origins: &Origins,
    ) -> Result<Self, RootError> {
        let open = |spec: &RootSpec| match &spec.elsewhere {
            Some(url) => Ok(Root::elsewhere(spec, url, disks, origins)),
            None if silent.contains(&spec.name) => Ok(Root::unopened(spec, disks, before)),
            None => Root::open(spec, disks),
        };
        let roots = specs.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { roots })
    }

    /// Opens a regular file for reading, in the named root or, without a name, in the first root that is not
    /// private and has the path.
    ///
    /// Never hangs on a FIFO or a device: only regular files are read.
    ///
    /// # Errors
    /// [`StoreError`]; `NotFound` if no root has the path.
    pub fn open_read(&self, root: Option<&str>, path: &str) -> Result<OpenFile, StoreError> {
        let path = path::checked(path)?;
        if let Some(name) = root {
            let root = self.named(name)?;
            return root.open_read(path);
        }
        let mut absent = StoreError::NotFound;
        for root in self.roots.iter().filter(|root| !root.private) {
            match root.open_read(path) {
                Err(StoreError::NotFound) => {}
                Err(error) if error.is_about_names() => absent = error,
                decided => return decided,
            }
        }
        Err(absent)
    }

    /// As [`Roots::open_read`] of the named root, for a client. `None` if that is beyond the `reach`, which is for roots
    /// whose files live elsewhere.
    ///
    /// # Errors
    /// As there.
    pub fn open_within(
        &self,
        root: &str,
        path: &str,
        client: ClientKey,
        reach: Reach,
    ) -> Result<Option<OpenFile>, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        match &root.elsewhere {
            Some(place) => place.open_read(&root.disk, path, client, reach),
            None => root.open_read(path).map(Some),
        }
    }

    /// Begins an upload into the named root or, without a name, into the first that is writable.
    ///
    /// Nothing is visible under `path` before [`Upload::commit`]. Its folder must exist.
    ///
    /// # Errors
    /// [`StoreError`]; `Exists` if the path is taken and the root does not overwrite, `Protected` if it does
    /// but this user may not write the existing file.
    pub fn create(&self, root: Option<&str>, path: &str) -> Result<Upload, StoreError> {
        let path = path::checked(path)?;
        let root = match root {
            Some(name) => self.named(name)?,
            None => self.named(self.of_uploads(None, |_| true)?)?,
        };
        if !root.writable {
            return Err(StoreError::ReadOnly);
        }
        root.require_stored(path)?;
        Upload::create(root, path)
    }

    /// Says what [`Roots::create`] would, and creates nothing. Returns the largest size of the upload, in bytes.
    ///
    /// # Errors
    /// As [`Roots::create`], and `Forbidden` where this user may not write to the folder.
    pub fn judge(&self, root: &str, path: &str) -> Result<u64, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        if !root.writable {
            return Err(StoreError::ReadOnly);
        }
        root.require_stored(path)?;
        Upload::judge(root, path)
    }

    /// Returns the root for uploads, unless policy names one; for names that began with a prefix, of the roots with
    /// this prefix.
    ///
    /// # Errors
    /// `ReadOnly` if no root accepts uploads.
    pub fn of_uploads(
        &self,
        prefix: Option<&str>,
        serves: impl Fn(&str) -> bool,
    ) -> Result<&str, StoreError> {
        let root = self.reachable(prefix).find(|root| root.writable && serves(&root.name));
        root.map(|root| &*root.name).ok_or(StoreError::ReadOnly)
    }

    /// Lets an upload become visible at another path of its root.
    ///
    /// # Errors
    /// As [`Roots::create`].
    pub fn redirect(&self, upload: &mut Upload, path: &str) -> Result<(), StoreError> {
        let path = path::checked(path)?;
        let root = self.named(upload.root())?;
        root.require_stored(path)?;
        upload.redirect(root, path)
    }

    /// Makes an upload visible at another path of its root, or, where there is a file already, under the first free one
    /// of the names `PATH.1` to `PATH.999`. Returns the path that it got.
    ///
    /// # Errors
    /// `Exists` if all of them are taken; as [`Roots::redirect`] and [`Upload::commit`].
    pub fn commit_as_free(&self, mut upload: Upload, path: &str) -> Result<String, StoreError> {
        upload.keep_existing();
        let until = Instant::now() + FREE_NAME_TIME;
        for number in 0..1000 {
            if Instant::now() > until {
                let why = format!("no free name for {path} was found within {} s", FREE_NAME_TIME.as_secs());
                return Err(StoreError::Io(io::Error::other(why)));
            }
            let name = if number == 0 { path.to_owned() } else { format!("{path}.{number}") };
            let done = self.redirect(&mut upload, &name).and_then(|()| upload.put_in_place());
            match done {
                // Now, or a moment ago.
                Err(StoreError::Exists) => {}
                done => return done.map(|()| name),
            }
        }
        Err(StoreError::Exists)
    }

    /// The roots whose files clients can request without policy, in search order; for names that began with a prefix,
    /// the roots with this prefix.
    pub fn public(&self, prefix: Option<&str>) -> impl Iterator<Item = &Arc<str>> {
        self.reachable(prefix).map(|root| &root.name)
    }

    fn reachable(&self, prefix: Option<&str>) -> impl Iterator<Item = &Root> {
        let has =
            move |root: &Root| prefix.is_none_or(|prefix| root.also_at.iter().any(|its| **its == *prefix));
        self.roots.iter().filter(move |root| !root.private && has(root))
    }

    /// Splits a normalised path after the longest prefix under which roots may be named; `None` if there is none.
    pub fn below<'a>(&self, path: &'a str) -> Option<(Arc<str>, &'a str)> {
        let prefixes = self.roots.iter().filter(|root| !root.private).flat_map(|root| &root.also_at);
        let below = prefixes.filter_map(|prefix| {
            let rest = path.strip_prefix(&**prefix)?.strip_prefix('/')?;
            Some((Arc::clone(prefix), rest))
        });
        below.max_by_key(|(prefix, _)| prefix.len())
    }

    /// Returns the disk of a root.
    pub fn disk(&self, root: &str) -> Option<&Arc<Disk>> {
        self.named(root).ok().map(|root| &root.disk)
    }

    /// Returns whether the root of this name is for plugins only.
    pub fn is_private(&self, root: &str) -> bool {
        self.named(root).is_ok_and(|root| root.private)
    }

    fn named(&self, name: &str) -> Result<&Root, StoreError> {
        let found = self.roots.iter().find(|root| &*root.name == name);
        found.ok_or_else(|| StoreError::UnknownRoot(name.to_owned()))
    }
}

impl Root {
    fn open(spec: &RootSpec, disks: &Disks) -> Result<Self, RootError> {
        let folder = replaced_root::open_folder(&spec.name, &spec.path)?;
        let root = Self::with(spec, Some(Arc::new(folder)), disks);
        root.disk.set_open(true);
        Ok(root)
    }

    /// A root whose folder does not answer now.
    fn unopened(spec: &RootSpec, disks: &Disks, before: Option<&Roots>) -> Self {
        let same = |root: &&Root| *root.name == *spec.name && root.path == spec.path;
        let folder = before.and_then(|before| before.roots.iter().find(same)).and_then(Root::served);
        let root = Self::with(spec, folder, disks);
        root.disk.set_open(root.served().is_some());
        root
    }

    fn open_read(&self, path: &str) -> Result<OpenFile, StoreError> {
        if let Some(place) = &self.elsewhere {
            let opened = place.open_read(&self.disk, path, ClientKey::SERVER, Reach::Origin)?;
            return opened.ok_or(StoreError::NotFound);
        }
        let file = OpenFile::open(&*self.folder()?, &self.disk, &self.checked, path);
        let file = file.map_err(|error| self.absent(path, error))?;
        if self.world_readable {
            file.require_world_readable()?;
        }
        Ok(file)
    }

    fn with(spec: &RootSpec, folder: Option<Arc<Dir>>, disks: &Disks) -> Self {
        Self {
            name: spec.name.as_str().into(),
            also_at: spec.also_at.iter().map(|prefix| prefix.as_str().into()).collect(),
            writable: spec.writable,
            private: spec.private,
            world_readable: spec.world_readable,
            listings: (spec.case == Case::Insensitive).then(Listings::default),
            max_upload: spec.max_upload,
            rules: WriteRules::of(spec),
            path: spec.path.clone(),
            follow: spec.follow,
            folder: RwLock::new(folder),
            elsewhere: None,
            disk: disks.of(spec),
            checked: Default::default(),
        }
    }
}
