//! Reload: the new configuration as a whole, or none; active transfers continue.

use crate::harness::{
    Answer, Client, Options, Peer, Ran, SOON, Server, Setup, ack, assert_ended, assert_moved, bytes, rrq,
    tuffet, wrq,
};
use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Returns a configuration that denies one name and allows all others.
fn yaml(root: &str, denied: &str) -> String {
    format!(
        r#"
roots: [{{ name: boot, path: {root} }}]
policy: {{ authorize: [acl], time-limit: 40s }}
plugins:
  acl:
    component: builtin:acl
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ deny: [{{ names: ["{denied}"], message: "{denied} is denied" }}] }}
"#
    )
}

fn server() -> Server {
    Setup::new().file("a", b"old a").file("b", b"old b").yaml(&yaml("root", "a")).start()
}

fn ask(server: &Server, name: &str) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    let answer = peer.receive();
    if let Answer::Data(block, _) = answer {
        peer.send(&ack(block));
    }
    answer
}

fn denied(name: &str) -> Answer {
    Answer::Error(2, format!("{name} is denied"))
}

#[test]
fn policy_and_roots_are_replaced() {
    let server = server();
    assert_eq!((ask(&server, "a"), ask(&server, "b")), (denied("a"), Answer::Data(1, b"old b".to_vec())));

    server.outside().write("other/a", b"new a");
    server.rewrite(&yaml("other", "b"));
    // A written file does not take effect by itself.
    assert_eq!(ask(&server, "a"), denied("a"));
    let ran = server.ask("reload");
    ran.assert_good();
    let file = server.outside().path("tuffet.yaml");
    let said = format!("reloaded: generation 2 (process {}, {})\n", server.id(), file.display());
    assert_eq!(String::from_utf8_lossy(&ran.stdout), said);
    assert_eq!((ask(&server, "a"), ask(&server, "b")), (Answer::Data(1, b"new a".to_vec()), denied("b")));
    assert_eq!(server.logged("reloaded")["generation"], 2);

    server.rewrite(&yaml("root", "a"));
    server.hang_up();
    assert_eq!(server.logged("reloaded")["generation"], 3);
    assert_eq!((ask(&server, "a"), ask(&server, "b")), (denied("a"), Answer::Data(1, b"old b".to_vec())));
}

