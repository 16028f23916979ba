//! Decides which call of a plugin runs next: limits concurrent calls, queues further ones, and shares the
//! reused instances among clients.
//!
//! Clients with waiting calls are served round robin. A client runs at most as many calls as could still begin in
//! addition, so some capacity always remains for others, and none of its calls begins while an earlier one waits for
//! CPU time ([`Slices`]). A full queue drops the newest call of the client with the most waiting calls.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::debtors::Debtors;
use super::failure::Failure;
use super::pool::{InstanceCondition, Pool};
use super::slices::Slices;
use tuffet_request::{ClientKey, FairQueue};

/// The running and waiting calls of one plugin. `I` is an instance.
pub struct Turns<I> {
    state: Mutex<State<I>>,
}

struct State<I> {
    /// Calls that may still begin.
    free: u32,
    /// Calls that may wait.
    queue: usize,
    running: HashMap<ClientKey, u32>,
    waiting: FairQueue<WaitingCall<I>>,
    last_id: u64,
    slices: Arc<Slices>,
    debtors: Debtors,
    /// `None` if each call makes its own instance.
    pool: Option<Pool<I>>,
}

/// A waiting call.
struct WaitingCall<I> {
    id: u64,
    call: oneshot::Sender<Result<Option<I>, NoTurn>>,
}

/// Why a waiting call gets no turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoTurn {
    /// The queue is full.
    Full,
    /// No turn was free in time.
    Late,
    /// The instance for it could not be configured.
    Failed(Failure),
}

/// Permission to run one call until it is dropped, with the instance for it if instances are reused.
pub struct Turn<I: Send + 'static> {
    turns: Arc<Turns<I>>,
    client: ClientKey,
    /// Taken out for the call. If it is not returned, it is lost.
    instance: Option<I>,
    pooled: bool,
}

impl<I: Send + 'static> Turns<I> {
    /// Allows `calls` running and `queue` waiting calls; `slices` are shared by all plugins. With a pool, each turn
    /// comes with an instance.
    pub fn new(calls: u32, queue: u32, slices: Arc<Slices>, pool: Option<Pool<I>>) -> Arc<Turns<I>> {
        let state = State {
            free: calls,
            queue: queue as usize,
            running: HashMap::new(),
            waiting: FairQueue::default(),
            last_id: 0,
            slices,
            debtors: Debtors::default(),
            pool,
        };
        Arc::new(Turns { state: Mutex::new(state) })
    }

    /// Returns a turn, if one is free and no call waits for it.
    pub fn free(self: &Arc<Self>, client: ClientKey) -> Option<Turn<I>> {
        let mut state = self.lock();
        if state.next_client().is_some() || !state.may_begin(client) || !state.has_instance_for(client) {
            return None;
        }
        let instance = state.pool.as_mut().and_then(Pool::take);
        state.begin(client);
        drop(state);
        Some(self.turn(client, instance))
    }

    /// Queues a call. An `urgent` one precedes all others.
    pub fn queue(self: &Arc<Self>, client: ClientKey, urgent: bool) -> QueuedCall<I> {
        let mut state = self.lock();
        let (call, granted) = oneshot::channel();
        let id = state.join(client, urgent, call);
        state.serve();
        QueuedCall { turns: Arc::clone(self), client, id, granted }
    }

    fn turn(self: &Arc<Self>, client: ClientKey, instance: Option<I>) -> Turn<I> {
        Turn { turns: Arc::clone(self), client, pooled: instance.is_some(), instance }
    }

    /// Adds a new instance.
    pub fn add(&self, instance: I, cost: Duration) {
        let mut state = self.lock();
        if let Some(pool) = &mut state.pool {
            pool.add(instance, cost);
        }
        state.serve();
    }

    /// Records that no instance could be made: the next call that waits for one fails with this.
    pub fn add_failed(&self, failure: Failure) {
        let mut state = self.lock();
        if let Some(pool) = &mut state.pool {
            pool.making_failed();
        }
        let lacks = state.lacks_instance();
        if let Some((_, waiting)) = lacks.and_then(|lacks| state.waiting.pop(|client| client == lacks)) {
            let _ = waiting.call.send(Err(NoTurn::Failed(failure)));
        }
    }

    /// Returns how long a call should wait for an instance in use before another one is made; `None` if none
    /// is needed. A caller that gets a duration must make an instance: no other caller gets one until
    /// [`Turns::add`], [`Turns::add_failed`] or [`Turns::still_wanted`] ends this.
    pub fn wants_instance(&self) -> Option<Duration> {
        let mut state = self.lock();
        let waits = state.lacks_instance().is_some();
        state.pool.as_mut()?.wants(waits)
    }

    /// Returns whether the instance is still needed. If not, [`Turns::wants_instance`] reports the next need
    /// again.
    pub fn still_wanted(&self) -> bool {
        let mut state = self.lock();
        let waits = state.lacks_instance().is_some();
        state.pool.as_mut().is_some_and(|pool| pool.still_wanted(waits))
    }

    /// Drops expired idle instances. Returns the time of the next sweep, if more than the last one remain.
    pub fn sweep(&self, now: Instant) -> Option<Instant> {
        let (gone, next) = self.lock().pool.as_mut().map(|pool| pool.sweep(now))?;
        drop(gone);
        next
    }

    /// Returns when to sweep, if a sweep is needed and no task waits for it.
    pub fn begins_sweeping(&self) -> Option<Instant> {
        self.lock().pool.as_mut()?.begins_sweeping()
    }

    /// The number of idle instances.
    pub fn idle(&self) -> usize {
        self.lock().pool.as_ref().map_or(0, Pool::idle)
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock()
    }
}

