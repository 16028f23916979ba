//! Spools across restarts, crashes and full disks.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::queue::Store;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;
use tuffet_config::sinks::Fsync;

const BATCH: Batch = Batch { lines: 100, bytes: 1 << 20, wait: Duration::ZERO };

fn spec(folder: &TempDir, bytes: u64) -> SpoolSpec {
    SpoolSpec { path: folder.path().join("spool"), bytes, fsync: Fsync::Every(Duration::from_millis(1)) }
}

/// Takes the queued lines without waiting for more.
fn taken(spool: &Spool) -> TakenLines {
    spool.take(&BATCH, None, &|| DeliveryMode::Stop).unwrap()
}

/// Takes and acknowledges all lines.
fn drain(spool: &Spool) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let mut next = taken(spool);
        let lines = std::mem::take(&mut next.lines);
        if lines.is_empty() && next.damaged == 0 {
            return all;
        }
        spool.acknowledge(&mut next, lines.len()).unwrap();
        all.extend(lines);
    }
}

fn numbered(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|number| format!("{{\"line\":{number}}}")).collect()
}

fn fill(spool: &Spool, range: std::ops::Range<u32>) {
    numbered(range).iter().for_each(|line| spool.append(line).unwrap());
}

#[test]
fn lines_come_out_as_they_went_in_and_once() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 1 << 19)).unwrap();
    fill(&spool, 0..5000);
    assert_eq!(spool.size().0, 5000);
    assert!(segment::numbers(&spool.folder).unwrap().len() > 1, "several segments");
    assert_eq!(drain(&spool), numbered(0..5000));
    fill(&spool, 5000..5010);
    assert_eq!(drain(&spool), numbered(5000..5010));
    assert_eq!(spool.size(), (0, 0));
    assert_eq!(segment::numbers(&spool.folder).unwrap().len(), 1, "what is delivered is removed");
}

#[test]
fn unacknowledged_lines_come_again_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec).unwrap();
    fill(&spool, 0..3000);
    let mut first = taken(&spool);
    assert_eq!(first.lines, numbered(0..100));
    spool.acknowledge(&mut first, 40).unwrap();
    drop(spool);
    let spool = Spool::open(&spec).unwrap();
    assert_eq!(spool.size().0, 2960);
    assert_eq!(drain(&spool), numbered(40..3000));
    drop(spool);
    assert_eq!(Spool::open(&spec).unwrap().size(), (0, 0));
}

#[test]
fn one_process_has_it() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec).unwrap();
    // A lock on a newly opened file acts like that of another process.
    let error = Spool::open(&spec).unwrap_err().to_string();
    assert!(error.contains("another process has the spool"), "{error}");
    drop(spool);
    Spool::open(&spec).unwrap();
}

#[test]
fn it_is_bounded_and_has_room_again() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 4096)).unwrap();
    let mut count = 0;
    while spool.append("{\"some\":\"line\"}").is_ok() {
        count += 1;
    }
    let (lines, bytes) = spool.size();
    assert_eq!((lines, bytes), (count, count * segment::size_of("{\"some\":\"line\"}")));
    assert!(bytes <= 4096 && bytes > 4096 - 25);
    let mut some = taken(&spool);
    spool.acknowledge(&mut some, 1).unwrap();
    assert_eq!(spool.append("{\"some\":\"line\"}"), Ok(()));
    assert_eq!(spool.append("{\"some\":\"line\"}"), Err(Full));
}

#[test]
fn a_line_that_a_crash_cut_off_is_left_out() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec).unwrap();
    fill(&spool, 0..3);
    let last = segment::path(&spool.folder, *segment::numbers(&spool.folder).unwrap().last().unwrap());
    drop(spool);
    let whole = fs::read(&last).unwrap();
    let record = whole.len() / 3;
    // Cut at each byte of the last line.
    for end in 2 * record..whole.len() {
        fs::write(&last, &whole[..end]).unwrap();
        let spool = Spool::open(&spec).unwrap();
        assert_eq!(spool.size().0, 2, "{end}");
        fill(&spool, 7..8);
        let mut expected = numbered(0..2);
        expected.extend(numbered(7..8));
        assert_eq!(taken(&spool).lines, expected);
    }
}

