//! Two servers in one process, replacement, draining, and a handle that is dropped.

use crate::{builder, get, off, refused, start};
use async_trait::async_trait;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tuffet::Ceilings;
use tuffet::{
    Authorize, Failure, Folder, HookCall, Limits, Listener, ListenerRules, ReplaceError, Request, Server,
    Service, Verdict,
};

fn folder(content: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), content).unwrap();
    folder
}

fn boot(path: &Path) -> Folder {
    Folder::new("boot", path)
}

/// Waits until the port is free; another test may have it for a moment.
fn wait_until_free(address: SocketAddr) {
    let until = Instant::now() + Duration::from_secs(20);
    while UdpSocket::bind(address).is_err() {
        assert!(Instant::now() < until, "the server still has its port");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Denies everybody.
struct Nobody;

#[async_trait]
impl Authorize for Nobody {
    async fn authorize(&self, _: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(Verdict::deny("nobody"))
    }
}

/// A client that has acknowledged the first of three blocks, and waits.
struct Slow(UdpSocket, SocketAddr);

impl Slow {
    fn begin(server: SocketAddr, name: &str) -> Slow {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.send_to(format!("\0\x01{name}\0octet\0").as_bytes(), server).unwrap();
        let (_, peer) = socket.recv_from(&mut [0; 600]).unwrap();
        let slow = Slow(socket, peer);
        assert_eq!(slow.acknowledge(1), 3);
        slow
    }

    /// Acknowledges a block, and returns the opcode of the next block or of the ERROR.
    fn acknowledge(&self, block: u8) -> u8 {
        self.0.send_to(&[0, 4, 0, block], self.1).unwrap();
        let mut packet = [0; 600];
        loop {
            self.0.recv_from(&mut packet).unwrap();
            if packet[1] == 5 || packet[..4] == [0, 3, 0, block + 1] {
                return packet[1];
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_share_nothing_and_one_drains_while_the_other_serves() {
    let (one, two) = (folder("one"), folder("two"));
    std::fs::write(one.path().join("long"), [1; 1300]).unwrap();
    let (first, at_first) = start(builder().folder(boot(one.path())));
    let (second, at_second) = start(builder().folder(boot(two.path())).authorize("nobody", Nobody));
    let slow = off(move || {
        assert_eq!(get(at_first, "file").unwrap(), b"one");
        assert_eq!(get(at_second, "file"), Err(refused(2, "access denied")));
        Slow::begin(at_first, "long")
    })
    .await;
    let asking = tokio::task::spawn_blocking(move || {
        for _ in 0..200 {
            assert_eq!(get(at_second, "file"), Err(refused(2, "access denied")));
        }
    });
    let first = Arc::new(first);
    let its = Arc::clone(&first);
    let draining = tokio::spawn(async move { its.drain(Duration::from_secs(20)).await });
    // The running transfer of the draining server ends well, and its end ends the server.
    off(move || {
        assert_eq!(slow.acknowledge(2), 3);
        slow.0.send_to(&[0, 4, 0, 3], slow.1).unwrap();
    })
    .await;
    let drained = draining.await.unwrap();
    assert!(drained.took < Duration::from_secs(15), "{:?}", drained.took);
    assert_eq!(drained.failure, None);
    // Everybody with the handle learns of the end.
    assert_eq!(first.ended().await.totals, drained.totals);
    let served: u64 = drained
        .totals
        .ended
        .iter()
        .filter(|its| its.outcome == tuffet::Outcome::Served)
        .map(|its| its.count)
        .sum();
    assert_eq!(served, 2);
    asking.await.unwrap();
    wait_until_free(at_first);
    let drained = second.drain(Duration::ZERO).await;
    let ended: u64 = drained.totals.ended.iter().map(|its| its.count).sum();
    assert_eq!(ended, 201, "the other server has counted its own requests alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replacement_is_whole_or_nothing() {
    let (one, two) = (folder("one"), folder("two"));
    let (handle, server) = start(builder().folder(boot(one.path())));
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"one");
    assert_eq!(handle.replace(Service::new().folder(boot(two.path()))).await.unwrap(), 2);
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"two");
    let bad = Service::new().folder(boot(Path::new("/there/is/none"))).authorize("nobody", Nobody);
    assert!(matches!(handle.replace(bad).await, Err(ReplaceError::Build(_))));
    let impossible = Service::new()
        .folder(boot(one.path()))
        .limits(Limits { open_time: Duration::ZERO, ..Limits::default() });
    let why = handle.replace(impossible).await.unwrap_err().to_string();
    assert!(why.contains("`limits.open_time`"), "{why}");
    assert!(handle.replace(Service::new()).await.unwrap_err().to_string().contains("no content"));
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"two", "the server keeps what it has");
    let denied = Service::new().folder(boot(two.path())).authorize("nobody", Nobody);
    assert_eq!(handle.replace(denied).await.unwrap(), 3);
    assert!(off(move || get(server, "file")).await.is_err());
    handle.drain(Duration::ZERO).await;
}

/// A program makes its service in one place, for the start and for replacements, and may change a clone of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_what_a_server_starts_with_and_what_replaces_it() {
    let (one, two) = (folder("one"), folder("two"));
    let service = Service::new().folder(boot(one.path()));
    let (handle, server) = start(builder().service(service.clone()).workers(2));
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"one");
    assert_eq!(handle.replace(service.clone().authorize("nobody", Nobody)).await.unwrap(), 2);
    assert_eq!(off(move || get(server, "file")).await, Err(refused(2, "access denied")));
    // What a service leaves out has its default.
    assert_eq!(handle.replace(service.clone()).await.unwrap(), 3);
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"one");
    let both = Service::new().folder(Folder::new("two", two.path())).folder(boot(one.path()));
    assert_eq!(handle.replace(both.clone()).await.unwrap(), 4);
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"two");
    // The listener, whose socket stays, gets other rules, and its own ones again.
    let rules = ListenerRules {
        roots: Some(vec!["boot".into()]),
        ceilings: Ceilings { max_windowsize: Some(1), ..Ceilings::default() },
    };
    assert_eq!(handle.replace(both.clone().listener_rules("test", rules)).await.unwrap(), 5);
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"one");
    assert_eq!(handle.replace(both).await.unwrap(), 6);
    assert_eq!(off(move || get(server, "file")).await.unwrap(), b"two");
    handle.drain(Duration::ZERO).await;
}

