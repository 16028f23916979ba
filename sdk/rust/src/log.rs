//! Lines for the server's log.

#[cfg(target_family = "wasm")]
use crate::bindings::base::tuffet::policy::log as host;

/// The severity of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Step by step.
    Trace,
    /// For finding a fault in the plugin.
    Debug,
    /// Worth knowing in daily operation.
    Info,
    /// Something is odd, and the plugin continued.
    Warn,
    /// Something failed.
    Error,
}

/// Writes a line. The server adds the plugin's name and the request, and limits the size and number of lines
/// per call.
pub fn log(level: Level, message: impl AsRef<str>) {
    write(level, message.as_ref(), &[]);
}

/// Writes a line with fields.
pub fn log_with(level: Level, message: impl AsRef<str>, fields: &[(&str, &str)]) {
    let fields: Vec<(String, String)> =
        fields.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
    write(level, message.as_ref(), &fields);
}

#[cfg(target_family = "wasm")]
fn write(level: Level, message: &str, fields: &[(String, String)]) {
    let level = match level {
        Level::Trace => host::Level::Trace,
        Level::Debug => host::Level::Debug,
        Level::Info => host::Level::Info,
        Level::Warn => host::Level::Warn,
        Level::Error => host::Level::Error,
    };
    host::log(level, message, fields);
}

/// A plugin's native tests have no server: lines go where `cargo test` captures them, and to
/// [`testing::take_logged`](crate::testing::take_logged).
#[cfg(not(target_family = "wasm"))]
fn write(level: Level, message: &str, fields: &[(String, String)]) {
    eprintln!("{level:?}: {message} {fields:?}");
    crate::testing::write(level, message, fields);
}
