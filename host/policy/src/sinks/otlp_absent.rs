//! Takes the place of `otlp` in a build without that feature: there is no such output.

use std::io;

use super::output::{Failure, Output, left_out};
use tuffet_config::sinks::OtlpTarget;

/// None is ever made.
pub(super) enum OtlpOutput {}

impl OtlpOutput {
    /// # Errors
    /// Always.
    pub(super) fn open(_: &str, _: &OtlpTarget) -> io::Result<OtlpOutput> {
        Err(left_out("otlp"))
    }
}

impl Output for OtlpOutput {
    fn deliver(&mut self, _: &[String]) -> Result<(), Failure> {
        match *self {}
    }
}

/// No sink of this build wants lines to be marked.
pub(super) fn mark(_: &str, line: &str) -> String {
    line.to_owned()
}
