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
pub(super) struct OutputTail(Arc<Mutex<VecDeque<u8>>>);

impl OutputTail {
    /// Removes and returns the text. Invalid UTF-8 is replaced.
    pub fn take(&self) -> String {
        let tail = std::mem::take(&mut *self.lock());
        String::from_utf8_lossy(&Vec::from(tail)).into_owned()
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.lock().make_contiguous()).into_owned()
    }

    fn push(&self, bytes: &[u8]) {
        let mut tail = self.lock();
        let bytes = &bytes[bytes.len().saturating_sub(MAX_BYTES)..];
        let excess = (tail.len() + bytes.len()).saturating_sub(MAX_BYTES);
        tail.drain(..excess);
        tail.extend(bytes);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
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
        assert_eq!(
            (output.text(), output.take(), output.take()),
            ("one\n".into(), "one\n".into(), "".into())
        );
        for _ in 0..3 {
            output.push(&[b'a'; MAX_BYTES - 1]);
        }
        output.push(b"end");
        let tail = output.take();
        assert!(tail.len() == MAX_BYTES && tail.ends_with("aaend"), "{}", tail.len());
        output.push(&[b'b'; 3 * MAX_BYTES]);
        assert_eq!(output.take().len(), MAX_BYTES);
    }
}
