//! A stream, read at ascending offsets.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Mutex;
use tuffet_store::{ReadAt, SuppliedFuture};

/// A stream and the number of bytes read from it.
pub(super) struct StreamReader<R>(Mutex<(R, u64)>);

impl<R> StreamReader<R> {
    pub(super) fn new(reader: R) -> StreamReader<R> {
        StreamReader(Mutex::new((reader, 0)))
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> ReadAt for StreamReader<R> {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> SuppliedFuture<'a, io::Result<usize>> {
        Box::pin(async move {
            let mut state = self.0.lock().await;
            let (reader, position) = &mut *state;
            if offset != *position {
                let why = format!("byte {offset} of a stream was requested, and it is at byte {position}");
                return Err(io::Error::other(why));
            }
            let mut room = ReadBuf::new(buffer);
            poll_fn(|context| Pin::new(&mut *reader).poll_read(context, &mut room)).await?;
            let read = room.filled().len();
            *position += read as u64;
            Ok(read)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_is_read_in_order_and_only_once() {
        let stream = StreamReader::new(&b"0123456789"[..]);
        let mut buffer = [0; 4];
        assert_eq!(stream.read_at(0, &mut buffer).await.unwrap(), 4);
        assert_eq!(stream.read_at(4, &mut buffer).await.unwrap(), 4);
        assert_eq!(&buffer, b"4567");
        assert!(stream.read_at(4, &mut buffer).await.unwrap_err().to_string().contains("byte 8"));
        assert_eq!(stream.read_at(8, &mut buffer).await.unwrap(), 2);
        assert_eq!(stream.read_at(10, &mut buffer).await.unwrap(), 0);
    }
}
