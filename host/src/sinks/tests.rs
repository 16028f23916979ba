//! Files, sockets, and what is broken.
#![allow(clippy::unwrap_used)]

use super::*;
use std::fs;
use std::net::UdpSocket;

const PATIENCE: Duration = Duration::from_secs(60);

fn spec(target: SinkTarget, queue: usize) -> SinkSpec {
    SinkSpec { name: "it".into(), target, queue }
}

#[test]
fn lines_are_added_to_the_end_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, "there\n").unwrap();
    let sink = Sink::open(&spec(SinkTarget::File(path.clone()), 4)).unwrap();
    for line in ["one", "two"] {
        sink.emit(line.into()).unwrap();
    }
    sink.pending().flush(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap(), "there\none\ntwo\n");
}

#[test]
fn a_file_that_is_put_away_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (path, old) = (folder.path().join("lines"), folder.path().join("old"));
    let mut output = FileOutput::open(&path).unwrap();
    output.deliver("one").unwrap();
    fs::rename(&path, &old).unwrap();
    let end = Instant::now() + PATIENCE;
    while !path.exists() {
        assert!(Instant::now() < end);
        output.deliver("more").unwrap();
    }
    assert!(fs::read_to_string(&old).unwrap().starts_with("one\nmore\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "more\n");
}

#[test]
fn lines_are_datagrams() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let sink = Sink::open(&spec(SinkTarget::Udp(receiver.local_addr().unwrap()), 4)).unwrap();
    let mut datagram = [0; 100];
    for line in ["one", "two"] {
        sink.emit(line.into()).unwrap();
        let length = receiver.recv(&mut datagram).unwrap();
        assert_eq!(&datagram[..length], line.as_bytes());
    }
}

#[test]
fn nobody_who_listens_is_no_trouble() {
    let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let sink = Sink::open(&spec(SinkTarget::Udp(address), 4)).unwrap();
    for _ in 0..20 {
        while sink.emit("x".into()).is_err() {
            std::thread::yield_now();
        }
    }
    sink.pending().flush(PATIENCE);
    assert_eq!(sink.shared.pending.load(Ordering::Acquire), 0);
}

/// Fails until it is told not to.
struct Broken(Arc<AtomicBool>, Arc<std::sync::Mutex<Vec<String>>>);

impl Output for Broken {
    fn deliver(&mut self, line: &str) -> io::Result<()> {
        if self.0.load(Ordering::Acquire) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.1.lock().unwrap().push(line.into());
        Ok(())
    }
}

#[test]
fn a_broken_sink_fills_its_queue_says_so_and_loses_nothing_when_it_is_mended() {
    let (broken, delivered) = (Arc::new(AtomicBool::new(true)), Arc::default());
    let output = Broken(Arc::clone(&broken), Arc::clone(&delivered));
    let target = SinkTarget::File("unused".into());
    let sink = Sink::start(&spec(target, 2), Box::new(output)).unwrap();
    let mut queued = Vec::new();
    let end = Instant::now() + PATIENCE;
    // One is under way and two wait; a full queue shows only when the thread has taken the first.
    while queued.len() < 3 {
        assert!(Instant::now() < end);
        if sink.emit(queued.len().to_string()).is_ok() {
            queued.push(queued.len().to_string());
        }
    }
    assert_eq!(sink.emit("too many".into()), Err(Full));
    broken.store(false, Ordering::Release);
    sink.pending().flush(PATIENCE);
    assert_eq!(*delivered.lock().unwrap(), queued);
}

#[test]
fn a_device_that_is_full_is_broken_and_its_end_is_not_awaited_for_ever() {
    let sink = Sink::open(&spec(SinkTarget::File("/dev/full".into()), 1)).unwrap();
    let mut refused = 0;
    while refused == 0 {
        refused += u32::from(sink.emit("x".into()) == Err(Full));
    }
    sink.pending().flush(Duration::from_millis(1));
    drop(sink);
}

#[test]
fn a_folder_is_no_file() {
    assert!(Sink::open(&spec(SinkTarget::File("/".into()), 1)).is_err());
}

/// At the end of the process its policy is gone already, and with it the sinks.
#[test]
fn what_was_queued_is_awaited_after_the_sink_was_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let sink = Sink::open(&spec(SinkTarget::File(path.clone()), 1000)).unwrap();
    (0..1000).for_each(|line: u32| sink.emit(line.to_string()).unwrap());
    let pending = sink.pending();
    drop(sink);
    pending.flush(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1000);
}
