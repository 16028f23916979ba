//! The causes of errors, for logs.

/// Formats an error with its causes, each only once.
#[cfg(any(feature = "nats", feature = "otlp"))]
pub(crate) fn explain(error: &dyn std::error::Error) -> String {
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
