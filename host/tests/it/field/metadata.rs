//! Backups, cron jobs and operators touch files while machines boot from them: links, owners, modes, attributes, times of
//! access and names change, and no byte does. Logs grow while they are read.

use crate::harness::{Answer, Folder, Peer, Server, Setup, ack, assert_ended, bytes, request};
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::process::Command;
use std::time::SystemTime;

const BLOCK: usize = 1024;

/// How many blocks the client has when the file is touched.
const BEGUN: u16 = 8;

/// Something that is done to a file during a download.
type Step = (&'static str, fn(&Folder, &str));

/// What backups (rsnapshot, `cp -al`), `chmod -R` in cron jobs and operators (`mv vmlinuz vmlinuz.old`) do.
const OF_METADATA: [Step; 8] = [
    ("linked", |root, name| fs::hard_link(root.path(name), root.path(&format!("{name}.link"))).unwrap()),
    ("linked and unlinked", |root, name| {
        let link = root.path(&format!("{name}.link"));
        fs::hard_link(root.path(name), &link).unwrap();
        fs::remove_file(link).unwrap();
    }),
    ("given the same mode", |root, name| {
        let path = root.path(name);
        fs::set_permissions(&path, fs::metadata(&path).unwrap().permissions()).unwrap();
    }),
    ("given the same owner", |root, name| {
        let about = fs::metadata(root.path(name)).unwrap();
        chown(root.path(name), Some(about.uid()), Some(about.gid())).unwrap();
    }),
    ("given an attribute", |root, name| {
        let set =
            Command::new("setfattr").args(["-n", "user.backup", "-v", "1"]).arg(root.path(name)).status();
        if !set.is_ok_and(|status| status.success()) {
            crate::harness::skipped("setfattr is missing, or fails here: attributes are not tested");
        }
    }),
    ("read", |root, name| {
        let file = File::options().write(true).open(root.path(name)).unwrap();
        file.set_times(FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH)).unwrap();
    }),
    ("renamed", |root, name| fs::rename(root.path(name), root.path(&format!("{name}.old"))).unwrap()),
    ("removed", |root, name| fs::remove_file(root.path(name)).unwrap()),
];

/// Begins a download in lockstep, and leaves it after some blocks.
fn begin(server: &Server, name: &str, mode: &[u8]) -> (Peer, Vec<u8>) {
    let mut peer = Peer::new(server.address());
    peer.ask(&request(1, name.as_bytes(), mode, &[("blksize", &BLOCK.to_string())]));
    assert!(matches!(peer.receive(), Answer::Oack(_)), "{name}");
    peer.send(&ack(0));
    let mut content = Vec::new();
    for block in 1..=BEGUN {
        let Answer::Data(number, payload) = peer.receive() else { panic!("no DATA {block} of {name}") };
        assert_eq!(number, block);
        content.extend(payload);
        if block < BEGUN {
            peer.send(&ack(block));
        }
    }
    (peer, content)
}

/// Goes on with a download that [`begin`] has begun, with a step before each ACK; returns the content, or the text of
/// the ERROR.
fn go_on(peer: &mut Peer, mut content: Vec<u8>, mut step: impl FnMut()) -> Result<Vec<u8>, String> {
    for block in BEGUN.. {
        step();
        peer.send(&ack(block));
        match peer.receive() {
            Answer::Data(number, payload) => {
                assert_eq!(number, block + 1);
                content.extend_from_slice(&payload);
                if payload.len() < BLOCK {
                    peer.send(&ack(number));
                    return Ok(content);
                }
            }
            Answer::Error(0, text) => return Err(text),
            other => panic!("{other:?}"),
        }
    }
    unreachable!("a file of fewer blocks")
}

fn named(what: &str, number: usize) -> String {
    format!("{}-{number}", what.replace(' ', "-"))
}

