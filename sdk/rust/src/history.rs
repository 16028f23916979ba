//! What the client of a request asked for before. Needs the grant `client-history`.

pub use crate::Error;
pub use crate::bindings::history::tuffet::policy::history::PastRequest;

#[cfg(target_family = "wasm")]
use crate::bindings::history::tuffet::policy::history as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::history as host;

/// Returns the last requests from the client's address, newest first, at most 16. The present one is not among them.
///
/// # Errors
/// It is not granted, or there is no client: in [`configure`](crate::Plugin), [`render`](crate::Render::render) and
/// [`observe`](crate::Observe).
pub fn recent() -> Result<Vec<PastRequest>, Error> {
    host::recent()
}
