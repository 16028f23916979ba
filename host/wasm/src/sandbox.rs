//! The sandbox of an instance: an empty world, a memory limit, a log.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::ResourceLimiter;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::access::{Access, FixedClock, HttpGate, Taken, UploadContent, constant};
use super::bindings::{contents, types};
use super::call_log::CallLog;
use super::cpu_limit::CpuLimit;
use super::last_words;
use super::printed::Printed;
use super::subject::Subject;
use super::waits::Waits;
use tuffet_request::Traced;

/// Host resources (streams, timers) that an instance may hold at once.
const MAX_RESOURCES: usize = 256;
/// Random bytes per request.
const MAX_RANDOM: u64 = 64 << 10;

/// The data of one store, which lives as long as its instance.
pub(super) struct Sandbox {
    wasi: WasiCtx,
    table: ResourceTable,
    stdout: Printed,
    stderr: Printed,
    pub memory: MemoryLimit,
    pub log: CallLog,
    pub access: Arc<Access>,
    pub taken: Taken,
    /// The upload that the running call of `accept-upload` decides about.
    pub upload: Option<Arc<dyn UploadContent>>,
    /// The host call that it waits for.
    pub waits: Waits,
    /// The CPU time limit of its current work.
    pub cpu: CpuLimit,
    http: HttpGate,
    http_limits: WasiHttpCtx,
}

impl Sandbox {
    /// The sandbox has no files, environment, arguments, network or input; standard output goes to the log.
    /// Without their grants, the clock stands still and random numbers are constant: they must exist, because
    /// the standard libraries of most languages need them.
    pub fn new(memory: u64, access: Arc<Access>, log: CallLog) -> Sandbox {
        let (stdout, stderr) = (Printed::default(), Printed::default());
        let mut wasi = WasiCtx::builder();
        // They are also constant on a stage that answers all calls, so that a test case gives the same result
        // each time.
        let fixed = access.host.time();
        if let Some(time) = fixed.filter(|_| access.clock) {
            wasi.wall_clock(FixedClock(time)).monotonic_clock(FixedClock(time));
        } else if !access.clock {
            wasi.wall_clock(FixedClock::default()).monotonic_clock(FixedClock::default());
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
            taken: Taken::default(),
            upload: None,
            waits: Waits::default(),
            cpu: CpuLimit::of_call(Duration::ZERO),
        }
    }

    /// After configuration the instance may log, and call host functions with side effects.
    pub fn configured(&mut self) {
        self.log.muted = false;
        self.taken.configure();
        self.http.open();
        self.memory.configured();
    }

    /// Starts a call: resets everything that is limited per call. `muted` while a fresh instance is
    /// configured for a request.
    pub fn begin(&mut self, subject: Subject<'_>, traced: Option<Traced>, cpu: CpuLimit, muted: bool) {
        self.log.restart(subject, traced, muted);
        self.memory.refused = false;
        self.taken.restart();
        self.waits.clear();
        self.stderr.take();
        self.cpu = cpu;
        self.http.restart();
    }

    /// Whether it has used so much of its memory that another instance should take the next call.
    pub fn is_worn(&self) -> bool {
        self.memory.is_worn()
    }

    /// Describes what an abandoned call waited for. WASI itself only makes a guest wait for timers or HTTP.
    pub fn waited_for(&self) -> String {
        match (self.waits.now(), &self.http.sent) {
            (Some(what), _) => format!("it waited for {what}"),
            (None, Some(host)) => format!("it waited for HTTP from {host}"),
            (None, None) => "it waited for a timer of its own".into(),
        }
    }

    /// Ends the log lines of a call, behind which are those that it printed.
    pub fn finish_log(&mut self) {
        for line in self.stdout.take().lines() {
            self.log.print(line, &self.access);
        }
        self.log.finish(&self.access.lines);
    }

    /// Why it failed, by what it wrote to its standard error; empty if it wrote nothing.
    pub fn last_words(&self) -> String {
        last_words::of(&self.stderr.text())
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

/// Limits the sum of all memories and tables of an instance.
#[derive(Debug)]
pub(super) struct MemoryLimit {
    max: u64,
    used: u64,
    /// Its size after configuration.
    configured: u64,
    /// Whether it exceeded its limit. It usually traps a moment later, and this is then the cause.
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
    pub fn most(&self) -> u64 {
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
