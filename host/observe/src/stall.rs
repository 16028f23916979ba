//! Closes connections of clients that stop reading.
//!
//! The buffers of both kernels take the events of a quiet server for a quarter of an hour, so a write that succeeds
//! does not show that anybody reads; [`ReadProgress`] does.

use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};
use tuffet_udp::ReadProgress;

/// A stream that fails if for `patience` nothing can be written, or its peer has read nothing of what was written.
pub struct StallGuard<S> {
    inner: S,
    patience: Duration,
    progress: ReadProgress,
    /// Runs while the client accepts nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> StallGuard<S> {
    /// Guards this stream.
    pub fn new(inner: S, patience: Duration) -> Self {
        StallGuard { inner, patience, progress: ReadProgress::default(), waiting: None }
    }

    /// Returns the stream, unguarded.
    pub fn into_inner(self) -> S {
        self.inner
    }

    fn check_progress<T>(
        &mut self,
        context: &mut Context<'_>,
        done: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.waiting = None;
            return done;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + AsFd + Unpin> StallGuard<S> {
    fn write(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.progress.idle_for(&self.inner, Instant::now().into_std()) >= self.patience {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let done = write(Pin::new(&mut self.inner), context);
        if done.is_ready() {
            self.progress.written(&self.inner);
        }
        self.check_progress(context, done)
    }
}

impl<S: AsyncWrite + AsFd + Unpin> AsyncWrite for StallGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |inner, context| inner.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |inner, context| inner.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.inner).poll_flush(context);
        self.check_progress(context, done)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(test);
    }

    fn guarded() -> (StallGuard<UnixStream>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        (StallGuard::new(ours, Duration::from_millis(200)), theirs)
    }

    #[test]
    fn a_client_that_stops_reading_is_dropped_and_a_slow_one_is_not() {
        run(async {
            let (mut ours, mut theirs) = guarded();
            // More than the kernel takes.
            let size = 4 << 20;
            let reading = tokio::spawn(async move {
                theirs.read_exact(&mut vec![0; size]).await.expect("all of it");
                theirs
            });
            ours.write_all(&vec![7; size]).await.expect("it is read");
            let _theirs = reading.await.expect("a reader");
            let error = ours.write_all(&vec![7; size]).await.expect_err("there is no reader");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn small_events_that_nobody_reads_are_noticed() {
        run(async {
            let (mut ours, mut theirs) = guarded();
            for _ in 0..10 {
                ours.write_all(&[7; 16]).await.expect("it is read");
                sleep(Duration::from_millis(50)).await;
                theirs.read_exact(&mut [0; 16]).await.expect("an event");
            }
            let (mut events, begun) = (0, Instant::now());
            let error = loop {
                match ours.write_all(&[7; 16]).await {
                    Ok(()) => events += 1,
                    Err(error) => break error,
                }
                sleep(Duration::from_millis(10)).await;
            };
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(begun.elapsed() >= Duration::from_millis(200) && events > 0, "{events}");
        });
    }
}
