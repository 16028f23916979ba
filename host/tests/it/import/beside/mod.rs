//! The real server beside Tuffet with the configuration imported from its flags: the same requests to both, and the
//! same answers: ERROR codes, options, bytes, and the files that uploads leave.
//!
//! Texts of ERROR packets are not compared. Each difference that remains is named with its reason; one that is not
//! named fails the test, and so does a named one that has gone.

pub(super) mod across;
mod atftpd;
mod dnsmasq;
mod dnsmasq_newer;
mod servers;
mod tftpd_hpa;
mod tftpd_hpa_newer;

use crate::harness::{ack, data, error, request};
pub(crate) use servers::{Pair, Started, installed};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

/// How long a server may think before its client asks again.
const PATIENCE: Duration = Duration::from_secs(3);

/// How often a client asks. in.tftpd drops a request for a file that an earlier transfer still has locked.
const ATTEMPTS: usize = 5;

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Served(Vec<u8>),
    Stored,
    /// Options that were acknowledged, by their names in lower case.
    Options(String),
    Error(u16),
    Nothing,
}

impl Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Served(bytes) => write!(f, "{} bytes", bytes.len()),
            Outcome::Stored => f.write_str("stored"),
            Outcome::Options(options) => write!(f, "[{options}]"),
            Outcome::Error(code) => write!(f, "ERROR {code}"),
            Outcome::Nothing => f.write_str("nothing"),
        }
    }
}

/// A request, by a name for messages.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) label: String,
    pub(crate) packet: Vec<u8>,
    /// What is written, for a WRQ.
    pub(crate) upload: Option<Vec<u8>>,
}

/// Reads a file. `HERE` in the name is the server's own folder.
pub(crate) fn read(name: &[u8]) -> Asked {
    let packet = request(1, name, b"octet", &[]);
    Asked { label: format!("read {}", shown(name)), packet, upload: None }
}

pub(crate) fn read_with(name: &str, mode: &str, options: &[(&str, &str)]) -> Asked {
    let packet = request(1, name.as_bytes(), mode.as_bytes(), options);
    let shown: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Asked {
        label: format!("read {name} {mode} {}", shown.join(" ")).trim_end().to_owned(),
        packet,
        upload: None,
    }
}

pub(crate) fn write(name: &[u8], content: &[u8]) -> Asked {
    let packet = request(2, name, b"octet", &[]);
    Asked { label: format!("write {}", shown(name)), packet, upload: Some(content.to_vec()) }
}

fn shown(name: &[u8]) -> String {
    match name.len() {
        ..100 => String::from_utf8_lossy(name).into_owned(),
        length => format!("({length} letters)"),
    }
}

/// Asks one server, until it answers.
fn ask(server: SocketAddr, folder: &Path, asked: &Asked) -> Outcome {
    let mut outcomes = (0..ATTEMPTS).map(|_| attempt(server, folder, asked));
    outcomes.find(|outcome| *outcome != Outcome::Nothing).unwrap_or(Outcome::Nothing)
}

/// Asks once, packet by packet. Answers that no client would take are outcomes, too.
fn attempt(server: SocketAddr, folder: &Path, asked: &Asked) -> Outcome {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = replaced(&asked.packet, b"HERE", folder.to_str().unwrap().as_bytes());
    socket.send_to(&request, server).unwrap();
    let mut buffer = vec![0; 70_000];
    let (mut content, mut next, mut sent) = (Vec::new(), 1, 0);
    loop {
        let Ok((length, from)) = socket.recv_from(&mut buffer) else { return Outcome::Nothing };
        if from.ip() != server.ip() || length < 2 {
            continue;
        }
        let number = |at: usize| u16::from_be_bytes([buffer[at], buffer[at + 1]]);
        let payload = &buffer[4.min(length)..length];
        match number(0) {
            3 if number(2) == next => {
                socket.send_to(&ack(next), from).unwrap();
                next += 1;
                content.extend_from_slice(payload);
                if payload.len() < 512 {
                    return Outcome::Served(content);
                }
            }
            4 if number(2) == sent => {
                let upload = asked.upload.as_deref().unwrap_or_default();
                let start = usize::from(sent) * 512;
                if start > upload.len() {
                    return Outcome::Stored;
                }
                sent += 1;
                let end = upload.len().min(start + 512);
                socket.send_to(&data(sent, &upload[start..end]), from).unwrap();
            }
            5 => return Outcome::Error(number(2)),
            6 => {
                socket.send_to(&error(0, "enough"), from).unwrap();
                let words = String::from_utf8_lossy(&buffer[2..length]).to_ascii_lowercase();
                let words: Vec<&str> = words.trim_end_matches('\0').split('\0').collect();
                let mut pairs: Vec<String> = words.chunks(2).map(|pair| pair.join("=")).collect();
                pairs.sort();
                return Outcome::Options(pairs.join(" "));
            }
            // A packet that was repeated.
            _ => {}
        }
    }
}

