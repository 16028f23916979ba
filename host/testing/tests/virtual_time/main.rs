//! A server with hooks and roots of a program, in virtual time.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod agreement;
mod contents;
mod paths;
mod roots;
mod total_rate;
mod verdicts;

use std::sync::Arc;
use std::time::Duration;
use tuffet::{Builder, Server, Source, resolve_fn};
use tuffet_testing::virtual_time::Options;

/// Large enough for some hundred windows.
const SIZE: usize = 3 << 20;

fn image(size: usize) -> Arc<[u8]> {
    (0..size).map(|n| (n / 7) as u8).collect()
}

/// A server with one file in memory.
fn serving(content: Arc<[u8]>) -> Builder {
    Server::builder().resolve(
        "image",
        resolve_fn(move |asked| (asked.path == "image").then(|| Source::bytes(Arc::clone(&content)))),
    )
}

/// Blocks of a size that few networks have, so that several MB are few packets.
fn large() -> Options {
    Options::windows(8192, 16)
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
