//! The last question about an upload: it is complete and on disk, and not visible yet.

use crate::generation::Generation;
use futures_util::FutureExt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;
use tuffet_engine::worker::{Gate, Stored};
use tuffet_policy::Acceptance;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Request, What};
use tuffet_store::{StoreError, Upload};

impl Gate for Generation {
    fn asks(&self) -> bool {
        self.policy.gates_uploads()
    }

    fn pass(
        &self,
        upload: Upload,
        mut record: Arc<DecisionRecord>,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + '_>> {
        Box::pin(async move {
            // A bug in here must cost one upload, not leave its client without an answer.
            let asked = AssertUnwindSafe(self.ask(upload, &mut record)).catch_unwind();
            let result = asked.await.unwrap_or_else(|_| Err(panicked()));
            Stored { result, record }
        })
    }
}

impl Generation {
    /// Asks the `accept-upload` chain and does what it says. The record changes where the chain does.
    async fn ask(&self, upload: Upload, record: &mut Arc<DecisionRecord>) -> Result<(), StoreError> {
        let (mut upload, sealed) = on_disk(move || upload.seal().map(|sealed| (upload, sealed))).await?;
        let accepted = self.policy.accept_upload(&record.request, upload.root(), upload.path(), sealed).await;
        let changed = Arc::make_mut(record);
        changed.plugin_calls += accepted.calls;
        if accepted.by.is_some() {
            changed.verdict_by = accepted.by;
        }
        let began = Instant::now();
        let result = match accepted.acceptance {
            Acceptance::Accept => on_disk(move || upload.commit()).await,
            Acceptance::Rename(path) => {
                changed.resolved = Some(format!("{}:{path}", upload.root()).into());
                let roots = self.files.roots.clone();
                on_disk(move || {
                    roots.redirect(&mut upload, &path)?;
                    upload.commit()
                })
                .await
            }
            Acceptance::Deny(denial) => {
                // Before the client hears of it, so that nothing remains once it has.
                on_disk(move || {
                    drop(upload);
                    Err(StoreError::Refused(denial))
                })
                .await
            }
        };
        note(&record.request, began, &result);
        result
    }
}

/// Notes for its trace how an upload was put in its place.
pub(super) fn note(request: &Request, began: Instant, stored: &Result<(), StoreError>) {
    if let Some(trail) = &request.trail {
        let stored = stored.as_ref().map_err(ToString::to_string);
        trail.step(began, What::Store(stored.copied()));
    }
}

/// Does it on a thread that may block.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    spawn_blocking(work).await.unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> StoreError {
    StoreError::Io(io::Error::other("a bug: storing the upload panicked"))
}
