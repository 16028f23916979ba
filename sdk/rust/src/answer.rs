//! What goes with an answer: that there is none, and a label.

use std::cell::RefCell;
use std::fmt::Display;

use crate::Denial;

thread_local! {
    /// The label of the call that runs.
    static LABEL: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A hook cannot answer: a service that it asks is away, or sent nonsense. `on-error` of the configuration decides, and the
/// server logs the reason. `?` makes one of every error that can be shown.
///
/// ```
/// # use tuffet_sdk::Failure;
/// fn number(text: &str) -> Result<u32, Failure> {
///     Ok(text.parse()?)
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub(crate) reason: String,
}

impl Failure {
    /// The hook cannot answer, for this reason.
    pub fn because(reason: impl Display) -> Self {
        Failure { reason: reason.to_string() }
    }

    /// The reason.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Not to be shown itself, so that `?` makes one of everything that is.
impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::because(error)
    }
}

/// There is no content for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// The requests that wait for it get this ERROR.
    Denied(Denial),
    /// The plugin cannot make it.
    Failed(Failure),
}

impl From<Denial> for RenderError {
    fn from(denial: Denial) -> Self {
        RenderError::Denied(denial)
    }
}

impl From<Failure> for RenderError {
    fn from(failure: Failure) -> Self {
        RenderError::Failed(failure)
    }
}

impl<E: Display> From<E> for RenderError {
    fn from(error: E) -> Self {
        RenderError::Failed(error.into())
    }
}

/// Gives the request a label, such as `canary`: with the answer of this call of `authorize` or `resolve`, whatever it is.
/// Plugins that are called later see it ([`Request::label_of`](crate::Request::label_of)), and so do people. 1 to 32 letters
/// of ASCII, digits, `.`, `_` and `-`; another text is an invalid answer. Use few different ones: metrics count the requests
/// of each. The last call counts.
pub fn label(text: impl Into<String>) {
    LABEL.set(Some(text.into()));
}

/// Takes the label that was given since the last time.
pub(crate) fn take_label() -> Option<String> {
    LABEL.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_failures_and_denials_stay_denials() {
        let failed = |text: &str| -> Result<u32, Failure> { Ok(text.parse()?) };
        assert_eq!(failed("x"), Err(Failure::because("invalid digit found in string")));
        let rendered = |text: &str| -> Result<u32, RenderError> {
            if text.is_empty() {
                Err(Denial::file_not_found("none", "no key"))?;
            }
            Ok(failed(text).map(|number| number + "1".parse::<u32>().unwrap())?)
        };
        assert!(matches!(rendered(""), Err(RenderError::Denied(_))));
        assert!(matches!(rendered("x"), Err(RenderError::Failed(_))));
        assert_eq!(rendered("1"), Ok(2));
    }
}