#[test]
fn damaged_lines_are_left_out_and_counted() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec).unwrap();
    fill(&spool, 0..9);
    let path = segment::path(&spool.folder, 1);
    drop(spool);
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    let record = segment::size_of("{\"line\":0}");
    // The first, one in the middle, and the last.
    for damaged in [0, 4, 8] {
        file.seek(SeekFrom::Start(damaged * record + 12)).unwrap();
        file.write_all(b"?").unwrap();
    }
    let spool = Spool::open(&spec).unwrap();
    let mut all = taken(&spool);
    let kept: Vec<String> = [1, 2, 3, 5, 6, 7].into_iter().flat_map(|at| numbered(at..at + 1)).collect();
    assert_eq!((&all.lines, all.damaged), (&kept, 3));
    spool.acknowledge(&mut all, 6).unwrap();
    assert_eq!(spool.size(), (0, 0));
}

/// A segment with only damaged lines does not delay the next one.
#[test]
fn a_segment_of_damaged_lines_is_skipped() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 8 * 4096);
    let spool = Spool::open(&spec).unwrap();
    fill(&spool, 0..300);
    let numbers = segment::numbers(&spool.folder).unwrap();
    assert!(numbers.len() > 1);
    let first = segment::path(&spool.folder, numbers[0]);
    drop(spool);
    let lines = fs::read(&first).unwrap().iter().filter(|byte| **byte == b'\n').count();
    fs::write(&first, "nonsense\n".repeat(lines)).unwrap();
    let spool = Spool::open(&spec).unwrap();
    assert_eq!(drain(&spool), numbered(lines as u32..300));
    assert_eq!(spool.size(), (0, 0));
}

#[test]
fn an_invalid_position_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec).unwrap();
    fill(&spool, 0..10);
    let mut some = taken(&spool);
    spool.acknowledge(&mut some, 4).unwrap();
    drop(spool);
    fs::write(spec.path.join("position"), "rubbish").unwrap();
    assert_eq!(drain(&Spool::open(&spec).unwrap()), numbered(0..10));
}

#[test]
fn lines_larger_than_a_batch_or_a_segment_pass_too() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 1 << 20)).unwrap();
    let large = format!("\"{}\"", "x".repeat(300_000));
    spool.append(&large).unwrap();
    fill(&spool, 0..1);
    let small = Batch { bytes: 1024, ..BATCH };
    let mut taken = spool.take(&small, None, &|| DeliveryMode::Stop).unwrap();
    assert_eq!(taken.lines, [large]);
    spool.acknowledge(&mut taken, 1).unwrap();
    assert_eq!(drain(&spool), numbered(0..1));
}

/// A consumer that waits for more lines sleeps until its batch is due; syncing is due before that.
#[test]
fn a_line_is_synced_in_time_while_the_consumer_waits_for_others() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 1 << 20)).unwrap();
    let batch = Batch { wait: Duration::from_secs(600), ..BATCH };
    let stops = AtomicBool::new(false);
    let mode = || if stops.load(Ordering::Acquire) { DeliveryMode::Stop } else { DeliveryMode::Batched };
    std::thread::scope(|scope| {
        scope.spawn(|| spool.take(&batch, None, &mode).unwrap());
        let end = Instant::now() + Duration::from_secs(20);
        let asleep = || {
            let state = spool.queue.lock();
            state.is_awaited() && state.sync_due().is_none()
        };
        let mut synced = true;
        for line in numbered(0..3) {
            spool.append(&line).unwrap();
            while synced && !asleep() {
                std::thread::yield_now();
                synced = Instant::now() < end;
            }
        }
        stops.store(true, Ordering::Release);
        spool.queue.wake();
        assert!(synced, "the consumer sleeps");
    });
}
