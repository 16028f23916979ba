//! The content of an upload, for the plugin that decides about it.

use std::fmt::Debug;

use super::Pending;

/// The content of a complete upload.
pub(crate) trait UploadContent: Debug + Send + Sync {
    /// Its size in bytes.
    fn bytes(&self) -> u64;

    /// Reads these bytes, which must exist.
    fn read(&self, offset: u64, length: u64) -> Pending<'_, Result<Vec<u8>, String>>;
}

/// The content of an upload in a trial.
#[derive(Debug)]
pub(crate) struct InMemory(pub Vec<u8>);

impl UploadContent for InMemory {
    fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, length: u64) -> Pending<'_, Result<Vec<u8>, String>> {
        let part = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        let part = part.and_then(|(from, length)| self.0.get(from..from.checked_add(length)?));
        let part = part.map(<[u8]>::to_vec).ok_or_else(|| "there are no such bytes".to_owned());
        Box::pin(async { part })
    }
}
