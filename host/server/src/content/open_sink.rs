//! A sink of the program while its upload runs. Whoever drops it, it is aborted unless it was committed.

use super::commit_turns::{CommitTurn, CommitTurns};
use super::outstanding::OutstandingSink;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tuffet_request::{catch_panic_async, panic_as_error};
use tuffet_store::{BoxFuture, Destination, Sink};

/// How long a sink may take to abort.
const ABORT_TIME: Duration = Duration::from_secs(30);

/// A sink of the program.
pub(crate) struct OpenSink {
    /// `None` once it is committed.
    open: Option<(Box<dyn Sink>, OutstandingSink)>,
    turns: CommitTurns,
    /// Once it is being committed. An abort keeps it: until then, the store may have the upload.
    turn: Option<CommitTurn>,
    root: Arc<str>,
    /// The runtime of the server: a worker, a deciding thread or a thread of a disk may be the last to hold it.
    runtime: Handle,
    /// `ROOT:PATH`, for the log.
    upload: Arc<str>,
}

impl OpenSink {
    /// Must be called within the runtime of the server.
    pub(crate) fn new(
        sink: Box<dyn Sink>,
        counted: OutstandingSink,
        turns: CommitTurns,
        root: Arc<str>,
        upload: Arc<str>,
    ) -> OpenSink {
        let (open, runtime) = (Some((sink, counted)), Handle::current());
        OpenSink { open, turns, turn: None, root, runtime, upload }
    }
}

impl Sink for OpenSink {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        match &mut self.open {
            Some((sink, _)) => Box::pin(panic_as_error(async move { sink.write(bytes).await })),
            None => committed(),
        }
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            self.turn = Some(self.turns.wait(&self.root, &to.path).await);
            let path = match &mut self.open {
                Some((sink, _)) => panic_as_error(async move { sink.commit(to).await }).await?,
                None => committed().await?,
            };
            (self.open, self.turn) = (None, None);
            Ok(path)
        })
    }
}

impl Drop for OpenSink {
    fn drop(&mut self) {
        if let Some((sink, mut counted)) = self.open.take() {
            counted.begin_abort();
            let (upload, turn) = (Arc::clone(&self.upload), self.turn.take());
            // After the end of the runtime, this drops the sink.
            self.runtime.spawn(async move {
                abort(sink, counted, upload).await;
                drop(turn);
            });
        }
    }
}

async fn abort(sink: Box<dyn Sink>, counted: OutstandingSink, upload: Arc<str>) {
    let aborting = catch_panic_async(async move { sink.abort().await });
    let why = match counted.outstanding().until_abandoned(timeout(ABORT_TIME, aborting)).await {
        Some(Ok(Ok(Ok(())))) => return,
        Some(Ok(Ok(Err(error)))) => error.to_string(),
        Some(Ok(Err(panicked))) => panicked.to_string(),
        Some(Err(_)) => format!("it took longer than {} s", ABORT_TIME.as_secs()),
        None => "the server has ended".to_owned(),
    };
    tracing::warn!(
        target: "tuffet::store",
        %upload, "a sink did not abort an upload, and may leave parts of it: {why}"
    );
}

/// Never: a sink is taken only with its owner.
fn committed<'a, T: Send + 'a>() -> BoxFuture<'a, io::Result<T>> {
    Box::pin(std::future::ready(Err(io::ErrorKind::Unsupported.into())))
}
