//! Logs panics in the order and format of the log. The hook of the standard library would write to standard error
//! directly, and block on a slow reader.

use super::queue::Queue;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long a panicking thread waits until its line is written: the process may abort after it.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

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
        queue.flush(FLUSH_TIMEOUT);
    }));
}
