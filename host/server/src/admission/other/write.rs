//! A granted write request by another protocol.

use super::super::gate::not_written;
use super::open::Open;
use super::read::ended;
use super::search::{Body, Found};
use crate::negotiation::Bounds;
use bytes::Bytes;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use tokio::time::timeout;
use tuffet_core::StreamRate;
use tuffet_engine::worker::{Stored, outcome_of_store_error};
use tuffet_request::Denial;
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::settings::TimeLimit;
use tuffet_store::{Closing, Lane, StoreError, Upload};

/// An upload that a client sends. It is invisible until it is stored; one that is dropped before was left by its client, and
/// nothing is stored.
pub struct WriteTransfer {
    open: Arc<Open>,
    /// `None` once something has failed.
    upload: Option<Box<Upload>>,
    offset: u64,
    replaces: bool,
    rate: Mutex<StreamRate>,
    write_time: TimeLimit,
    store_time: TimeLimit,
}

/// A stored upload.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredUpload {
    /// `ROOT:PATH`.
    pub resolved: String,
    /// Whether a file had this name when the upload began.
    pub replaced: bool,
}

impl WriteTransfer {
    pub(super) fn new(open: Arc<Open>, found: Found, bounds: &Bounds) -> WriteTransfer {
        let upload = match found.into_body() {
            Body::Write(upload) => Some(upload),
            // Never: a write request opens nothing to read.
            Body::Read(_) => None,
        };
        let is_supplied = upload.as_ref().is_some_and(|upload| upload.is_supplied());
        let (times, give_up) = (open.generation.files.upload_times, bounds.retransmit.give_up);
        WriteTransfer {
            replaces: upload.as_ref().is_some_and(|upload| upload.replaces()),
            upload,
            offset: 0,
            rate: Mutex::new(StreamRate::of(&bounds.limits)),
            write_time: times.write(give_up),
            store_time: times.commit(is_supplied, give_up),
            open,
        }
    }

    /// Lets the upload replace no file, even in a root that overwrites: of those who make the file, the first one has it.
    ///
    /// # Errors
    /// What the client is told, if the file exists already. The request has ended then.
    pub fn keep_existing(mut self) -> Result<WriteTransfer, Denial> {
        if self.replaces {
            return Err(self.fail(&StoreError::Exists));
        }
        if let Some(upload) = &mut self.upload {
            upload.keep_existing();
        }
        Ok(self)
    }

    /// Writes the next bytes, once the rates of the client allow it. Returns when they are written, which does not mean that
    /// they are durable.
    ///
    /// # Errors
    /// What the client is told. The request has ended then, and nothing is stored.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), Denial> {
        let mut passed = 0;
        while passed < bytes.len() {
            match self.open.wait_for_rate(&self.rate, bytes.len() - passed).await {
                Ok(passing) => passed += passing,
                Err(error) => return Err(self.fail(&StoreError::Io(error))),
            }
        }
        let Some(upload) = self.upload.take() else { return Err(self.fail(&StoreError::Io(ended()))) };
        let (offset, length) = (self.offset, bytes.len() as u64);
        match write(upload, offset, bytes, self.write_time).await {
            Ok(upload) => {
                self.upload = Some(upload);
                self.offset += length;
                self.open.moved(length);
                Ok(())
            }
            Err(error) => Err(self.fail(&error)),
        }
    }

    /// Has the chain `accept-upload` judge the upload, and makes it visible and durable.
    ///
    /// # Errors
    /// What the client is told. Nothing is stored then.
    pub async fn store(mut self) -> Result<StoredUpload, Denial> {
        let Some(upload) = self.upload.take() else { return Err(self.fail(&StoreError::Io(ended()))) };
        if self.open.has_ended() {
            return Err(self.fail(&StoreError::Io(ended())));
        }
        let generation = Arc::clone(&self.open.generation);
        let (record, limit) = (self.open.record(), self.store_time);
        let Stored { result, record } = generation.store(*upload, record, limit).await;
        if let Some(record) = record {
            self.open.replace_record(record);
        }
        result.map_err(|error| self.fail(&error))?;
        self.open.end(Outcome::Stored);
        let resolved = self.open.record().resolved().unwrap_or_default().to_owned();
        Ok(StoredUpload { resolved, replaced: self.replaces })
    }

    /// Ends the request: the client has left, or was sent away, for this reason. Nothing is stored.
    pub fn aborted(self, reason: impl Into<String>) {
        self.open.end(Ending::new(Outcome::Aborted, reason.into()));
    }

    /// Ends the request, for this reason; nothing is stored.
    pub fn failed(self, reason: impl Into<String>) {
        self.open.end(Ending::new(Outcome::Failed, reason.into()));
    }

    /// Ends the request.
    fn fail(&mut self, error: &StoreError) -> Denial {
        self.upload = None;
        let denial = error.denial();
        self.open.end(Ending::new(outcome_of_store_error(error), denial.reason.clone()));
        denial
    }
}

/// Writes at this offset, and returns the upload.
async fn write(
    mut upload: Box<Upload>,
    offset: u64,
    bytes: Bytes,
    limit: TimeLimit,
) -> Result<Box<Upload>, StoreError> {
    if upload.is_supplied() {
        let writing = async {
            upload.write_supplied(&bytes).await?;
            Ok::<_, StoreError>(upload)
        };
        return match timeout(limit.within, writing).await {
            Ok(written) => written,
            Err(_) => Err(StoreError::Unresponsive(format!(
                "the upload was not written {}",
                crate::generation::within(limit)
            ))),
        };
    }
    let (disk, client) = (Arc::clone(upload.disk()), upload.client());
    let work = move || upload.write_at(offset, &bytes).map(|()| upload);
    let written = disk.run_anyway(Lane::Write, client, limit.within, work).await;
    written.unwrap_or_else(|why| Err(not_written(why, disk.root(), limit)))
}

impl Drop for WriteTransfer {
    fn drop(&mut self) {
        self.open.left();
        // The temporary file is removed on a thread that may block, and what the program made is dropped in its runtime.
        if let Some(upload) = self.upload.take()
            && let Closing::OnDisk(disk) = upload.closing()
        {
            disk.drop_later(Lane::Remove, upload.client(), upload);
        }
    }
}

impl fmt::Debug for WriteTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteTransfer").field("upload", &self.upload).finish_non_exhaustive()
    }
}
