//! Spools across restarts, crashes and full disks.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::queue::Store;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
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

fn folder_of(spool: &Spool) -> std::path::PathBuf {
    spool.queue.lock().folder.clone()
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
    let spool = Spool::open(&spec(&folder, 1 << 19), false).unwrap();
    fill(&spool, 0..5000);
    assert_eq!(spool.size().0, 5000);
    assert!(segment::numbers(&folder_of(&spool)).unwrap().len() > 1, "several segments");
    assert_eq!(drain(&spool), numbered(0..5000));
    fill(&spool, 5000..5010);
    assert_eq!(drain(&spool), numbered(5000..5010));
    assert_eq!(spool.size(), (0, 0));
    assert_eq!(segment::numbers(&folder_of(&spool)).unwrap().len(), 1, "what is delivered is removed");
}

#[test]
fn unacknowledged_lines_come_again_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec, false).unwrap();
    fill(&spool, 0..3000);
    let mut first = taken(&spool);
    assert_eq!(first.lines, numbered(0..100));
    spool.acknowledge(&mut first, 40).unwrap();
    drop(spool);
    let spool = Spool::open(&spec, false).unwrap();
    assert_eq!(spool.size().0, 2960);
    assert_eq!(drain(&spool), numbered(40..3000));
    drop(spool);
    assert_eq!(Spool::open(&spec, false).unwrap().size(), (0, 0));
}

#[test]
fn one_process_has_it() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec, false).unwrap();
    // A lock on a newly opened file acts like that of another process.
    let error = Spool::open(&spec, false).unwrap_err().to_string();
    assert!(error.contains("another process has the spool"), "{error}");
    drop(spool);
    Spool::open(&spec, false).unwrap();
}

/// A restart without a gap: the successor's lines wait beside those of its predecessor, and follow them once it has ended.
#[test]
fn two_processes_of_a_server_have_it_together() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 8 * 4096);
    let old = Spool::open(&spec, false).unwrap();
    fill(&old, 0..10);
    let new = Spool::open(&spec, true).unwrap();
    fill(&new, 100..500);
    let mut some = taken(&new);
    assert_eq!(some.lines, numbered(100..200), "its own alone");
    new.acknowledge(&mut some, 30).unwrap();
    assert!(!new.take_over());
    assert_eq!(taken(&new).lines, numbered(130..230), "the predecessor lives");
    let mut some = taken(&old);
    old.acknowledge(&mut some, 4).unwrap();
    fill(&old, 10..12);
    drop(old);

    assert!(!new.take_over(), "at the next delivery");
    let lines = new.size().0;
    assert_eq!(lines, 370);
    assert_eq!(drain(&new), [numbered(4..12), numbered(130..500)].concat());
    assert!(new.take_over());
    assert_eq!((new.size(), folder_of(&new)), ((0, 0), spec.path.clone()));
    fill(&new, 500..501);
    drop(new);
    let names: Vec<_> = fs::read_dir(&spec.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().starts_with("beside")), "{names:?}");
    assert_eq!(drain(&Spool::open(&spec, false).unwrap()), numbered(500..501));
}

/// Each process may end first, be killed, or have a successor itself.
#[test]
fn lines_of_ended_processes_come_home() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let first = Spool::open(&spec, false).unwrap();
    fill(&first, 0..2);
    let second = Spool::open(&spec, true).unwrap();
    fill(&second, 10..14);
    let mut some = taken(&second);
    second.acknowledge(&mut some, 1).unwrap();
    let third = Spool::open(&spec, true).unwrap();
    fill(&third, 20..22);
    drop(second);
    assert!(!third.take_over());
    assert_eq!(taken(&third).lines, numbered(20..22));
    // The successor of the first is the third now.
    drop(first);
    third.take_over();
    assert_eq!(taken(&third).lines, [numbered(0..2), numbered(20..22), numbered(11..14)].concat());
    let fourth = Spool::open(&spec, true).unwrap();
    fill(&fourth, 30..31);
    drop(fourth);
    third.take_over();
    let all = [numbered(0..2), numbered(20..22), numbered(11..14), numbered(30..31)].concat();
    assert_eq!(taken(&third).lines, all);
    // All of them are killed while one lies beside.
    let fifth = Spool::open(&spec, true).unwrap();
    fill(&fifth, 40..41);
    drop((third, fifth));
    assert_eq!(drain(&Spool::open(&spec, false).unwrap()), [all, numbered(40..41)].concat());
}

#[test]
fn it_is_bounded_and_has_room_again() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 4096), false).unwrap();
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
    let spool = Spool::open(&spec, false).unwrap();
    fill(&spool, 0..3);
    let last =
        segment::path(&folder_of(&spool), *segment::numbers(&folder_of(&spool)).unwrap().last().unwrap());
    drop(spool);
    let whole = fs::read(&last).unwrap();
    let record = whole.len() / 3;
    // Cut at each byte of the last line.
    for end in 2 * record..whole.len() {
        fs::write(&last, &whole[..end]).unwrap();
        let spool = Spool::open(&spec, false).unwrap();
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
    let spool = Spool::open(&spec, false).unwrap();
    fill(&spool, 0..9);
    let path = segment::path(&folder_of(&spool), 1);
    drop(spool);
    let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
    let record = segment::size_of("{\"line\":0}");
    // The first, one in the middle, and the last.
    for damaged in [0, 4, 8] {
        file.seek(SeekFrom::Start(damaged * record + 12)).unwrap();
        file.write_all(b"?").unwrap();
    }
    let spool = Spool::open(&spec, false).unwrap();
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
    let spool = Spool::open(&spec, false).unwrap();
    fill(&spool, 0..300);
    let numbers = segment::numbers(&folder_of(&spool)).unwrap();
    assert!(numbers.len() > 1);
    let first = segment::path(&folder_of(&spool), numbers[0]);
    drop(spool);
    let lines = fs::read(&first).unwrap().iter().filter(|byte| **byte == b'\n').count();
    fs::write(&first, "nonsense\n".repeat(lines)).unwrap();
    let spool = Spool::open(&spec, false).unwrap();
    assert_eq!(drain(&spool), numbered(lines as u32..300));
    assert_eq!(spool.size(), (0, 0));
}

#[test]
fn an_invalid_position_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let spec = spec(&folder, 1 << 20);
    let spool = Spool::open(&spec, false).unwrap();
    fill(&spool, 0..10);
    let mut some = taken(&spool);
    spool.acknowledge(&mut some, 4).unwrap();
    drop(spool);
    fs::write(spec.path.join("position"), "rubbish").unwrap();
    assert_eq!(drain(&Spool::open(&spec, false).unwrap()), numbered(0..10));
}

#[test]
fn lines_larger_than_a_batch_or_a_segment_pass_too() {
    let folder = TempDir::new().unwrap();
    let spool = Spool::open(&spec(&folder, 1 << 20), false).unwrap();
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
    let spool = Spool::open(&spec(&folder, 1 << 20), false).unwrap();
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
