//! Replaces `nats` in a build without that feature: opening a bucket fails.

use std::io;

use super::{Change, KvError, KvOpenError, KvState, Listing, Namespace, Versioned};
use tuffet_config::KvBucket;

/// Never created.
#[derive(Debug)]
pub(crate) enum NatsStore {}

impl NatsStore {
    /// # Errors
    /// Always. The server checks its configuration earlier, and then names the line.
    pub(crate) fn open(_: &KvBucket) -> Result<NatsStore, KvOpenError> {
        let error = "this build leaves out the feature `nats`";
        Err(KvOpenError::Thread(io::Error::new(io::ErrorKind::Unsupported, error)))
    }

    pub(super) fn join(&self, _: &Namespace) {
        match *self {}
    }

    pub(super) fn state(&self) -> KvState {
        match *self {}
    }

    pub(super) async fn get(&self, _: &Namespace, _: String) -> Result<Option<Versioned>, KvError> {
        match *self {}
    }

    pub(super) async fn list(&self, _: &Namespace, _: Listing) -> Result<Vec<String>, KvError> {
        match *self {}
    }

    pub(super) async fn change(&self, _: &Namespace, _: String, _: Change) -> Result<i64, KvError> {
        match *self {}
    }
}
