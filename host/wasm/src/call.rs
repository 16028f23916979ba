//! One call of a plugin: its turn, instance, limits and result.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::access::HttpCaller;
use super::answer_texts::{self, Answer};
use super::cpu_limit::CpuLimit;
use super::instance::Instance;
use super::make_instance::{computed, grow};
use super::meter::Meter;
use super::plugin::Plugin;
use super::subject::Subject;
use super::ticker::Hold;
use tuffet_policy::{Cause, Failure, HookCall, InstanceCondition, Lines, NoTurn, Turn, defer};

/// A running call. The order of the fields is their drop order: the turn ends before another instance is made for
/// waiting calls. A method that ends the call could not replace it: a call is also dropped at any `await`, when its
/// request is given up.
pub(super) struct Call<'a> {
    instance: Option<Box<Instance>>,
    limit: TimeLimit,
    plugin: &'a Plugin,
    _ticking: Hold<'a>,
    turn: Turn<Box<Instance>>,
    _permit: SemaphorePermit<'a>,
    _grow: GrowOnDrop<'a>,
    rehearsal: Option<Lines>,
}

/// Makes another instance after the call, if waiting or later calls need one.
struct GrowOnDrop<'a>(&'a Plugin);

impl Drop for GrowOnDrop<'_> {
    fn drop(&mut self) {
        let Plugin { turns, prepared, code, .. } = self.0;
        match prepared {
            Some(prepared) => {
                let (prepared, code) = (Arc::clone(prepared), Arc::clone(code));
                defer(move || prepared.replenish(&code));
            }
            None => grow(turns, code),
        }
    }
}

/// The time limit of a call. Separate from the instance, which the work of the call borrows.
pub(super) struct TimeLimit {
    deadline: Deadline,
    meter: Arc<Meter>,
}

/// The deadline of a call.
#[derive(Clone, Copy)]
struct Deadline {
    end: Instant,
    limit: Duration,
    /// When the call was wanted, before any wait for an instance or for the answer to an equal request.
    wanted: Instant,
    /// The limit that ends the call.
    limited_by: LimitedBy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LimitedBy {
    Call,
    Chain,
}

impl Deadline {
    fn new(limit: Duration, call: &HookCall) -> Deadline {
        let now = Instant::now();
        let wanted = call.wanted().unwrap_or(now);
        let own = Deadline { end: now + limit, limit, wanted, limited_by: LimitedBy::Call };
        match call.deadline() {
            Some(chain) if chain.until() < own.end => {
                Deadline { end: chain.until(), limit: chain.limit(), wanted, limited_by: LimitedBy::Chain }
            }
            _ => own,
        }
    }

    /// The failure of a call that never began; the plugin is not blamed.
    fn never_begun(&self) -> Failure {
        Failure::new(Cause::Busy, self.exceeded("no instance was free"))
    }

    /// Whether a call with this running time had at least half of the limit, so that the plugin is to blame.
    fn is_half(&self, wall: Duration) -> bool {
        self.limited_by == LimitedBy::Call || wall >= self.limit / 2
    }

    /// Whether the call lost its time by waiting for an instance, or for the answer to an equal request: otherwise it
    /// would have had half of the limit.
    fn was_lost_in_queue(&self, wall: Duration) -> bool {
        !self.is_half(wall) && self.is_half(self.end.saturating_duration_since(self.wanted))
    }

