//! The import `files`.

use std::io::{self, IoSliceMut};

use tokio::task::spawn_blocking;

use super::{Access, MAX_READ, not_granted};
use crate::policy::bindings::tuffet::policy::files::{Error, Host, Metadata};
use crate::policy::sandbox::Sandbox;
use crate::store::{OpenFile, StoreError};

/// Bytes of a path (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;

impl Host for Sandbox {
    async fn stat(&mut self, root: String, path: String) -> Result<Option<Metadata>, Error> {
        self.may_read(&root, &path)?;
        if let Some(staged) = self.access.clone().staged("stat", &root, &path).await? {
            return Ok(staged.map(|file| Metadata { bytes: file.len() as u64, modified_unix_ms: 0 }));
        }
        let roots = self.access.roots.clone();
        blocking(move || match roots.open_read(Some(&root), &path) {
            Ok(file) => Ok(Some(Metadata { bytes: file.size(), modified_unix_ms: file.modified_unix_ms() })),
            Err(error) => absent(&error),
        })
        .await
    }

    async fn read(&mut self, root: String, path: String, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        self.may_read(&root, &path)?;
        let most = limit.min(MAX_READ.saturating_sub(self.taken.read));
        let content = match self.access.clone().staged("read", &root, &path).await? {
            Some(Some(file)) if file.len() as u64 > most => return Err(Error::TooLarge(file.len() as u64)),
            Some(staged) => staged,
            None => self.access.clone().whole(root, path, most).await?,
        };
        self.taken.read += content.as_ref().map_or(0, |content| content.len() as u64);
        Ok(content)
    }
}

impl Access {
    /// The file as the stage of a trial has it; `None` where the roots are to be looked at.
    async fn staged(&self, call: &str, root: &str, path: &str) -> Result<Option<Option<Vec<u8>>>, Error> {
        let Some(stage) = &self.stage else { return Ok(None) };
        let known = stage.file(call, root, path).map_err(Error::Unavailable)?;
        if known.is_some() || !stage.records() {
            return Ok(known);
        }
        match self.whole(root.to_owned(), path.to_owned(), MAX_READ).await {
            Ok(file) => {
                stage.learn_file(root, path, file.clone());
                Ok(Some(file))
            }
            Err(error) => {
                stage.not_learned(call, root, path);
                Err(error)
            }
        }
    }

    /// The file as the roots have it, if it has at most so many bytes.
    async fn whole(&self, root: String, path: String, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let roots = self.roots.clone();
        blocking(move || match roots.open_read(Some(&root), &path) {
            Ok(file) if file.size() > most => Err(Error::TooLarge(file.size())),
            Ok(file) => content(&file).map(Some).map_err(|error| Error::Unavailable(error.to_string())),
            Err(error) => absent(&error),
        })
        .await
    }
}

impl Sandbox {
    fn may_read(&mut self, root: &str, path: &str) -> Result<(), Error> {
        if !self.access.files.iter().any(|granted| granted == root) {
            let root: String = root.chars().take(64).collect();
            return Err(Error::Denied(not_granted(format_args!("files/{root}"))));
        }
        self.taken.operation().map_err(Error::Invalid)?;
        if path.len() > MAX_PATH {
            let message = format!("the path has {} bytes: {MAX_PATH} are allowed", path.len());
            return Err(Error::Invalid(message));
        }
        Ok(())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(work).await.unwrap_or_else(|panicked| Err(Error::Unavailable(panicked.to_string())))
}

/// The file as it was opened; one that shrinks meanwhile ends early.
fn content(file: &OpenFile) -> io::Result<Vec<u8>> {
    let mut content = vec![0; usize::try_from(file.size()).unwrap_or(0)];
    let mut filled = 0;
    while filled < content.len() {
        match file.read_at(filled as u64, &mut [IoSliceMut::new(&mut content[filled..])])? {
            0 => break,
            read => filled += read,
        }
    }
    content.truncate(filled);
    Ok(content)
}

fn absent<T>(error: &StoreError) -> Result<Option<T>, Error> {
    match error {
        StoreError::NotFound => Ok(None),
        StoreError::Denied(_) | StoreError::Forbidden(_) | StoreError::NotRegular(_) => {
            Err(Error::Denied(error.to_string()))
        }
        error => Err(Error::Unavailable(error.to_string())),
    }
}
