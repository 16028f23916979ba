//! The gate of uploads: the decision about one that is complete, before it becomes visible.

use std::pin::Pin;
use std::sync::Arc;
use tuffet_request::events::CompactRecord;
use tuffet_request::settings::TimeLimit;
use tuffet_store::{StoreError, Upload};

/// The policy that decides about an upload. A worker holds it until the upload is complete, and never calls it.
pub trait Gate: Send + Sync {
    /// Calls the `accept-upload` chain, then makes the upload visible and durable within this limit, or discards it.
    fn pass(
        &self,
        upload: Upload,
        record: Arc<CompactRecord>,
        limit: TimeLimit,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + '_>>;
}

/// The result of storing an upload.
pub struct Stored {
    /// Success, or the reason of the failure.
    pub result: Result<(), StoreError>,
    /// The record of its request, if the `accept-upload` chain changed it.
    pub record: Option<Arc<CompactRecord>>,
}
