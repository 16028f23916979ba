//! What a plugin writes to its standard output or error: the end of it, however much it writes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes that are kept.
const KEPT: usize = 4096;

/// An output. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Printed(Arc<Mutex<VecDeque<u8>>>);

impl Printed {
    /// Removes and returns what was written; what is not UTF-8 is replaced.
    pub fn take(&self) -> String {
        let kept = std::mem::take(&mut *self.lock());
        String::from_utf8_lossy(&Vec::from(kept)).into_owned()
    }

    /// Returns what was written.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.lock().make_contiguous()).into_owned()
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let excess = (kept.len() + bytes.len()).saturating_sub(KEPT);
        kept.drain(..excess);
        kept.extend(bytes);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IsTerminal for Printed {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Printed {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl OutputStream for Printed {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.push(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(KEPT)
    }
}

#[async_trait]
impl Pollable for Printed {
    async fn ready(&mut self) {}
}

impl AsyncWrite for Printed {
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
    fn the_end_of_what_is_written_is_kept() {
        let printed = Printed::default();
        printed.push(b"one\n");
        assert_eq!(
            (printed.text(), printed.take(), printed.take()),
            ("one\n".into(), "one\n".into(), "".into())
        );
        for _ in 0..3 {
            printed.push(&[b'a'; KEPT - 1]);
        }
        printed.push(b"end");
        let kept = printed.take();
        assert!(kept.len() == KEPT && kept.ends_with("aaend"), "{}", kept.len());
        printed.push(&[b'b'; 3 * KEPT]);
        assert_eq!(printed.take().len(), KEPT);
    }
}
