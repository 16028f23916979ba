//! The import `upload-content`: the upload that `accept-upload` decides about.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Code, MAX_UPLOAD, Pending, not_granted};
use crate::policy::bindings::types::Error;
use crate::policy::bindings::upload_content::Host;
use crate::policy::sandbox::Sandbox;

/// The content of a complete upload.
pub(in crate::policy) trait UploadContent: Debug + Send + Sync {
    /// Its size in bytes.
    fn bytes(&self) -> u64;

    /// All of these bytes, which it has.
    fn read(&self, offset: u64, length: u64) -> Pending<'_, Result<Vec<u8>, String>>;
}

/// The content of an upload of a trial.
#[derive(Debug)]
pub(in crate::policy) struct InMemory(pub Vec<u8>);

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

impl Host for Sandbox {
    async fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        if !self.access.upload {
            return Err(not_granted("upload"));
        }
        let Some(upload) = self.upload.as_ref().map(Arc::clone) else {
            return Err(Code::WrongPhase.with("there is an upload only in `accept-upload`"));
        };
        self.taken.operation()?;
        let length = u64::from(length).min(upload.bytes().saturating_sub(offset));
        let left = MAX_UPLOAD - self.taken.uploaded;
        if length > left {
            let message =
                format!("more than {MAX_UPLOAD} bytes of an upload in one call of a hook: {left} are left");
            return Err(Code::TooLarge.with(message));
        }
        // What is more than its memory would only fill the host's.
        let most = self.memory.most();
        if length > most {
            return Err(Code::TooLarge.with(format!("{length} bytes do not fit into its memory of {most}")));
        }
        if length == 0 {
            return Ok(Vec::new());
        }
        self.taken.uploaded += length;
        self.waits.begin("the content of the upload");
        let content = upload.read(offset, length).await;
        self.waits.end();
        content.map_err(|why| Code::Unavailable.with(why))
    }
}
