//! Problems of an input.

/// A JSON pointer into the input, and a message.
pub(crate) type InputProblem = (String, String);
