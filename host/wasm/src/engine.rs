//! The WebAssembly engine that all policies of the process share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use wasmtime::Engine;
use wasmtime::component::{HasSelf, Linker};

use super::bindings;
use super::code_cache::CodeCache;
use super::compiler::Compilers;
use super::component_cache::ComponentCache;
use super::engine_config::{MAX_CALLS, MAX_IDLE, config, without_pool};
use super::resources::Resources;
use super::sandbox::Sandbox;
use super::ticker::Ticker;
use tuffet_kv::KvState;
use tuffet_policy::{Counters, PluginRecords, Slices};
use tuffet_sinks::Sinks;

/// The interval of interruptions of a computing guest, which let other guests of its thread run.
pub(super) const TICK: Duration = Duration::from_millis(5);

/// The engine, one for the process and shared by all policies. Cheap to clone.
#[derive(Clone)]
pub struct PolicyRuntime(Arc<Shared>);

pub(super) struct Shared {
    pub engine: Engine,
    pub linker: Linker<Sandbox>,
    pub components: ComponentCache,
    pub resources: Resources,
    pub code_cache: Option<CodeCache>,
    /// Whether instances come from a pool, which changes the compiled code.
    pub pooled: bool,
    /// The connection to compiler processes; without it, this process compiles.
    pub compilers: Option<Compilers>,
    pub ticker: Ticker,
    pub records: PluginRecords,
    pub calls: Semaphore,
    pub slices: Arc<Slices>,
    /// Permits for idle instances, one for each.
    pub idle_permits: Arc<Semaphore>,
}

impl PolicyRuntime {
    /// Starts the engine and its clock, a thread that sleeps while no plugin runs. `compiled` is the folder for
    /// compiled code; without a usable one, each start compiles again.
    ///
    /// # Errors
    /// No thread could be started, or the engine could not be created.
    pub fn new(compiled: Option<&Path>) -> wasmtime::Result<PolicyRuntime> {
        PolicyRuntime::with_compilers(compiled, None)
    }

    /// As [`PolicyRuntime::new`], but the compilers compile instead of this process. They write to the same folder. If
    /// they cannot, loading fails.
    ///
    /// # Errors
    /// As for [`PolicyRuntime::new`].
    pub fn with_compilers(
        compiled: Option<&Path>,
        compilers: Option<Compilers>,
    ) -> wasmtime::Result<PolicyRuntime> {
        let code_cache = compiled.and_then(|folder| {
            let opened = CodeCache::open(folder);
            opened.map_err(|error| warn_of_folder(folder, &error)).ok()
        });
        let config = || config(code_cache.as_ref());
        let mut pooled = true;
        let engine = Engine::new(&config()).or_else(|pool| {
            // Without address space for the pool (a low limit, an unusual kernel), calls are only slower.
            tracing::warn!(
                target: "tuffet::policy",
                "plugin instances cannot be pooled, so each is allocated separately: {pool:#}"
            );
            pooled = false;
            Engine::new(&without_pool(config()))
        })?;
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
        wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
        bindings::Plugin::add_to_linker::<_, HasSelf<_>>(&mut linker, |sandbox: &mut Sandbox| sandbox)?;
        let ticker = Ticker::start(engine.clone(), TICK)?;
        Ok(PolicyRuntime(Arc::new(Shared {
            engine,
            linker,
            components: ComponentCache::default(),
            resources: Resources::default(),
            code_cache,
            pooled,
            compilers,
            ticker,
            records: PluginRecords::default(),
            calls: Semaphore::new(MAX_CALLS as usize),
            slices: Arc::default(),
            idle_permits: Arc::new(Semaphore::new(MAX_IDLE as usize)),
        })))
    }

    /// The sinks of plugins.
    pub fn sinks(&self) -> &Sinks {
        &self.0.resources.sinks
    }

    /// The records of its plugins, which a server of them reports.
    pub fn records(&self) -> &PluginRecords {
        &self.0.records
    }

    /// The state of the bucket with the plugins' keys; `None` if no plugin uses one.
    pub fn kv(&self) -> Option<KvState> {
        self.0.resources.kv()
    }

    /// Begins a time in which two processes of this server use the same `state`: keys, spools and files of sinks. The
    /// predecessor calls it before its successor opens anything, the successor before it loads plugins. Each change of a
    /// key still counts once, and one of the two at a time calls the hook `observe` of a plugin with keys. Keys are
    /// slower meanwhile. Blocks until running operations on keys have ended.
    pub fn share_state(&self) {
        self.0.resources.share();
    }

    /// Ends that time: the other process has ended, or was never started. Takes over what it left undelivered in
    /// spools. Returns false if the other process still uses a part of the state; then that part stays shared, and the
    /// caller tries again later. Blocks on the disk.
    pub fn own_state(&self) -> bool {
        self.0.resources.own()
    }

    /// Returns the counters of a plugin, shared with earlier generations.
    pub(super) fn counters_of(&self, plugin: &str) -> Arc<Counters> {
        self.0.records.counters_of(plugin)
    }

    /// Returns the numbers of components from the folder of compiled code and of compiled ones; `None` without such a
    /// folder.
    pub fn compiled(&self) -> Option<(usize, usize)> {
        self.0.code_cache.as_ref().map(CodeCache::counts)
    }

    /// Whether compilers can still be started; `None` if this process compiles.
    pub fn has_compilers(&self) -> Option<bool> {
        let compilers = self.0.compilers.as_ref().filter(|_| self.0.code_cache.is_some());
        compilers.map(Compilers::is_running)
    }

    /// Runs `work` on the folder of compiled code, if there is one, off the async threads.
    pub(super) async fn with_code_cache(&self, work: fn(&CodeCache)) {
        let shared = Arc::clone(&self.0);
        if shared.code_cache.is_some() {
            // If it panics, the plugins are still compiled.
            let _ = spawn_blocking(move || shared.code_cache.as_ref().map(work)).await;
        }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.0
    }
}

impl fmt::Debug for PolicyRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyRuntime")
            .field("free_calls", &self.0.calls.available_permits())
            .finish_non_exhaustive()
    }
}

fn warn_of_folder(folder: &Path, error: &io::Error) {
    tracing::warn!(
        target: "tuffet::policy",
        folder = %folder.display(),
        "compiled plugins cannot be cached, so each start compiles them: {error}; set policy.compiled to a \
         writable folder, or to `none`"
    );
}
