//! `nats`, with the server of Debian's package `nats-server`.

use super::relay::Relay;
use super::{Kept, ask, asked, first_of_each, wait_for_queued};
use crate::harness::{Certificate, SOON, own_address, skipped, wait_until};
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A server process, killed on drop with SIGKILL.
struct Nats {
    child: Child,
    address: SocketAddr,
    _folder: TempDir,
}

/// Debian installs it where only root's path leads.
pub fn program() -> Option<&'static str> {
    let found = ["nats-server", "/usr/sbin/nats-server"]
        .into_iter()
        .find(|program| Command::new(program).arg("--version").output().is_ok());
    if found.is_none() {
        skipped("nats-server is not installed: sinks on it are not tested");
    }
    found
}

impl Nats {
    /// Starts one with this additional configuration; `None` if it is not installed.
    fn start(configuration: &str) -> Option<Nats> {
        program()?;
        Nats::start_at(own_address(), configuration)
    }

    /// On 127.0.0.1, as the certificates of tests say.
    fn start_on_localhost(configuration: &str) -> Option<Nats> {
        program()?;
        // Free a moment ago; where somebody else was quicker, the server says so and another one is tried.
        for _ in 0..10 {
            let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
            if let Some(nats) = Nats::start_at(address, configuration) {
                return Some(nats);
            }
        }
        panic!("nats-server does not start")
    }

    /// `None` where it does not start there.
    fn start_at(address: SocketAddr, configuration: &str) -> Option<Nats> {
        let program = program().expect("it has been started before");
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("nats.conf");
        std::fs::write(&file, format!("listen: \"{address}\"\n{configuration}\n")).unwrap();
        let child = Command::new(program)
            .arg("-c")
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut nats = Nats { child, address, _folder: folder };
        let mut ended = false;
        wait_until("nats-server listens", || {
            ended = nats.child.try_wait().unwrap().is_some();
            ended || TcpStream::connect(address).is_ok()
        });
        (!ended).then_some(nats)
    }

    /// Receives all further messages of this subject.
    fn subscribe(&self, connect: &str, subject: &str) -> Received {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut reader = BufReader::new(stream);
        let ask = format!(
            "CONNECT {{\"verbose\":false,\"pedantic\":false{connect}}}\r\nSUB {subject} 1\r\nPING\r\n"
        );
        reader.get_mut().write_all(ask.as_bytes()).unwrap();
        let mut line = String::new();
        while !line.starts_with("PONG") {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0 && !line.starts_with("-ERR"), "{line}");
        }
        let received = Received::default();
        let its = received.clone();
        std::thread::spawn(move || {
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
                if line.starts_with("PING") {
                    let _ = reader.get_mut().write_all(b"PONG\r\n");
                } else if let Some(length) =
                    line.strip_prefix("MSG ").and_then(|rest| rest.split_whitespace().last())
                {
                    let mut payload = vec![0; length.parse::<usize>().unwrap() + 2];
                    if reader.read_exact(&mut payload).is_err() {
                        break;
                    }
                    payload.truncate(payload.len() - 2);
                    its.0.lock().unwrap().push(String::from_utf8(payload).unwrap());
                }
                line.clear();
            }
        });
        received
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug, Clone, Default)]
struct Received(Arc<Mutex<Vec<String>>>);

