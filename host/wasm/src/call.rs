//! One call of a plugin: its turn, its store, its limits, and its result.

use std::future::Future;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::cpu_limit::CpuLimit;
use super::instance::Instance;
use super::make::grow;
use super::meter::Meter;
use super::plugin::Plugin;
use super::subject::Subject;
use super::ticker::Hold;
use tuffet_policy::{
    CallContext, Cause, ChainDeadline, Failure, InstanceCondition, Lines, NoTurn, Turn, defer,
};

/// A call that has begun. The fields are dropped in this order: the turn ends before another instance is made
/// for waiting calls.
pub(super) struct Call<'a> {
    instance: Option<Box<Instance>>,
    limit: TimeLimit,
    plugin: &'a Plugin,
    _ticking: Hold<'a>,
    turn: Turn<Box<Instance>>,
    _place: SemaphorePermit<'a>,
    _grows: Grows<'a>,
    rehearsal: Option<Lines>,
}

/// Makes another instance after the call, if waiting calls or the next one lack it.
struct Grows<'a>(&'a Plugin);

impl Drop for Grows<'_> {
    fn drop(&mut self) {
        let Plugin { turns, ahead, code, .. } = self.0;
        match ahead {
            Some(ahead) => {
                let (ahead, code) = (Arc::clone(ahead), Arc::clone(code));
                defer(move || ahead.replenish(&code));
            }
            None => grow(turns, code),
        }
    }
}

/// Limits the time of a call. Separate from the instance, which the work of the call borrows.
pub(super) struct TimeLimit {
    until: Until,
    meter: Arc<Meter>,
}

/// The deadline of a call.
#[derive(Clone, Copy)]
struct Until {
    end: Instant,
    limit: Duration,
    /// When the plugin was asked, before any wait for an instance.
    asked: Instant,
    /// The limit that ends the call.
    whose: Whose,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Call,
    Chain,
}

impl Until {
    fn new(limit: Duration, chain: Option<ChainDeadline>) -> Until {
        let asked = Instant::now();
        let own = Until { end: asked + limit, limit, asked, whose: Whose::Call };
        match chain {
            Some(chain) if chain.until() < own.end => {
                Until { end: chain.until(), limit: chain.limit(), asked, whose: Whose::Chain }
            }
            _ => own,
        }
    }

    /// The failure of a call that never began, which does not blame the plugin.
    fn never_begun(&self) -> Failure {
        Failure::new(Cause::Busy, self.over("no instance was free"))
    }

    /// Whether a call that ran for so long had at least half of the limit, so that running out of it is its own doing.
    fn is_half(&self, wall: Duration) -> bool {
        self.whose == Whose::Call || wall >= self.limit / 2
    }

    /// Whether the call lost its time in the plugin's queue: it would have had half of the limit if an instance had been
    /// free at once.
    fn was_lost_in_queue(&self, wall: Duration) -> bool {
        !self.is_half(wall) && self.is_half(self.end.saturating_duration_since(self.asked))
    }

    fn over(&self, what: &str) -> String {
        let limit = self.limit;
        match self.whose {
            Whose::Call => format!("{what} within {limit:?} (limits.wall)"),
            Whose::Chain => format!("{what} before the chains had taken {limit:?} (policy.time-limit)"),
        }
    }
}

/// `None` if the call exceeded its time.
type Ended<T> = Option<wasmtime::Result<T>>;

