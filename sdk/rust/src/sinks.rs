//! Outputs that the configuration names and the server delivers to. The grant `sinks/NAME` allows one.

pub use crate::Error;
use crate::code;

#[cfg(target_family = "wasm")]
use crate::bindings::sinks::tuffet::policy::sinks as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::sinks as host;

/// Queues one JSON value on one line, of at most 32 KiB. Never waits for the receiver. Not available in
/// [`configure`](crate::Plugin).
///
/// # Errors
/// The sink is not granted, its queue is full, or the payload is out of bounds.
pub fn emit(sink: &str, payload: &str) -> Result<(), Error> {
    host::emit(sink, payload)
}

/// As [`emit`], for a serializable value.
///
/// # Errors
/// As [`emit`]; also if the value cannot be written as JSON.
pub fn emit_json(sink: &str, value: &impl serde::Serialize) -> Result<(), Error> {
    // Most lines are shorter, so the buffer need not grow.
    let mut payload = Vec::with_capacity(1024);
    serde_json::to_writer(&mut payload, value)
        .map_err(|error| Error::new(code::BAD_ARGUMENT, error.to_string()))?;
    let payload =
        String::from_utf8(payload).map_err(|error| Error::new(code::BAD_ARGUMENT, error.to_string()))?;
    emit(sink, &payload)
}
