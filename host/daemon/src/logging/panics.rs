//! A panic becomes a line of the log, in its order and format. The hook of the standard library would write to
//! standard error directly, and wait for whoever reads that.

use super::queue::Queue;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The process may abort after a panic, so its line is written at once, if the output takes it within this time.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) fn log(queue: Arc<Queue>) {
    panic::set_hook(Box::new(move |panic| {
        let backtrace = Backtrace::capture();
        let captured = backtrace.status() == BacktraceStatus::Captured;
        let location = panic.location().map_or("an unknown place".to_owned(), ToString::to_string);
        tracing::error!(
            target: super::filter::PANIC,
            thread = thread::current().name().unwrap_or("unnamed"),
            backtrace = captured.then(|| backtrace.to_string()),
            "the server panicked at {location}: {}",
            panic.payload_as_str().unwrap_or("(no message)")
        );
        queue.flush(PATIENCE);
    }));
}
