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
use tuffet_request::Request;
use tuffet_request::What;
use tuffet_store::{StoreError, Upload};

impl Gate for Generation {
    fn asks(&self) -> bool {
        self.policy.gates_uploads()
    }

    fn pass<'a>(
        &'a self,
        upload: Upload,
        request: &'a Arc<Request>,
    ) -> Pin<Box<dyn Future<Output = Stored> + Send + 'a>> {
        // A bug in here must cost one upload, not leave its client without an answer.
        let asked = AssertUnwindSafe(self.ask(upload, request)).catch_unwind();
        Box::pin(asked.map(|stored| stored.unwrap_or_else(|_| Err(panicked()).into())))
    }
}

impl Generation {
    /// Asks the `accept-upload` chain and does what it says.
    async fn ask(&self, upload: Upload, request: &Arc<Request>) -> Stored {
        let sealed = on_disk(move || upload.seal().map(|sealed| (upload, sealed))).await;
        let (mut upload, sealed) = match sealed {
            Ok(sealed) => sealed,
            Err(error) => return Err(error).into(),
        };
        let accepted = self.policy.accept_upload(request, upload.root(), upload.path(), sealed).await;
        let began = Instant::now();
        let mut resolved = None;
        let result = match accepted.acceptance {
            Acceptance::Accept => on_disk(move || upload.commit()).await,
            Acceptance::Rename(path) => {
                resolved = Some(format!("{}:{path}", upload.root()).into());
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
        note(request, began, &result);
        Stored { result, resolved, verdict_by: accepted.by, plugin_calls: accepted.calls }
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
