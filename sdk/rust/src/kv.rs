//! Keys and values that outlive the call and the process: the grant `kv`.
//!
//! Each plugin has its own namespace. A change is on disk when its call returns. Not available in
//! [`configure`](crate::Plugin).

use std::time::Duration;

pub use crate::bindings::kv::tuffet::policy::kv::Error;

#[cfg(target_family = "wasm")]
use crate::bindings::kv::tuffet::policy::kv as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::kv as host;

/// Returns the value of a key, or `None` if it does not exist or has expired.
///
/// # Errors
/// The key is out of bounds (1 to 256 bytes), or the disk failed.
pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
    host::get(key)
}

/// Sets the value of a key, permanently or for `ttl`, which is rounded up to whole seconds.
///
/// # Errors
/// The key or the value (64 KiB) is out of bounds, the plugin has reached its quota, or the disk failed.
pub fn set(key: &str, value: impl AsRef<[u8]>, ttl: Option<Duration>) -> Result<(), Error> {
    host::set(key, value.as_ref(), ttl.map(seconds))
}

/// Removes a key. Removing a missing key is not an error.
///
/// # Errors
/// As [`get`].
pub fn delete(key: &str) -> Result<(), Error> {
    host::delete(key)
}

/// Adds to a counter and returns its new value. A missing counter starts at 0 and expires `ttl` later,
/// however often it is incremented meanwhile, so it counts per period.
///
/// # Errors
/// As [`set`]; also if the value is not a counter.
pub fn increment(key: &str, by: i64, ttl: Option<Duration>) -> Result<i64, Error> {
    host::increment(key, by, ttl.map(seconds))
}

fn seconds(time: Duration) -> u32 {
    let up = u64::from(time.subsec_nanos() > 0);
    u32::try_from(time.as_secs().saturating_add(up)).unwrap_or(u32::MAX)
}