/// Downloads each file several times, with a step in the middle of the last one.
fn each_is_served_whole(size: usize, cache: &str, downloads_before: usize, mode: &[u8]) {
    // The same in netascii.
    let content: Vec<u8> = bytes(size).into_iter().map(|byte| b'a' + byte % 26).collect();
    let mut setup = Setup::new().rest_of_yaml(&format!("limits: {{ cache: {cache} }}"));
    for (what, _) in OF_METADATA {
        setup = setup.file(&named(what, size), &content);
    }
    let server = setup.start();
    for (what, step) in OF_METADATA {
        let name = named(what, size);
        for _ in 0..downloads_before {
            assert!(Peer::new(server.address()).read_plainly(&name) == content, "{what}");
            server.outcome(&name);
        }
        let (mut peer, begun) = begin(&server, &name, mode);
        let mut step = Some(step);
        let served = go_on(&mut peer, begun, || {
            if let Some(step) = step.take() {
                step(&server.root(), &name);
            }
        });
        assert!(served.as_ref() == Ok(&content), "{what}: {:?}", served.map(|content| content.len()));
        assert_ended(&server.outcome(&name), "served", "");
    }
}

#[test]
fn a_download_goes_on_while_the_metadata_of_its_file_change() {
    for mode in [&b"octet"[..], b"netascii"] {
        // The first reader of a file above 64 KiB reads it from the disk.
        each_is_served_whole(100_000, "16MiB", 0, mode);
        // So does each reader of a file above a quarter of the cache.
        each_is_served_whole(300_000, "1MiB", 2, mode);
        // These come from memory.
        each_is_served_whole(30_000, "16MiB", 1, mode);
    }
}

/// What is appended to a log.
const LINE: &[u8] = b"another line\n";

fn append(server: &Server, name: &str) {
    let mut log = OpenOptions::new().append(true).open(server.root().path(name)).unwrap();
    log.write_all(LINE).unwrap();
}

/// A log or status page that gets a line all the time, from before the request to the last block.
#[test]
fn a_file_that_grows_is_served_to_its_size_at_the_request() {
    for cache in ["16MiB", "0B"] {
        let server = Setup::new().rest_of_yaml(&format!("limits: {{ cache: {cache} }}")).start();
        for (size, mode) in [20_000, 400_000, 400 * BLOCK - LINE.len(), 400 * BLOCK - LINE.len() - 1]
            .into_iter()
            .flat_map(|size| [(size, "octet"), (size, "netascii")])
        {
            let name = format!("{mode}-{size}.log");
            let mut content: Vec<u8> = bytes(size).into_iter().map(|byte| b'a' + byte % 26).collect();
            server.root().write(&name, &content);
            append(&server, &name);
            content.extend(LINE);
            if mode == "netascii" {
                content.insert(content.len() - 1, b'\r');
            }
            let (mut peer, begun) = begin(&server, &name, mode.as_bytes());
            let served = go_on(&mut peer, begun, || append(&server, &name));
            assert!(served.as_ref() == Ok(&content), "{name}: {:?}", served.map(|content| content.len()));
            assert_ended(&server.outcome(&name), "served", "");
        }
    }
}

/// With as many bytes, with fewer, and with more: the last looks like a file that grows.
#[test]
fn a_file_that_is_written_anew_in_place_ends_the_download() {
    let size = 100 * BLOCK;
    let setup = Setup::new().rest_of_yaml("limits: { cache: 0B }");
    let server = setup.start();
    for mode in [&b"octet"[..], b"netascii"] {
        for new in [size, size - 1, size + 1, 2 * size, 0] {
            let name = format!("{new}-{}", mode.escape_ascii());
            server.root().write(&name, &vec![b'a'; size]);
            // Times advance in steps.
            let file = File::options().write(true).open(server.root().path(&name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
            let (mut peer, begun) = begin(&server, &name, mode);
            let mut is_written = false;
            let served = go_on(&mut peer, begun, || {
                if !std::mem::replace(&mut is_written, true) {
                    server.root().write(&name, &vec![b'b'; new]);
                }
            });
            assert_eq!(served, Err("the file changed while it was read".into()), "{name}");
            assert_ended(&server.outcome(&name), "failed", "the file changed while it was read");
        }
    }
}

/// The new file is for those who ask later.
#[test]
fn a_file_that_is_replaced_is_served_whole() {
    let content = bytes(300_000);
    let server = Setup::new().file("f", &content).rest_of_yaml("limits: { cache: 1MiB }").start();
    let (mut peer, begun) = begin(&server, "f", b"octet");
    let mut is_replaced = false;
    let served = go_on(&mut peer, begun, || {
        if !std::mem::replace(&mut is_replaced, true) {
            server.root().write("new", b"new");
            fs::rename(server.root().path("new"), server.root().path("f")).unwrap();
        }
    });
    assert!(served == Ok(content));
    assert_eq!(Peer::new(server.address()).read_plainly("f"), b"new");
}
