//! What a line looks like: to people, to programs, to the journal.

use crate::harness::{Answer, Peer, SOON, ack, compiled, own_loopback, request, rrq, tuffet};
use crate::policy::misbehave;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::linux::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use tempfile::TempDir;

/// A server and the lines that it writes.
pub(super) struct Spoken {
    child: Child,
    lines: Receiver<String>,
    /// The lines up to `serving`.
    start: Vec<String>,
    pub(super) address: SocketAddr,
    pub(super) root: TempDir,
}

impl Spoken {
    fn start(format: &str, journal: Option<fn(&File) -> String>) -> Spoken {
        Spoken::start_with(format, journal, None)
    }

    /// With a configuration whose root `boot` is the folder around it, or with flags alone.
    pub(super) fn start_with(
        format: &str,
        journal: Option<fn(&File) -> String>,
        yaml: Option<&str>,
    ) -> Spoken {
        Spoken::start_at(format, journal, yaml, &[format!("{}:0", own_loopback())])
    }

    /// With these listeners; `address` is that of the first.
    fn start_at(
        format: &str,
        journal: Option<fn(&File) -> String>,
        yaml: Option<&str>,
        listeners: &[String],
    ) -> Spoken {
        let root = TempDir::new().unwrap();
        std::fs::write(root.path().join("small"), b"x").unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        let writer = File::from(OwnedFd::from(writer));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        command.args(["serve", "--log-format", format, "--user", "root"]).stdin(Stdio::null());
        for listener in listeners {
            command.args(["--listen", listener]);
        }
        command.env("CACHE_DIRECTORY", compiled());
        match yaml {
            Some(yaml) => {
                let file = root.path().join("tuffet.yaml");
                std::fs::write(&file, yaml).unwrap();
                command.arg("--config").arg(file);
            }
            None => {
                command.arg("--root").arg(root.path());
            }
        }
        if let Some(journal) = journal {
            command.env("JOURNAL_STREAM", journal(&writer));
        }
        let child = command.stderr(Stdio::from(writer)).spawn().unwrap();
        // The writing end of the pipe is the server's alone from here on.
        drop(command);
        let (sender, lines) = channel();
        thread::spawn(move || {
            BufReader::new(reader).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let mut server =
            Spoken { child, lines, start: Vec::new(), address: ([127, 0, 0, 1], 0).into(), root };
        while server.start.last().is_none_or(|line| !line.contains("serving")) {
            let line = server.line("");
            server.start.push(line);
        }
        let listening = server.start.iter().find(|line| line.contains("listening")).unwrap();
        let end = listening.split_once("\"address\":\"").or(listening.split_once("listening on ")).unwrap().1;
        server.address = end.split([' ', '"']).next().unwrap().parse().unwrap();
        server
    }

    /// The next line with these words.
    #[track_caller]
    pub(super) fn line(&self, words: &str) -> String {
        let mut seen = Vec::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(SOON) else { panic!("no {words:?} in {seen:#?}") };
            if line.contains(words) {
                return line;
            }
            seen.push(line);
        }
    }

    /// For each of these words the first line with them. Requests may end in another order than they were sent in.
    #[track_caller]
    pub(super) fn lines_with<const COUNT: usize>(&self, words: [&str; COUNT]) -> [String; COUNT] {
        let mut found = words.map(|_| None);
        let mut seen = Vec::new();
        while found.iter().any(Option::is_none) {
            let Ok(line) = self.lines.recv_timeout(SOON) else {
                panic!("{words:?}: {found:#?} in {seen:#?}")
            };
            let place =
                words.iter().zip(&mut found).find(|(words, found)| found.is_none() && line.contains(**words));
            match place {
                Some((_, place)) => *place = Some(line),
                None => seen.push(line),
            }
        }
        found.map(Option::unwrap)
    }
}

impl Spoken {
    /// SIGTERM; what it logs until its end can still be read.
    pub(super) fn stop(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_path_forges_no_field_in_the_text_format() {
    let server = Spoken::start("text", None);
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("x outcome=served client=10.0.0.9:7", &[]));
    peer.expect_error(1);
    let line = server.line(" not-found ");
    assert!(line.contains(r#" WARN not-found 127."#), "{line}");
    assert!(line.contains(r#" read "x outcome=served client=10.0.0.9:7" "no such file""#), "{line}");
    assert_eq!(outside_of_quotes(&line).matches("served").count(), 0, "{line}");
}

/// What is left when quoted values are taken out.
fn outside_of_quotes(line: &str) -> String {
    let mut quoted = false;
    let mut escaped = false;
    line.chars()
        .filter(|&char| {
            let ends = char == '"' && !std::mem::take(&mut escaped);
            escaped |= quoted && char == '\\' && !escaped;
            quoted ^= ends;
            !quoted && !ends
        })
        .collect()
}

#[test]
fn quotes_and_invisible_characters_are_escaped() {
    let cases = [
        ("a\"b", r#" read "a\"b" "#, r#""path":"a\"b""#),
        ("a\u{202e}b", r#" read "a\u{202e}b" "#, r#""path":"a\u202eb""#),
        ("a\u{2028}b", r#" read "a\u{2028}b" "#, r#""path":"a\u2028b""#),
        ("a\u{2066}b", r#" read "a\u{2066}b" "#, r#""path":"a\u2066b""#),
        ("größe", " read größe ", r#""path":"größe""#),
    ];
    for format in ["text", "json"] {
        let server = Spoken::start(format, None);
        for (name, in_text, in_json) in cases {
            let mut peer = Peer::new(server.address);
            peer.ask(&rrq(name, &[]));
            peer.expect_error(1);
            let line = server.line("not-found");
            assert!(line.contains(if format == "text" { in_text } else { in_json }), "{line}");
            if format == "json" {
                assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["path"], name);
            }
        }
        // Refused by its name, which is logged all the same.
        let mut peer = Peer::new(server.address);
        peer.ask(&request(1, b"a\x1b[31m\n2026 INFO b", b"octet", &[]));
        peer.receive();
        let line = server.line("denied");
        assert!(line.contains("2026 INFO b") && !line.contains('\x1b'), "{line}");
    }
}

#[test]
fn a_list_shows_as_one_and_its_texts_forge_nothing() {
    let yaml = "roots: [{ name: a, path: . }, { name: b, path: . }]\n";
    let server = Spoken::start_with("text", None, Some(yaml));
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("x\", \"outcome=served\u{202e}", &[]));
    peer.expect_error(1);
    let line = server.line(" not-found ");
    assert!(
        line.contains(r#" tried=["a:x\", \"outcome=served\u202e", "b:x\", \"outcome=served\u202e"]"#),
        "{line}"
    );
    assert_eq!(outside_of_quotes(&line).matches("served").count(), 0, "{line}");
}

#[test]
fn a_request_is_one_short_line_for_people() {
    let server = Spoken::start("text", None);
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("small", &[]));
    peer.expect(Answer::Data(1, b"x".to_vec()));
    peer.send(&ack(1));
    let line = server.line(" served ");
    let (time, rest) = line.split_once("  INFO served 127.").unwrap_or_else(|| panic!("{line}"));
    assert!(time.ends_with('Z') && !time.contains(' '), "{line}");
    let (_, rest) = rest.split_once(" read root:small 1 B in ").unwrap_or_else(|| panic!("{line}"));
    // On a busy machine, the line may say what took more than 10 ms, and what was sent again for that.
    let is_slow = |word: &&str| {
        let (name, value) = word.split_once('=').unwrap_or_default();
        let least = match name {
            "rtt_us" | "decision_us" => 10_000,
            "retransmissions" | "duplicates" | "timeouts" | "needless_timeouts" => 1,
            _ => return false,
        };
        value.parse().is_ok_and(|value: u64| value >= least)
    };
    let rest = rest.split(' ').filter(|word| !is_slow(word));
    assert!(matches!(*rest.collect::<Vec<_>>(), [_, "ms" | "s"]), "all else is as by default: {line}");
    assert!(!line.contains('\u{1b}'), "no colours where it is no terminal: {line}");
}

/// From the start to the end. What failed has its words, too; a search for the message of JSON finds each line.
#[test]
fn the_life_of_a_server_is_told_in_sentences() {
    let bad = misbehave();
    let yaml = format!(
        "roots: [{{ name: boot, path: . }}]\npolicy: {{ authorize: [bad] }}\nplugins: {{ bad: {{ component: \"{bad}\", \
         on-error: abstain, settings: {{ do: trap, when: \"trap/**\" }} }} }}\n"
    );
    let server = Spoken::start_with("text", None, Some(&yaml));
    let start = server.start.join("\n");
    let count = thread::available_parallelism().unwrap();
    let workers = if count.get() == 1 { "1 worker".to_owned() } else { format!("{count} workers") };
    for sentence in [
        " INFO tuffet::privileges: dropped privileges: user root",
        " INFO tuffet::server::policy: plugins loaded: \"bad ",
        &format!(" INFO tuffet::server::running: listening on {}", server.address),
        &format!(" INFO tuffet::server::running: serving with {workers}"),
    ] {
        assert!(start.contains(sentence), "{sentence:?} is missing in\n{start}");
    }
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("trap/x", &[]));
    peer.expect_error(1);
    let line = server.line("a plugin failed: ");
    let failed = " WARN tuffet::policy: a plugin failed: bad in authorize for 127.";
    assert!(line.contains(failed) && line.contains(", trap: ") && !line.contains("cause="), "{line}");
    server.stop();
    let line = server.line("stopping");
    assert!(line.ends_with(" stopping; waiting for running transfers, for at most 600 s"), "{line}");
    let line = server.line("plugin totals");
    assert!(line.ends_with(": plugin totals: bad, 1 call, failures \"trap=1\""), "{line}");
    let line = server.line("totals");
    assert!(line.ends_with(": totals: 1 request, 1 not found"), "{line}");
}

#[test]
fn a_line_of_a_request_that_went_wrong_has_the_port_the_listener_and_the_options() {
    let listener = || format!("{}:0", own_loopback());
    let server = Spoken::start_at("text", None, None, &[listener(), listener()]);
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("none", &[("blksize", "1428"), ("tsize", "0")]));
    peer.expect_error(1);
    let line = server.line(" not-found ");
    let client = line.split_once(" not-found ").unwrap().1.split(' ').next().unwrap();
    assert!(client.parse::<SocketAddr>().is_ok(), "{line}");
    assert!(line.contains(" asked=\"blksize=1428 tsize=0\""), "{line}");
    let listener = line.split_once(" listener=").unwrap_or_else(|| panic!("{line}")).1;
    let listener: SocketAddr = listener.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(listener.ip(), server.address.ip(), "one of two: {line}");
}

#[test]
fn lines_for_the_journal_begin_with_their_priority() {
    let stream = |file: &File| {
        let about = file.metadata().unwrap();
        format!("{}:{}", about.st_dev(), about.st_ino())
    };
    for format in ["text", "json"] {
        let server = Spoken::start(format, Some(stream));
        for (name, priority) in [("small", "<6>"), ("missing", "<4>")] {
            let mut peer = Peer::new(server.address);
            peer.ask(&rrq(name, &[]));
            if let Answer::Data(..) = peer.receive() {
                peer.send(&ack(1));
            }
            let line = server.line(if name == "small" { "served" } else { "not-found" });
            let rest = line.strip_prefix(priority).unwrap_or_else(|| panic!("{line}"));
            assert!(format == "text" || serde_json::from_str::<Value>(rest).is_ok(), "{line}");
        }
    }
    // The variable of a service whose output was redirected.
    let other = |file: &File| format!("{}:{}", file.metadata().unwrap().st_dev(), 1);
    let server = Spoken::start("text", Some(other));
    let mut peer = Peer::new(server.address);
    peer.ask(&rrq("missing", &[]));
    peer.expect_error(1);
    assert!(server.line(" not-found ").starts_with("20"));
}

#[test]
fn an_error_of_the_start_has_a_priority_in_the_journal() {
    let (reader, writer) = std::io::pipe().unwrap();
    let writer = File::from(OwnedFd::from(writer));
    let about = writer.metadata().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_tuffet"))
        .args(["serve", "--root", "/no/such/folder", "--listen", "127.0.0.1:0"])
        .env("JOURNAL_STREAM", format!("{}:{}", about.st_dev(), about.st_ino()))
        .stdin(Stdio::null())
        .stderr(Stdio::from(writer))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(66));
    let line = BufReader::new(reader).lines().next().unwrap().unwrap();
    assert!(line.starts_with("<3>") && line.contains("/no/such/folder"), "{line}");
}

#[test]
fn a_word_that_is_no_level_is_refused() {
    let root = std::env::temp_dir();
    for filter in ["warning", "tuffet::transfers=info", "info,verbose", ""] {
        let arguments =
            ["serve", "--root", root.to_str().unwrap(), "--listen", "127.0.0.1:0", "--log", filter];
        tuffet(arguments).assert_fails(64, &["--log", "error, warn, info, debug, trace", "tuffet::transfer"]);
    }
}
