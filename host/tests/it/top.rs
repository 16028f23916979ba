//! `tuffet top`: one frame for scripts, and a real terminal.

use crate::harness::{Answer, Peer, Ran, SOON, Server, Setup, ack, bytes, rrq, skipped, tuffet};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// Starts a server with an active transfer; the returned client must stay alive.
fn server(rest: &str) -> (Server, Peer) {
    let server = Setup::new().file("initrd.img", &bytes(512 * 40)).rest_of_yaml(rest).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("none", &[]));
    assert!(matches!(peer.receive(), Answer::Error(..)));
    server.outcome("none");
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("initrd.img", &[("tsize", "0")]));
    peer.expect(Answer::Oack("tsize=20480".into()));
    peer.send(&ack(0));
    for block in 1..=20 {
        assert!(matches!(peer.receive(), Answer::Data(..)));
        peer.send(&ack(block));
    }
    server.live_until("its progress", |live| live["active"][0]["bytes"] == 20 * 512);
    (server, peer)
}

fn socket(server: &Server) -> String {
    server.outside().0.join("control").to_str().unwrap().to_owned()
}

#[track_caller]
fn shows(ran: &Ran) {
    ran.assert_good();
    let text = String::from_utf8_lossy(&ran.stdout);
    for word in ["Tuffet ", "live", "ready", "initrd.img", " 50 %", "not-found", "none"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "plain text: {text}");
}

#[test]
fn one_frame_for_scripts() {
    let (server, _peer) = server("admin: { address: \"127.0.0.1:0\" }\n");
    shows(&tuffet(["top", "--once", "--control", &socket(&server)]));
    // Without --once, if the output is not a terminal.
    shows(&tuffet(["top", "--url", &format!("http://{}/", server.admin())]));
}

#[test]
fn one_frame_of_the_rows_that_are_asked_for() {
    let (server, _peer) = server("admin: { address: \"127.0.0.1:0\" }\n");
    let url = format!("http://{}/", server.admin());
    for source in [["--control", &socket(&server)], ["--url", &url]] {
        let frame = |args: &[&str]| {
            let ran = tuffet(["top", "--once"].iter().chain(&source).chain(args).copied());
            ran.assert_good();
            String::from_utf8_lossy(&ran.stdout).into_owned()
        };
        assert!(frame(&["--sort", "-rate", "--filter", "file:initrd root:boot"]).contains("initrd.img"));
        assert!(!frame(&["--filter", "client:192.0.2.1"]).contains("initrd.img"));
    }
    for args in [["--sort", "speed"], ["--filter", "state:dead"]] {
        let ran = tuffet(["top", "--control", &socket(&server)].iter().chain(&args).copied());
        ran.assert_fails(64, &["give"]);
    }
}

#[test]
fn a_token_and_what_is_wrong() {
    let setup = Setup::new();
    setup.outside().write("token", b"0123456789abcdef\n");
    let file = setup.outside().0.join("token");
    let file = file.to_str().unwrap();
    let server = setup.rest_of_yaml("admin: { address: \"127.0.0.1:0\", token: { file: token } }\n").start();
    let url = format!("http://{}", server.admin());
    tuffet(["top", "--once", "--url", &url, "--token-file", file]).assert_good();
    tuffet(["top", "--once", "--url", &url]).assert_fails(69, &["does not answer", "--token-file"]);
    tuffet(["top", "--url", "https://127.0.0.1:1"]).assert_fails(64, &["give http://HOST:PORT"]);
    tuffet(["top", "--url", "http://127.0.0.1:1"]).assert_fails(69, &["http://127.0.0.1:1 does not answer"]);
    tuffet(["top", "--control", "/nowhere/control"])
        .assert_fails(69, &["the control socket /nowhere/control"]);
    tuffet(["top", "--url", &url, "--token-file", "/nowhere"]).assert_fails(64, &["--token-file /nowhere"]);
}

/// `tuffet top` in a terminal of its own.
struct Terminal {
    child: Child,
    says: Receiver<Vec<u8>>,
    said: String,
}

impl Terminal {
    fn open(server: &Server) -> Option<Terminal> {
        let command = format!(
            "stty cols 120 rows 40; echo PID=$$.; exec {} top --control {}",
            env!("CARGO_BIN_EXE_tuffet"),
            socket(server)
        );
        let child = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            skipped("script (of util-linux) is not installed");
            return None;
        };
        let (said, says) = channel();
        let mut pipe = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(read @ 1..) = pipe.read(&mut part) {
                let _ = said.send(part[..read].to_vec());
            }
        });
        Some(Terminal { child, says, said: String::new() })
    }

    /// Reads until this text appears.
    #[track_caller]
    fn until(&mut self, word: &str) {
        while !self.said.contains(word) {
            let part = self.says.recv_timeout(SOON);
            let part = part.unwrap_or_else(|_| panic!("{word} is not said: {}", self.said.escape_debug()));
            self.said += &String::from_utf8_lossy(&part);
        }
    }

    fn press(&mut self, keys: &str) {
        self.child.stdin.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for its end: the screen is restored.
    fn ends(&mut self) {
        self.until("\u{1b}[?1049l");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Its end closes the terminal, which ends the program in it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_terminal_is_given_back_as_it_was() {
    let (server, _peer) = server("");
    let Some(mut terminal) = Terminal::open(&server) else { return };
    terminal.until("\u{1b}[?1049h");
    terminal.until("initrd.img");
    // The other tab, and the end.
    terminal.press("2");
    terminal.until("not-found");
    terminal.press("q");
    terminal.ends();
}

/// Of a transfer that still runs, too: its options, and each call of a plugin without traces.
#[test]
fn enter_shows_the_details_of_a_transfer() {
    let (server, _peer) =
        server("policy: { authorize: [acl] }\nplugins: { acl: { component: \"builtin:acl\" } }\n");
    let Some(mut terminal) = Terminal::open(&server) else { return };
    terminal.until("initrd.img");
    terminal.press("\r");
    // Blanks that were there before are not drawn again.
    for word in ["granted", "tsize=20480", "(authorize):", "abstain,"] {
        terminal.until(word);
    }
    terminal.press("q");
    terminal.ends();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let (server, _peer) = server("");
    let Some(mut terminal) = Terminal::open(&server) else { return };
    terminal.until("initrd.img");
    let pid = terminal.said.split("PID=").nth(1).and_then(|rest| rest.split('.').next()).unwrap().to_owned();
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    terminal.ends();
}
