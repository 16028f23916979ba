//! Replaces `otlp` in a build without that feature: opening such an output fails.

use std::io;

use super::output::{Failure, Output, left_out};
use tuffet_config::sinks::OtlpTarget;

/// Never created.
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

/// No sink of this build marks lines.
pub(super) fn mark(_: &str, line: &str) -> String {
    line.to_owned()
}
