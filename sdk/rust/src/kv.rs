//! Keys and values that outlive the call and the process: the grant `kv`.
//!
//! Each plugin has its own namespace. A change is on disk when its call returns. Not available in
//! [`configure`](crate::Plugin).
//!
//! With the grant `kv/NAME`, plugins share the namespace [`Keys::shared`]`("NAME")`, and where the keys are in a bucket
//! of NATS, the plugins of all its servers do.

use std::time::Duration;

pub use crate::Error;
pub use crate::bindings::kv::tuffet::policy::kv::{Entry, Listed};

#[cfg(target_family = "wasm")]
use crate::bindings::kv::tuffet::policy::kv as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::kv as host;

/// A namespace of keys: the plugin's [own](Keys::OWN), or one that plugins [share](Keys::shared).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys<'a>(Option<&'a str>);

impl<'a> Keys<'a> {
    /// The plugin's own keys, which the functions of this module use.
    pub const OWN: Keys<'static> = Keys(None);

    /// The namespace of this name: the grant `kv/NAME`. The quota of the plugin that writes counts all of its keys.
    pub fn shared(name: &'a str) -> Keys<'a> {
        Keys(Some(name))
    }

    /// See [`get`].
    ///
    /// # Errors
    /// The same.
    pub fn get(self, key: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.entry(key)?.map(|entry| entry.value))
    }

    /// See [`entry`].
    ///
    /// # Errors
    /// The same.
    pub fn entry(self, key: &str) -> Result<Option<Entry>, Error> {
        host::get(self.0, key)
    }

    /// See [`set`].
    ///
    /// # Errors
    /// The same.
    pub fn set(self, key: &str, value: impl AsRef<[u8]>, ttl: Option<Duration>) -> Result<(), Error> {
        host::set(self.0, key, value.as_ref(), ttl.map(seconds))
    }

    /// See [`swap`].
    ///
    /// # Errors
    /// The same.
    pub fn swap(
        self,
        key: &str,
        revision: Option<u64>,
        value: impl AsRef<[u8]>,
        ttl: Option<Duration>,
    ) -> Result<Option<u64>, Error> {
        host::swap(self.0, key, revision, value.as_ref(), ttl.map(seconds))
    }

    /// See [`delete`].
    ///
    /// # Errors
    /// The same.
    pub fn delete(self, key: &str) -> Result<(), Error> {
        host::delete(self.0, key)
    }

    /// See [`increment`].
    ///
    /// # Errors
    /// The same.
    pub fn increment(self, key: &str, by: i64, ttl: Option<Duration>) -> Result<i64, Error> {
        host::increment(self.0, key, by, ttl.map(seconds))
    }

    /// See [`list`].
    ///
    /// # Errors
    /// The same.
    pub fn list(self, prefix: &str, after: Option<&str>, limit: u32) -> Result<Vec<Listed>, Error> {
        host::list(self.0, prefix, after, limit)
    }

    /// See [`delete_prefix`].
    ///
    /// # Errors
    /// The same.
    pub fn delete_prefix(self, prefix: &str) -> Result<u32, Error> {
        host::delete_prefix(self.0, prefix)
    }
}

/// Returns the value of a key, or `None` if it does not exist or has expired.
///
/// # Errors
/// The key is out of bounds (1 to 256 bytes), or the disk failed.
pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
    Keys::OWN.get(key)
}

/// Returns the value of a key with the revision that [`swap`] expects.
///
/// # Errors
/// As [`get`].
pub fn entry(key: &str) -> Result<Option<Entry>, Error> {
    Keys::OWN.entry(key)
}

/// Sets the value of a key, permanently or for `ttl`, which is rounded up to whole seconds.
///
/// # Errors
/// The key or the value (64 KiB) is out of bounds, the plugin has reached its quota, or the disk failed.
pub fn set(key: &str, value: impl AsRef<[u8]>, ttl: Option<Duration>) -> Result<(), Error> {
    Keys::OWN.set(key, value, ttl)
}

/// Sets the value of a key if it still has the revision of this [`entry`]; with `None`, creates the key if it does not
/// exist. Returns the new revision, or `None` if the key has another one.
///
/// ```no_run
/// # use tuffet_sdk::kv::{self, Error};
/// /// Adds a name to a list, whoever else does so at the same time.
/// fn append(name: &str) -> Result<(), Error> {
///     loop {
///         let entry = kv::entry("names")?;
///         let mut names = entry.as_ref().map(|entry| entry.value.clone()).unwrap_or_default();
///         names.extend(name.bytes().chain(*b"\n"));
///         if kv::swap("names", entry.map(|entry| entry.revision), names, None)?.is_some() {
///             return Ok(());
///         }
///     }
/// }
/// ```
///
/// # Errors
/// As [`set`]. After [`UNAVAILABLE`](crate::code::UNAVAILABLE) the value may have been set all the same.
pub fn swap(
    key: &str,
    revision: Option<u64>,
    value: impl AsRef<[u8]>,
    ttl: Option<Duration>,
) -> Result<Option<u64>, Error> {
    Keys::OWN.swap(key, revision, value, ttl)
}

/// Removes a key. Removing a missing key is not an error.
///
/// # Errors
/// As [`get`].
pub fn delete(key: &str) -> Result<(), Error> {
    Keys::OWN.delete(key)
}

/// Adds to a counter and returns its new value. A missing counter starts at 0 and expires `ttl` later,
/// however often it is incremented meanwhile, so it counts per period.
///
/// # Errors
/// As [`set`]; also if the value is not a counter.
pub fn increment(key: &str, by: i64, ttl: Option<Duration>) -> Result<i64, Error> {
    Keys::OWN.increment(key, by, ttl)
}

/// Returns a page of the keys that begin with `prefix`, with their entries, in the order of the bytes of the keys: those after
/// `after`, at most `limit`, never more than 1000, and none behind 1 MiB. An empty page is the end. Changes between two pages
/// may be seen or not.
///
/// # Errors
/// As [`get`]. Here `prefix` may be empty.
pub fn list(prefix: &str, after: Option<&str>, limit: u32) -> Result<Vec<Listed>, Error> {
    Keys::OWN.list(prefix, after, limit)
}

/// Removes keys that begin with `prefix`, at most 1000, and returns how many: call it until that is 0.
///
/// # Errors
/// As [`list`].
pub fn delete_prefix(prefix: &str) -> Result<u32, Error> {
    Keys::OWN.delete_prefix(prefix)
}

fn seconds(time: Duration) -> u32 {
    let up = u64::from(time.subsec_nanos() > 0);
    u32::try_from(time.as_secs().saturating_add(up)).unwrap_or(u32::MAX)
}
