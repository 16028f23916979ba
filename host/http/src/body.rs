//! The body of an answer: a text, or the bytes of a transfer, which is read one piece ahead of the connection.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::fmt;
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tuffet::ReadTransfer;

/// Bytes that are read or written at once: large enough for 10 Gbit/s, and a connection holds two of them.
pub(crate) const PIECE: usize = 64 << 10;

/// The body of an answer. One that fails breaks its connection, so that no client takes a part for the whole; dropping
/// it ends the transfer.
#[derive(Debug)]
pub struct Body(Kind);

#[derive(Debug)]
enum Kind {
    Text(Bytes),
    File(Box<File>),
}

struct File {
    /// `None` if it has failed.
    transfer: Option<Arc<ReadTransfer>>,
    /// What was not handed over yet.
    left: Range<u64>,
    ahead: Ahead,
}

type Reading = Pin<Box<dyn Future<Output = io::Result<Bytes>> + Send>>;

/// The next piece.
enum Ahead {
    Reading(Reading),
    Read(io::Result<Bytes>),
    /// There is none.
    End,
}

impl Body {
    pub(crate) fn empty() -> Body {
        Body::text(Bytes::new())
    }

    pub(crate) fn text(text: impl Into<Bytes>) -> Body {
        Body(Kind::Text(text.into()))
    }

    /// Ends the transfer of what is not sent yet: the server has cut the connection, for this reason.
    pub(crate) fn cut(&mut self, reason: &str) {
        if let Kind::File(file) = &mut self.0
            && !file.left.is_empty()
            && let Some(transfer) = file.take()
        {
            transfer.aborted(reason);
        }
    }

    /// Reads the first piece of these bytes, of which there are some.
    ///
    /// # Errors
    /// It cannot be read. The transfer has failed.
    pub(crate) async fn open(transfer: ReadTransfer, bytes: Range<u64>) -> io::Result<Body> {
        let transfer = Arc::new(transfer);
        let first = read(Arc::clone(&transfer), bytes.clone()).await;
        let mut file = File { transfer: Some(transfer), left: bytes, ahead: Ahead::End };
        match first {
            Ok(piece) => {
                file.ahead = Ahead::Read(Ok(piece));
                Ok(Body(Kind::File(Box::new(file))))
            }
            Err(error) => Err(file.fail(error)),
        }
    }
}

/// Reads the next piece of these bytes.
async fn read(transfer: Arc<ReadTransfer>, left: Range<u64>) -> io::Result<Bytes> {
    let length = usize::try_from(left.end - left.start).map_or(PIECE, |left| left.min(PIECE));
    let piece = transfer.read_at(left.start, length).await?;
    match piece.is_empty() || piece.len() > length {
        true => Err(io::Error::other("the content ended before its size")),
        false => Ok(piece),
    }
}

impl File {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let piece = match std::mem::replace(&mut self.ahead, Ahead::End) {
            Ahead::End => return Poll::Ready(None),
            Ahead::Read(piece) => piece,
            Ahead::Reading(mut reading) => match reading.as_mut().poll(context) {
                Poll::Ready(piece) => piece,
                Poll::Pending => {
                    self.ahead = Ahead::Reading(reading);
                    return Poll::Pending;
                }
            },
        };
        let piece = match piece {
            Ok(piece) => piece,
            Err(error) => return Poll::Ready(Some(Err(self.fail(error)))),
        };
        self.left.start += piece.len() as u64;
        if let Some(transfer) = &self.transfer {
            transfer.sent(piece.len() as u64);
            if !self.left.is_empty() {
                // Begins now, while the connection sends this piece.
                let mut reading: Reading = Box::pin(read(Arc::clone(transfer), self.left.clone()));
                self.ahead = match reading.as_mut().poll(context) {
                    Poll::Ready(piece) => Ahead::Read(piece),
                    Poll::Pending => Ahead::Reading(reading),
                };
            }
        }
        Poll::Ready(Some(Ok(piece)))
    }

    /// Returns the transfer, unless it has ended.
    fn take(&mut self) -> Option<ReadTransfer> {
        // A piece that is being read has a share of it.
        self.ahead = Ahead::End;
        self.transfer.take().and_then(Arc::into_inner)
    }

    fn fail(&mut self, error: io::Error) -> io::Error {
        if let Some(transfer) = self.take() {
            transfer.failed(error.to_string());
        }
        error
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let is_complete = self.left.is_empty();
        if let Some(transfer) = self.take().filter(|_| is_complete) {
            transfer.served();
        }
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("left", &self.left).finish_non_exhaustive()
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = match &mut self.0 {
            Kind::Text(text) => {
                Some(Ok(std::mem::take(text))).filter(|text| !matches!(text, Ok(text) if text.is_empty()))
            }
            Kind::File(file) => ready!(file.poll_piece(context)),
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    /// A file does not end with its last piece: hyper drops its body when it has sent that.
    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Kind::Text(text) if text.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match &self.0 {
            Kind::Text(text) => text.len() as u64,
            Kind::File(file) => file.left.end - file.left.start,
        })
    }
}
