//! The threads of a server end with it. A process of its own, since it counts all of them.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use std::time::{Duration, Instant};
use tuffet::{Event, Folder, Listener, Observe, Server, Source, resolve_fn};
use tuffet_testing::Client;

/// The names of the threads of all servers of this process.
fn threads() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("tuffet-")).collect();
    names.sort();
    names
}

struct Nothing;

impl Observe for Nothing {
    fn observe(&self, _: &Event) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_end_soon_after_a_drain() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "content").unwrap();
    let mut last = Instant::now();
    for _ in 0..20 {
        let server = Server::builder()
            .listener(Listener::bind("127.0.0.1:0".parse().unwrap()))
            .folder(Folder::new("files", folder.path()).writable(1 << 20).overwrite(true))
            .resolve(
                "content",
                resolve_fn(|asked| (asked.path == "memory").then(|| Source::bytes(&b"content"[..]))),
            )
            .observe("nothing", Nothing);
        let handle = server.bind().unwrap().start().unwrap();
        let address = handle.addresses()[0].1;
        tokio::task::spawn_blocking(move || {
            let client = Client::new(address);
            assert_eq!(client.get("memory").unwrap(), b"content");
            client.put("new", b"x").unwrap();
        })
        .await
        .unwrap();
        handle.drain(Duration::from_secs(5)).await;
        last = Instant::now();
    }
    // Idle threads of a running server stay for ten seconds.
    while !threads().is_empty() && last.elapsed() < Duration::from_secs(5) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(threads(), Vec::<String>::new());
}
