//! One call of a plugin: its turn, its store, its limits, and its end.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::SemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::ask::Patience;
use super::code::Code;
use super::failure::{Cause, CpuLimit, Failure};
use super::instance::Instance;
use super::make::{PluginTurns, grow};
use super::meter::Meter;
use super::plugin::Plugin;
use super::pool::Lodging;
use super::sandbox::Subject;
use super::ticker::Hold;
use super::turns::{Turn, Waived};
use tuffet_request::{ClientKey, Traced};

/// On whose behalf a plugin is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker {
    /// Whose share of the plugin the call takes.
    pub client: ClientKey,
    pub traced: Option<Traced>,
    /// The time that the chain has; `None` where the limits of the plugin are the only ones.
    pub patience: Option<Patience>,
    /// Whether this call finds out if a plugin works again. It goes before all others.
    pub probes: bool,
}

impl Asker {
    /// The server itself.
    pub const SERVER: Asker =
        Asker { client: ClientKey::SERVER, traced: None, patience: None, probes: false };
}

/// A call that has begun. The fields are dropped in this order: the turn ends before another instance is made for
/// who waits.
pub(super) struct Call<'a> {
    instance: Option<Box<Instance>>,
    limit: TimeLimit,
    plugin: &'a Plugin,
    _ticking: Hold<'a>,
    turn: Turn<Box<Instance>>,
    _place: SemaphorePermit<'a>,
    _grows: Grows<'a>,
}

/// Has an instance made for calls that lack one, when a call is over.
struct Grows<'a>(&'a Arc<PluginTurns>, &'a Arc<Code>);

impl Drop for Grows<'_> {
    fn drop(&mut self) {
        grow(self.0, self.1);
    }
}

/// Bounds the time of a call. Kept apart from the instance, which the work of the call borrows.
pub(super) struct TimeLimit {
    until: Until,
    meter: Arc<Meter>,
}

/// When a call ends at the latest.
#[derive(Clone, Copy)]
struct Until {
    end: Instant,
    limit: Duration,
    /// Whose time is over then.
    whose: Whose,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Call,
    Chain,
}

impl Until {
    fn new(limit: Duration, chain: Option<Patience>) -> Until {
        let own = Until { end: Instant::now() + limit, limit, whose: Whose::Call };
        match chain {
            Some(chain) if chain.until() < own.end => {
                Until { end: chain.until(), limit: chain.limit(), whose: Whose::Chain }
            }
            _ => own,
        }
    }

    /// That is nobody's fault: the call never began.
    fn never_begun(&self) -> Failure {
        Failure::new(Cause::Busy, self.over("no instance was free"))
    }

    fn over(&self, what: &str) -> String {
        let limit = self.limit;
        match self.whose {
            Whose::Call => format!("{what} within {limit:?} (limits.wall)"),
            Whose::Chain => format!("{what} before the chains had taken {limit:?} (policy.time-limit)"),
        }
    }
}

/// `None` when the time was over.
type Ended<T> = Option<wasmtime::Result<T>>;

