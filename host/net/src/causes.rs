//! The causes of errors, as text for logs.

use std::error::Error;

/// Describes an error of an HTTP client with its causes, but without the URL, which may hold a secret.
pub fn of(error: reqwest::Error) -> String {
    explain(&error.without_url())
}

/// Describes an error with its causes, each only once.
pub fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