impl Received {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[test]
fn each_line_is_a_message() {
    let Some(nats) = Nats::start("") else { return };
    let received = nats.subscribe("", "site.>");
    let kept = Kept::new();
    let server =
        kept.setup(&format!("{{ nats: {{ url: 'nats://{}', subject: site.7 }} }}", nats.address)).start();
    ask(&server, 0..10);
    wait_until("all came", || received.lines().len() == 10);
    assert_eq!(asked(&received.lines()), (0..10).collect::<Vec<u32>>());
    wait_until("the server has confirmed them", || server.sink()["delivered"] == 10);
    assert_eq!(server.sink()["kind"], "nats");
}

/// SIGKILL of the NATS server: lines accepted meanwhile arrive at the next one, in order.
#[test]
fn a_server_that_was_killed_is_waited_for() {
    let Some(nats) = Nats::start("") else { return };
    let (kept, relay) = (Kept::new(), Relay::to(nats.address));
    let first = nats.subscribe("", "events");
    let server = kept
        .setup(&format!(
            "{{ nats: {{ url: 'nats://{}', subject: events, timeout: 1s }}, spool: {{ bytes: 1MiB }} }}",
            relay.address()
        ))
        .start();
    ask(&server, 0..5);
    wait_until("the first came", || first.lines().len() == 5);
    // Behind a closed relay, so that the next server has its subscriber before any message.
    relay.shut();
    let address = nats.address;
    drop(nats);
    ask(&server, 5..25);
    wait_for_queued(&server, 25);
    server.logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert_eq!(server.sink()["broken"], true);
    let Some(nats) = Nats::start_at(address, "") else { panic!("{address} is taken") };
    let second = nats.subscribe("", "events");
    relay.open();
    wait_until("all came", || first_of_each(asked(&second.lines())).contains(&24));
    let came = first_of_each(asked(&[first.lines(), second.lines()].concat()));
    assert_eq!(came, (0..25).collect::<Vec<u32>>());
    wait_until("nothing is left", || server.sink()["waiting"] == 0);
}

/// Both processes are killed.
#[test]
fn a_spool_outlives_both_servers() {
    let Some(nats) = Nats::start("") else { return };
    let (kept, address) = (Kept::new(), nats.address);
    drop(nats);
    let sink = format!(
        "{{ nats: {{ url: 'nats://{address}', subject: events, timeout: 1s }}, spool: {{ bytes: 1MiB }} }}"
    );
    let server = kept.setup(&sink).start();
    ask(&server, 0..20);
    wait_for_queued(&server, 20);
    drop(server);
    let Some(nats) = Nats::start_at(address, "") else { panic!("{address} is taken") };
    let received = nats.subscribe("", "events");
    let server = kept.setup(&sink).start();
    wait_until("nothing is left", || server.sink()["waiting"] == 0);
    assert_eq!(first_of_each(asked(&received.lines())), (0..20).collect::<Vec<u32>>());
}

#[test]
fn who_asks_is_known_by_a_token_or_by_a_password() {
    let Some(nats) = Nats::start("authorization: { token: hush-token }") else { return };
    let received = nats.subscribe(",\"auth_token\":\"hush-token\"", "events");
    let kept = Kept::new();
    let url = format!("nats://{}", nats.address);
    let server = kept
        .setup(&format!("{{ nats: {{ url: '{url}', subject: events, token: '${{NATS_TOKEN}}' }} }}"))
        .variable("NATS_TOKEN", "hush-token")
        .flag("--log=trace")
        .start();
    ask(&server, 0..3);
    wait_until("all came", || received.lines().len() == 3);
    server.stop();
    assert!(!server.log().contains("hush"), "{}", server.log());

    let Some(nats) = Nats::start("authorization: { user: tuffet, password: hush-word }") else { return };
    let received = nats.subscribe(",\"user\":\"tuffet\",\"pass\":\"hush-word\"", "events");
    std::fs::write(kept.path("word"), "hush-word\n").unwrap();
    let url = format!("nats://{}", nats.address);
    let login = |file: &Path| {
        format!(
            "{{ nats: {{ url: '{url}', subject: events, user: tuffet, password: {{ file: '{}' }} }}, spool: \
             {{}} }}",
            file.display()
        )
    };
    // A wrong login is retried, loses nothing, and is not shown.
    std::fs::write(kept.path("wrong"), "hush-wrong").unwrap();
    let server = kept.setup(&login(&kept.path("wrong"))).start();
    ask(&server, 0..2);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().contains("authorization violation"), "{line}");
    wait_for_queued(&server, 2);
    drop(server);
    let server = kept.setup(&login(&kept.path("word"))).start();
    wait_until("all came", || received.lines().len() == 2);
    assert!(!server.log().contains("hush"), "{}", server.log());
}

