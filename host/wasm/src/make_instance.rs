//! Creates instances of a plugin, and explains failures.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use wasmtime::{FrameInfo, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use super::bindings::lifecycle;
use super::code::Code;
use super::cpu_limit::CpuLimit;
use super::engine_config::MAX_FRAMES;
use super::instance::{Instance, SettingsRefused};
use super::subject::Subject;
use tuffet_policy::{Cause, Failure, Problem, Turns, text};
use tuffet_request::ClientKey;

/// The wall-clock limit of `configure`, as a multiple of its CPU limit: it shares the machine with calls.
const CONFIGURE_WALL_FACTOR: u32 = 4;
/// How long a new instance waits for a permit among all running calls.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of settings problems that a failure lists.
const MAX_PROBLEMS: usize = 3;

/// The limit that applies to `configure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigureLimit {
    /// The limit of a call, because each call makes an instance: `limits.time`.
    Call,
    /// Its own limit: `limits.configure`.
    Own,
}

impl Code {
    /// Creates a configured instance. Log lines of `configure` are written only when the policy is loaded,
    /// not for later instances.
    ///
    /// # Errors
    /// The plugin refused its settings, trapped or exceeded a limit.
    pub async fn configured(&self, applies: ConfigureLimit, logs: bool) -> Result<Box<Instance>, Failure> {
        let shared = self.runtime.shared();
        let Ok(Ok(_permit)) = timeout(PERMIT_TIMEOUT, shared.calls.acquire()).await else {
            let detail = format!("other plugins left no room to configure it within {PERMIT_TIMEOUT:?}");
            return Err(Failure::new(Cause::Busy, detail));
        };
        let _ticking = shared.ticker.hold();
        let (limit, wall) = match applies {
            ConfigureLimit::Call => (CpuLimit::of_call(self.limits.cpu), self.limits.wall),
            ConfigureLimit::Own => {
                let limit = CpuLimit::of_configure(self.limits.configure);
                (limit, limit.time.saturating_mul(CONFIGURE_WALL_FACTOR))
            }
        };
        let mut instance = Instance::new(self);
        let meter = instance.begin(Subject::CONFIGURE, None, ClientKey::SERVER, limit, !logs);
        let ended = timeout_at(Instant::now() + wall, meter.run(instance.ready(self))).await;
        instance.store.data_mut().finish_log();
        match ended {
            Ok(Ok(())) => Ok(instance),
            Ok(Err(error)) => Err(self.explain(&instance, &error)),
            Err(_) if meter.spent().is_starved(limit.time) => {
                let spent = meter.spent();
                let detail = format!(
                    "the machine had {:?} of CPU time in {wall:?} for configuring it ({})",
                    spent.cpu, limit.key
                );
                Err(Failure::new(Cause::Busy, detail))
            }
            Err(_) => {
                let spent = meter.spent();
                let why = if spent.waited > spent.cpu {
                    instance.store.data().waited_for()
                } else {
                    format!("it {} of it", computed(spent.cpu))
                };
                Err(Failure::new(Cause::Time, format!("it was not configured within {wall:?}: {why}")))
            }
        }
    }