impl<'a> Call<'a> {
    /// Waits for its turn and takes an instance: a configured one where instances are reused, else a new one that is
    /// yet to be made [ready](Instance::ready). Ends when the chain has no more time.
    ///
    /// # Errors
    /// No instance was free in time, or none could be configured.
    pub async fn begin(plugin: &'a Plugin, subject: Subject<'_>, asker: Asker) -> Result<Call<'a>, Failure> {
        let until = Until::new(plugin.limits.wall, asker.patience);
        if until.end <= Instant::now() {
            // Those before it in the chain have left it nothing.
            let detail = until.over("it was not called");
            return Err(Failure { blamed: false, ..Failure::new(Cause::Chain, detail) });
        }
        let mut turn = match plugin.turns.free(asker.client) {
            Some(turn) => turn,
            None => {
                let place = plugin.turns.queue(asker.client, asker.probes);
                grow(&plugin.turns, &plugin.code);
                place.turn(until.end).await.map_err(|waived| match waived {
                    Waived::Full => {
                        let most = plugin.limits.queue;
                        let detail = format!(
                            "{most} calls wait for an instance, and no client has more of them (limits.queue)"
                        );
                        Failure::new(Cause::Busy, detail)
                    }
                    Waived::Late => until.never_begun(),
                    Waived::Failed(failure) => failure,
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
                    turn.give_back(instance, Lodging::Free);
                }
                return Err(until.never_begun());
            }
        };
        // While it waited, its time may have ended, and the breaker may have opened.
        let refused = if Instant::now() >= until.end {
            Some(until.never_begun())
        } else if asker.probes {
            None
        } else {
            plugin.breaker.shut(std::time::Instant::now()).map(|shut| shut.into())
        };
        if let Some(failure) = refused {
            if let Some(instance) = turn.instance() {
                turn.give_back(instance, Lodging::Free);
            }
            return Err(failure);
        }
        let ticking = shared.ticker.hold();
        let configured = turn.instance();
        // What `configure` says was logged when the policy was loaded.
        let muted = configured.is_none();
        let mut instance = configured.unwrap_or_else(|| Instance::new(&plugin.code));
        instance.calls += 1;
        let meter = instance.begin(subject, asker.traced, CpuLimit::of_call(plugin.limits.cpu), muted);
        Ok(Call {
            instance: Some(instance),
            limit: TimeLimit { until, meter },
            plugin,
            _ticking: ticking,
            turn,
            _place: place,
            _grows: Grows(&plugin.turns, &plugin.code),
        })
    }

    /// The instance to work with, and the limit to work within.
    pub fn parts(&mut self) -> (&mut Instance, &TimeLimit) {
        match &mut self.instance {
            Some(instance) => (instance, &self.limit),
            None => unreachable!("only the end of the call takes it"),
        }
    }

    /// Tells what the call came to.
    pub fn end<T>(mut self, ended: Ended<T>) -> Result<T, Failure> {
        let Some(instance) = self.instance.take() else { unreachable!("only the end of the call takes it") };
        let sandbox = instance.store.data();
        let spent = self.limit.meter.spent();
        sandbox.log.finish(&sandbox.access.lines);
        sandbox.access.host.spent(sandbox.memory.used(), spent.cpu);
        match ended {
            Some(Ok(answer)) => {
                let served = self.plugin.reuse.is_none_or(|calls| instance.calls >= calls);
                let worn = served || sandbox.is_worn();
                self.turn.give_back(instance, if worn { Lodging::Worn } else { Lodging::Free });
                Ok(answer)
            }
            Some(Err(error)) => Err(self.plugin.code.explain(&instance, &error)),
            None => {
                let until = self.limit.until;
                let over = until.over("it gave no answer");
                if spent.is_starved() {
                    let (cpu, wall) = (spent.cpu, spent.wall);
                    let detail = format!("{over}: the machine had {cpu:.1?} of {wall:.1?} for it");
                    return Err(Failure::new(Cause::Busy, detail));
                }
                let cause = if until.whose == Whose::Chain { Cause::Chain } else { Cause::Time };
                let detail = if spent.waited > spent.cpu {
                    format!("{over}: {}", sandbox.waited_for())
                } else {
                    format!("{over}: it computed for {:.1?} of it", spent.cpu)
                };
                // Not where those before it in the chain, or the queue, took the time.
                let blamed = until.whose == Whose::Call || spent.wall >= until.limit / 2;
                Err(Failure { blamed, ..Failure::new(cause, detail) })
            }
        }
    }
}

impl TimeLimit {
    /// Runs the work of a call until its time is over.
    pub async fn run<T>(&self, work: impl Future<Output = wasmtime::Result<T>>) -> Ended<T> {
        timeout_at(self.until.end, self.meter.run(work)).await.ok()
    }
}
