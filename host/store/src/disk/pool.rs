//! Threads that may block on a disk: few while it is fast, more while it blocks them.
//!
//! Threads start on demand and end when idle. While operations take microseconds, only a few run at once. While the
//! running ones are stuck, additional threads take waiting operations one after another, up to a limit.
//!
//! Clients share the threads: those with waiting operations are served round robin, and a client occupies at most as
//! many threads as remain for others. If the queue is full, the newest operation of the client with the most is
//! dropped.

use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tuffet_request::{ClientKey, FairQueue};

/// The limit of operations waiting for a thread. It absorbs a storm of requests, but leaves most of `limits.pending` to
/// other roots if this one hangs.
const MAX_WAITING: usize = 1_024;

/// An operation that runs for longer counts as stuck, and others may begin beside it.
const STUCK: Duration = Duration::from_millis(2);

/// While an operation runs for longer, threads outside of the pool may not begin operations themselves.
const SUSPECT: Duration = Duration::from_millis(50);

/// The pause after the system refused to start a thread.
const RETRY: Duration = Duration::from_millis(100);

/// The time after which an idle thread ends.
const IDLE: Duration = Duration::from_secs(10);

/// The reason why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// It took too long, or waited for too long.
    Late,
    /// It waited for too long because the system has no thread for it.
    NoThread,
    /// The queue is full.
    Full,
    /// A bug: it panicked.
    Panicked,
}

type Work = Box<dyn FnOnce() + Send>;
pub(super) type Instead = Box<dyn FnOnce(Undone) + Send>;

/// Starts a thread of this name.
type Spawn = Box<dyn Fn(&str, Work) -> io::Result<()> + Send + Sync>;

fn start_thread(name: &str, work: Work) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(work).map(drop)
}

/// A pool of threads that may block. Idle threads end after a while. Cheap to clone; clones share the pool.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

struct Shared {
    name: &'static str,
    spawn: Spawn,
    /// Threads that begin work without delay, while none is stuck; and all threads.
    eager: usize,
    most: usize,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: FairQueue<Waiting>,
    /// The threads that clients occupy.
    occupied: HashMap<ClientKey, usize>,
    running: Vec<Option<Running>>,
    threads: usize,
    idle: usize,
    /// Whether a thread is waiting to find out if the running operations are stuck.
    standing_by: bool,
    /// Incremented when the running operations are found stuck; and the number begun since.
    epoch: u64,
    fresh: usize,
    /// The number of operations begun so far.
    begun: u64,
    /// The number of operations on threads outside of the pool.
    guests: usize,
    /// Whether idle threads end at once.
    closed: bool,
    /// When the system last refused to start a thread, and why.
    refused: Option<(Instant, io::Error)>,
}

struct Waiting {
    /// Whether it stays even if the queue is full.
    must: bool,
    until: Option<Instant>,
    work: Work,
    /// `None` once called. A thread of the pool then drops the work, because dropping a file may block.
    instead: Option<Instead>,
}

struct Running {
    since: Instant,
    /// `None` on a thread outside of the pool.
    epoch: Option<u64>,
    client: ClientKey,
    until: Option<Instant>,
    /// `None` once called.
    instead: Option<Instead>,
}

impl Pool {
    /// Creates a pool of up to `most` threads of this name. `eager` of them begin work without delay, the others when
    /// those are stuck.
    pub fn new(name: &'static str, eager: usize, most: usize) -> Pool {
        Pool::spawning(name, eager, most, Box::new(start_thread))
    }

    fn spawning(name: &'static str, eager: usize, most: usize, spawn: Spawn) -> Pool {
        Pool(Arc::new(Shared { name, spawn, eager, most, state: Mutex::default(), wake: Condvar::new() }))
    }

    /// Runs `work` on one of the threads. If it does not end `within` this time, [`Pool::tick`] calls `undone`.
    pub fn run(
        &self,
        within: Duration,
        work: impl FnOnce() + Send + 'static,
        undone: impl FnOnce(Undone) + Send + 'static,
    ) {
        self.submit(ClientKey::SERVER, within, true, Box::new(work), Box::new(undone));
    }

    /// Abandons late operations, and retries to start a thread that the system refused. Returns the error of starting
    /// one, while an operation waits for it. Call this a few times per second.
    pub fn tick(&self) -> Option<String> {
        self.expire(Some(Instant::now()));
        self.refused()
    }