    /// Converts an error of the runtime into a failure.
    pub fn explain(&self, instance: &Instance, error: &wasmtime::Error) -> Failure {
        let sandbox = instance.store.data();
        if let Some(SettingsRefused(problems)) = error.downcast_ref() {
            let secrets = &self.access.secrets;
            let hidden = |problem: &lifecycle::Problem| Problem {
                pointer: secrets.hidden_in(&problem.pointer).into_owned(),
                message: secrets.hidden_in(&problem.message).into_owned(),
            };
            let problems: Vec<Problem> = problems.iter().map(hidden).collect();
            let shown = problems.iter().take(MAX_PROBLEMS);
            let shown: Vec<String> = shown
                .map(|problem| {
                    text::one_line(&format!("settings{}: {}", problem.pointer, problem.message), 200)
                })
                .collect();
            let more = problems.len().saturating_sub(MAX_PROBLEMS);
            let mut detail = format!("it refused its settings: {}", shown.join("; "));
            if more > 0 {
                detail += &format!("; and {more} more");
            }
            return Failure { problems, ..Failure::new(Cause::Settings, detail) };
        }
        if let Some(limit) = error.downcast_ref::<CpuLimit>() {
            return Failure::new(Cause::Time, limit.to_string());
        }
        if sandbox.memory.refused {
            let max = self.limits.memory;
            let detail = format!("it wanted more than {max} bytes of memory (limits.memory)");
            return Failure::new(Cause::Memory, detail);
        }
        let root = error.root_cause().to_string();
        // wasmtime has no type for this error; see `Store::set_hostcall_fuel`.
        if root.contains("fuel allocated for hostcalls") {
            let max = self.limits.content;
            let detail = format!(
                "it handed over more than it may in one answer or log line: {max} bytes of content \
                 (limits.content), and little beside"
            );
            return Failure::new(Cause::BadAnswer, detail);
        }
        let how = match (error.downcast_ref::<Trap>(), error.downcast_ref::<I32Exit>()) {
            // Every language ends so after its message, so it adds nothing to one.
            (Some(Trap::UnreachableCodeReached), _) => None,
            _ if exhausted_stack(error) => Some(STACK.to_owned()),
            (Some(trap), _) => Some(trap.to_string().trim_start_matches("wasm trap: ").to_owned()),
            (None, Some(exit)) => Some(format!("it ended itself with exit code {}", exit.0)),
            (None, None) => Some(text::reason(&root)),
        };
        let stderr_reason = sandbox.stderr_reason();
        let detail = match (stderr_reason.is_empty(), how) {
            (false, None) => stderr_reason,
            (false, Some(how)) => format!("{stderr_reason} ({how})"),
            (true, None) => "it gave up (`unreachable`), and wrote nothing to its standard error".into(),
            (true, Some(how)) => how,
        };
        Failure::new(Cause::Trap, self.access.secrets.hidden_in(&detail))
    }
}

/// The reason of a trap.
const STACK: &str =
    "the stack is exhausted: its functions call each other too deeply, or have too many local values";

/// The largest number of functions that call each other in a recursion.
const MAX_CYCLE: usize = 8;

/// Whether a trap means that a stack is exhausted: that of WebAssembly, or that of the language. Most compilers have the
/// latter at the start of the memory, so its end is out of bounds; the calls on the way there repeat.
fn exhausted_stack(error: &wasmtime::Error) -> bool {
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => true,
        Some(Trap::MemoryOutOfBounds) => error.downcast_ref::<WasmBacktrace>().is_some_and(|calls| {
            let functions: BTreeSet<u32> = calls.frames().iter().map(FrameInfo::func_index).collect();
            calls.frames().len() == MAX_FRAMES.get() && functions.len() <= MAX_CYCLE
        }),
        _ => false,
    }
}

/// How long a call computed, in a sentence.
pub(super) fn computed(cpu: Duration) -> String {
    match cpu {
        Duration::ZERO => "had no CPU time for any".to_owned(),
        cpu => format!("computed for {cpu:.1?}"),
    }
}

/// The turns of one plugin, with its instances.
pub(super) type PluginTurns = Turns<Box<Instance>>;

/// Creates another instance in the background if calls need one, and removes idle ones.
pub(super) fn grow(turns: &Arc<PluginTurns>, code: &Arc<Code>) {
    let Ok(runtime) = Handle::try_current() else { return };
    if let Some(patience) = turns.wants_instance() {
        runtime.spawn(make(Arc::clone(turns), Arc::clone(code), patience));
    }
    if let Some(until) = turns.begins_sweeping() {
        let turns = Arc::downgrade(turns);
        runtime.spawn(async move {
            let mut next = Some(until);
            while let Some(until) = next {
                sleep_until(until).await;
                let Some(turns) = turns.upgrade() else { return };
                next = turns.sweep(Instant::now());
            }
        });
    }
}

/// Creates instances one after the other while calls need them.
async fn make(turns: Arc<PluginTurns>, code: Arc<Code>, mut patience: Duration) {
    loop {
        sleep(patience).await;
        if !turns.still_wanted() {
            return;
        }
        let began = Instant::now();
        match code.configured(ConfigureLimit::Own, false).await {
            Ok(instance) => turns.add(instance, began.elapsed()),
            Err(failure) => turns.add_failed(failure),
        }
        match turns.wants_instance() {
            Some(next) => patience = next,
            None => return,
        }
    }
}
