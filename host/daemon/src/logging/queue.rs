//! The queue of log lines, and the thread that writes them.
//!
//! A stalled or failing output blocks only this thread: lines without room are dropped and counted, and the thread
//! reports their number when the output continues.
//!
//! A reload may name another output. A new thread takes over then, so that a stalled output holds back nothing: the old
//! thread writes what it has taken already, and ends.

use super::output::{CHUNK, Output, is_ready, whole_lines, write_unless_it_blocks};
use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// The most queued bytes: some 6,000 lines of requests.
const CAPACITY: usize = 4 << 20;

/// The capacity in bytes that empty buffers keep.
const MAX_IDLE_BUFFER: usize = 64 << 10;

/// The longest wait of a batch's first line for others. Waking the thread for each of many lines would cost more than
/// the lines.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// How long [`Queue::flush`] waits for a reader that takes nothing.
const STALL_TIMEOUT: Duration = Duration::from_millis(250);

/// The pause before lines are written again that a file or a syslog server has not taken.
const RETRY_PAUSE: Duration = Duration::from_millis(250);

/// The most threads of earlier outputs that still wait for those.
const MAX_REPLACED: usize = 4;

/// The queue and its outputs.
pub(super) struct Queue {
    stderr: Arc<OwnedFd>,
    state: Mutex<State>,
    /// Wakes the thread: there is something to do.
    work: Condvar,
    /// Wakes [`Queue::flush`]: something was written.
    progress: Condvar,
    dropped: AtomicU64,
    /// Logs how many lines were dropped, and by which output.
    report: fn(&Queue, u64, &str),
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// Bytes waiting or being written.
    queued: usize,
    writer: Option<ThreadId>,
    /// The threads of earlier outputs.
    replaced: usize,
    /// Lines wait for an output that is not open yet.
    held: bool,
    /// The output is not standard error.
    elsewhere: bool,
    /// The file is to be opened anew.
    reopen: bool,
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

/// What the thread does next.
enum Task {
    /// Writes the batch.
    Write,
    /// Reports this many dropped lines.
    Report(u64),
    /// Opens the file anew.
    Reopen,
}

impl Queue {
    /// Creates a queue without its thread: until [`Queue::start`], lines are written to standard error as far as that
    /// does not block.
    pub(super) fn new(stderr: OwnedFd, report: fn(&Queue, u64, &str)) -> Arc<Queue> {
        Arc::new(Queue {
            stderr: Arc::new(stderr),
            state: Mutex::default(),
            work: Condvar::new(),
            progress: Condvar::new(),
            dropped: AtomicU64::new(0),
            report,
        })
    }

    /// Holds lines back until [`Queue::start`]: they belong to an output that is not open yet.
    pub(super) fn hold(&self) {
        self.lock().held = true;
    }

    /// Starts the thread that writes to the output, or to standard error. It replaces the one of an earlier output.
    ///
    /// # Errors
    /// The system has no thread, or earlier outputs hang.
    pub(super) fn start(self: &Arc<Queue>, output: Option<Output>) -> io::Result<()> {
        let output = output.unwrap_or_else(|| Output::Stderr(Arc::clone(&self.stderr)));
        let mut state = self.lock();
        if state.replaced >= MAX_REPLACED {
            return Err(io::Error::other(
                "earlier outputs of the log have not taken their lines yet; restart the server",
            ));
        }
        let elsewhere = output.is_elsewhere();
        let queue = Arc::clone(self);
        // Waits for the lock first.
        let thread = thread::Builder::new().name("tuffet-log".into()).spawn(move || queue.run(output))?;
        if state.writer.replace(thread.thread().id()).is_some() {
            state.replaced += 1;
        }
        // What the earlier thread has taken no longer counts.
        state.queued = state.waiting.len();
        (state.held, state.reporting, state.failing) = (false, false, false);
        state.elsewhere = elsewhere;
        drop(state);
        self.work.notify_all();
        self.progress.notify_all();
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
        if state.writer.is_none() && !state.held {
            self.write_available(&mut state);
        }
        drop(state);
        if wakes {
            self.work.notify_all();
        }
    }