impl<'a> Call<'a> {
    /// Waits for its turn and takes an instance: a configured one if instances are reused or one was made ahead,
    /// otherwise a new one that is not [ready](Instance::ready) yet. Gives up at the deadline of the chain.
    ///
    /// # Errors
    /// No instance was free in time, or none could be configured.
    pub async fn begin(
        plugin: &'a Plugin,
        subject: Subject<'_>,
        context: CallContext,
    ) -> Result<Call<'a>, Failure> {
        let until = Until::new(plugin.limits.wall, context.deadline);
        if until.end <= Instant::now() {
            // Earlier plugins of the chain have used up the time.
            let detail = until.over("it was not called");
            return Err(Failure { blamed: false, ..Failure::new(Cause::Chain, detail) });
        }
        let mut turn = match plugin.turns.free(context.client) {
            Some(turn) => turn,
            None => {
                let queued = plugin.turns.queue(context.client, context.probes);
                grow(&plugin.turns, &plugin.code);
                queued.turn(until.end).await.map_err(|reason| match reason {
                    NoTurn::Full => {
                        let most = plugin.limits.queue;
                        let detail = format!(
                            "{most} calls wait for an instance, and no client has more of them (limits.queue)"
                        );
                        Failure::new(Cause::Busy, detail)
                    }
                    NoTurn::Late => until.never_begun(),
                    NoTurn::Failed(failure) => failure,
                })?
            }
        };
        let shared = plugin.code.runtime.shared();
        let place = timeout_at(until.end, shared.calls.acquire()).await;
        let place = match place {
            Ok(Ok(place)) => place,
            Ok(Err(_)) => unreachable!("the semaphore is never closed"),
            Err(_) => {
                if let Some(instance) = turn.instance() {
                    turn.give_back(instance, InstanceCondition::Reusable);
                }
                return Err(until.never_begun());
            }
        };
        // While the call waited, its deadline may have passed, or the breaker may have opened.
        let refused = if Instant::now() >= until.end {
            Some(until.never_begun())
        } else if context.probes {
            None
        } else {
            plugin.breaker.refusal(std::time::Instant::now()).map(|refusal| refusal.into())
        };
        if let Some(failure) = refused {
            if let Some(instance) = turn.instance() {
                turn.give_back(instance, InstanceCondition::Reusable);
            }
            return Err(failure);
        }
        let ticking = shared.ticker.hold();
        let configured = turn.instance().or_else(|| plugin.ahead.as_ref()?.take());
        // The log lines of `configure` were written when the policy was loaded.
        let muted = configured.is_none();
        let mut instance = configured.unwrap_or_else(|| Instance::new(&plugin.code));
        instance.calls += 1;
        let sandbox = instance.store.data_mut();
        sandbox.taken.rehearses = context.rehearsal.is_some();
        sandbox.log.collects = context.rehearsal.is_some();
        let cpu = CpuLimit::of_call(plugin.limits.cpu);
        let meter = instance.begin(subject, context.traced, context.client, cpu, muted);
        Ok(Call {
            instance: Some(instance),
            limit: TimeLimit { until, meter },
            plugin,
            _ticking: ticking,
            turn,
            _place: place,
            _grows: Grows(plugin),
            rehearsal: context.rehearsal,
        })
    }

    /// The instance to call, and the time limit of the call.
    pub fn parts(&mut self) -> (&mut Instance, &TimeLimit) {
        match &mut self.instance {
            Some(instance) => (instance, &self.limit),
            None => unreachable!("only the end of the call takes it"),
        }
    }

    /// Ends the call and returns its result.
    pub fn end<T>(mut self, ended: Ended<T>) -> Result<T, Failure> {
        let Some(mut instance) = self.instance.take() else {
            unreachable!("only the end of the call takes it")
        };
        instance.store.data_mut().finish_log();
        if let Some(lines) = &self.rehearsal {
            let its = instance.store.data_mut().log.collected();
            lines.lock().unwrap_or_else(PoisonError::into_inner).extend(its);
        }
        let sandbox = instance.store.data();
        let spent = self.limit.meter.spent();
        sandbox.access.host.spent(sandbox.memory.used(), spent.cpu);
        match ended {
            Some(Ok(answer)) => {
                if let Some(ahead) = &self.plugin.ahead {
                    ahead.leave(instance);
                    return Ok(answer);
                }
                let served = self.plugin.reuse.is_none_or(|calls| instance.calls >= calls);
                let worn = served || sandbox.is_worn();
                self.turn.give_back(
                    instance,
                    if worn { InstanceCondition::WornOut } else { InstanceCondition::Reusable },
                );
                Ok(answer)
            }
            Some(Err(error)) => Err(self.plugin.code.explain(&instance, &error)),
            None => {
                let until = self.limit.until;
                let over = until.over("it gave no answer");
                if spent.is_starved(self.plugin.limits.cpu) {
                    let (cpu, wall) = (spent.cpu, spent.wall);
                    let detail = format!("{over}: the machine had {cpu:.1?} of {wall:.1?} for it");
                    return Err(Failure::new(Cause::Busy, detail));
                }
                if until.was_lost_in_queue(spent.wall) {
                    let wall = spent.wall;
                    let detail = format!("{over}: an instance was free only {wall:.1?} before");
                    return Err(Failure::new(Cause::Busy, detail));
                }
                let cause = if until.whose == Whose::Chain { Cause::Chain } else { Cause::Time };
                let detail = if spent.waited > spent.cpu {
                    format!("{over}: {}", sandbox.waited_for())
                } else {
                    let busy = if spent.lacked_cpu() { ", on a busy machine" } else { "" };
                    format!("{over}: it computed for {:.1?} of it{busy}", spent.cpu)
                };
                // The plugin is not to blame if earlier plugins took the time.
                Err(Failure { blamed: until.is_half(spent.wall), ..Failure::new(cause, detail) })
            }
        }
    }
}

impl TimeLimit {
    /// Runs the work of a call until its deadline.
    pub async fn run<T>(&self, work: impl Future<Output = wasmtime::Result<T>>) -> Ended<T> {
        timeout_at(self.until.end, self.meter.run(work)).await.ok()
    }
}