/// The server accepts messages without the permission to publish, and discards them: they are not delivered.
#[test]
fn who_may_not_publish_has_delivered_nothing() {
    let Some(nats) = Nats::start(
        "authorization: { users: [ { user: a, password: b, permissions: { publish: \"_INBOX.>\" } } ] }",
    ) else {
        return;
    };
    let kept = Kept::new();
    std::fs::write(kept.path("b"), "b").unwrap();
    let server = kept
        .setup(&format!(
            "{{ nats: {{ url: 'nats://{}', subject: events, user: a, password: {{ file: '{}' }} }} }}",
            nats.address,
            kept.path("b").display()
        ))
        .start();
    ask(&server, 0..1);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().to_lowercase().contains("permissions violation"), "{line}");
    let sink = server.sink();
    assert_eq!((&sink["delivered"], &sink["waiting"]), (&0.into(), &1.into()), "{sink}");
}

/// `tls://`, with a certificate that only this test trusts.
#[test]
fn tls_by_the_scheme() {
    let kept = Kept::new();
    let Some(certificate) = Certificate::make(&kept.path("")) else { return };
    let tls = format!(
        "tls: {{ cert_file: \"{}\", key_file: \"{}\" }}",
        certificate.certificate.display(),
        certificate.key.display()
    );
    let Some(nats) = Nats::start_on_localhost(&tls) else { return };
    let sink = format!(
        "{{ nats: {{ url: 'tls://localhost:{}', subject: events, timeout: 5s }} }}",
        nats.address.port()
    );
    let server = kept.setup(&sink).variable("SSL_CERT_FILE", certificate.trusted()).start();
    ask(&server, 0..3);
    wait_until("the server has confirmed them", || server.sink()["delivered"] == 3);
    drop(server);
    // A server with an unknown certificate receives nothing.
    let server = kept.setup(&sink).start();
    ask(&server, 0..1);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().contains("certificate"), "{line}");
}

/// Base64 for URLs, without padding (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let group = |group: &[u8]| {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        let digits = (0..=group.len()).map(move |digit| bits >> (18 - 6 * digit) & 63);
        digits.map(|digit| char::from(ALPHABET[digit as usize])).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// A NATS token: its subject, signed by another key.
fn token(by: &KeyPair, about: &KeyPair, claims: &Value) -> String {
    let head = base64(br#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
    let body = json!({
        "jti": "it", "iat": 1_700_000_000, "iss": by.public_key(), "sub": about.public_key(), "name": "it",
        "nats": claims,
    });
    let signed = format!("{head}.{}", base64(body.to_string().as_bytes()));
    let signature = base64(&by.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

/// A credentials file, as `nsc` writes it: a token of the user, and the seed of its key.
#[test]
fn who_asks_is_known_by_a_credentials_file() {
    let (operator, account, user) = (KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user());
    let of_operator = token(&operator, &operator, &json!({ "type": "operator", "version": 2 }));
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
        "leaf": -1,
    });
    let of_account =
        token(&operator, &account, &json!({ "type": "account", "version": 2, "limits": limits }));
    let of_user = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let credentials = |by: &KeyPair| {
        let (token, seed) = (token(by, &user, &of_user), user.seed().unwrap());
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY \
             SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let configuration = format!(
        "operator: {of_operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {of_account} }}",
        account.public_key()
    );
    let Some(nats) = Nats::start(&configuration) else { return };
    let kept = Kept::new();
    let (good, bad) = (kept.path("good.creds"), kept.path("bad.creds"));
    std::fs::write(&good, credentials(&account)).unwrap();
    std::fs::write(&bad, credentials(&KeyPair::new_account())).unwrap();
    let sink = |file: &Path| {
        format!(
            "{{ nats: {{ url: 'nats://{}', subject: events, credentials: '{}' }} }}",
            nats.address,
            file.display()
        )
    };
    let server = kept.setup(&sink(&good)).start();
    ask(&server, 0..3);
    wait_until("all were confirmed", || server.sink()["delivered"] == 3);
    let (log, seed) = (server.log(), user.seed().unwrap());
    assert!(!log.contains(&seed) && !server.status().to_string().contains(&seed));
    drop(server);
    // Signed by an account unknown to the operator.
    let server = kept.setup(&sink(&bad)).start();
    ask(&server, 3..4);
    let line = server
        .logged("a sink is broken; its lines are queued, and plugins get an error when the queue is full");
    assert!(line["error"].as_str().unwrap().to_lowercase().contains("authorization"), "{line}");
    assert_eq!(server.sink()["delivered"], 0);
}