/// A listener that serves one root does not get others by a replacement that does not name it.
#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_a_listener_outlive_replacements() {
    let (public, secret) = (folder("public"), folder("secret"));
    std::fs::write(secret.path().join("key"), "key").unwrap();
    let service = || Service::new().folder(Folder::new("public", public.path()));
    let listener = crate::listener().roots(["public"]);
    let (handle, server) = start(Server::builder().listener(listener).service(service()));
    let more = service().folder(Folder::new("secret", secret.path()));
    handle.replace(more).await.unwrap();
    assert_eq!(off(move || get(server, "key")).await, Err(refused(1, "file not found")));
    let without = Service::new().folder(Folder::new("secret", secret.path()));
    let why = handle.replace(without).await.unwrap_err().to_string();
    assert!(why.contains("listener `test` serves the root `public`, which does not exist"), "{why}");
    handle.drain(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_handle_ends_the_server() {
    let one = folder("one");
    std::fs::write(one.path().join("long"), [1; 1300]).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let given = Listener::from_socket(socket).unwrap().single_port(true);
    let server = Server::builder().listener(given).folder(boot(one.path())).bind().unwrap();
    let handle = server.start().unwrap();
    let address = handle.addresses()[0].1;
    let slow = off(move || {
        assert_eq!(get(address, "file").unwrap(), b"one");
        Slow::begin(address, "long")
    })
    .await;
    drop(handle);
    off(move || {
        // The worker may find this ACK together with the order to end.
        if slow.acknowledge(2) == 3 {
            assert_eq!(slow.acknowledge(2), 5, "the client learns of the end");
        }
    })
    .await;
}

/// The workers are threads, and end with the runtime that watches them.
#[test]
fn a_server_ends_with_its_runtime_and_needs_one() {
    let one = folder("one");
    let started = builder().folder(boot(one.path())).bind().unwrap().start();
    assert!(started.err().unwrap().to_string().contains("needs a tokio runtime"));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (handle, address) = runtime.block_on(async { start(builder().folder(boot(one.path()))) });
    assert_eq!(get(address, "file").unwrap(), b"one");
    drop(runtime);
    let waiting = tokio::runtime::Runtime::new().unwrap();
    assert!(waiting.block_on(handle.ended()).failure.is_some());
    // The worker closes its sockets when it has ended.
    wait_until_free(address);
    // A runtime that ends before any task of the server has run.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_handle, address) = runtime.block_on(async { start(builder().folder(boot(one.path()))) });
    drop(runtime);
    wait_until_free(address);
}