    fn exceeded(&self, what: &str) -> String {
        let limit = self.limit;
        match self.limited_by {
            LimitedBy::Call => format!("{what} within {limit:?} (limits.wall)"),
            LimitedBy::Chain => format!("{what} before the chains had taken {limit:?} (policy.time-limit)"),
        }
    }
}

/// The result of a call; `None` if it exceeded its time limit.
type Finished<T> = Option<wasmtime::Result<T>>;

impl<'a> Call<'a> {
    /// Waits for the turn of this call and takes an instance: a configured one if instances are reused or prepared,
    /// otherwise a new one that is not [ready](Instance::ready) yet. Fails at the deadline of the chain.
    ///
    /// # Errors
    /// No instance was free in time, or none could be configured.
    pub async fn begin(
        plugin: &'a Plugin,
        subject: Subject<'_>,
        call: &HookCall,
    ) -> Result<Call<'a>, Failure> {
        let deadline = Deadline::new(plugin.limits.wall, call);
        if deadline.end <= Instant::now() {
            let detail = deadline.exceeded("it was not called");
            return Err(match deadline.was_lost_in_queue(Duration::ZERO) {
                true => Failure::new(Cause::Busy, detail),
                // Earlier plugins of the chain have used up the time.
                false => Failure { blamed: false, ..Failure::new(Cause::Chain, detail) },
            });
        }
        let mut turn = match plugin.turns.free(call.client()) {
            Some(turn) => turn,
            None => {
                let queued = plugin.turns.queue(call.client(), call.probes());
                grow(&plugin.turns, &plugin.code);
                queued.turn(deadline.end).await.map_err(|reason| match reason {
                    NoTurn::Full => {
                        let max = plugin.limits.queue;
                        let detail = format!(
                            "{max} calls wait for an instance, and no client has more of them (limits.queue)"
                        );
                        Failure::new(Cause::Busy, detail)
                    }
                    NoTurn::Late => deadline.never_begun(),
                    NoTurn::Failed(failure) => failure,
                })?
            }
        };
        let shared = plugin.code.runtime.shared();
        let permit = timeout_at(deadline.end, shared.calls.acquire()).await;
        let permit = match permit {
            Ok(Ok(permit)) => permit,
            Ok(Err(_)) => unreachable!("the semaphore is never closed"),
            Err(_) => {
                if let Some(instance) = turn.instance() {
                    turn.give_back(instance, InstanceCondition::Reusable);
                }
                return Err(deadline.never_begun());
            }
        };
        // During the wait, the deadline may have passed or the breaker may have opened.
        let refused = if Instant::now() >= deadline.end {
            Some(deadline.never_begun())
        } else if call.probes() {
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
        let configured = turn.instance().or_else(|| plugin.prepared.as_ref()?.take());
        // The log lines of `configure` were written when the policy was loaded.
        let muted = configured.is_none();
        let mut instance = configured.unwrap_or_else(|| Instance::new(&plugin.code));
        instance.calls += 1;
        let sandbox = instance.store.data_mut();
        sandbox.usage.rehearses = call.is_rehearsal();
        sandbox.log.collects = call.is_rehearsal();
        sandbox.http.caller = HttpCaller {
            client: call.client(),
            rehearses: call.is_rehearsal(),
            freshness: call.freshness().cloned(),
        };
        let cpu = CpuLimit::of_call(plugin.limits.cpu);
        let meter = instance.begin(subject, call.traced(), call.client(), cpu, muted);
        Ok(Call {
            instance: Some(instance),
            limit: TimeLimit { deadline, meter },
            plugin,
            _ticking: ticking,
            turn,
            _permit: permit,
            _grow: GrowOnDrop(plugin),
            rehearsal: call.lines().cloned(),
        })
    }

    /// The instance to call, and the time limit of the call.
    pub fn parts(&mut self) -> (&mut Instance, &TimeLimit) {
        match &mut self.instance {
            Some(instance) => (instance, &self.limit),
            None => unreachable!("only the end of the call takes it"),
        }
    }

    /// Ends the call and returns its result, without the plugin's secrets.
    pub fn end<T: Answer>(mut self, ended: Finished<T>) -> Result<T, Failure> {
        let Some(mut instance) = self.instance.take() else {
            unreachable!("only the end of the call takes it")
        };
        instance.store.data_mut().finish_log();
        instance.store.data_mut().http.end();
        // A reused instance must not hold the file open.
        instance.store.data_mut().upload = None;
        if let Some(lines) = &self.rehearsal {
            let its = instance.store.data_mut().log.collected();
            lines.lock().extend(its);
        }
        let sandbox = instance.store.data();
        let spent = self.limit.meter.spent();
        sandbox.access.host.spent(sandbox.memory.used(), spent.cpu);
        match ended {
            Some(Ok(answer)) => {
                let answer = answer_texts::without_secrets(answer, &sandbox.access.secrets);
                if let Some(prepared) = &self.plugin.prepared {
                    prepared.return_used(instance);
                    return answer;
                }
                let served = self.plugin.reuse.is_none_or(|calls| instance.calls >= calls);
                let worn = served || sandbox.is_worn();
                self.turn.give_back(
                    instance,
                    if worn { InstanceCondition::WornOut } else { InstanceCondition::Reusable },
                );
                answer
            }
            Some(Err(error)) => Err(self.plugin.code.explain(&instance, &error)),
            None => {
                let deadline = self.limit.deadline;
                let over = deadline.exceeded("it gave no answer");
                if spent.is_starved(self.plugin.limits.cpu) {
                    let (cpu, wall) = (spent.cpu, spent.wall);
                    let detail = match cpu {
                        Duration::ZERO => format!("{over}: the machine had no CPU time for it in {wall:.1?}"),
                        cpu => format!("{over}: the machine had {cpu:.1?} of {wall:.1?} for it"),
                    };
                    return Err(Failure::new(Cause::Busy, detail));
                }
                if deadline.was_lost_in_queue(spent.wall) {
                    let wall = spent.wall;
                    let detail = format!("{over}: it began only {wall:.1?} before");
                    return Err(Failure::new(Cause::Busy, detail));
                }
                let cause = if deadline.limited_by == LimitedBy::Chain { Cause::Chain } else { Cause::Time };
                let detail = if spent.waited > spent.cpu {
                    format!("{over}: {}", sandbox.waited_for())
                } else {
                    let busy = if spent.lacked_cpu() { ", on a busy machine" } else { "" };
                    format!("{over}: it {} of it{busy}", computed(spent.cpu))
                };
                // The plugin is not to blame if earlier plugins took the time.
                Err(Failure { blamed: deadline.is_half(spent.wall), ..Failure::new(cause, detail) })
            }
        }
    }
}

impl TimeLimit {
    /// Runs the work of a call until its deadline.
    pub async fn run<T>(&self, work: impl Future<Output = wasmtime::Result<T>>) -> Finished<T> {
        timeout_at(self.deadline.end, self.meter.run(work)).await.ok()
    }
}