    /// Returns the number of lines dropped so far, or refused by the output.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Opens the file anew if another program has renamed it. Waits for that, unless the output is stalled.
    pub(super) fn reopen(&self) {
        let mut state = self.lock();
        if state.writer.is_none() {
            return;
        }
        state.reopen = true;
        self.work.notify_all();
        self.progress.wait_while_for(&mut state, |state| state.reopen, STALL_TIMEOUT);
    }

    /// Whether lines go to standard error.
    pub(super) fn is_at_stderr(&self) -> bool {
        !self.lock().elsewhere
    }

    /// Writes a line to standard error, beside the queue, as far as that does not block.
    pub(super) fn print_stderr(&self, line: &str) {
        write_unless_it_blocks(&*self.stderr, line);
    }

    /// Waits until everything is written: at most this long, and less if the reader is stalled.
    pub(super) fn flush(self: &Arc<Queue>, patience: Duration) {
        // Without a thread, `push` has written what standard error takes, or an output was never opened.
        if self.lock().writer.is_none() && self.start(None).is_err() || self.lock().is_writer() {
            return;
        }
        let end = Instant::now() + patience;
        let mut state = self.lock();
        state.flushing += 1;
        self.work.notify_all();
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

    fn run(&self, mut output: Output) {
        let mut writer = Writer { me: thread::current().id(), complained: false };
        let mut batch = Vec::new();
        while let Some(task) = self.next(writer.me, &mut batch) {
            match task {
                Task::Report(lines) => {
                    (self.report)(self, lines, output.name());
                    let mut state = self.lock();
                    if state.writer == Some(writer.me) {
                        (state.dropping, state.reporting) = (false, false);
                    }
                    drop(state);
                    self.progress.notify_all();
                }
                Task::Reopen => self.reopen_output(&mut writer, &mut output),
                Task::Write => {
                    self.write(&mut writer, &mut output, &batch);
                    batch.clear();
                    batch.shrink_to(MAX_IDLE_BUFFER);
                }
            }
        }
        self.lock().replaced -= 1;
    }

    /// Waits for the next task of this thread; `None` if another one has replaced it.
    fn next(&self, me: ThreadId, batch: &mut Vec<u8>) -> Option<Task> {
        let nothing = |state: &mut State| {
            state.writer == Some(me) && state.waiting.is_empty() && !state.report_is_due() && !state.reopen
        };
        let mut state = self.lock();
        self.work.wait_while(&mut state, nothing);
        if state.writer != Some(me) {
            return None;
        }
        if state.reopen {
            return Some(Task::Reopen);
        }
        if state.report_is_due() {
            state.reporting = true;
            return Some(Task::Report(std::mem::take(&mut state.unreported)));
        }
        let gathers = |state: &mut State| {
            state.waiting.len() < CHUNK && state.flushing == 0 && !state.reopen && state.writer == Some(me)
        };
        self.work.wait_while_for(&mut state, gathers, GATHER_TIME);
        if state.writer != Some(me) {
            return None;
        }
        std::mem::swap(batch, &mut state.waiting);
        Some(Task::Write)
    }

    /// Writes the batch, however long that takes, and counts lost lines. What a replaced output refuses is left to the
    /// new one.
    fn write(&self, writer: &mut Writer, output: &mut Output, batch: &[u8]) {
        let mut rest = batch;
        while !rest.is_empty() {
            let written = output.write(rest);
            rest = &rest[written.bytes..];
            let mut state = self.lock();
            let is_writer = state.writer == Some(writer.me);
            if is_writer {
                state.queued -= written.bytes;
                state.failing = written.error.is_some();
            }
            state.unreported += written.lost;
            self.dropped.fetch_add(written.lost, Relaxed);
            if written.retry && !is_writer {
                state.queued += rest.len();
                state.waiting.splice(0..0, rest.iter().copied());
                return;
            }
            drop(state);
            self.progress.notify_all();
            match written.error {
                None => writer.complained = false,
                Some(error) if output.is_elsewhere() => self.complain(writer, output, &error),
                Some(_) => {}
            }
            if written.retry {
                let mut state = self.lock();
                let pauses = |state: &mut State| state.writer == Some(writer.me) && !state.reopen;
                self.work.wait_while_for(&mut state, pauses, RETRY_PAUSE);
                let reopens = state.reopen && state.writer == Some(writer.me);
                drop(state);
                if reopens {
                    self.reopen_output(writer, output);
                }
            }
        }
    }

    fn reopen_output(&self, writer: &mut Writer, output: &mut Output) {
        let reopened = output.reopen();
        self.lock().reopen = false;
        self.progress.notify_all();
        match reopened {
            Ok(()) => {}
            Err(error) => self.complain(writer, output, &error.to_string()),
        }
    }

    /// Says once on standard error why the log is not written.
    fn complain(&self, writer: &mut Writer, output: &Output, error: &str) {
        if !std::mem::replace(&mut writer.complained, true) {
            self.print_stderr(&format!(
                "tuffet: the log cannot be written to {}: {error}; its lines wait in memory, and those beyond {} MiB are \
                 dropped\n",
                output.name(),
                CAPACITY >> 20
            ));
        }
    }

    /// Writes as much as standard error takes without blocking, for a start without the thread.
    fn write_available(&self, state: &mut State) {
        while !state.waiting.is_empty() && is_ready(&*self.stderr) {
            let end = whole_lines(&state.waiting, CHUNK);
            let written = match rustix::io::write(&*self.stderr, &state.waiting[..end]) {
                Ok(written) => written,
                Err(Errno::INTR | Errno::AGAIN) => break,
                Err(_) => state.waiting.len(),
            };
            state.waiting.drain(..written);
            state.queued -= written;
        }
    }
}

/// A writing thread.
struct Writer {
    me: ThreadId,
    /// Standard error has the reason why the log is not written.
    complained: bool,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read};