    /// Ends idle threads at once from now on, instead of after a while. Operations still run.
    pub fn close(&self) {
        self.0.lock().closed = true;
        self.0.wake.notify_all();
    }

    /// Abandons all waiting operations, and drops them on this thread.
    pub fn give_up(&self) {
        let waiting: Vec<Waiting> = self.0.lock().waiting.drain().collect();
        for Waiting { work, instead, .. } in waiting {
            drop(work);
            instead.into_iter().for_each(|instead| instead(Undone::NoThread));
        }
    }

    /// Begins an operation on the calling thread, until [`Pool::leave`]: at most `most` at a time, and only while
    /// operations end quickly.
    pub(super) fn enter(&self, most: usize, within: Duration, instead: Instead) -> Result<usize, Instead> {
        self.enter_at(Instant::now(), most, within, instead)
    }

    fn enter_at(
        &self,
        now: Instant,
        most: usize,
        within: Duration,
        instead: Instead,
    ) -> Result<usize, Instead> {
        let mut state = self.0.lock();
        let slow = |its: &Running| now.saturating_duration_since(its.since) > SUSPECT;
        if state.guests >= most || !state.waiting.is_empty() || state.running.iter().flatten().any(slow) {
            return Err(instead);
        }
        state.guests += 1;
        let until = now.checked_add(within);
        let client = ClientKey::SERVER;
        Ok(state.put(Running { since: now, epoch: None, client, until, instead: Some(instead) }))
    }

    pub(super) fn leave(&self, slot: usize) {
        let ended = self.0.lock().end(slot);
        drop(ended);
    }

    /// `must`: accept it even if the queue is full. A shed operation is dropped on this thread.
    pub(super) fn submit(
        &self,
        client: ClientKey,
        within: Duration,
        must: bool,
        work: Work,
        instead: Instead,
    ) {
        let mut state = self.0.lock();
        let until = Instant::now().checked_add(within);
        state.waiting.push(client, Waiting { must, until, work, instead: Some(instead) });
        let shed = match must || state.waiting.len() <= MAX_WAITING {
            true => None,
            false => state.waiting.shed(|its| !its.must),
        };
        self.0.rouse(&mut state);
        drop(state);
        if let Some((_, Waiting { instead: Some(instead), .. })) = shed {
            instead(Undone::Full);
        }
    }

    /// Whether this client occupies its share of the threads, or none is free.
    pub(super) fn is_taken(&self, client: ClientKey) -> bool {
        let state = self.0.lock();
        !state.may_begin(client, state.free(self.0.most))
    }

    /// Abandons operations due by `now`, or all without a time. Retries to start a refused thread if an operation waits
    /// for it.
    pub(super) fn expire(&self, now: Option<Instant>) {
        let late = |until: Option<Instant>| now.is_none_or(|now| until.is_some_and(|until| until <= now));
        let mut state = self.0.lock();
        if state.waiting.is_empty() {
            state.refused = None;
        } else if state.threads == 0 || state.refused.is_some() {
            self.0.rouse(&mut state);
        }
        let why = if state.refused.is_some() { Undone::NoThread } else { Undone::Late };
        let State { waiting, running, .. } = &mut *state;
        let running = running.iter_mut().flatten().map(|its| (its.until, &mut its.instead));
        let waiting = waiting.iter_mut().map(|its| (its.until, &mut its.instead));
        let all = running.chain(waiting).filter(|(until, _)| late(*until));
        let late: Vec<Instead> = all.filter_map(|(_, instead)| instead.take()).collect();
        drop(state);
        late.into_iter().for_each(|instead| instead(why));
    }

    /// The error of starting a thread, if an operation waits for one.
    pub(super) fn refused(&self) -> Option<String> {
        let state = self.0.lock();
        let refused = state.refused.as_ref().filter(|_| !state.waiting.is_empty());
        refused.map(|(_, error)| error.to_string())
    }

