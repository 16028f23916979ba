//! A process that is killed at each step leaves a cache that serves right bytes or none.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use super::cached::{end, settled};
use super::world::{MIB, World, content, get, spec};
use crate::Remote;

const URL: &str = "TUFFET_ORIGIN_URL";
const FOLDER: &str = "TUFFET_ORIGIN_FOLDER";

/// The process that is killed; nothing unless it is called by the test below.
#[test]
fn child() {
    let (Ok(url), Ok(folder)) = (std::env::var(URL), std::env::var(FOLDER)) else { return };
    let mut spec = spec(&url, folder.as_ref());
    spec.cache.revalidate = std::time::Duration::ZERO;
    let remote = Remote::open(spec).expect("a client");
    for name in ["small", "large", "changed"] {
        let _ = get(&remote, name);
    }
    settled(&remote, &std::path::Path::new(&folder).join("cache"), 3);
}

#[test]
fn a_kill_at_each_step_leaves_nothing_wrong() {
    let points = [
        "content-created",
        "content-written",
        "record-created",
        "record-written",
        "record-renamed",
        "record-removed",
    ];
    for point in points {
        let mut world = World::new();
        world.spec.cache.revalidate = std::time::Duration::ZERO;
        let files =
            [("small", content(5_000, 1)), ("large", content(9 * MIB, 2)), ("changed", content(70_000, 3))];
        // One is there, in a version that is replaced.
        world.server.put("changed", content(70_000, 4));
        {
            let remote = world.remote();
            assert!(get(&remote, "changed").is_ok());
            end(remote, &world.cache(), 1);
        }
        for (name, bytes) in &files {
            world.server.put(name, bytes.clone());
        }
        let ended = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "tests::killed::child", "--test-threads=1"])
            .env(URL, world.server.url())
            .env(FOLDER, world.folder.path())
            .env("TUFFET_ORIGIN_KILL", point)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert_eq!(ended.expect("a process").signal(), Some(9), "it was killed at {point}");
        // The origin is down for what is stale: all that is served comes from the cache or from a fetch.
        let remote = world.remote();
        remote.start().expect("the cache");
        let cached = remote.cached().expect("the cache").len();
        for (name, bytes) in &files {
            assert_eq!(
                get(&remote, name).as_deref(),
                Ok(&**bytes),
                "{name} after {point} with {cached} cached"
            );
        }
        settled(&remote, &world.cache(), 3);
        let contents = std::fs::read_dir(world.cache().join("content")).expect("contents").count();
        assert_eq!(contents, 3, "nothing is left behind after {point}");
    }
}

#[test]
fn a_kill_in_the_middle_of_a_large_file_keeps_its_whole_parts() {
    // Stale is served from what a killed process left, once the origin is gone.
    let mut world = World::new();
    let bytes = content(5_000, 1);
    world.server.put("small", bytes.clone());
    world.server.put("large", content(9 * MIB, 2));
    world.server.put("changed", content(10, 3));
    let ended = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "tests::killed::child", "--test-threads=1"])
        .env(URL, world.server.url())
        .env(FOLDER, world.folder.path())
        .env("TUFFET_ORIGIN_KILL", "record-renamed")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert_eq!(ended.expect("a process").signal(), Some(9));
    world.server.stop();
    world.spec.cache.revalidate = std::time::Duration::ZERO;
    assert_eq!(get(&world.remote(), "small").as_deref(), Ok(&*bytes));
}
