//! Creates instances of a plugin, and explains failures.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use super::bindings::lifecycle;
use super::code::Code;
use super::cpu_limit::CpuLimit;
use super::instance::Instance;
use super::refused::Refused;
use super::subject::Subject;
use tuffet_policy::{Cause, Failure, Problem, Turns, text};
use tuffet_request::ClientKey;

/// Wall-clock limit of `configure`, as a multiple of its CPU limit: it shares the machine with calls.
const CONFIGURE_WALL: u32 = 4;
/// How long a new instance waits for a place among all running calls.
const PLACE_PATIENCE: Duration = Duration::from_secs(10);
/// Problems of the settings that a failure lists.
const MAX_PROBLEMS: usize = 3;

/// The limit that `configure` counts towards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// The limit of each call, because each call makes an instance: `limits.time`.
    Call,
    /// Its own limit: `limits.configure`.
    Itself,
}

impl Code {
    /// Creates a configured instance. Log lines of `configure` are written only when the policy is loaded,
    /// not for later instances.
    ///
    /// # Errors
    /// The plugin refused its settings, trapped or exceeded a limit.
    pub async fn configured(&self, within: Within, logs: bool) -> Result<Box<Instance>, Failure> {
        let shared = self.runtime.shared();
        let Ok(Ok(_place)) = timeout(PLACE_PATIENCE, shared.calls.acquire()).await else {
            let detail = format!("other plugins left no room to configure it within {PLACE_PATIENCE:?}");
            return Err(Failure::new(Cause::Busy, detail));
        };
        let _ticking = shared.ticker.hold();
        let (limit, wall) = match within {
            Within::Call => (CpuLimit::of_call(self.limits.cpu), self.limits.wall),
            Within::Itself => {
                let limit = CpuLimit::of_configure(self.limits.configure);
                (limit, limit.time.saturating_mul(CONFIGURE_WALL))
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
                    format!("it computed for {:.1?} of it", spent.cpu)
                };
                Err(Failure::new(Cause::Time, format!("it was not configured within {wall:?}: {why}")))
            }
        }
    }

    /// Converts an error of the runtime into a failure.
    pub fn explain(&self, instance: &Instance, error: &wasmtime::Error) -> Failure {
        let sandbox = instance.store.data();
        if let Some(Refused(problems)) = error.downcast_ref() {
            let hidden = |problem: &lifecycle::Problem| Problem {
                pointer: problem.pointer.clone(),
                message: self.secrets.hidden_in(&problem.message),
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
            let most = self.limits.memory;
            let detail = format!("it wanted more than {most} bytes of memory (limits.memory)");
            return Failure::new(Cause::Memory, detail);
        }
        let root = error.root_cause().to_string();
        // wasmtime has no type for this error; see `Store::set_hostcall_fuel`.
        if root.contains("fuel allocated for hostcalls") {
            let most = self.limits.content;
            let detail = format!(
                "it handed over more than it may in one answer or log line: {most} bytes of content \
                 (limits.content), and little beside"
            );
            return Failure::new(Cause::BadAnswer, detail);
        }
        let how = match (error.downcast_ref::<Trap>(), error.downcast_ref::<I32Exit>()) {
            // How every language ends after its own message, so that it says nothing beside one.
            (Some(Trap::UnreachableCodeReached), _) => None,
            (Some(trap), _) => Some(trap.to_string().trim_start_matches("wasm trap: ").to_owned()),
            (None, Some(exit)) => Some(format!("it ended itself with exit code {}", exit.0)),
            (None, None) => Some(text::reason(&root)),
        };
        let last_words = sandbox.last_words();
        let detail = match (last_words.is_empty(), how) {
            (false, None) => last_words,
            (false, Some(how)) => format!("{last_words} ({how})"),
            (true, None) => "it gave up (`unreachable`), and wrote nothing to its standard error".into(),
            (true, Some(how)) => how,
        };
        Failure::new(Cause::Trap, self.secrets.hidden_in(&detail))
    }
}

/// The instances of one plugin, and the turns to use them.
pub(super) type PluginTurns = Turns<Box<Instance>>;

/// Creates another instance in the background if calls lack one, and removes idle ones.
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

/// Creates one instance after the other, as long as they are wanted.
async fn make(turns: Arc<PluginTurns>, code: Arc<Code>, mut patience: Duration) {
    loop {
        sleep(patience).await;
        if !turns.still_wanted() {
            return;
        }
        let began = Instant::now();
        match code.configured(Within::Itself, false).await {
            Ok(instance) => turns.add(instance, began.elapsed()),
            Err(failure) => turns.add_failed(failure),
        }
        match turns.wants_instance() {
            Some(next) => patience = next,
            None => return,
        }
    }
}