fn replaced(packet: &[u8], placeholder: &[u8], value: &[u8]) -> Vec<u8> {
    let position = packet.windows(placeholder.len()).position(|window| window == placeholder);
    position.map_or(packet.to_vec(), |at| [&packet[..at], value, &packet[at + placeholder.len()..]].concat())
}

/// Returns mode, owner and content of each file of a folder.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).unwrap().map(Result::unwrap) {
            let found = entry.metadata().unwrap();
            if found.is_dir() {
                folders.push(entry.path());
            } else if found.is_file() {
                let content = std::fs::read(entry.path()).unwrap();
                let name = entry
                    .path()
                    .strip_prefix(folder)
                    .unwrap()
                    .as_os_str()
                    .as_encoded_bytes()
                    .escape_ascii()
                    .to_string();
                let shown = format!(
                    "{:o} {} bytes {}",
                    found.mode() & 0o7777,
                    content.len(),
                    content[..content.len().min(8)].escape_ascii()
                );
                files.insert(name, shown);
            }
        }
    }
    files
}

/// Differences with their reason: what was asked, what the original answers, what Tuffet answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    pub(crate) reason: &'static str,
    pub(crate) differences: &'static [(&'static str, &'static str, &'static str)],
}

/// Asks both servers the same, and compares.
#[track_caller]
pub(crate) fn compare(pair: &Pair, asked: &[Asked], named: &[Named]) {
    let mut found = Vec::new();
    for asked in asked {
        let theirs = ask(pair.theirs, &pair.their_folder(), asked);
        let ours = ask(pair.ours, &pair.our_folder(), asked);
        if theirs != ours {
            found.push((asked.label.clone(), theirs.to_string(), ours.to_string()));
        }
    }
    let (theirs, ours) = (files(&pair.their_folder()), files(&pair.our_folder()));
    for name in theirs.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let shown = |files: &BTreeMap<String, String>| files.get(name).cloned().unwrap_or("absent".into());
        if theirs.get(name) != ours.get(name) {
            found.push((format!("file {name}"), shown(&theirs), shown(&ours)));
        }
    }
    let differences = named.iter().flat_map(|named| named.differences);
    let expected: Vec<_> =
        differences.map(|it| (it.0.to_owned(), it.1.to_owned(), it.2.to_owned())).collect();
    println!("{}: {} answers compared, {} differences", pair.name, asked.len(), found.len());
    for Named { reason, differences } in named {
        println!("  {reason}: {}", differences.len());
    }
    let unnamed: Vec<_> = found.iter().filter(|it| !expected.contains(it)).collect();
    let gone: Vec<_> = expected.iter().filter(|it| !found.contains(it)).collect();
    let why = "(what, the original, Tuffet)";
    assert!(
        unnamed.is_empty() && gone.is_empty(),
        "{}: not named {why}: {unnamed:#?}\ngone: {gone:#?}",
        pair.name
    );
}

/// Joins lists of differences.
fn all(lists: &[&[Named]]) -> Vec<Named> {
    lists.iter().flat_map(|list| list.iter().copied()).collect()
}

/// Names of all kinds; each of the servers answers them in its own way.
fn names() -> Vec<Asked> {
    let long = [b'x'; 300];
    let names: [&[u8]; 29] = [
        b"f",
        b"/f",
        b"//f",
        b"./f",
        b"f/",
        b"HERE/f",
        b"HERE/sub/g",
        b"/HERE/f",
        b"HERE-evil/x",
        b"sub/g",
        b"/sub/g",
        b"sub//g",
        b"SUB/G",
        b"sub\\g",
        b"\\sub\\g",
        b"sub/../f",
        b"../outside",
        b"/../outside",
        b"HERE/../outside",
        b"/etc/passwd",
        b"etc/passwd",
        b"sub",
        b"none",
        b"none/x",
        b"f/x",
        b"f ",
        b"relative-link",
        b"g\xeax",
        &long,
    ];
    names.iter().map(|name| read(name)).collect()
}

fn options() -> Vec<Asked> {
    let options: [&[(&str, &str)]; 18] = [
        &[("tsize", "0")],
        &[("blksize", "512")],
        &[("blksize", "1432")],
        &[("blksize", "65464")],
        &[("BLKSIZE", "1000")],
        &[("blksize", "8"), ("tsize", "0")],
        &[("timeout", "3")],
        &[("timeout", "255"), ("tsize", "0"), ("blksize", "1024")],
        &[("unknown", "1")],
        &[("windowsize", "8")],
        &[("blksize", "7")],
        &[("timeout", "256")],
        &[("multicast", "")],
        &[("blksize2", "1000")],
        &[("blksize2", "70000")],
        &[("rollover", "1")],
        &[("utimeout", "100000")],
        &[("timeout", "3"), ("utimeout", "100000"), ("rollover", "0")],
    ];
    options.iter().map(|options| read_with("f", "octet", options)).collect()
}

/// Whole files of sizes around the block size.
fn contents() -> Vec<Asked> {
    ["0", "511", "512", "513", "5000"].iter().map(|size| read(format!("sizes/{size}").as_bytes())).collect()
}