    /// The numbers of running and of waiting operations.
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.0.lock();
        (state.running.iter().flatten().count(), state.waiting.len())
    }

    /// The start of the oldest running operation.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.0.lock().running.iter().flatten().map(|its| its.since).min()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Wakes or starts a thread for waiting operations.
    fn rouse(self: &Arc<Self>, state: &mut State) {
        if state.next(self.most).is_none() || (state.fresh >= self.eager && state.standing_by) {
            return;
        }
        if state.idle > 0 {
            self.wake.notify_one();
        } else if state.threads < self.most {
            if state.refused.as_ref().is_some_and(|(at, _)| at.elapsed() < RETRY) {
                return;
            }
            let shared = Arc::clone(self);
            state.refused = match (self.spawn)(self.name, Box::new(move || shared.serve())) {
                Ok(()) => {
                    state.threads += 1;
                    None
                }
                // `expire` retries. Existing threads may take the operation before that.
                Err(error) => Some((Instant::now(), error)),
            };
        }
    }

    fn serve(self: Arc<Self>) {
        let mut state = self.lock();
        loop {
            if state.next(self.most).is_none() || (state.fresh >= self.eager && state.standing_by) {
                let mut is_over = state.closed && state.waiting.is_empty();
                if !is_over {
                    state.idle += 1;
                    is_over = self.wake.wait_for(&mut state, IDLE).timed_out();
                    state.idle -= 1;
                }
                if is_over && state.waiting.is_empty() {
                    state.threads -= 1;
                    return;
                }
            } else if state.fresh >= self.eager {
                state.standing_by = true;
                let begun = state.begun;
                let waited = self.wake.wait_for(&mut state, STUCK);
                state.standing_by = false;
                if waited.timed_out() && state.begun == begun {
                    state.epoch += 1;
                    state.fresh = 0;
                }
            } else if let Some((client, Waiting { until, work, instead, .. })) = state.take(self.most) {
                let wanted = instead.is_some();
                let slot = state.begin(client, until, instead);
                self.rouse(&mut state);
                drop(state);
                let went_well = match wanted {
                    true => catch_unwind(AssertUnwindSafe(work)).is_ok(),
                    false => catch_unwind(AssertUnwindSafe(|| drop(work))).is_ok(),
                };
                state = self.lock();
                let instead = state.end(slot).filter(|_| !went_well);
                if let Some(instead) = instead {
                    drop(state);
                    instead(Undone::Panicked);
                    state = self.lock();
                }
            }
        }
    }
}

impl State {
    /// The number of free threads of `most`.
    fn free(&self, most: usize) -> usize {
        most.saturating_sub(self.occupied.values().sum())
    }

    /// Whether a client may occupy one more of the `free` threads: at most as many as remain for others. The first
    /// client gets half, the next one half of the rest, and so on. The server itself may occupy all.
    fn may_begin(&self, client: ClientKey, free: usize) -> bool {
        let its = if client == ClientKey::SERVER { None } else { self.occupied.get(&client) };
        its.copied().unwrap_or_default() < free
    }

    /// The client of the next operation to begin.
    fn next(&self, most: usize) -> Option<ClientKey> {
        let free = self.free(most);
        // While all threads are occupied, many clients may wait; skip the search.
        (free > 0).then(|| self.waiting.next(|client| self.may_begin(client, free)))?
    }

    fn take(&mut self, most: usize) -> Option<(ClientKey, Waiting)> {
        let next = self.next(most)?;
        self.waiting.pop(|client| client == next)
    }

    fn begin(&mut self, client: ClientKey, until: Option<Instant>, instead: Option<Instead>) -> usize {
        self.begun += 1;
        self.fresh += 1;
        *self.occupied.entry(client).or_default() += 1;
        self.put(Running { since: Instant::now(), epoch: Some(self.epoch), client, until, instead })
    }

    fn put(&mut self, running: Running) -> usize {
        let free = self.running.iter().position(Option::is_none);
        let slot = free.unwrap_or(self.running.len());
        if free.is_none() {
            self.running.push(None);
        }
        self.running[slot] = Some(running);
        slot
    }

    fn end(&mut self, slot: usize) -> Option<Instead> {
        let running = self.running.get_mut(slot)?.take()?;
        match running.epoch {
            None => {
                self.guests -= 1;
                return running.instead;
            }
            Some(epoch) if epoch == self.epoch => self.fresh -= 1,
            Some(_) => {}
        }
        if let Some(occupied) = self.occupied.get_mut(&running.client) {
            *occupied -= 1;
            if *occupied == 0 {
                self.occupied.remove(&running.client);
            }
        }
        running.instead
    }
}

#[cfg(test)]
mod tests;
