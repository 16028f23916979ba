//! The input of the hook `accept-upload`.

use std::sync::Arc;

use super::access::{StoredUpload, UploadContent};
use super::bindings::accept_upload::Upload;
use tuffet_policy::ReceivedUpload;
use tuffet_request::ClientKey;

/// The upload: its description for the hook, and its content.
#[derive(Debug, Clone)]
pub(super) struct UploadInput {
    pub about: Upload,
    pub content: Arc<dyn UploadContent>,
}

impl UploadInput {
    pub fn of(upload: &ReceivedUpload, client: ClientKey) -> UploadInput {
        let about = Upload {
            root: upload.root.clone(),
            path: upload.path.clone(),
            size: upload.size,
            sha256: upload.sha256.clone(),
            attributes: Vec::new(),
        };
        let content = Arc::new(StoredUpload { content: upload.content.clone(), bytes: upload.size, client });
        UploadInput { about, content }
    }
}
