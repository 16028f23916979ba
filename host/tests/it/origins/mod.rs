//! Roots that live elsewhere, behind a web server that a test makes misbehave.

mod answers;
mod away;
mod caching;
mod commands;
mod plugins;
mod rights;
mod shares;
mod transfers;
mod uploads;

use crate::harness::{Server, Setup, Web};

/// A server that asks this machine without a proxy.
fn setup() -> Setup {
    Setup::new().variable("NO_PROXY", "127.0.0.1")
}

/// A server with one root, `far`, that lives on this web server.
fn far(web: &Web, keys: &str, cache: &str, rest: &str) -> Server {
    setup().yaml(&format!("roots:\n{}{rest}", web.root("far", keys, cache))).start()
}

/// A server with a folder, `boot`, searched after the root `far`.
fn far_and_near(web: &Web, cache: &str, rest: &str) -> Server {
    let yaml = format!("roots:\n{}  - {{ name: boot, path: root }}\n{rest}", web.root("far", "", cache));
    setup().file("near", b"near").yaml(&yaml).start()
}

/// The value of a metric of the root `far`.
fn metric(server: &Server, name: &str) -> u64 {
    let metrics = server.metrics();
    let its = metrics.lines().find_map(|line| line.strip_prefix(&format!("{name}{{root=\"far\"}} ")));
    its.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name}: {metrics}"))
}
