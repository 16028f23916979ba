//! The import `files`.

use std::io::{self, IoSliceMut};

use tokio::task::spawn_blocking;

use super::{MAX_READ, not_granted};
use crate::policy::bindings::tuffet::policy::files::{Error, Host, Metadata};
use crate::policy::sandbox::Sandbox;
use crate::store::{OpenFile, StoreError};

/// Bytes of a path (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;

impl Host for Sandbox {
    async fn stat(&mut self, root: String, path: String) -> Result<Option<Metadata>, Error> {
        self.may_read(&root, &path)?;
        if let Some(staged) = self.staged("stat", &root, &path)? {
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
        if let Some(staged) = self.staged("read", &root, &path)? {
            let content = match staged {
                Some(file) if file.len() as u64 > most => return Err(Error::TooLarge(file.len() as u64)),
                staged => staged.map(<[u8]>::to_vec),
            };
            self.taken.read += content.as_ref().map_or(0, |content| content.len() as u64);
            return Ok(content);
        }
        let roots = self.access.roots.clone();
        let content = blocking(move || match roots.open_read(Some(&root), &path) {
            Ok(file) if file.size() > most => Err(Error::TooLarge(file.size())),
            Ok(file) => content(&file).map(Some).map_err(|error| Error::Unavailable(error.to_string())),
            Err(error) => absent(&error),
        })
        .await?;
        self.taken.read += content.as_ref().map_or(0, |content| content.len() as u64);
        Ok(content)
    }
}

impl Sandbox {
    /// The file as the stage of a trial has it; `None` where the roots are to be looked at.
    fn staged(&self, call: &str, root: &str, path: &str) -> Result<Option<Option<&[u8]>>, Error> {
        match &self.access.stage {
            Some(stage) => stage.file(call, root, path).map_err(Error::Unavailable),
            None => Ok(None),
        }
    }

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
