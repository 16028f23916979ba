//! The sandbox of an instance: an empty WASI world, a memory limit, a log.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::ResourceLimiter;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::access::{Access, CallUsage, FixedClock, HttpGate, UploadContent, constant};
use super::bindings::{contents, types};
use super::call_log::CallLog;
use super::cpu_limit::CpuLimit;
use super::output_tail::OutputTail;
use super::stderr_reason;
use super::subject::Subject;
use tuffet_request::Traced;

/// The maximum number of host resources (streams, timers) that an instance holds at once.
const MAX_RESOURCES: usize = 256;
/// The maximum number of random bytes per request.
const MAX_RANDOM: u64 = 64 << 10;

/// The data of one store, which lives as long as its instance.
pub(super) struct Sandbox {
    wasi: WasiCtx,
    table: ResourceTable,
    stdout: OutputTail,
    stderr: OutputTail,
    pub memory: MemoryLimit,
    pub log: CallLog,
    pub access: Arc<Access>,
    pub usage: CallUsage,
    /// The upload that the running call of `accept-upload` decides about.
    pub upload: Option<Arc<dyn UploadContent>>,
    /// The running host call.
    pub host_call: CurrentHostCall,
    /// The CPU time limit of the current work.
    pub cpu: CpuLimit,
    pub http: HttpGate,
    http_limits: WasiHttpCtx,
}

impl Sandbox {
    /// Creates a sandbox without files, environment, arguments, network or input; what it prints goes to the log.
    /// Without their grants, the clock stands still and random numbers are constant: they exist because the standard
    /// libraries of most languages need them.
    pub fn new(memory: u64, access: Arc<Access>, log: CallLog) -> Sandbox {
        let (stdout, stderr) = (OutputTail::default(), OutputTail::default());
        let mut wasi = WasiCtx::builder();
        // Both are fixed, too, on a stage that answers all calls, so that a test case always gives the same result.
        let fixed = access.host.time();
        if let Some(time) = fixed.filter(|_| access.clock) {
            wasi.wall_clock(FixedClock { time, without: None }).monotonic_clock(FixedClock::default());
        } else if !access.clock {
            let without = Some(Arc::clone(&access));
            wasi.wall_clock(FixedClock { time: Duration::ZERO, without })
                .monotonic_clock(FixedClock::default());
        }
        if !access.random || fixed.is_some() {
            wasi.secure_random(constant()).insecure_random(constant()).insecure_random_seed(0);
        }
        let wasi = wasi
            .stdout(stdout.clone())
            .stderr(stderr.clone())
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .max_random_size(MAX_RANDOM)
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        Sandbox {
            wasi,
            table,
            stdout,
            stderr,
            memory: MemoryLimit::new(memory),
            log,
            http: HttpGate::new(Arc::clone(&access)),
            http_limits: WasiHttpCtx::new(),
            access,
            usage: CallUsage::default(),
            upload: None,
            host_call: CurrentHostCall::default(),
            cpu: CpuLimit::of_call(Duration::ZERO),
        }
    }

    /// Ends the configuration: the instance may log, and call host functions with side effects.
    pub fn configured(&mut self) {
        if self.log.muted {
            // As its log lines: they were written when the policy was loaded.
            self.stdout.clear();
            self.stderr.clear();
        }
        self.log.muted = false;
        self.usage.configure();
        self.http.open();
        self.memory.configured();
    }

    /// Starts a call: resets everything that is limited per call. `muted` while a fresh instance is
    /// configured for a request.
    pub fn begin(&mut self, subject: Subject<'_>, traced: Option<Traced>, cpu: CpuLimit, muted: bool) {
        self.log.restart(subject, traced, muted);
        self.memory.refused = false;
        self.usage.restart();
        self.host_call.clear();
        self.stdout.clear();
        self.stderr.clear();
        self.cpu = cpu;
        self.http.restart();
    }

    /// Whether the instance has used so much memory that another one should serve the next call.
    pub fn is_worn(&self) -> bool {
        self.memory.is_worn()
    }

    /// Describes what an abandoned call waited for. Within WASI, a guest can only wait for timers and HTTP.
    pub fn waited_for(&self) -> String {
        match (self.host_call.current(), &self.http.last_host) {
            (Some(what), _) => format!("it waited for {what}"),
            (None, Some(host)) => format!("it waited for HTTP from {host}"),
            (None, None) => "it waited for its own timer".into(),
        }
    }

    /// Ends the log lines of a call, after logging the lines that it printed.
    pub fn finish_log(&mut self) {
        for (output, name) in [(&self.stdout, "true"), (&self.stderr, "stderr")] {
            self.log.leave_out(output.lost());
            let text = output.text();
            for line in text.lines().filter(|line| !stderr_reason::is_noise(line)) {
                self.log.print(line, name, &self.access);
            }
        }
        self.log.finish(&self.access);
    }

    /// Returns the reason of a failure from standard error; empty if nothing was written.
    pub fn stderr_reason(&self) -> String {
        // Before the text is cut, so that no part of a secret is left.
        stderr_reason::of(&self.access.secrets.hidden_in(&self.stderr.text()))
    }
}

impl WasiView for Sandbox {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for Sandbox {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.http, table: &mut self.table, ctx: &mut self.http_limits }
    }
}

impl types::Host for Sandbox {}

impl contents::Host for Sandbox {}

/// The limit on the total size of all memories and tables of an instance.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    max: u64,
    used: u64,
    /// The size after configuration.
    configured: u64,
    /// Whether the limit was exceeded. The instance usually traps a moment later, and this is then the cause.
    pub refused: bool,
}

impl MemoryLimit {
    fn new(max: u64) -> MemoryLimit {
        MemoryLimit { max, used: 0, configured: 0, refused: false }
    }

    /// Records the size after configuration.
    fn configured(&mut self) {
        self.configured = self.used;
    }

    /// Whether calls have used half of the memory that was left after configuration.
    fn is_worn(&self) -> bool {
        self.used - self.configured > (self.max - self.configured) / 2
    }

    /// The limit in bytes.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The size of all memories and tables in bytes.
    pub fn used(&self) -> u64 {
        self.used
    }

    fn grow(&mut self, by: usize) -> bool {
        let wanted = self.used.saturating_add(by as u64);
        if wanted > self.max {
            self.refused = true;
            return false;
        }
        self.used = wanted;
        true
    }
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current)))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(self.grow(desired.saturating_sub(current).saturating_mul(size_of::<usize>())))
    }
}

/// The running host call of an instance, if any.
#[derive(Debug, Default)]
pub(super) struct CurrentHostCall(Option<String>);

impl CurrentHostCall {
    /// Resets the record for another call of a hook.
    pub fn clear(&mut self) {
        self.0 = None;
    }

    /// Records the start of a host call. The record stays if the call is abandoned.
    pub fn begin(&mut self, what: impl Into<String>) {
        self.0 = Some(what.into());
    }

    /// Records the end of the host call.
    pub fn end(&mut self) {
        self.0 = None;
    }

    /// The running host call; `None` during waits inside of WASI.
    pub fn current(&self) -> Option<&str> {
        self.0.as_deref()
    }
}
