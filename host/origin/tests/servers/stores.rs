//! The behaviour that all object stores share.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Barrier};

use tempfile::TempDir;
use tuffet_config::OriginSpec;
use tuffet_origin::Remote;
use tuffet_store::{Origin, Reach, StoreError, Waited};

use super::{LONG, MIB, content, get};

/// A prefix of keys and a name that have to be encoded in URLs.
const ODD: &str = "a b/ü+%20";

pub fn store(remote: &Remote, path: &str, bytes: &[u8], overwrite: bool) -> Result<(), StoreError> {
    let mut file: File = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("room");
    remote.store(path, &file, bytes.len() as u64, overwrite)
}

pub fn open(spec: OriginSpec) -> Arc<Remote> {
    Remote::open(spec).expect("a client")
}

/// Files, small and large: stored by one request and in parts, replaced, read, validated.
pub fn exercise(remote: &Remote) {
    assert!(matches!(remote.get("none"), Err(StoreError::NotFound)));
    assert!(matches!(remote.look_up("none", Reach::Origin), Err(StoreError::NotFound)));
    for (name, bytes) in
        [("empty", content(0, 1)), (ODD, content(100_000, 2)), ("large", content(21 * MIB, 3))]
    {
        store(remote, name, &bytes, true).expect("it is stored");
        assert_eq!(
            remote.look_up(name, Reach::Origin).expect("an answer").expect("it is there").size,
            bytes.len() as u64
        );
        assert_eq!(get(remote, name).as_deref(), Ok(&*bytes), "{name}");
        let fetched = remote.state().counts.received;
        assert_eq!(get(remote, name).as_deref(), Ok(&*bytes), "{name} once more");
        assert_eq!(remote.state().counts.received, fetched, "{name} was validated and not fetched again");
    }
    let newer = content(5000, 4);
    store(remote, "large", &newer, true).expect("it is replaced");
    assert_eq!(get(remote, "large").as_deref(), Ok(&*newer));
}

/// Uploads that must not replace a file: by one request, and in parts.
pub fn creates_only_missing_files(remote: &Remote) {
    store(remote, "log", b"first", false).expect("it is created");
    let taken = store(remote, "log", b"second", false).expect_err("it is taken");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    let taken = store(remote, "log", &content(17 * MIB, 5), false).expect_err("in parts, too");
    assert!(matches!(taken, StoreError::Exists), "{taken}");
    assert_eq!(get(remote, "log").as_deref(), Ok(&b"first"[..]));
    let large = content(17 * MIB, 6);
    store(remote, "dump", &large, false).expect("it is created in parts");
    assert_eq!(get(remote, "dump").as_deref(), Ok(&*large));
}

/// Servers that do not know of each other upload one file at the same time, in parts. If they must not replace files,
/// one succeeds and the file is the one it sent; else both do.
pub fn several_upload_at_once(spec: &OriginSpec) {
    let folder = TempDir::new().expect("a folder");
    let remotes = [0, 1].map(|number| {
        let mut spec = spec.clone();
        spec.cache.path = folder.path().join(number.to_string());
        open(spec)
    });
    let contents = [content(17 * MIB, 10), content(18 * MIB, 11)];
    for round in 0..2 {
        for overwrite in [false, true] {
            let (name, begun) = (format!("race-{round}-{overwrite}"), Barrier::new(2));
            let results = std::thread::scope(|scope| {
                let upload = |number: usize| {
                    begun.wait();
                    store(&remotes[number], &name, &contents[number], overwrite)
                };
                let other = scope.spawn(move || upload(1));
                [upload(0), other.join().expect("an end")]
            });
            let stored = get(&remotes[0], &name).expect("there is a file");
            match &results {
                [Ok(()), Err(StoreError::Exists)] if !overwrite => assert!(stored == contents[0]),
                [Err(StoreError::Exists), Ok(())] if !overwrite => assert!(stored == contents[1]),
                [Ok(()), Ok(())] if overwrite => assert!(contents.contains(&stored)),
                results => unreachable!("overwrite: {overwrite}: {results:?}"),
            }
        }
    }
}

/// A file that is replaced during a read: the reader gets no mixture, and the next one gets the new file.
pub fn never_mixes_versions(spec: &OriginSpec) {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| {
        let mut spec = spec.clone();
        spec.cache.path = folder.path().join(name);
        open(spec)
    };
    let (reader, writer) = (at("reader"), at("writer"));
    let (old, new) = (content(20 * MIB, 7), content(20 * MIB, 8));
    store(&writer, "image", &old, true).expect("it is stored");
    let file = reader.get("image").expect("the file");
    let arrival = file.arrival.clone().expect("only a part has arrived");
    assert_eq!(arrival.wait(0, MIB as u64, LONG).expect("the first part"), Waited::Arrived);
    store(&writer, "image", &new, true).expect("it is replaced");
    assert_eq!(
        arrival.wait(19 * MIB as u64, 1, LONG).expect("an answer"),
        Waited::Changed,
        "there is no such part any more"
    );
    assert_eq!(get(&reader, "image").as_deref(), Ok(&*new));
}

/// A process that starts with the cache that another one left fetches nothing again.
pub fn keeps_its_cache(spec: &OriginSpec) {
    let folder = TempDir::new().expect("a folder");
    let mut spec = spec.clone();
    spec.cache.path = folder.path().join("before");
    let before = open(spec.clone());
    let bytes = content(20 * MIB, 9);
    store(&before, ODD, &bytes, true).expect("it is stored");
    before.warm(ODD, LONG).expect("it is fetched and recorded");
    // As a process leaves it that is killed: this one still holds the lock on the original.
    let after = folder.path().join("after");
    copy(&spec.cache.path, &after);
    spec.cache.path = after;
    let after = open(spec);
    assert_eq!(get(&after, ODD).as_deref(), Ok(&*bytes));
    let counts = after.state().counts;
    assert_eq!((counts.received, counts.fetches), (0, 1), "it was validated and not fetched again");
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|copied| copied.success()));
}
