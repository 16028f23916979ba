//! The server by HTTP and HTTPS, over real sockets: answers, uploads, connections and their limits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod client;
mod connections;
mod garbage;
mod reads;
mod tls;
mod uploads;

use client::{Answer, Client};
use std::net::{IpAddr, SocketAddr};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tuffet::{
    Builder, Event, EventKind, Folder, Handle, Listener, Request, Server, Source, observe_fn, resolve_fn,
};
use tuffet_http::{Certificates, Files, HttpLimits, HttpServer};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server with a folder, and contents in memory: `memory/NUMBER.TYPE` has so many bytes.
struct Served {
    folder: TempDir,
    address: SocketAddr,
    ends: Receiver<String>,
    files: Files,
    http: Option<HttpServer>,
    /// Ends the server when it is dropped.
    _handle: Handle,
    runtime: Runtime,
}

#[derive(Default)]
struct Setup {
    limits: HttpLimits,
    certificates: Option<Certificates>,
    /// Whether uploads replace files.
    overwrite: bool,
}

fn limits(change: impl FnOnce(&mut HttpLimits)) -> Setup {
    let mut limits = HttpLimits::default();
    change(&mut limits);
    Setup { limits, ..Setup::default() }
}

/// The bytes of a content in memory.
fn content(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

fn in_memory(request: &Request) -> Option<Source> {
    let name = request.path.strip_prefix("memory/")?;
    let (size, _) = name.split_once('.').unwrap_or((name, ""));
    Some(Source::bytes(content(size.parse().ok()?)))
}

impl Served {
    fn start() -> Served {
        Served::with(Setup::default(), |builder| builder)
    }

    fn with(setup: Setup, build: impl FnOnce(Builder) -> Builder) -> Served {
        let runtime = Runtime::new().unwrap();
        let _within = runtime.enter();
        let folder = tempfile::tempdir().unwrap();
        let (end, ends) = channel();
        let root =
            Folder::new("boot", folder.path()).writable(64 << 20).create(true).overwrite(setup.overwrite);
        let observe = observe_fn(move |event: &Event| {
            if let EventKind::Finished(summary) = &event.what {
                let _ = end.send(format!("{} {}", summary.ending.outcome, summary.record.request.path));
            }
        });
        let builder = Server::builder()
            .listener(Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).name("test"))
            .folder(root)
            .resolve("memory", resolve_fn(in_memory))
            .observe("ends", observe);
        let handle = build(builder).bind().unwrap().start().unwrap();
        let socket = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = socket.local_addr().unwrap();
        let mut http = HttpServer::new(setup.limits);
        let files = Files::new(handle.requests(), "test");
        match setup.certificates {
            None => http.http(socket, files.clone()),
            Some(certificates) => http.https(socket, files.clone(), &certificates),
        }
        Served { folder, address, ends, files, http: Some(http), _handle: handle, runtime }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join(name)).ok()
    }

    fn connect(&self) -> Client {
        Client::connect(self.address)
    }

    fn connect_from(&self, client: [u8; 4]) -> Client {
        Client::connect_from(IpAddr::from(client), self.address)
    }

    /// Sends a request on a connection of its own; its lines have no line ends.
    fn ask(&self, lines: &[&str]) -> Answer {
        self.connect().ask(lines)
    }

    /// Returns the next end of a request, as `OUTCOME PATH`.
    fn end(&self) -> String {
        self.ends.recv_timeout(PATIENCE).expect("a request has ended")
    }

    /// Drains the server of HTTP; returns how many connections were cut.
    fn drain(&mut self, limit: Duration) -> usize {
        let http = self.http.take().unwrap();
        self.runtime.block_on(http.drain(limit))
    }
}
