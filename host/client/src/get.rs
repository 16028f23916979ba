//! A download.

use crate::destination::{Destination, Target};
use crate::driver::{Local, Shared, run};
use crate::error::ClientError;
use crate::options::Options;
use crate::report::{Listener, Progress, Report};
use crate::url::Url;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio::io::AsyncWrite;

/// A download: see [`Client::get`](crate::Client::get). The last method says where the bytes go, and runs it.
#[must_use = "it runs with `bytes`, `file` or `writer`"]
pub struct Get<'a> {
    shared: Arc<Shared>,
    url: Result<Url, ClientError>,
    progress: Option<Listener<'a>>,
}

impl<'a> Get<'a> {
    pub(crate) fn new(shared: Arc<Shared>, url: Result<Url, ClientError>) -> Self {
        Get { shared, url, progress: None }
    }

    /// Calls a function as bytes arrive.
    pub fn progress(self, progress: impl FnMut(Progress) + Send + 'a) -> Self {
        Get { progress: Some(Box::new(progress)), ..self }
    }

    /// Returns the content of the file, at most `limit` bytes.
    ///
    /// # Errors
    /// The transfer failed, or the file is larger.
    pub async fn bytes(self, limit: u64) -> Result<Vec<u8>, ClientError> {
        let most = self.shared.options.limit.map_or(limit, |most| most.min(limit));
        let mut local = Local::Get(Destination::Bytes(Vec::new()));
        self.run(&mut local, Some(most)).await?;
        match local {
            Local::Get(Destination::Bytes(content)) => Ok(content),
            _ => Ok(Vec::new()),
        }
    }

    /// Writes a file, which appears under its name when it is complete, and replaces an existing one. A device or FIFO is
    /// written in place.
    ///
    /// # Errors
    /// The transfer failed, or the file cannot be written. An existing one is as it was.
    pub async fn file(self, path: impl AsRef<Path>) -> Result<Report, ClientError> {
        let target = Target::create(path.as_ref().to_owned()).await?;
        let limit = self.shared.options.limit;
        self.run(&mut Local::Get(Destination::File(target)), limit).await
    }

    /// Writes the bytes to a writer in their order, and flushes it. Blocks are written one by one: put a
    /// [`BufWriter`](tokio::io::BufWriter) in front of a writer with costly calls. While it is slow, the server waits.
    ///
    /// # Errors
    /// The transfer failed, perhaps after a part of the file was written; or the writer failed.
    pub async fn writer<W: AsyncWrite + Send + Unpin>(self, writer: &mut W) -> Result<Report, ClientError> {
        let limit = self.shared.options.limit;
        self.run(&mut Local::Get(Destination::Writer { writer, spool: None }), limit).await
    }

    async fn run(self, local: &mut Local<'_>, limit: Option<u64>) -> Result<Report, ClientError> {
        let url = self.url?;
        let options = Options { mode: url.mode, limit, ..self.shared.options.clone() };
        run(&self.shared, &url, &options, local, self.progress).await
    }
}

impl fmt::Debug for Get<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Get").field("url", &self.url).finish_non_exhaustive()
    }
}
