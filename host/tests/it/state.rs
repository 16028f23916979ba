//! The state of a server is one thing: `tuffet status`, `/readyz`, `tuffet top`, the page and the metrics agree.

use crate::harness::{
    Answer, Peer, Ran, Server, Setup, ack, bytes, http, own_loopback, rrq, run, wait_until,
};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const ADMIN: &str = "admin: { address: \"127.0.0.1:0\" }\n";

/// Runs a command to the server.
fn to_server(server: &Server, command: &[&str]) -> Ran {
    let mut tuffet = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    run(tuffet.args(command).arg("--control").arg(server.outside().path("control")))
}

fn doctor(server: &Server) -> String {
    let mut tuffet = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    tuffet.env("RUNTIME_DIRECTORY", server.outside().0).args(["doctor", "--no-rate"]);
    stdout(&run(tuffet.arg(server.outside().path("tuffet.yaml"))))
}

/// A server with its listener in its file, as the doctor needs it.
fn server(setup: Setup, roots: &str, rest: &str) -> Server {
    let listener = format!("listeners: [{{ name: lan, address: \"{}:0\" }}]\n", own_loopback());
    let yaml = format!("{listener}roots: [{{ name: boot, path: root }}{roots}]\n{rest}");
    setup.whole_yaml(1, &yaml).start()
}

fn stdout(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// All views say this, and why.
#[track_caller]
fn assert_all_say(server: &Server, word: &str, why: Option<&str>) {
    let is_ready = word == "ready";
    let (status, top) = (to_server(server, &["status"]), to_server(server, &["top", "--once"]));
    assert!(
        stdout(&status).starts_with(&format!("process {}: {word}; ", server.id())),
        "{}",
        stdout(&status)
    );
    assert_eq!(status.code(), i32::from(!is_ready), "{}", stdout(&status));
    assert!(stdout(&top).contains(&format!("live  {word}")), "{}", stdout(&top));
    let ready = http(server.admin(), "/readyz", &[]);
    assert_eq!(ready.status, if is_ready { 200 } else { 503 }, "{}", ready.body);
    let page = http(server.admin(), "/api/snapshot", &[]).json();
    for json in [server.status(), ready.json(), page, server.live()] {
        assert_eq!((&json["state"], &json["ready"]), (&word.into(), &is_ready.into()), "{json:#}");
    }
    assert!(
        server.metrics().contains(&format!("\ntuffet_ready {}\n", u8::from(is_ready))),
        "{}",
        server.metrics()
    );
    if let Some(why) = why {
        assert!(stdout(&status).contains(why) && stdout(&top).contains(why), "{}", stdout(&status));
        assert!(ready.body.contains(why), "{}", ready.body);
    }
}

/// A transfer that its client keeps waiting.
fn waiting(server: &Server) -> Peer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("5000", &[]));
    assert!(matches!(peer.receive(), Answer::Data(1, _)));
    peer.send(&ack(1));
    assert!(matches!(peer.receive(), Answer::Data(2, _)));
    peer
}

#[test]
fn a_server_that_is_to_stop_drains_in_all_views() {
    let rest = format!("{ADMIN}drain-delay: 1h\ndrain: 1h\n");
    let server = Setup::new().sizes(&[5000]).rest_of_yaml(&rest).start();
    let _peer = waiting(&server);
    assert_all_say(&server, "ready", None);
    server.terminate();
    server.log_line("stopping after a delay");
    assert_all_say(&server, "draining", Some("the server stops soon"));
}

#[test]
fn a_root_that_is_gone_and_one_that_is_missing() {
    let server = server(Setup::new().file("x", b"x"), ", { name: usb, path: usb }", ADMIN);
    assert_all_say(&server, "not ready", Some("the folder of `usb` does not exist yet"));
    fs::create_dir(server.outside().path("usb")).unwrap();
    wait_until("the root is served", || server.status()["ready"] == true);
    assert_all_say(&server, "ready", None);
    fs::rename(server.root().0, server.outside().path("elsewhere")).unwrap();
    wait_until("the server sees it", || server.status()["ready"] == false);
    assert_all_say(&server, "not ready", Some("the folder of `boot` was replaced, mounted over or removed"));
    // Those who look for the cause of something find it, too.
    let told = doctor(&server);
    assert!(told.contains("root of the server that runs: the folder of `boot`"), "{told}");
    let explained = to_server(&server, &["explain", "x", "--live"]);
    assert!(stdout(&explained).contains("not ready  the folder of `boot` was replaced"), "{explained:?}");
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Clients behind a router would get the default file, and nobody would know why.
#[test]
fn a_lease_file_that_became_unreadable() {
    let rest = format!("facts: {{ leases: [{{ file: leases, format: dnsmasq }}] }}\n{ADMIN}");
    let setup = Setup::new().file("x", b"x");
    setup.outside().write("leases", b"0 02:00:5e:10:00:01 192.0.2.1 a *\n");
    let server = server(setup, "", &rest);
    assert_all_say(&server, "ready", None);
    let leases = server.outside().path("leases");
    allow(&leases, 0);
    wait_until("the server sees it", || server.status()["ready"] == false);
    let why = "the lease file cannot be read; the last known leases stay in use: Permission denied (os error 13): it \
               lacks the right `r` on the file";
    assert_all_say(&server, "not ready", Some("leases"));
    let (status, command) =
        (stdout(&to_server(&server, &["status"])), format!("`chmod u+r {}`", leases.display()));
    assert!(status.contains(why) && status.contains(&command), "{status}");
    let explained = to_server(&server, &["explain", "x", "--live"]);
    assert!(stdout(&explained).contains("the lease file cannot be read"), "{explained:?}");
    let told = doctor(&server);
    assert!(told.contains("leases of the server that runs: "), "{told}");
    allow(&leases, 0o644);
    wait_until("the server reads it again", || server.status()["ready"] == true);
    assert_all_say(&server, "ready", None);
}

#[test]
fn the_status_shows_what_the_server_does() {
    let rest = "limits: { per-client: { per-second: 1, burst: 3 } }\n";
    let server = Setup::new().sizes(&[10, 5000]).rest_of_yaml(rest).start();
    let _peer = waiting(&server);
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("10", &[]));
    peer.expect(Answer::Data(1, bytes(10)));
    peer.send(&ack(1));
    wait_until("the minute has it", || {
        let last = server.status()["last_minute"].clone();
        last == serde_json::json!([{ "outcome": "served", "count": 1 }])
    });
    let mut peers: Vec<Peer> = (0..20).map(|_| Peer::new(server.address())).collect();
    peers.iter_mut().for_each(|peer| peer.ask(&rrq("10", &[])));
    wait_until("requests are dropped", || !server.status()["dropped"][0].is_null());
    let status = server.status();
    assert!(status["running"].as_u64() >= Some(1), "{status:#}");
    assert_eq!(status["listeners"][0]["address"], server.address().to_string());
    let dropped = &status["dropped"][0];
    assert_eq!(dropped["limit"], "limits.per-client.per-second", "{status:#}");
    assert_eq!(dropped["client"], "127.0.0.1", "{status:#}");
    assert!(dropped["of_client"].as_u64() <= dropped["requests"].as_u64(), "{status:#}");
    let text = stdout(&to_server(&server, &["status"]));
    for line in [
        "listener       127.".into(),
        format!(": {}\n", server.address()),
        "transfers      ".into(),
        "last minute    ".into(),
        "limits.per-client.per-second; in the last minute most of 127.0.0.1 (".into(),
    ] {
        assert!(text.contains(&line), "{line} is missing in {text}");
    }
}
