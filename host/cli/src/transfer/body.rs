//! The body of an upload by HTTP: a file, or standard input.

use super::{PIECE, show};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use indicatif::ProgressBar;
use parking_lot::Mutex;
use std::fs;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Instant;

type Input = Pin<Box<dyn AsyncRead + Send + Sync>>;

/// A body that is read while it is sent.
pub(super) struct FileBody {
    input: Input,
    /// Bytes that are not sent yet, if the input is a file. One that grows meanwhile is sent as it was.
    left: Option<u64>,
    progress: Arc<Mutex<Progress>>,
    bar: ProgressBar,
}

/// How far a body is.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Bytes that the connection has taken.
    pub bytes: u64,
    /// Since when the server has been silent; `None` while the input is waited for.
    pub silent_since: Option<Instant>,
    /// Whether these are all.
    pub is_complete: bool,
    /// Why the input failed.
    pub error: Option<io::Error>,
}

impl FileBody {
    /// Opens the input; `-` is standard input. What is no file, such as a pipe, is read to its end.
    pub fn open(input: &Path, bar: &ProgressBar) -> io::Result<FileBody> {
        let (input, size): (Input, _) = if input == Path::new("-") {
            (Box::pin(tokio::io::stdin()), None)
        } else {
            let file = fs::File::open(input)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            (Box::pin(tokio::fs::File::from_std(file)), metadata.is_file().then_some(metadata.len()))
        };
        show(bar, 0, size);
        let progress = Progress { is_complete: size == Some(0), ..Progress::default() };
        Ok(FileBody { input, left: size, progress: Arc::new(Mutex::new(progress)), bar: bar.clone() })
    }

    pub fn progress(&self) -> Arc<Mutex<Progress>> {
        Arc::clone(&self.progress)
    }
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let most =
            self.left.map_or(PIECE, |left| usize::try_from(left).map_or(PIECE, |left| left.min(PIECE)));
        if most == 0 {
            return Poll::Ready(None);
        }
        let mut piece = vec![0; most];
        let mut buffer = ReadBuf::new(&mut piece);
        let read = self.input.as_mut().poll_read(context, &mut buffer);
        let length = buffer.filled().len();
        let left = self.left.map(|left| left - length as u64);
        let mut progress = self.progress.lock();
        progress.silent_since = read.is_ready().then(Instant::now);
        let error = match read {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(())) if length > 0 => {
                progress.bytes += length as u64;
                progress.is_complete = left == Some(0);
                self.bar.set_position(progress.bytes);
                drop(progress);
                piece.truncate(length);
                self.left = left;
                return Poll::Ready(Some(Ok(Frame::data(piece.into()))));
            }
            Poll::Ready(Ok(())) if left.is_none() => {
                progress.is_complete = true;
                return Poll::Ready(None);
            }
            Poll::Ready(Ok(())) => io::Error::other("it has become shorter while it was sent"),
            Poll::Ready(Err(error)) => error,
        };
        let kind = error.kind();
        progress.error = Some(error);
        Poll::Ready(Some(Err(kind.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
