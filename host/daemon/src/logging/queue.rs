//! The queue of lines for standard error, and the thread that writes them.
//!
//! A stalled reader of the log blocks only this thread: lines without room are dropped and counted, and the thread
//! reports their number when the reader continues.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// The most queued bytes: some 6,000 lines of requests.
const CAPACITY: usize = 4 << 20;

/// The most bytes of one write. A pipe takes up to this many atomically (PIPE_BUF), so lines of other processes in the
/// same pipe end up between ours, never within one.
const CHUNK: usize = 4096;

/// The capacity in bytes that empty buffers keep.
const MAX_IDLE_BUFFER: usize = 64 << 10;

/// The longest wait of a batch's first line for others. Waking the thread for each of many lines would cost more than
/// the lines.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// How long [`Queue::flush`] waits for a reader that takes nothing.
const STALL_TIMEOUT: Duration = Duration::from_millis(250);

/// The queue and its output.
pub(super) struct Queue {
    output: OwnedFd,
    state: Mutex<State>,
    /// Wakes the thread: there is something to write.
    work: Condvar,
    /// Wakes [`Queue::flush`]: something was written.
    progress: Condvar,
    dropped: AtomicU64,
    /// Logs how many lines were dropped.
    report: fn(&Queue, u64),
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// Bytes waiting or being written.
    queued: usize,
    writer: Option<ThreadId>,
    /// No line is accepted until the reader has caught up, so the report of a gap precedes the lines after it.
    dropping: bool,
    /// Dropped lines not reported yet.
    unreported: u64,
    /// Callers in [`Queue::flush`].
    flushing: usize,
    /// A report is being made.
    reporting: bool,
    /// The last write failed, and a report would too.
    failing: bool,
}

impl Queue {
    /// Creates a queue without its thread: until [`Queue::start`], lines are written as far as that does not block.
    pub(super) fn new(output: OwnedFd, report: fn(&Queue, u64)) -> Arc<Queue> {
        Arc::new(Queue {
            output,
            state: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            dropped: AtomicU64::new(0),
            report,
        })
    }

    /// Starts the thread, unless it runs.
    ///
    /// # Errors
    /// The system has no thread.
    pub(super) fn start(self: &Arc<Queue>) -> io::Result<()> {
        let mut state = self.lock();
        if state.writer.is_none() {
            let queue = Arc::clone(self);
            let thread = thread::Builder::new().name("tuffet-log".into()).spawn(move || queue.run())?;
            state.writer = Some(thread.thread().id());
        }
        Ok(())
    }

    /// Queues a line, which may come in parts, or drops it. Never waits for the output.
    pub(super) fn push(&self, line: &[&[u8]]) {
        let length: usize = line.iter().map(|part| part.len()).sum();
        let mut state = self.lock();
        let full = state.dropping || state.queued + length > CAPACITY;
        // The thread itself logs the report of a gap, after the waiting lines.
        if full && !state.is_writer() {
            state.dropping = true;
            state.unreported += 1;
            self.dropped.fetch_add(1, Relaxed);
            return;
        }
        let before = state.waiting.len();
        line.iter().for_each(|part| state.waiting.extend_from_slice(part));
        state.queued += length;
        // Wakes the thread for the first line of a batch, and for the one that completes a write.
        let wakes = before == 0 || (before < CHUNK && state.waiting.len() >= CHUNK);
        if state.writer.is_none() {
            self.write_available(&mut state);
        }
        drop(state);
        if wakes {
            self.work.notify_one();
        }
    }

    /// Returns the number of lines dropped so far, or refused by the output.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Waits until everything is written: at most this long, and less if the reader is stalled.
    pub(super) fn flush(self: &Arc<Queue>, patience: Duration) {
        // Without a thread, `push` has written what the output takes.
        if self.start().is_err() || self.lock().is_writer() {
            return;
        }
        let end = Instant::now() + patience;
        let mut state = self.lock();
        state.flushing += 1;
        self.work.notify_one();
        while state.is_busy() {
            let (before, left) = (state.progress(), end.saturating_duration_since(Instant::now()));
            let unchanged = |state: &mut State| state.progress() == before;
            self.progress.wait_while_for(&mut state, unchanged, left.min(STALL_TIMEOUT));
            if unchanged(&mut state) {
                break;
            }
        }
        state.flushing -= 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn run(&self) {
        let mut batch = Vec::new();
        loop {
            let nothing = |state: &mut State| state.waiting.is_empty() && !state.report_is_due();
            let mut state = self.lock();
            self.work.wait_while(&mut state, nothing);
            if state.report_is_due() {
                let lines = std::mem::take(&mut state.unreported);
                state.reporting = true;
                drop(state);
                (self.report)(self, lines);
                let mut state = self.lock();
                (state.dropping, state.reporting) = (false, false);
                drop(state);
                self.progress.notify_all();
                continue;
            }
            let gathers = |state: &mut State| state.waiting.len() < CHUNK && state.flushing == 0;
            self.work.wait_while_for(&mut state, gathers, GATHER_TIME);
            std::mem::swap(&mut batch, &mut state.waiting);
            drop(state);
            let mut rest = &batch[..];
            while !rest.is_empty() {
                let (chunk, after) = rest.split_at(chunk(rest));
                self.write(chunk);
                rest = after;
            }
            batch.clear();
            batch.shrink_to(MAX_IDLE_BUFFER);
        }
    }

    /// Writes the chunk, however long that takes, and counts refused lines.
    fn write(&self, chunk: &[u8]) {
        let mut rest = chunk;
        let result = loop {
            match rustix::io::write(&self.output, rest) {
                Ok(0) => break Err(Errno::IO),
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                // Another process that shares it has made it non-blocking.
                Err(Errno::AGAIN) => {
                    let _ = poll(&mut [PollFd::new(&self.output, PollFlags::OUT)], None);
                }
                Err(error) => break Err(error),
            }
            if rest.is_empty() {
                break Ok(());
            }
        };
        let mut state = self.lock();
        state.queued -= chunk.len();
        state.failing = result.is_err();
        if result.is_err() {
            let lines = chunk.iter().filter(|&&byte| byte == b'\n').count() as u64;
            state.unreported += lines;
            self.dropped.fetch_add(lines, Relaxed);
        }
        drop(state);
        self.progress.notify_all();
    }

    /// Writes as much as the output takes without blocking, for a start without the thread.
    fn write_available(&self, state: &mut State) {
        while !state.waiting.is_empty() {
            let mut ready = [PollFd::new(&self.output, PollFlags::OUT)];
            let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
            if !poll(&mut ready, Some(&now)).is_ok_and(|ready| ready > 0) {
                break;
            }
            let end = chunk(&state.waiting);
            let written = match rustix::io::write(&self.output, &state.waiting[..end]) {
                Ok(written) => written,
                Err(Errno::INTR | Errno::AGAIN) => break,
                Err(_) => state.waiting.len(),
            };
            state.waiting.drain(..written);
            state.queued -= written;
        }
    }
}

impl State {
    /// Returns whether this thread is the writing one.
    fn is_writer(&self) -> bool {
        self.writer == Some(thread::current().id())
    }

