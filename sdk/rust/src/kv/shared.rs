//! Namespaces that plugins share.

use std::time::Duration;

use super::{Entry, Error, seconds};

#[cfg(target_family = "wasm")]
use crate::bindings::shared_kv::tuffet::policy::shared_kv as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::shared_kv as host;

/// A namespace that plugins share: the grant `kv/NAME`. Its methods are the functions of [`kv`](super) and mean the
/// same. The quota of the plugin that writes counts all keys of the namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    name: String,
}

impl Shared {
    /// The namespace of this name. Without its grant, each call returns [`Error::Denied`].
    pub fn new(name: impl Into<String>) -> Shared {
        Shared { name: name.into() }
    }

    /// See [`get`](super::get).
    ///
    /// # Errors
    /// The same.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.entry(key)?.map(|entry| entry.value))
    }

    /// See [`entry`](super::entry).
    ///
    /// # Errors
    /// The same.
    pub fn entry(&self, key: &str) -> Result<Option<Entry>, Error> {
        host::get(&self.name, key)
    }

    /// See [`set`](super::set).
    ///
    /// # Errors
    /// The same.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>, ttl: Option<Duration>) -> Result<(), Error> {
        host::set(&self.name, key, value.as_ref(), ttl.map(seconds))
    }

    /// See [`swap`](super::swap).
    ///
    /// # Errors
    /// The same.
    pub fn swap(
        &self,
        key: &str,
        revision: Option<u64>,
        value: impl AsRef<[u8]>,
        ttl: Option<Duration>,
    ) -> Result<Option<u64>, Error> {
        host::swap(&self.name, key, revision, value.as_ref(), ttl.map(seconds))
    }

    /// See [`delete`](super::delete).
    ///
    /// # Errors
    /// The same.
    pub fn delete(&self, key: &str) -> Result<(), Error> {
        host::delete(&self.name, key)
    }

    /// See [`increment`](super::increment).
    ///
    /// # Errors
    /// The same.
    pub fn increment(&self, key: &str, by: i64, ttl: Option<Duration>) -> Result<i64, Error> {
        host::increment(&self.name, key, by, ttl.map(seconds))
    }

    /// See [`list`](super::list).
    ///
    /// # Errors
    /// The same.
    pub fn list(&self, prefix: &str, after: Option<&str>, limit: u32) -> Result<Vec<String>, Error> {
        host::list(&self.name, prefix, after, limit)
    }
}
