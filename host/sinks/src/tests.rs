//! Sinks to files and sockets, and broken ones.
#![allow(clippy::unwrap_used)]

use super::file::FileOutput;
use super::output::{Failure, Output};
use super::*;
use std::fs;
use std::net::UdpSocket;
use std::path::Path;

const PATIENCE: Duration = Duration::from_secs(60);

fn spec(target: SinkTarget, queue: usize) -> SinkSpec {
    SinkSpec { name: "it".into(), target, queue, spool: None }
}

fn to_file(path: &Path) -> FileTarget {
    FileTarget { path: path.to_owned(), rotate: None, fsync: Fsync::Never }
}

fn file(path: &Path, queue: usize) -> SinkSpec {
    spec(SinkTarget::File(to_file(path)), queue)
}

fn open(spec: &SinkSpec) -> Arc<Sink> {
    Sinks::default().open(spec).unwrap()
}

impl Sink {
    fn offer(&self, line: &str) -> Result<(), Full> {
        self.0.push(line.into())
    }

    fn flush(&self, patience: Duration) {
        self.pending().flush(Instant::now() + patience);
    }
}

fn deliver(output: &mut FileOutput, line: &str) {
    output.deliver(&[line.to_owned()]).unwrap();
}

#[test]
fn lines_are_added_to_the_end_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, "there\n").unwrap();
    let sink = open(&file(&path, 4));
    for line in ["one", "two"] {
        sink.offer(line).unwrap();
    }
    sink.flush(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap(), "there\none\ntwo\n");
}

#[test]
fn a_renamed_file_is_replaced_by_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, old) = (folder.path().join("lines"), folder.path().join("old"));
    let mut output = FileOutput::open(&to_file(&path)).unwrap();
    deliver(&mut output, "one");
    fs::rename(&path, &old).unwrap();
    let end = Instant::now() + PATIENCE;
    while !path.exists() {
        assert!(Instant::now() < end);
        deliver(&mut output, "more");
    }
    assert!(fs::read_to_string(&old).unwrap().starts_with("one\nmore\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "more\n");
}

#[test]
fn lines_are_datagrams() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let sink = open(&spec(SinkTarget::Udp(receiver.local_addr().unwrap()), 4));
    let mut datagram = [0; 100];
    for line in ["one", "two"] {
        sink.offer(line).unwrap();
        let length = receiver.recv(&mut datagram).unwrap();
        assert_eq!(&datagram[..length], line.as_bytes());
    }
}

#[test]
fn a_missing_receiver_is_no_trouble() {
    let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let sink = open(&spec(SinkTarget::Udp(address), 4));
    for _ in 0..20 {
        while sink.offer("x").is_err() {
            std::thread::yield_now();
        }
    }
    sink.flush(PATIENCE);
    assert_eq!(sink.0.backlog.size(), (0, 0));
}

/// An output that fails until the test repairs it.
struct Broken(Arc<AtomicBool>, Arc<std::sync::Mutex<Vec<String>>>);

impl Output for Broken {
    fn deliver(&mut self, lines: &[String]) -> Result<(), Failure> {
        if self.0.load(Ordering::Acquire) {
            return Err(Failure::retry(0, io::Error::from(io::ErrorKind::StorageFull)));
        }
        self.1.lock().unwrap().extend_from_slice(lines);
        Ok(())
    }
}

#[test]
fn a_broken_sink_fills_its_queue_reports_it_and_loses_nothing_once_repaired() {
    let (broken, delivered) = (Arc::new(AtomicBool::new(true)), Arc::default());
    let output = Broken(Arc::clone(&broken), Arc::clone(&delivered));
    let sinks = Sinks::default();
    let sink = sinks.start(&file(Path::new("unused"), 3), Box::new(output)).unwrap();
    let queued = ["1", "2", "3"];
    queued.iter().for_each(|line| sink.offer(line).unwrap());
    // One line may be in flight by now: it counts.
    assert_eq!(sink.offer("too many"), Err(Full));
    let counted = &sinks.counted()[0];
    assert_eq!((counted.queued, counted.refused, counted.waiting), (3, 1, 3));
    broken.store(false, Ordering::Release);
    sink.flush(PATIENCE);
    assert_eq!(*delivered.lock().unwrap(), queued);
    let counted = &sinks.counted()[0];
    assert_eq!((counted.delivered, counted.dropped, counted.waiting), (3, 0, 0));
    assert!(!counted.broken, "{counted:?}");
}

#[test]
fn a_full_device_is_broken_and_does_not_delay_the_end_for_ever() {
    let sinks = Sinks::default();
    let sink = sinks.open(&file(Path::new("/dev/full"), 1)).unwrap();
    let mut refused = 0;
    while refused == 0 {
        refused += u32::from(sink.offer("x") == Err(Full));
    }
    sink.flush(Duration::from_millis(1));
    drop(sink);
    sinks.flush(PATIENCE);
    let counted = &sinks.counted()[0];
    assert_eq!((counted.dropped, counted.delivered, counted.waiting), (1, 0, 0), "{counted:?}");
}

#[test]
fn a_folder_is_no_file() {
    assert!(Sinks::default().open(&file(Path::new("/"), 1)).is_err());
}

/// At the end of the process, the policy and its sinks have already been dropped.
#[test]
fn queued_lines_are_awaited_after_the_sink_was_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let sinks = Sinks::default();
    let sink = sinks.open(&file(&path, 1000)).unwrap();
    (0..1000).for_each(|line: u32| sink.offer(&line.to_string()).unwrap());
    drop(sink);
    sinks.flush(PATIENCE);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1000);
}