/// Calls of a plugin that run or wait.
pub trait Occupancy: Send + Sync {
    /// The numbers of running and waiting calls.
    fn counts(&self) -> (u64, u64);
}

impl<I: Send + 'static> Occupancy for Turns<I> {
    fn counts(&self) -> (u64, u64) {
        let state = self.lock();
        (state.running.values().map(|count| u64::from(*count)).sum(), state.waiting.len() as u64)
    }
}

impl<I> State<I> {
    /// Queues a call. If the queue is full, the newest call of the client with the most waiting calls is
    /// dropped; that may be this one.
    fn join(
        &mut self,
        client: ClientKey,
        urgent: bool,
        call: oneshot::Sender<Result<Option<I>, NoTurn>>,
    ) -> u64 {
        self.last_id += 1;
        let waiting = WaitingCall { id: self.last_id, call };
        if urgent {
            self.waiting.push_first(client, waiting);
        } else {
            self.waiting.push(client, waiting);
        }
        self.last_id
    }

    /// Drops calls beyond the length of the queue. Calls that could begin if there were another instance do
    /// not count.
    fn shorten(&mut self) {
        let could_begin = if self.pool.is_some() { self.free as usize } else { 0 };
        while self.waiting.len() > self.queue + could_begin {
            let Some((_, waiting)) = self.waiting.shed(|_| true) else { return };
            let _ = waiting.call.send(Err(NoTurn::Full));
        }
    }

    /// Begins as many calls as permitted.
    fn serve(&mut self) {
        while let Some((client, waiting)) =
            self.next_client().and_then(|next| self.waiting.pop(|client| client == next))
        {
            let instance = self.pool.as_mut().and_then(Pool::take);
            match waiting.call.send(Ok(instance)) {
                Ok(()) => self.begin(client),
                // The call was abandoned a moment ago.
                Err(Ok(Some(instance))) => {
                    if let Some(pool) = &mut self.pool {
                        pool.put_back(instance);
                    }
                }
                Err(_) => {}
            }
        }
        self.shorten();
    }

    /// Whether another call of this client may begin.
    fn may_begin(&self, client: ClientKey) -> bool {
        // As many as remain for others: the first client gets half, the next half of the rest, and so on.
        let running = self.running.get(&client).copied().unwrap_or_default();
        running < self.free && (running == 0 || !self.slices.keeps_waiting(client))
    }

    fn has_instance_for(&self, client: ClientKey) -> bool {
        self.pool.as_ref().is_none_or(|pool| pool.has_ready(self.debtors.contains(client, Instant::now())))
    }

    /// The next client to be served.
    fn next_client(&self) -> Option<ClientKey> {
        self.waiting.next(|client| self.may_begin(client) && self.has_instance_for(client))
    }

    /// The first client with a call that only lacks an instance.
    fn lacks_instance(&self) -> Option<ClientKey> {
        self.waiting.next(|client| self.may_begin(client) && !self.has_instance_for(client))
    }

    fn begin(&mut self, client: ClientKey) {
        self.free -= 1;
        *self.running.entry(client).or_default() += 1;
    }

    fn end(&mut self, client: ClientKey) {
        self.free += 1;
        if let Some(running) = self.running.get_mut(&client) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&client);
            }
        }
    }
}

/// A queued call.
pub struct QueuedCall<I: Send + 'static> {
    turns: Arc<Turns<I>>,
    client: ClientKey,
    id: u64,
    granted: oneshot::Receiver<Result<Option<I>, NoTurn>>,
}

impl<I: Send + 'static> QueuedCall<I> {
    /// Waits for its turn until `until`.
    ///
    /// # Errors
    /// The call gets no turn.
    pub async fn turn(mut self, until: Instant) -> Result<Turn<I>, NoTurn> {
        match timeout_at(until, &mut self.granted).await {
            Ok(Ok(Ok(instance))) => Ok(self.turns.turn(self.client, instance)),
            Ok(Ok(Err(reason))) => Err(reason),
            // Only this call itself leaves the queue and so drops the sender.
            Ok(Err(_)) | Err(_) => Err(NoTurn::Late),
        }
    }
}

impl<I: Send + 'static> Drop for QueuedCall<I> {
    fn drop(&mut self) {
        self.granted.close();
        match self.granted.try_recv() {
            // Granted but not taken: the call ends before it begins.
            Ok(Ok(instance)) => {
                let mut turn = self.turns.turn(self.client, instance);
                if let Some(instance) = turn.instance() {
                    turn.give_back(instance, InstanceCondition::Reusable);
                }
            }
            Ok(Err(_)) => {}
            Err(_) => self.turns.lock().waiting.retain(self.client, |waiting| waiting.id != self.id),
        }
    }
}

impl<I: Send + 'static> Turn<I> {
    /// The instance to run the call with; `None` if the call makes its own.
    pub fn instance(&mut self) -> Option<I> {
        self.instance.take()
    }

    /// Gives the instance back to the pool after a successful call.
    pub fn give_back(&mut self, instance: I, condition: InstanceCondition) {
        if !std::mem::take(&mut self.pooled) {
            return;
        }
        let mut state = self.turns.lock();
        let waits = !state.waiting.is_empty();
        let gone = state.pool.as_mut().and_then(|pool| pool.give_back(instance, condition, waits));
        drop(state);
        drop(gone);
    }
}

impl<I: Send + 'static> Drop for Turn<I> {
    fn drop(&mut self) {
        let mut state = self.turns.lock();
        if self.pooled
            && let Some(pool) = &mut state.pool
        {
            pool.lose();
            state.debtors.add(self.client, Instant::now());
        }
        state.end(self.client);
        state.serve();
    }
}

#[cfg(test)]
mod tests;
