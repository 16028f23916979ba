//! Watchers of a measured server: a collector that accepts everything, and viewers of the live view. They run on the
//! generator's core.

use super::{WatchAddresses, Way};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for opening the live view, and for the first event at each watcher.
const PATIENCE: Duration = Duration::from_secs(10);

/// A stand-in for an OTLP collector: it answers every POST with 200, and counts them.
#[derive(Debug)]
pub(super) struct Collector {
    pub(super) address: SocketAddr,
    received: Arc<AtomicU64>,
    /// The receiver of live events; its buffer stays full, because nothing reads it.
    bus: UdpSocket,
}

impl Collector {
    /// # Errors
    /// No port is free.
    pub(super) fn start() -> io::Result<Collector> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let bus = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let received = Arc::new(AtomicU64::new(0));
        let its = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let received = Arc::clone(&its);
                thread::spawn(move || take(stream, &received));
            }
        });
        Ok(Collector { address, received, bus })
    }

    /// Where live events go.
    ///
    /// # Errors The address cannot be read.
    pub(super) fn bus(&self) -> io::Result<SocketAddr> {
        self.bus.local_addr()
    }

    /// The number of received requests.
    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

/// Answers the requests of a connection until it ends.
fn take(stream: TcpStream, received: &AtomicU64) -> io::Result<()> {
    let mut answers = stream.try_clone()?;
    let mut requests = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if requests.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse().unwrap_or(0);
            }
            if line.is_empty() {
                break;
            }
        }
        io::copy(&mut requests.by_ref().take(length), &mut io::sink())?;
        received.fetch_add(1, Ordering::Relaxed);
        answers.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n",
        )?;
    }
}

/// A viewer with the live view open; dropping it closes the view.
#[derive(Debug)]
struct Viewer {
    stream: TcpStream,
    events: Arc<AtomicU64>,
}

impl Viewer {
    /// Opens the live view of the admin listener at this address, once it listens.
    ///
    /// # Errors It does not listen in time.
    fn open(admin: SocketAddr) -> io::Result<Viewer> {
        let deadline = Instant::now() + PATIENCE;
        let mut stream = loop {
            match TcpStream::connect(admin) {
                Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
                connected => break connected?,
            }
        };
        write!(stream, "GET /api/live HTTP/1.1\r\nhost: {admin}\r\naccept: text/event-stream\r\n\r\n")?;
        let events = Arc::new(AtomicU64::new(0));
        let (reading, counted) = (stream.try_clone()?, Arc::clone(&events));
        thread::spawn(move || {
            for line in BufReader::new(reading).lines().map_while(Result::ok) {
                counted.fetch_add(u64::from(line.starts_with("data:")), Ordering::Relaxed);
            }
        });
        Ok(Viewer { stream, events })
    }

    /// The number of received events.
    fn events(&self) -> u64 {
        self.events.load(Ordering::Relaxed)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// The watchers of a server: a collector, and viewers if it has a live view.
#[derive(Debug)]
pub(super) struct Watchers {
    collector: Collector,
    ways: &'static [Way],
    viewers: Vec<Viewer>,
}

impl Watchers {
    /// # Errors The live view does not open in time.
    pub(super) fn join(collector: Collector, watch: WatchAddresses) -> io::Result<Watchers> {
        let count = if watch.ways.contains(&Way::Views) { 2 } else { 0 };
        let viewers = (0..count).map(|_| Viewer::open(watch.admin)).collect::<io::Result<_>>()?;
        Ok(Watchers { collector, ways: watch.ways, viewers })
    }

    /// The reason if a watcher has seen nothing, after a wait: a short run may end before the first event.
    pub(super) fn unseen(&self) -> Option<&'static str> {
        let deadline = Instant::now() + PATIENCE;
        while self.missing().is_some() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        self.missing()
    }

    fn missing(&self) -> Option<&'static str> {
        match self.collector.received() {
            0 if self.ways.iter().any(|way| way.exports()) => Some("the collector has received nothing"),
            _ if self.viewers.iter().any(|viewer| viewer.events() == 0) => {
                Some("a viewer of the live view has seen nothing")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_takes_requests_of_one_connection_one_after_the_other() {
        let collector = Collector::start().unwrap();
        let mut stream = TcpStream::connect(collector.address).unwrap();
        for body in ["", "hello"] {
            write!(stream, "POST /v1/traces HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                .unwrap();
            let mut status = [0; 15];
            stream.read_exact(&mut status).unwrap();
            assert_eq!(&status, b"HTTP/1.1 200 OK");
            let mut rest = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                rest.read_line(&mut line).unwrap();
            }
        }
        assert_eq!(collector.received(), 2);
    }
}
