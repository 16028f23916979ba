//! Begins uploads into roots, and makes them visible.

use std::io;
use std::time::{Duration, Instant};

use super::roots::{Root, Roots};
use super::upload_in_folder::InFolder;
use super::{Destination, Right, Sink, StoreError, Upload, path, version_names};

/// The time limit of the search for a free name. Each attempt may ask the origin, and other uploads to the root wait.
const FREE_NAME_TIME: Duration = Duration::from_secs(10);

impl Roots {
    /// Begins an upload into the named root or, without a name, into the first writable root.
    ///
    /// Nothing is visible under `path` before [`Upload::commit`]. Its folder must exist, unless the root lets uploads make
    /// folders; the commit makes them.
    ///
    /// # Errors
    /// [`StoreError`]; `Exists` if the path is taken and the root does not overwrite, `Protected` if it does
    /// but this user may not write the existing file, `Quota` if the root is full, `Uncounted` if that is not known yet.
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
        let created = Upload::create(root, path).map_err(|error| root.obstructed(path, error));
        if let Err(StoreError::Quota { .. } | StoreError::Uncounted) = created {
            self.count_in_background(&root.name);
        }
        created
    }

    /// Requires room in the quota of a root, and of the folder of this path, for another file of this size, in bytes, as
    /// its client announces.
    ///
    /// # Errors
    /// `Quota`, and those of [`Roots::create`].
    pub fn require_quota(&self, root: &str, path: &str, announced: u64) -> Result<(), StoreError> {
        let root = self.named(root)?;
        if !root.rules.write.quota.is_set() {
            return Ok(());
        }
        let required = InFolder::require_quota(root, path::checked(path)?, announced);
        if let Err(StoreError::Quota { .. }) = required {
            self.count_in_background(&root.name);
        }
        required
    }

    /// Returns a path in a root of the program as the program gets it: without empty parts, `.` and `..`.
    ///
    /// # Errors
    /// `Denied` if it leads out of the root, or is reserved.
    pub fn path_for_program(path: &str) -> Result<String, StoreError> {
        path::plain(path)
    }

    /// Checks an upload into a root of the program before that root is asked. Returns the size limit in bytes.
    ///
    /// # Errors
    /// `ReadOnly` if the root takes no uploads.
    pub fn judge_supplied(&self, root: &str) -> Result<u64, StoreError> {
        let root = self.named(root)?;
        if root.writable { Ok(root.max_upload) } else { Err(StoreError::ReadOnly) }
    }

    /// Begins an upload that the program takes, into a root of the program.
    ///
    /// # Errors
    /// As [`Roots::judge_supplied`].
    pub fn create_supplied(&self, root: &str, path: &str, sink: Box<dyn Sink>) -> Result<Upload, StoreError> {
        self.judge_supplied(root)?;
        Ok(Upload::supplied(self.named(root)?, path, sink))
    }

    /// Checks an upload as [`Roots::create`] does, without creating a file. Returns the size limit of the upload, in
    /// bytes.
    ///
    /// # Errors
    /// As [`Roots::create`], and `Forbidden` if this user may not write to the folder.
    pub fn judge(&self, root: &str, path: &str) -> Result<u64, StoreError> {
        let (path, root) = (path::checked(path)?, self.named(root)?);
        if !root.writable {
            return Err(StoreError::ReadOnly);
        }
        root.require_stored(path)?;
        Upload::judge(root, path).map_err(|error| root.obstructed(path, error))
    }

    /// Returns the path of the file that this path is an earlier version of, by its name, in a root that keeps versions.
    pub fn file_of_version<'a>(&self, root: &str, path: &'a str) -> Option<&'a str> {
        self.named(root).ok()?.rules.write.versions?;
        let (_, name) = path::split(path);
        let of = version_names::file_of(name)?;
        Some(&path[..path.len() - (name.len() - of.len())])
    }

    /// Changes the path of an upload within its root.
    ///
    /// # Errors
    /// As [`Roots::create`].
    pub fn redirect(&self, upload: &mut Upload, path: &str) -> Result<(), StoreError> {
        let path = path::checked(path)?;
        let root = self.named(upload.root())?;
        root.require_stored(path)?;
        upload.redirect(root, path)
    }

    /// Commits an upload to the first of these names of its root that is free. Returns the path used.
    ///
    /// # Errors
    /// `Exists` if all of them are taken; as [`Roots::redirect`] and [`Upload::commit`].
    pub fn commit_as_free(&self, mut upload: Upload, to: &Destination) -> Result<String, StoreError> {
        upload.keep_existing();
        let until = Instant::now() + FREE_NAME_TIME;
        for name in to.names() {
            if Instant::now() > until {
                let why =
                    format!("no free name for {} was found within {} s", to.path, FREE_NAME_TIME.as_secs());
                return Err(StoreError::Io(io::Error::other(why)));
            }
            let done = self.redirect(&mut upload, &name).and_then(|()| upload.put_in_place());
            match done {
                // The name was taken when the upload began, or has been taken since.
                Err(StoreError::Exists) => {}
                done => return done.map(|()| upload.path().to_owned()),
            }
        }
        Err(StoreError::Exists)
    }
}

impl Root {
    /// Adds to an error of permissions what keeps this process from creating files in the folder of this path.
    fn obstructed(&self, path: &str, error: StoreError) -> StoreError {
        let (folder, _) = path::split(path);
        error.with_obstacle(&self.path.join(folder), &[Right::Enter, Right::Write])
    }
}
