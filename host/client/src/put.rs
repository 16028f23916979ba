//! An upload.

use crate::driver::{Local, Shared, Source, run};
use crate::error::ClientError;
use crate::options::Options;
use crate::report::{Listener, Progress, Report};
use crate::url::Url;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::fs::File;
use tokio::io::AsyncRead;

/// An upload: see [`Client::put`](crate::Client::put). The last method says where the bytes come from, and runs it.
#[must_use = "it runs with `bytes`, `file` or `reader`"]
pub struct Put<'a> {
    shared: Arc<Shared>,
    url: Result<Url, ClientError>,
    progress: Option<Listener<'a>>,
}

impl<'a> Put<'a> {
    pub(crate) fn new(shared: Arc<Shared>, url: Result<Url, ClientError>) -> Self {
        Put { shared, url, progress: None }
    }

    /// Calls a function as bytes are acknowledged.
    pub fn progress(self, progress: impl FnMut(Progress) + Send + 'a) -> Self {
        Put { progress: Some(Box::new(progress)), ..self }
    }

    /// Sends this content.
    ///
    /// # Errors
    /// The transfer failed.
    pub async fn bytes(self, content: impl AsRef<[u8]>) -> Result<Report, ClientError> {
        let mut content = content.as_ref();
        let size = content.len() as u64;
        self.reader(&mut content, Some(size)).await
    }

    /// Sends a file. Its size is announced, unless it is a device or FIFO.
    ///
    /// # Errors
    /// The transfer failed, or the file cannot be read.
    pub async fn file(self, path: impl AsRef<Path>) -> Result<Report, ClientError> {
        let path: PathBuf = path.as_ref().to_owned();
        let opened = async {
            let file = File::open(&path).await?;
            let facts = file.metadata().await?;
            Ok::<_, io::Error>((file, facts))
        };
        let (mut file, facts) =
            opened.await.map_err(|error| ClientError::File { path: path.clone(), error })?;
        let size = facts.is_file().then_some(facts.len());
        let ended = self.reader(&mut file, size).await;
        ended.map_err(|error| match error {
            ClientError::Local(error) => ClientError::File { path, error: changed(error) },
            error => error,
        })
    }

    /// Sends what a reader has, in the mode octet at most `size` bytes. The size is announced; `None` if it is not known
    /// before.
    ///
    /// # Errors
    /// The transfer failed, the reader failed, or it had fewer bytes than its size.
    pub async fn reader<R: AsyncRead + Send + Unpin>(
        self,
        reader: &mut R,
        size: Option<u64>,
    ) -> Result<Report, ClientError> {
        let url = self.url?;
        let options = Options { mode: url.mode, ..self.shared.options.clone() };
        let mut local = Local::Put(Source { reader, size });
        run(&self.shared, &url, &options, &mut local, self.progress).await
    }
}

fn changed(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => {
            io::Error::new(ErrorKind::UnexpectedEof, "the file shrank while it was read")
        }
        _ => error,
    }
}

impl fmt::Debug for Put<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Put").field("url", &self.url).finish_non_exhaustive()
    }
}
