//! Changes of a file between its opening and its last block, for each way of reading files: the client gets
//! one content completely, or an ERROR before the last block.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, bytes, request};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;

const BLOCK: usize = 1024;

/// Returns more than a hundred blocks and a bit, of text that is the same in netascii.
fn old(blocks: usize) -> Vec<u8> {
    bytes(blocks * BLOCK + 10).into_iter().map(|byte| b'a' + byte % 26).collect()
}

/// A change of a file, and whether active transfers must notice it.
type Change = (&'static str, fn(&Path), bool);

const CHANGES: [Change; 8] = [
    ("emptied", |path| drop(File::create(path).unwrap()), true),
    ("truncated", |path| writable(path).set_len(old_length(path) - 5).unwrap(), true),
    ("grown", |path| OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap(), false),
    (REWRITTEN, |path| writable(path).write_all_at(&rewritten_from(old_length(path)), 0).unwrap(), true),
    ("touched", touched, false),
    ("written over", |path| writable(path).write_all_at(b"NEW", old_length(path) / 2).unwrap(), true),
    ("replaced", replaced, false),
    ("removed", |path| fs::remove_file(path).unwrap(), false),
];

fn writable(path: &Path) -> File {
    OpenOptions::new().write(true).open(path).unwrap()
}

fn old_length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// Written over by a longer content, which looks like a file that grows.
const REWRITTEN: &str = "grown and written over";

/// A longer content in place of one of this length.
fn rewritten_from(length: u64) -> Vec<u8> {
    (0..length + 5).map(|at| b'A' + (at % 26) as u8).collect()
}

/// Changes the ctime alone.
fn touched(path: &Path) {
    fs::set_permissions(path, fs::metadata(path).unwrap().permissions()).unwrap();
}

fn replaced(path: &Path) {
    let next = path.with_extension("next");
    fs::write(&next, "NEW").unwrap();
    fs::rename(next, path).unwrap();
}

/// Continues reading in windows of four; returns the content, or the text of the ERROR.
fn read_on(peer: &mut Peer, mut content: Vec<u8>, due: u16) -> Result<Vec<u8>, String> {
    for block in due.. {
        match peer.receive() {
            Answer::Data(number, payload) => {
                assert_eq!(number, block);
                content.extend_from_slice(&payload);
                if payload.len() < BLOCK {
                    peer.send(&ack(block));
                    return Ok(content);
                }
                if block % 4 == 0 {
                    peer.send(&ack(block));
                }
            }
            Answer::Error(0, text) => return Err(text),
            other => panic!("{other:?}"),
        }
    }
    unreachable!("a file of fewer blocks")
}

/// Begins a read: the file has been opened, and the client has nothing of it, or a window.
fn begin(server: &Server, name: &str, mode: &[u8], begun: bool) -> (Peer, Vec<u8>) {
    let mut peer = Peer::new(server.address());
    peer.ask(&request(1, name.as_bytes(), mode, &[("blksize", &BLOCK.to_string()), ("windowsize", "4")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    let mut content = Vec::new();
    if begun {
        peer.send(&ack(0));
        for block in 1..=4 {
            let Answer::Data(number, payload) = peer.receive() else { panic!("no DATA {block}") };
            assert_eq!(number, block);
            content.extend(payload);
        }
    }
    (peer, content)
}

fn try_all(server: &Server, blocks: usize, mode: &[u8], begun: bool) {
    for (what, change, is_noticed) in CHANGES {
        let name = format!("{blocks}-{}-{begun}-{}", mode.escape_ascii(), what.replace(' ', "-"));
        let path = server.root().path(&name);
        let (mut peer, content) = begin(server, &name, mode, begun);
        change(&path);
        peer.send(&ack(if begun { 4 } else { 0 }));
        let due = if begun { 5 } else { 1 };
        match read_on(&mut peer, content, due) {
            // Nothing was read before: the server cannot know that it reads something else.
            Ok(content) if what == REWRITTEN && !begun => {
                assert!(
                    rewritten_from(old(blocks).len() as u64).starts_with(&content)
                        && content.len() == old(blocks).len(),
                    "{name}"
                );
            }
            Ok(content) => assert!(!is_noticed && content == old(blocks), "{name}: {} bytes", content.len()),
            Err(text) => {
                assert!(is_noticed, "{name}: {text}");
                assert_eq!(text, "the file changed while it was read", "{name}");
                assert_ended(&server.outcome(&name), "failed", "the file changed while it was read");
            }
        }
    }
}

/// Starts a server. All files exist well before it, so that their times reveal a change.
fn server(sizes: &[usize], modes: &[&str]) -> Server {
    let mut setup = Setup::new().rest_of_yaml("limits: { cache: 0B }");
    for blocks in sizes {
        for mode in modes {
            for begun in [false, true] {
                for (what, ..) in CHANGES {
                    let what = what.replace(' ', "-");
                    setup = setup.file(&format!("{blocks}-{mode}-{begun}-{what}"), &old(*blocks));
                }
            }
        }
    }
    setup.start()
}

#[test]
fn between_the_open_and_the_first_block() {
    let server = server(&[0, 3, 150], &["octet", "netascii"]);
    for blocks in [0, 3, 150] {
        for mode in [&b"octet"[..], b"netascii"] {
            try_all(&server, blocks, mode, false);
        }
    }
}

#[test]
fn under_way() {
    let server = server(&[7, 150], &["octet", "netascii"]);
    for blocks in [7, 150] {
        for mode in [&b"octet"[..], b"netascii"] {
            try_all(&server, blocks, mode, true);
        }
    }
}

/// A client that already has the last block may have kept blocks beyond a gap: it must not get blocks of
/// another content, though a window of this size is read in parts.
#[test]
fn after_the_last_block() {
    const BLOCK: usize = 4096;
    let content = old(23 * BLOCK / super::changes::BLOCK);
    let yaml = "limits: { cache: 0B }";
    let server = Setup::new().file("file", &content).rest_of_yaml(yaml).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&request(1, b"file", b"octet", &[("blksize", &BLOCK.to_string()), ("windowsize", "32")]));
    assert!(matches!(peer.receive(), Answer::Oack(_)));
    peer.send(&ack(0));
    loop {
        match peer.receive() {
            Answer::Data(_, payload) if payload.len() < BLOCK => break,
            Answer::Data(..) => {}
            other => panic!("{other:?}"),
        }
    }
    writable(&server.root().path("file")).write_all_at(&vec![b'N'; 16 * BLOCK], 0).unwrap();
    // All but the first was lost, apparently.
    peer.send(&ack(1));
    loop {
        match peer.receive() {
            Answer::Data(block, payload) => {
                assert!(!payload.contains(&b'N'), "block {block} is of the new content")
            }
            Answer::Error(0, text) => break assert_eq!(text, "the file changed while it was read"),
            other => panic!("{other:?}"),
        }
    }
}
