//! What testcontainers has no word for is said to the engine's own client.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs `docker` and gives what it printed.
#[track_caller]
pub fn docker<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let output = Command::new("docker").args(&words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "docker {words:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A fact of a container, by a template such as `{{.State.Pid}}`.
#[track_caller]
pub fn inspect(container: &str, template: &str) -> String {
    docker(["inspect", "--format", template, container])
}

/// The name of a network that no other test has. It is there while a container is in it.
pub fn network() -> String {
    unique("net")
}

pub fn unique(word: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("tuffet-test-{}-{word}-{number}", std::process::id())
}
