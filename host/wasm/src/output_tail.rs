//! The standard output or error of a plugin. Only the end is kept.

use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// The maximum number of kept bytes.
const MAX_BYTES: usize = 4096;

/// The end of an output. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct OutputTail(Arc<Mutex<Tail>>);

#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    /// The number of lines before them.
    lost: u64,
}

impl OutputTail {
    /// Removes the text.
    pub fn clear(&self) {
        *self.lock() = Tail::default();
    }

    /// Returns the text. Invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.lock().bytes.make_contiguous()).into_owned()
    }

    /// Returns the number of lines before the text, which are not kept.
    pub fn lost(&self) -> u64 {
        self.lock().lost
    }

    fn push(&self, bytes: &[u8]) {
        let lines = |bytes: &mut dyn Iterator<Item = u8>| bytes.filter(|byte| *byte == b'\n').count() as u64;
        let mut tail = self.lock();
        let (beyond, bytes) = bytes.split_at(bytes.len().saturating_sub(MAX_BYTES));
        let excess = (tail.bytes.len() + bytes.len()).saturating_sub(MAX_BYTES);
        let lost = lines(&mut tail.bytes.drain(..excess)) + lines(&mut beyond.iter().copied());
        tail.lost += lost;
        tail.bytes.extend(bytes);
    }

    fn lock(&self) -> MutexGuard<'_, Tail> {
        self.0.lock()
    }
}

impl IsTerminal for OutputTail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for OutputTail {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl OutputStream for OutputTail {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(MAX_BYTES)
    }
}

#[async_trait]
impl Pollable for OutputTail {
    async fn ready(&mut self) {}
}

impl AsyncWrite for OutputTail {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.push(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_output_is_kept() {
        let output = OutputTail::default();
        output.push(b"one\n");
        assert_eq!((output.text().as_str(), output.lost()), ("one\n", 0));
        for _ in 0..3 {
            output.push(&[b'a'; MAX_BYTES - 1]);
        }
        output.push(b"end");
        let tail = output.text();
        assert!(tail.len() == MAX_BYTES && tail.ends_with("aaend"), "{}", tail.len());
        assert_eq!(output.lost(), 1);
        output.push(&[b'\n'; 3 * MAX_BYTES]);
        assert_eq!((output.text().len(), output.lost()), (MAX_BYTES, 1 + 2 * MAX_BYTES as u64));
        output.clear();
        assert_eq!((output.text().as_str(), output.lost()), ("", 0));
    }
}
