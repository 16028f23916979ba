//! Keys and values that outlive the call and the process: the grant `kv`.
//!
//! A namespace for each plugin. What a call has answered is on disk. Not in [`configure`](crate::Plugin).

use std::time::Duration;

pub use crate::bindings::kv::tuffet::policy::kv::Error;

#[cfg(target_family = "wasm")]
use crate::bindings::kv::tuffet::policy::kv as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::kv as host;

/// The value of a key; `None` where there is none or its time is over.
///
/// # Errors
/// The key is out of bounds (1 to 256 bytes), or the disk failed.
pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
    host::get(key)
}

/// Replaces the value of a key, for good or for `ttl`, in whole seconds, rounded up.
///
/// # Errors
/// Key or value (64 KiB) is out of bounds, the plugin has all that it may have, or the disk failed.
pub fn set(key: &str, value: impl AsRef<[u8]>, ttl: Option<Duration>) -> Result<(), Error> {
    host::set(key, value.as_ref(), ttl.map(seconds))
}

/// Removes a key; that it was not there is no error.
///
/// # Errors
/// As [`get`].
pub fn delete(key: &str) -> Result<(), Error> {
    host::delete(key)
}

/// Adds to a counter and answers what it has come to. One that is not there begins at 0 and is gone `ttl`
/// after that, however often it was incremented meanwhile: a counter per period.
///
/// # Errors
/// As [`set`]; also where the value is no counter.
pub fn increment(key: &str, by: i64, ttl: Option<Duration>) -> Result<i64, Error> {
    host::increment(key, by, ttl.map(seconds))
}

fn seconds(time: Duration) -> u32 {
    let up = u64::from(time.subsec_nanos() > 0);
    u32::try_from(time.as_secs().saturating_add(up)).unwrap_or(u32::MAX)
}
