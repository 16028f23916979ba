//! Ends connections of clients that take or send next to nothing.
//!
//! The time in which the server waits for the client is added up: each [`WINDOW`] of it must bring as many bytes as the
//! least rate promises. What the server takes itself (policy, disks, rates of policy) does not count.

use crate::tap::ConnectionTap;
use bytes::Buf;
use http_body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// The time over which the rate is averaged.
const WINDOW: Duration = Duration::from_secs(60);

/// The account of one direction.
#[derive(Debug)]
struct Pace {
    /// In bytes for each window.
    least: u64,
    moved: u64,
    waited: Duration,
    /// The begin of the present wait.
    since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Pace {
    /// In bytes per second.
    fn new(least_rate: u64) -> Pace {
        let least = least_rate.saturating_mul(WINDOW.as_secs());
        Pace { least, moved: 0, waited: Duration::ZERO, since: None, timer: None }
    }

    /// Records that bytes have moved.
    fn moved(&mut self, bytes: u64) -> io::Result<()> {
        self.stop_waiting();
        self.moved = self.moved.saturating_add(bytes);
        self.check()
    }

    /// Waits for the client; ready, with an error, when it has moved too little.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            self.since.get_or_insert_with(Instant::now);
            // One that was set in an earlier wait ends too early, and is then set again: rarer than each wait would be.
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(WINDOW.saturating_sub(self.waited))));
            ready!(timer.as_mut().poll(context));
            self.timer = None;
            self.stop_waiting();
            if let Err(error) = self.check() {
                return Poll::Ready(error);
            }
        }
    }

    fn stop_waiting(&mut self) {
        if let Some(since) = self.since.take() {
            self.waited += since.elapsed();
        }
    }

    fn check(&mut self) -> io::Result<()> {
        if self.waited < WINDOW {
            return Ok(());
        }
        if self.moved < self.least {
            let (moved, waited) = (self.moved, self.waited.as_secs());
            let message = format!("the client moved {moved} bytes in {waited} s, which is too slow");
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        (self.moved, self.waited) = (0, Duration::ZERO);
        Ok(())
    }
}

/// Why a connection was cut, if it was. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut(Arc<OnceLock<String>>);

impl Cut {
    /// Returns the reason.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// A stream that fails if its client reads too slowly.
#[derive(Debug)]
pub(crate) struct PacedStream<S> {
    inner: S,
    pace: Pace,
    cut: Cut,
    tap: Option<ConnectionTap>,
    on_failure: fn(&S),
    on_drop: fn(&S),
}

impl<S> Drop for PacedStream<S> {
    fn drop(&mut self) {
        (self.on_drop)(&self.inner);
    }
}

impl<S> PacedStream<S> {
    /// The least rate is in bytes per second. `on_failure` is called before the stream fails, and `on_drop` at its end.
    pub(crate) fn new(inner: S, least_rate: u64, on_failure: fn(&S), on_drop: fn(&S)) -> PacedStream<S> {
        PacedStream {
            inner,
            pace: Pace::new(least_rate),
            cut: Cut::default(),
            tap: None,
            on_failure,
            on_drop,
        }
    }

    /// Copies what passes to this tap.
    pub(crate) fn tap(&mut self, tap: Option<ConnectionTap>) {
        self.tap = tap;
    }

    /// Has the reason once it was too slow.
    pub(crate) fn cut(&self) -> Cut {
        self.cut.clone()
    }

