//! Errors of HTTP clients as text.

use std::error::Error;

/// Describes an error with its causes, but without the URL, which may hold a secret.
pub(crate) fn of(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
