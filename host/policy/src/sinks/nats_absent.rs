//! Replaces `nats` in a build without that feature: opening such an output fails.

use std::io;

use super::output::{Failure, Output, left_out};
use tuffet_config::sinks::NatsTarget;

/// Never created.
pub(super) enum NatsOutput {}

impl NatsOutput {
    /// # Errors
    /// Always.
    pub(super) fn open(_: &NatsTarget) -> io::Result<NatsOutput> {
        Err(left_out("nats"))
    }
}

impl Output for NatsOutput {
    fn deliver(&mut self, _: &[String]) -> Result<(), Failure> {
        match *self {}
    }
}