    fn written(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let paced = match &written {
            Poll::Ready(Ok(bytes)) => self.pace.moved(*bytes as u64).err(),
            Poll::Ready(Err(_)) => None,
            Poll::Pending => match self.pace.poll_wait(context) {
                Poll::Ready(error) => Some(error),
                Poll::Pending => None,
            },
        };
        match paced {
            None => written,
            Some(error) => {
                let _ = self.cut.0.set(error.to_string());
                (self.on_failure)(&self.inner);
                Poll::Ready(Err(error))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PacedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        if let Some(tap) = &mut self.tap
            && buffer.filled().len() > before
        {
            tap.received(&buffer.filled()[before..]);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PacedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        if let (Some(tap), Poll::Ready(Ok(count))) = (&mut self.tap, &written) {
            tap.sent(*count, [bytes].into_iter());
        }
        self.written(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        if let (Some(tap), Poll::Ready(Ok(count))) = (&mut self.tap, &written) {
            tap.sent(*count, parts.iter().map(|part| &**part));
        }
        self.written(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

/// The body of a request, which fails if its client sends too slowly.
#[derive(Debug)]
pub(crate) struct PacedBody<B> {
    inner: B,
    pace: Pace,
}

impl<B> PacedBody<B> {
    /// The least rate is in bytes per second.
    pub(crate) fn new(inner: B, least_rate: u64) -> PacedBody<B> {
        PacedBody { inner, pace: Pace::new(least_rate) }
    }
}

impl<B> http_body::Body for PacedBody<B>
where
    B: http_body::Body + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Data = B::Data;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<B::Data>>>> {
        match Pin::new(&mut self.inner).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Buf::remaining) as u64;
                Poll::Ready(Some(self.pace.moved(bytes).map(|()| frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(io::Error::other(error)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => self.pace.poll_wait(context).map(|error| Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http_body_util::{BodyExt, StreamBody};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::sleep;

    fn run(test: impl Future<Output = ()>) {
        // In virtual time: it advances when everything waits.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    /// Reads all, `bytes` each second.
    async fn read_slowly(mut stream: DuplexStream, bytes: usize) {
        while stream.read_exact(&mut vec![0; bytes]).await.is_ok() {
            sleep(Duration::from_secs(1)).await;
        }
    }

    #[test]
    fn a_reader_below_the_least_rate_is_cut_and_one_above_it_is_not() {
        run(async {
            for (rate, complete) in [(900, false), (1100, true)] {
                let (ours, theirs) = duplex(1024);
                let mut ours = PacedStream::new(ours, 1000, |_| (), |_| ());
                let reader = tokio::spawn(read_slowly(theirs, rate));
                let begun = Instant::now();
                let written = ours.write_all(&vec![7; 400_000]).await;
                assert_eq!(written.is_ok(), complete, "{rate}");
                match written {
                    Ok(()) => assert!(begun.elapsed() >= WINDOW * 5),
                    Err(error) => {
                        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                        assert_eq!(begun.elapsed().as_secs(), WINDOW.as_secs());
                    }
                }
                reader.abort();
            }
        });
    }

    #[test]
    fn time_of_the_server_does_not_count() {
        run(async {
            let (ours, mut theirs) = duplex(64);
            let mut ours = PacedStream::new(ours, 1000, |_| (), |_| ());
            for _ in 0..100 {
                sleep(WINDOW).await;
                ours.write_all(&[7; 16]).await.expect("it is read at once");
                theirs.read_exact(&mut [0; 16]).await.expect("16 bytes");
            }
        });
    }

    /// A body that sends `bytes` each second.
    fn slow(bytes: usize, pieces: usize) -> impl http_body::Body<Data = Bytes, Error = io::Error> + Unpin {
        StreamBody::new(Box::pin(futures_util::stream::unfold(0, move |piece| async move {
            sleep(Duration::from_secs(1)).await;
            (piece < pieces).then(|| (Ok(Frame::data(Bytes::from(vec![7; bytes]))), piece + 1))
        })))
    }

    #[test]
    fn a_sender_that_drips_is_cut() {
        run(async {
            let mut body = PacedBody::new(slow(1, 1000), 1000);
            let mut received = 0;
            let error = loop {
                match body.frame().await.expect("no end") {
                    Ok(_) => received += 1,
                    Err(error) => break error,
                }
            };
            assert_eq!((error.kind(), received), (io::ErrorKind::TimedOut, 59));
            let body = PacedBody::new(slow(1001, 1000), 1000);
            assert_eq!(body.collect().await.expect("all of it").to_bytes().len(), 1_001_000);
        });
    }
}
