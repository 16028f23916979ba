//! A stream, read at ascending offsets.

use super::{BoxFuture, ReadAt};
use bytes::{BufMut, Bytes, BytesMut};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::Mutex;

/// What is allocated at a time, in bytes. Short reads share it.
const BUFFER: usize = 64 << 10;

/// A stream, read once.
pub(super) struct StreamReader<R>(Mutex<Stream<R>>);

struct Stream<R> {
    reader: R,
    /// The number of bytes read.
    position: u64,
    /// Room for the next ones.
    buffer: BytesMut,
}

impl<R> StreamReader<R> {
    pub(super) fn new(reader: R) -> StreamReader<R> {
        StreamReader(Mutex::new(Stream { reader, position: 0, buffer: BytesMut::new() }))
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> ReadAt for StreamReader<R> {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            let mut stream = self.0.lock().await;
            let Stream { reader, position, buffer } = &mut *stream;
            if offset != *position {
                let why = format!("byte {offset} of a stream was requested, and it is at byte {position}");
                return Err(io::Error::other(why));
            }
            if buffer.capacity() == 0 {
                buffer.reserve(length.min(BUFFER));
            }
            let room = buffer.capacity().min(length);
            let read = reader.read_buf(&mut buffer.limit(room)).await?;
            *position += read as u64;
            Ok(buffer.split_to(read).freeze())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stream_is_read_in_order_and_only_once() {
        let stream = StreamReader::new(&b"0123456789"[..]);
        assert_eq!(stream.read_at(0, 4).await.unwrap(), "0123");
        assert_eq!(stream.read_at(4, 4).await.unwrap(), "4567");
        assert!(stream.read_at(4, 4).await.unwrap_err().to_string().contains("byte 8"));
        assert_eq!(stream.read_at(8, 4).await.unwrap(), "89");
        assert_eq!(stream.read_at(10, 4).await.unwrap(), "");
    }
}