    /// Returns whether something is still to be written.
    fn is_busy(&self) -> bool {
        self.queued > 0 || self.reporting || self.report_is_due()
    }

    /// Returns a value that changes with each step of the thread.
    fn progress(&self) -> (usize, u64, bool) {
        (self.queued, self.unreported, self.reporting)
    }

    /// Returns whether to report dropped lines: there is room again, and the output accepts data.
    fn report_is_due(&self) -> bool {
        self.unreported > 0 && !self.failing && self.queued <= CAPACITY / 2
    }
}

/// Returns the number of bytes to write next: as many whole lines as fit, at least one.
fn chunk(text: &[u8]) -> usize {
    let line_end = |&byte: &u8| byte == b'\n';
    let within = &text[..text.len().min(CHUNK)];
    within
        .iter()
        .rposition(line_end)
        .or_else(|| text.iter().position(line_end))
        .map_or(text.len(), |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read};

    fn report(queue: &Queue, lines: u64) {
        queue.push(&[format!("dropped {lines}\n").as_bytes()]);
    }

    fn pipe() -> (File, OwnedFd) {
        let (reader, writer) = io::pipe().unwrap();
        (OwnedFd::from(reader).into(), writer.into())
    }

    #[test]
    fn lines_keep_their_order_and_a_gap_is_reported_where_it_is() {
        let (reader, output) = pipe();
        let queue = Queue::new(output, report);
        queue.start().unwrap();
        let pushed = 1_000_000;
        // Without a reader, 9 MB do not fit.
        (0..pushed).for_each(|number| queue.push(&[format!("{number:>8}").as_bytes(), b"\n"]));
        let dropped = queue.dropped();
        assert!(dropped > 0);
        let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
        let mut next = 0;
        while next < pushed - dropped {
            assert_eq!(lines.next().unwrap().trim(), next.to_string());
            next += 1;
        }
        assert_eq!(lines.next().unwrap(), format!("dropped {dropped}"));
        queue.push(&[b"after the gap\n"]);
        assert_eq!(lines.next().unwrap(), "after the gap");
    }

    #[test]
    fn a_flush_waits_for_a_slow_reader_and_not_for_a_stalled_one() {
        let (mut reader, output) = pipe();
        let queue = Queue::new(output, report);
        let line = [b'x'; 1023];
        (0..2000).for_each(|_| queue.push(&[&line, b"\n"]));
        let begun = Instant::now();
        queue.flush(Duration::from_secs(600));
        assert!(begun.elapsed() < Duration::from_secs(300), "there is no reader");
        let read = thread::spawn(move || {
            let mut all = vec![0; 2000 << 10];
            reader.read_exact(&mut all).map(|()| reader)
        });
        let _reader = read.join().unwrap().unwrap();
        queue.flush(Duration::from_secs(600));
        assert_eq!(queue.lock().queued, 0);
    }

    #[test]
    fn lines_before_the_start_are_written_as_far_as_the_output_takes_them() {
        let (mut reader, output) = pipe();
        let queue = Queue::new(output, report);
        queue.push(&[b"first\n"]);
        let mut first = [0; 6];
        reader.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"first\n");
        // More than any pipe holds: this would block.
        let line = [b'x'; 1023];
        (0..2000).for_each(|_| queue.push(&[&line, b"\n"]));
        assert!(queue.lock().queued > 0);
    }

    #[test]
    fn an_output_without_a_reader_loses_only_the_lines() {
        let (reader, output) = pipe();
        drop(reader);
        let queue = Queue::new(output, report);
        queue.start().unwrap();
        queue.push(&[b"lost\n", b"lost too\n"]);
        queue.flush(Duration::from_secs(600));
        assert_eq!((queue.dropped(), queue.lock().queued), (2, 0));
    }

    #[test]
    fn writes_end_with_a_line() {
        assert_eq!(chunk(b"a\nb\nc"), 4);
        assert_eq!(chunk(b"a"), 1);
        let long = [vec![b'x'; 5000], b"\nrest\n".to_vec()].concat();
        assert_eq!(chunk(&long), 5001);
    }
}
