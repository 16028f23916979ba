//! An upload that the program takes, instead of a file.

use std::fmt;
use std::io;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::{Destination, Sink, StoreError};

/// The destination of an upload.
pub(super) struct ToProgram {
    /// `None` once it is committed. The lock is never taken: a sink need not be shared between threads.
    sink: Mutex<Option<Box<dyn Sink>>>,
    digest: Sha256,
    written: u64,
}

impl fmt::Debug for ToProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToProgram").field("written", &self.written).finish_non_exhaustive()
    }
}

impl ToProgram {
    pub(super) fn new(sink: Box<dyn Sink>) -> ToProgram {
        ToProgram { sink: Mutex::new(Some(sink)), digest: Sha256::new(), written: 0 }
    }

    pub(super) async fn write(&mut self, bytes: &[u8], limit: u64) -> Result<(), StoreError> {
        let written = self.written + bytes.len() as u64;
        if written > limit {
            return Err(StoreError::TooLarge { limit });
        }
        let sink = self.sink.get_mut().as_mut().ok_or_else(unsupported)?;
        sink.write(bytes).await.map_err(StoreError::of_program)?;
        self.digest.update(bytes);
        self.written = written;
        Ok(())
    }

    /// The bytes so far, and their SHA-256 digest.
    pub(super) fn sum(&self) -> (u64, [u8; 32]) {
        (self.written, self.digest.clone().finalize().into())
    }

    pub(super) async fn commit(&mut self, to: &Destination) -> Result<String, StoreError> {
        let mut sink = self.sink.get_mut().take().ok_or_else(unsupported)?;
        sink.commit(to).await.map_err(StoreError::of_program)
    }
}

/// The error of an operation on the wrong kind of upload.
pub(super) fn unsupported() -> StoreError {
    StoreError::Io(io::ErrorKind::Unsupported.into())
}