    fn report(queue: &Queue, lines: u64, _: &str) {
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
        queue.start(None).unwrap();
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
        queue.start(None).unwrap();
        queue.push(&[b"lost\n", b"lost too\n"]);
        queue.flush(Duration::from_secs(600));
        assert_eq!((queue.dropped(), queue.lock().queued), (2, 0));
    }

    /// As a reload does that names another target of the log.
    #[test]
    fn a_stalled_output_holds_back_nothing_of_the_next_one() {
        let (_stalled, output) = pipe();
        let queue = Queue::new(output, report);
        queue.start(None).unwrap();
        let line = [b'x'; 1023];
        (0..2000).for_each(|_| queue.push(&[&line, b"\n"]));
        queue.flush(Duration::from_secs(600));
        let (reader, other) = pipe();
        queue.start(Some(Output::Stderr(Arc::new(other)))).unwrap();
        queue.push(&[b"after\n"]);
        let found = BufReader::new(reader).lines().map(Result::unwrap).any(|line| line == "after");
        assert!(found);
        // None of these ends, so their number is bounded.
        let endless: Vec<_> = (0..=MAX_REPLACED).map(|_| pipe()).collect();
        let started = endless.into_iter().map(|(reader, output)| {
            let started = queue.start(Some(Output::Stderr(Arc::new(output))));
            (0..2000).for_each(|_| queue.push(&[&line, b"\n"]));
            queue.flush(Duration::from_secs(600));
            std::mem::forget(reader);
            started
        });
        let refused: Vec<bool> = started.map(|started| started.is_err()).collect();
        assert_eq!(refused.last(), Some(&true), "{refused:?}");
    }
}