/// A device that accepts some bytes, then none, then all: like a disk that is full and has room again.
#[test]
fn a_line_that_was_cut_off_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Open for reading, too, so that writing does not fail; unread data fills it.
    let mut reader = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let mut output = FileOutput::open(&to_file(&path)).unwrap();
    let line = "x".repeat(100_000);
    let failure = output.deliver(&["first".into(), line.clone()]).unwrap_err();
    assert_eq!(failure.done, 1, "a pipe holds 64 KiB: {failure:?}");
    let read = std::thread::spawn(move || {
        use std::io::Read;
        let mut all = vec![0; 6 + 100_001];
        reader.read_exact(&mut all).unwrap();
        all
    });
    let end = Instant::now() + PATIENCE;
    while output.deliver(std::slice::from_ref(&line)).is_err() {
        assert!(Instant::now() < end);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(read.join().unwrap(), format!("first\n{line}\n").into_bytes());
}

#[test]
fn a_file_is_rotated_before_it_is_too_large_and_no_line_is_lost_or_split() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let rotate = Some(Rotate { size: Some(100), every: None, keep: None });
    let target = FileTarget { rotate, fsync: Fsync::Each, ..to_file(&path) };
    let mut output = FileOutput::open(&target).unwrap();
    let lines: Vec<String> = (0..200).map(|number| format!("{number:09}")).collect();
    output.deliver(&lines).unwrap();
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 20);
    assert_eq!(names[0], path, "the one that is filled sorts first");
    names.rotate_left(1);
    let mut all = String::new();
    for name in names {
        let text = fs::read_to_string(name).unwrap();
        assert_eq!(text.len(), 100);
        all += &text;
    }
    assert_eq!(all.lines().collect::<Vec<_>>(), lines);
    // A line that is too large gets a separate file.
    deliver(&mut output, &"x".repeat(500));
    deliver(&mut output, "after");
    assert_eq!(fs::read_to_string(&path).unwrap(), "after\n");
}

/// During a restart without a gap, two processes write to one file and rotate it.
#[test]
fn two_writers_rotate_a_file_and_lose_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    let rotate = Some(Rotate { size: Some(200), every: None, keep: None });
    let target = FileTarget { rotate, ..to_file(&path) };
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let target = &target;
            scope.spawn(move || {
                let mut output = FileOutput::open(target).unwrap();
                for number in 0..300 {
                    let line = format!("{writer}{number}");
                    // As the thread of a sink does.
                    while output.deliver(std::slice::from_ref(&line)).is_err() {}
                }
            });
        }
    });
    let mut lines = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        lines.extend(text.lines().map(str::to_owned));
        files += 1;
    }
    let mut expected: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|writer| (0..300).map(move |number| format!("{writer}{number}")))
        .collect();
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
    // While one of them rotates, the other goes on with the file that it has, however large that becomes.
    assert!((2..40).contains(&files), "{files} files");
}

#[test]
fn as_many_files_are_kept_as_configured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    for other in ["lines.old", "lines.1", "lines2.20231114T221320.042Z"] {
        fs::write(folder.path().join(other), "mine").unwrap();
    }
    let rotate = Some(Rotate { size: Some(1), every: None, keep: Some(2) });
    let mut output = FileOutput::open(&FileTarget { rotate, ..to_file(&path) }).unwrap();
    (0..9).for_each(|line| deliver(&mut output, &line.to_string()));
    let mut all: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    all.sort();
    assert_eq!(all, ["6\n", "7\n", "8\n", "mine", "mine", "mine"]);
}

#[test]
fn a_file_of_another_day_is_rotated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, "yesterday\n").unwrap();
    let day = Duration::from_secs(86_400);
    let yesterday = std::time::SystemTime::now() - day;
    fs::File::options().write(true).open(&path).unwrap().set_modified(yesterday).unwrap();
    let rotate = Some(Rotate { size: None, every: Some(day), keep: None });
    let mut output = FileOutput::open(&FileTarget { rotate, ..to_file(&path) }).unwrap();
    deliver(&mut output, "today");
    assert_eq!(fs::read_to_string(&path).unwrap(), "today\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// The sink of the policy's next generation takes over; nothing is delivered twice or out of order.
#[test]
fn a_spool_is_handed_over_to_the_next_sink_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let (path, spool) = (folder.path().join("lines"), folder.path().join("spool"));
    let sinks = Sinks::default();
    let spec = |bytes| SinkSpec {
        spool: Some(SpoolSpec { path: spool.clone(), bytes, fsync: Fsync::Never }),
        ..file(&path, 1)
    };
    let (first, second) = (sinks.open(&spec(1 << 20)).unwrap(), sinks.open(&spec(2 << 20)).unwrap());
    for number in 0..500 {
        first.offer(&format!("{{\"a\":{number}}}")).unwrap();
        second.offer(&format!("{{\"b\":{number}}}")).unwrap();
    }
    second.flush(PATIENCE);
    let text = fs::read_to_string(&path).unwrap();
    let expected: String =
        (0..500).map(|number| format!("{{\"a\":{number}}}\n{{\"b\":{number}}}\n")).collect();
    assert_eq!(text, expected);
    let counted = &sinks.counted()[0];
    assert_eq!((counted.queued, counted.delivered, counted.waiting), (1000, 1000, 0), "{counted:?}");
}

#[test]
fn a_secret_is_not_shown() {
    let target = SinkTarget::Http(HttpTarget {
        url: "http://localhost/".into(),
        headers: [("authorization".into(), Secret::new("hush"))].into(),
        batch: Batch { lines: 1, bytes: 1, wait: Duration::ZERO },
        timeout: Duration::ZERO,
        format: Format::Ndjson,
    });
    assert!(!format!("{:?}", spec(target, 1)).contains("hush"));
}
