//! What is wrong with the settings of a plugin, and where.

pub use crate::bindings::base::exports::tuffet::policy::lifecycle::Problem;

/// All problems of the settings, so that the operator can fix them in one go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    first: Vec<Problem>,
    /// Those beyond [`MAX_LISTED`].
    more: usize,
}

/// The problems that are listed. More are counted: an answer of a plugin is bounded, and thousands are not read.
const MAX_LISTED: usize = 100;

impl Problems {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// One problem. `pointer` is a JSON pointer (RFC 6901) into the settings, such as `/rules/0/match`.
    pub fn one(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let mut problems = Problems::new();
        problems.add(pointer, message);
        problems
    }

    /// Adds a problem. `message` says what is wrong and how to fix it, without a final full stop.
    pub fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if self.first.len() < MAX_LISTED {
            self.first.push(Problem { pointer: pointer.into(), message: message.into() });
        } else {
            self.more += 1;
        }
    }

    /// Unwraps `result`, or records its error at `pointer`.
    pub fn check<T, E: ToString>(&mut self, pointer: impl Into<String>, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.add(pointer, error.to_string());
                None
            }
        }
    }

    /// Returns whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Returns `value` if there are no problems.
    ///
    /// # Errors
    /// The problems, if there are any.
    pub fn or<T>(self, value: T) -> Result<T, Problems> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }

    /// The problems, in the order they were found: the first hundred, and one that counts the others.
    pub fn into_vec(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let message = format!("{} more problems are not listed", self.more);
            self.first.push(Problem { pointer: String::new(), message });
        }
        self.first
    }

    /// The first hundred problems, in the order they were found.
    pub fn as_slice(&self) -> &[Problem] {
        &self.first
    }
}

/// One step of a JSON pointer, escaped (RFC 6901 section 3).
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for c in step.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

impl Problems {
    /// A pointer to `key` below `parent`, with `key` escaped (RFC 6901 section 3).
    pub fn at(parent: &str, key: &str) -> String {
        let mut pointer = parent.to_string();
        push_step(&mut pointer, key);
        pointer
    }
}
