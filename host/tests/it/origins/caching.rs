//! The cache on disk and the file cache in memory before an origin.

use super::{far, metric, setup};
use crate::harness::{Answer, Client, Manner, Options, Peer, Web, ack, bytes, rrq};
use std::fs;
use std::path::Path;

/// The files below a folder.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

#[test]
fn hot_files_come_from_memory() {
    let web = Web::start();
    web.put("file", &bytes(10_000), "1");
    let server = far(&web, "", "revalidate: 1h", "");
    let mut peer = Peer::new(server.address());
    assert!(peer.read_plainly("file") == bytes(10_000));
    // What lies on the disk is not read any more: it could not be served like this.
    for file in files(&server.outside().0.join("cache-far")) {
        // Records come and go.
        let Ok(content) = fs::read(&file) else { continue };
        if content.len() >= 10_000 {
            fs::write(&file, vec![0; content.len()]).unwrap();
        }
    }
    assert!(peer.read_plainly("file") == bytes(10_000));
    assert_eq!(web.requests("").len(), 1, "{:?}", web.requests(""));
    assert!(server.metrics().contains("tuffet_file_cache_hits_total 1"), "{}", server.metrics());
}

#[test]
fn a_new_version_is_served_after_its_validation_and_the_old_one_to_its_end() {
    let web = Web::start();
    web.put("file", b"first", "1");
    let server = far(&web, "", "revalidate: 0s", "");
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("file"), b"first");
    assert_eq!(peer.read_plainly("file"), b"first");
    let validated = web.requests("GET").into_iter().chain(web.requests("HEAD"));
    assert!(validated.into_iter().any(|request| request.to_lowercase().contains("if-none-match: \"1\"")));
    web.put("file", b"second", "2");
    assert_eq!(peer.read_plainly("file"), b"second");
}

#[test]
fn a_stale_file_is_served_while_the_origin_is_away() {
    let web = Web::start();
    web.put("file", b"content", "1");
    let server = far(&web, "", "revalidate: 0s, stale-if-error: 1h", "");
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("file"), b"content");
    web.be(Manner::Away);
    assert_eq!(peer.read_plainly("file"), b"content");
    assert!(metric(&server, "tuffet_origin_cache_stale_total") >= 1);
}

#[test]
fn a_restart_keeps_the_cache() {
    let web = Web::start();
    let content = bytes(100_000);
    web.put("file", &content, "1");
    let cache = tempfile::tempdir().unwrap();
    let yaml = format!(
        "roots: [{{ name: far, url: \"{}\", cache: {{ path: {:?}, revalidate: 1h }} }}]\n",
        web.url(),
        cache.path()
    );
    let get = |server: &crate::harness::Server| {
        Client::Tuffet.get(server.address(), "file", Options { blksize: Some(1400), ..Options::default() })
    };
    let server = setup().yaml(&yaml).start();
    assert!(get(&server) == content);
    server.stop();
    web.be(Manner::Away);
    let server = setup().yaml(&yaml).start();
    assert!(get(&server) == content);
    assert_eq!(web.requests("GET").len(), 1);
    // Nobody else has it meanwhile.
    let ran = setup().yaml(&yaml).run_to_its_end();
    ran.assert_fails(66, &["another process uses the cache"]);
}

#[test]
fn a_reload_keeps_unchanged_origins_and_running_transfers_of_changed_ones() {
    let (web, other) = (Web::start(), Web::start());
    let content = bytes(1_000_000);
    web.put("image", &content, "1");
    web.put("file", b"of the first", "1");
    other.put("file", b"of the other", "1");
    let yaml = |web: &Web| format!("roots:\n{}", web.root("far", "", "revalidate: 1h"));
    let server = setup().yaml(&yaml(&web)).start();
    let mut peer = Peer::new(server.address());
    assert_eq!(peer.read_plainly("file"), b"of the first");
    server.ask("reload").assert_good();
    assert_eq!(peer.read_plainly("file"), b"of the first");
    assert_eq!(web.requests("").len(), 1, "the cache is the same: {:?}", web.requests(""));
    // A transfer in the middle of its download.
    web.be(Manner::Pauses(300_000));
    let mut running = Peer::new(server.address());
    running.ask(&rrq("image", &[("blksize", "1000")]));
    running.expect(Answer::Oack("blksize=1000".into()));
    running.send(&ack(0));
    web.waits(1);
    server.rewrite(&yaml(&other));
    server.ask("reload").assert_good();
    assert_eq!(peer.read_plainly("file"), b"of the other");
    web.be(Manner::Good);
    for block in 1..=1000 {
        running.expect(Answer::Data(block, content[1000 * (usize::from(block) - 1)..][..1000].to_vec()));
        running.send(&ack(block));
    }
    running.expect(Answer::Data(1001, Vec::new()));
    running.send(&ack(1001));
    assert_eq!(server.outcome("image")["outcome"], "served");
}

/// A file for which the cache has no room is read past it, and counted.
#[test]
fn a_cache_that_is_full_of_files_being_read_is_read_past() {
    let web = Web::start();
    web.put("one", &bytes(700_000), "1");
    web.put("two", &bytes(700_000), "1");
    web.put("small", b"small", "1");
    let server = far(&web, "", "bytes: 1MiB", "limits: { cache: 0B }\n");
    assert_eq!(metric(&server, "tuffet_origin_cache_limit_bytes"), 1 << 20);
    let mut reading = Peer::new(server.address());
    reading.ask(&rrq("one", &[]));
    reading.expect(Answer::Data(1, bytes(700_000)[..512].to_vec()));
    let options = || Options { blksize: Some(1400), windowsize: Some(16), ..Options::default() };
    assert!(Client::Tuffet.get(server.address(), "two", options()) == bytes(700_000));
    assert!(metric(&server, "tuffet_origin_cache_failures_total") >= 1);
    assert_eq!(Peer::new(server.address()).read_plainly("small"), b"small");
    // All that time the first one was being read.
    reading.send(&ack(1));
    loop {
        match reading.receive() {
            Answer::Data(1, _) => {}
            Answer::Data(2, payload) => break assert!(payload == bytes(700_000)[512..1024]),
            other => panic!("{other:?}"),
        }
    }
}

/// The URL of a bucket does not say where its store is, and a store chooses versions and sizes as it likes.
#[test]
fn a_reload_to_another_store_serves_nothing_of_the_first_one() {
    let (web, other) = (Web::start(), Web::start());
    web.put("file", &vec![b'1'; 10_000], "1");
    other.put("file", &vec![b'2'; 10_000], "1");
    let yaml = |web: &Web| {
        format!(
            "roots: [{{ name: far, url: \"s3://files\", origin: {{ endpoint: \"{}\", region: r, credentials: {{ anonymous: true }} }}, cache: {{ path: cache-far, revalidate: 1h }} }}]\n",
            web.url().trim_end_matches("/files")
        )
    };
    let server = setup().yaml(&yaml(&web)).start();
    let mut peer = Peer::new(server.address());
    for _ in 0..2 {
        assert!(peer.read_plainly("file") == [b'1'; 10_000]);
    }
    assert!(server.metrics().contains("tuffet_file_cache_hits_total 1"), "it is in memory");
    server.rewrite(&yaml(&other));
    server.ask("reload").assert_good();
    assert!(peer.read_plainly("file") == [b'2'; 10_000]);
}
