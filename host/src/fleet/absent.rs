//! Replaces `fleet` in a build without NATS; a configuration with `events` is refused earlier.

use crate::watch::{FeedSource, Watch};
use std::future::{Future, ready};
use std::io;
use std::sync::Arc;
use tuffet_config::EventsSpec;

pub(crate) fn start(_: &EventsSpec, _: &Watch) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Never created.
#[derive(Clone)]
pub(crate) enum Servers {}

impl Servers {
    /// # Panics
    /// Never: a configuration with `events` is refused before.
    pub(crate) fn new(_: EventsSpec) -> Servers {
        unreachable!("a configuration with `events` is refused before")
    }
}

impl FeedSource for Servers {
    fn next(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }

    fn snapshot(&self, _: u64) -> Arc<str> {
        match *self {}
    }
}
