//! The import `upload-content`: the upload that `accept-upload` decides about.

use std::sync::Arc;

use crate::access::{Code, MAX_UPLOAD, not_granted};
use crate::bindings::types::Error;
use crate::bindings::upload_content::Host;
use crate::sandbox::Sandbox;

impl Host for Sandbox {
    async fn read(&mut self, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        if !self.access.upload {
            return Err(not_granted("upload"));
        }
        let Some(upload) = self.upload.as_ref().map(Arc::clone) else {
            return Err(Code::WrongPhase.with("there is an upload only in `accept-upload`"));
        };
        self.usage.operation()?;
        let length = u64::from(length).min(upload.bytes().saturating_sub(offset));
        let left = MAX_UPLOAD - self.usage.uploaded;
        if length > left {
            let message =
                format!("more than {MAX_UPLOAD} bytes of an upload in one call of a hook: {left} are left");
            return Err(Code::TooLarge.with(message));
        }
        // More than the memory of the guest would only fill that of the host.
        let max = self.memory.max();
        if length > max {
            return Err(Code::TooLarge.with(format!("{length} bytes do not fit into its memory of {max}")));
        }
        if length == 0 {
            return Ok(Vec::new());
        }
        self.usage.uploaded += length;
        self.host_call.begin("the content of the upload");
        let content = upload.read(offset, length).await;
        self.host_call.end();
        content.map_err(|why| Code::Unavailable.with(why))
    }
}