/// Each configuration has a different error, and is refused as a whole: all have another root.
#[test]
fn what_is_wrong_changes_nothing() {
    let server = server();
    server.outside().write("other/a", b"new a");
    let good = yaml("other", "b");
    let component = |component: &str| good.replace("builtin:acl", component);
    for (yaml, reason) in [
        ("roots: [".to_owned(), "tuffet.yaml:"),
        (good.replace("roots", "rots"), "unknown key `rots`"),
        (good.replace("names", "nams"), "unknown key `nams`; did you mean `names`?"),
        (good.replace("message: \"", "message: \"\\n"), "plugin `acl`"),
        (component("./gone.wasm"), "gone.wasm cannot be found"),
        (component("./tuffet.yaml"), "it is not WebAssembly"),
        (format!("{good}workers: 7\n"), "`workers` cannot change while the server runs"),
        (
            format!("{good}limits: {{ transfers: 7 }}\n"),
            "`limits.transfers` cannot change while the server runs",
        ),
        (
            format!("{good}transfer: {{ retransmit: {{ floor: 21ms }} }}\n"),
            "`transfer.retransmit` cannot change",
        ),
    ] {
        server.rewrite(&yaml);
        let ran = server.ask("reload");
        ran.assert_fails(1, &["refused; the old configuration stays in use", reason]);
        let line = server.logged("the reload was refused; the previous configuration stays in force");
        assert!(line["reasons"].as_str().is_some_and(|reasons| reasons.contains(reason)), "{line:#}");
        let status = server.status();
        assert_eq!((&status["ready"], &status["generation"]), (&false.into(), &1.into()), "{status:#}");
        assert_eq!((ask(&server, "a"), ask(&server, "b")), (denied("a"), Answer::Data(1, b"old b".to_vec())));
    }
    let ran = server.ask("status");
    ran.assert_fails(1, &[]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(said.contains(": not ready; generation 1 for "), "{said}");
    assert!(
        said.contains("the last reload was refused: ")
            && said.contains("`transfer.retransmit` cannot change"),
        "{said}"
    );
    server.rewrite(&good);
    server.ask("reload").assert_good();
    let status = server.status();
    assert_eq!((&status["ready"], &status["generation"]), (&true.into(), &2.into()), "{status:#}");
    assert_eq!(server.ask("status").code(), 0);
}

/// What a reload would do is asked before it is done, and nothing is done.
#[test]
fn a_reload_can_be_tried() {
    let server = server();
    let control = server.outside().path("control");
    let check =
        || tuffet(["reload", "--check", "--control"].map(OsStr::new).iter().chain([&control.as_os_str()]));
    let said = |ran: &Ran| String::from_utf8_lossy(&ran.stdout).into_owned();
    let ran = check();
    ran.assert_good();
    assert!(said(&ran).contains("the file says what the server runs with"), "{ran:?}");
    server.rewrite(&format!("{}drain: 3s\nlimits: {{ events: 9 }}\n", yaml("root", "b")));
    let ran = check();
    ran.assert_fails(
        1,
        &["a reload would be refused, and nothing would change", "`limits.events` cannot change"],
    );
    server.rewrite(&yaml("nowhere", "b").replace("builtin:acl", "./gone.wasm"));
    check().assert_fails(1, &["gone.wasm cannot be found"]);
    server.rewrite("roots: [");
    check().assert_fails(1, &["tuffet.yaml:"]);
    server.rewrite(&format!("{}drain: 3s\nlimits: {{ cache: 0B, cache-max-age: 5s }}\n", yaml("root", "b")));
    let ran = check();
    ran.assert_good();
    for line in ["a reload would succeed (process ", "it would change:\n", "\n  drain: `3s` is added\n"] {
        assert!(said(&ran).contains(line), "{line} is missing in {ran:?}");
    }
    assert!(
        ran.stderr.contains("warning: ") && ran.stderr.contains("`cache-max-age` has no effect"),
        "{ran:?}"
    );
    let status = server.status();
    assert_eq!((&status["ready"], &status["generation"]), (&true.into(), &1.into()), "{status:#}");
    assert_eq!((ask(&server, "a"), ask(&server, "b")), (denied("a"), Answer::Data(1, b"old b".to_vec())));
    server.ask("reload").assert_good();
    assert_eq!((ask(&server, "a"), ask(&server, "b")), (Answer::Data(1, b"old a".to_vec()), denied("b")));
}

#[test]
fn all_that_cannot_change_is_listed() {
    let server = server();
    server.rewrite(&format!("{}workers: 7\nlimits: {{ pending: 7, transfers: 7 }}\n", yaml("root", "b")));
    let ran = server.ask("reload");
    ran.assert_fails(1, &["`workers`", "`limits.pending`", "`limits.transfers`", "restart it"]);
    assert_eq!(ask(&server, "a"), denied("a"));
}

/// The control socket is not always that of the server that was meant.
#[test]
fn a_server_with_another_file_is_not_reloaded() {
    let server = server();
    let own = server.outside().path("tuffet.yaml");
    assert_eq!(server.status()["config"], serde_json::json!(own));
    // Both files name the socket of this server.
    server.rewrite(&format!("{}control: control\n", yaml("root", "a")));
    let other = server.outside().path("other.yaml");
    std::fs::copy(&own, &other).unwrap();
    let reload =
        |file: &std::path::Path| tuffet([OsStr::new("reload"), OsStr::new("--config"), file.as_os_str()]);
    let (process, [runs, meant]) = (server.id(), [&own, &other].map(|file| file.display().to_string()));
    reload(&other).assert_fails(1, &["refused", &format!("process {process}"), &runs, &meant]);
    assert_eq!(server.status()["generation"], 1);
    // The same file by another path.
    let link = server.outside().path("link.yaml");
    std::os::unix::fs::symlink(&own, &link).unwrap();
    reload(&link).assert_good();
    assert_eq!(server.status()["generation"], 2);
}

/// Which component decides is visible without looking at files.
#[test]
fn plugins_are_named_with_version_and_digest() {
    let server = server();
    let loaded = server.logged("plugins loaded");
    let acl = server.status()["plugins"][0].clone();
    let inspected = tuffet(["plugin", "inspect", "builtin:acl", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!((&acl["plugin"], &acl["component"]), (&"acl".into(), &"builtin:acl".into()));
    assert_eq!((&acl["version"], &acl["sha256"]), (&inspected["version"], &inspected["sha256"]));
    let (version, digest) = (inspected["version"].as_str().unwrap(), inspected["sha256"].as_str().unwrap());
    assert_eq!(loaded["versions"], format!("acl {version} sha256:{}", &digest[..12]));
}

#[test]
fn nobody_to_ask() {
    let setup = Setup::new();
    let socket = setup.outside().path("nobody");
    let ran = tuffet(["reload", "--control", socket.to_str().unwrap()]);
    ran.assert_fails(69, &["no server answers at", "--config"]);
}

#[test]
fn the_socket_of_a_server_that_was_killed_is_taken_over() {
    let setup = Setup::new().file("a", b"a");
    drop(std::os::unix::net::UnixListener::bind(setup.outside().path("control")).unwrap());
    let server = setup.start();
    server.ask("reload").assert_good();
    let socket = server.outside().path("control");
    assert!(server.stop().is_empty());
    assert!(!socket.exists());
}

/// Enough for several hundred blocks of 64 KiB.
const SIZE: usize = 40 << 20;

/// The transfer keeps the policy, the root and the content that it began with, whatever happens.
#[test]
fn a_running_transfer_survives_everything() {
    let setup = Setup::new().file("big", &bytes(SIZE)).file("evil", b"-");
    let component = setup.outside().path("plugin.wasm");
    std::fs::copy(super::policy::misbehave(), &component).unwrap();
    let yaml = |misdeed: &str| {
        format!(
            r#"
roots: [{{ name: boot, path: root }}]
transfer: {{ retransmit: {{ give-up: 60s }} }}
policy: {{ authorize: [plugin] }}
plugins:
  plugin: {{ component: plugin.wasm, settings: {{ do: {misdeed}, when: evil }} }}
"#
        )
    };
    let server = setup.yaml(&yaml("trap")).start();
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq("big", &[("blksize", "65464")]));
    peer.expect(Answer::Oack("blksize=65464".into()));
    peer.send(&ack(0));
    let mut content = Vec::with_capacity(SIZE);
    let mut next = 1_u16;
    let mut read = |blocks: usize| {
        for _ in 0..blocks {
            let Answer::Data(block, payload) = peer.receive() else { panic!("DATA {next} was due") };
            assert_eq!(block, next);
            next += 1;
            peer.send(&ack(block));
            content.extend_from_slice(&payload);
        }
        content.len()
    };

    read(100);
    let mut bad = Peer::new(server.address());
    bad.ask(&rrq("evil", &[]));
    assert_eq!(bad.expect_error(0), "policy failure");
    assert_ended(&server.outcome("evil"), "denied", "trapped as asked");
    read(100);

    server.rewrite(&yaml("sleep"));
    server.ask("reload").assert_good();
    bad.ask(&rrq("evil", &[]));
    read(100);
    assert_eq!(bad.expect_error(0), "policy failure");
    assert_ended(&server.outcome("evil"), "denied", "gave no answer");
    read(100);

    std::fs::remove_file(&component).unwrap();
    server.ask("reload").assert_fails(1, &["plugin.wasm cannot be found"]);
    bad.ask(&rrq("evil", &[]));
    read(100);
    assert_eq!(bad.expect_error(0), "policy failure", "it goes on without its file");

    server.rewrite("roots: [{ name: other, path: . }]\ntransfer: { retransmit: { give-up: 60s } }\n");
    server.ask("reload").assert_good();
    assert_eq!(ask(&server, "root/evil"), Answer::Data(1, b"-".to_vec()));
    while read(1) % 65464 == 0 {}
    assert!(content == bytes(SIZE));
    let line = server.outcome("big");
    assert_moved(&line, "served", SIZE, 65464, 1);
    assert_eq!(line["resolved"], "boot:big");
}

/// The configuration that admitted an upload decides about it and stores it.
#[test]
fn an_upload_ends_as_it_began() {
    let component = super::policy::probe();
    let server = Setup::new()
        .yaml(&format!(
            r#"
roots: [{{ name: in, path: root, writable: true }}]
state: state
sinks: {{ out: {{ file: out.jsonl }} }}
policy: {{ accept-upload: [gate], time-limit: 40s }}
plugins:
  gate:
    component: "{component}"
    grants: [kv, files/in, sinks/out]
    limits: {{ time: 20s, wall: 40s }}
    settings: {{ upload: rename gated }}
"#
        ))
        .start();
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    server.rewrite("roots: [{ name: out, path: ., writable: true }]\n");
    server.ask("reload").assert_good();
    writer.write_on(&bytes(2000), 512);
    let line = server.outcome("up");
    assert_moved(&line, "stored", 2000, 512, 1);
    assert_eq!((&line["resolved"], &line["verdict_by"]), (&"in:gated".into(), &"gate".into()));
    assert!(server.root().read("gated") == bytes(2000));

    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("up", &[]));
    writer.expect(Answer::Ack(0));
    writer.write_on(b"new", 512);
    assert_eq!(server.outcome("up")["resolved"], "out:up");
}

/// Valid and broken configurations alternate while clients download continuously: every client gets its file,
/// and nothing remains of earlier generations.
#[test]
fn many_reloads_under_many_clients_lose_nothing_and_leave_nothing() {
    let server = server();
    assert_eq!(ask(&server, "b"), Answer::Data(1, b"old b".to_vec()));
    let good = yaml("root", "a");
    let broken = format!("{good}polcy: {{}}\n");
    let reload_all = || {
        for number in 0..30 {
            server.rewrite(if number % 3 == 2 { &broken } else { &good });
            let ran = server.ask("reload");
            assert_eq!(ran.code(), i32::from(number % 3 == 2), "{ran:?}");
        }
    };
    reload_all();
    let (descriptors, memory) = (server.descriptors(), server.memory());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    let mut peer = Peer::new(server.address());
                    peer.ask(&rrq("b", &[]));
                    // So many at once may fill the queue of outcomes: then a request is dropped, and repeated.
                    let answer = loop {
                        match peer.receive_within(std::time::Duration::from_secs(1)) {
                            Some(answer) => break answer,
                            None => peer.ask(&rrq("b", &[])),
                        }
                    };
                    assert_eq!(answer, Answer::Data(1, b"old b".to_vec()));
                    peer.send(&ack(1));
                }
            });
        }
        // Also after a failure, so that the clients end.
        let reloads = scope.spawn(reload_all).join();
        over.store(true, Relaxed);
        assert!(reloads.is_ok());
    });
    assert_eq!(server.status()["generation"], 41);
    let end = std::time::Instant::now() + SOON;
    while server.descriptors() > descriptors && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(
        server.descriptors() <= descriptors,
        "{} of {descriptors}: folders of generations before",
        server.descriptors()
    );
    let now = server.memory();
    assert!(now < memory + (64 << 20), "{memory} grew to {now}");
    let lines = server.stop();
    assert!(lines.iter().all(|line| line["outcome"] == "served"), "{lines:#?}");
}

/// Requests are answered during repeated reloads.
#[test]
fn reloads_under_load() {
    let server = server();
    std::thread::scope(|scope| {
        let reloads = scope.spawn(|| (0..10).for_each(|_| server.ask("reload").assert_good()));
        let mut asked = 0;
        while !reloads.is_finished() || asked < 10 {
            assert_eq!(Client::Tuffet.get(server.address(), "b", Options::default()), b"old b");
            asked += 1;
        }
    });
    assert_eq!(server.status()["generation"], 11);
}
