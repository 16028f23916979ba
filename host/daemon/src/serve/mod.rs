//! The daemon: assembles policy, roots, sockets, workers and the control runtime.
//!
//! The order of a start: signals are caught (`signals`); the configuration is read and checked; the only
//! thread opens everything that may need a privilege (`open`) and drops its privileges ([`privileges`]); then
//! other threads start and plugins are loaded, and after that the first request is answered. The order of a
//! shutdown is that of [`running::Running::shutdown`].

mod cache;
mod control;
mod deadline;
mod error;
mod explain;
mod given;
mod open;
mod policy;
mod reload;
mod running;
mod signals;

pub use cache::{Wanted as CacheWanted, answer_here as answer_cache};
pub use control::{Begun, Reply, ask, begin_capture};
pub use error::ServeError;
pub use explain::explain;
pub use given::inherited;
pub use policy::may_fill_code_cache;
pub use reload::Configure;

use crate::logging;
use crate::privileges;
use crate::source::Watched;
use crate::systemd::Manager;
use open::Opened;
use policy::{
    keeps_its_user, load_policy, pull_policy, start_runtime, start_runtime_to_look, start_runtime_with,
    warnings,
};
use running::Running;
use signals::Signals;
pub use signals::catch as catch_signals;
use std::io;
use std::path::Path;
use std::time::Duration;
use tuffet::interfaces;
use tuffet::origins::{Next, Origins};
use tuffet::status::Left;
use tuffet_config::{Config, SilentRoot, reach};
use tuffet_observe::telemetry::{self, Settings as TelemetrySettings};
use tuffet_policy::Policy;
use tuffet_store::{Disks, Roots};
use tuffet_wasm::PolicyRuntime;

/// Threads that decide requests; plugins yield, and files are opened on threads of their own.
const CONTROL_THREADS: usize = 2;

/// Threads that may wait for disks. A storm of requests must not become a storm of threads, and a hanging
/// folder must not take all of them soon.
const BLOCKING_THREADS: usize = 64;

/// A start with everything but the loaded plugins.
struct Prepared {
    opened: Opened,
    left: Left,
    runtime: PolicyRuntime,
    manager: Manager,
}

/// Serves until SIGTERM or SIGINT. Transfers may then continue for `drain`; a second signal ends them at
/// once. `configure` returns the configuration, now and at every reload; `watched` is its source, if a change is
/// to be a reload.
///
/// # Errors
/// The server cannot start; each kind has its own exit code.
pub fn serve(configure: Configure, watched: Option<Watched>) -> Result<(), ServeError> {
    let mut signals = Signals::catch()?;
    reach::check_by_process(true);
    let config = configure()?;
    let manager = Manager::of_process();
    let account = privileges::prepare(&config)?;
    let opened = Opened::of(&config, account.as_ref())?;
    telemetry::open_files();
    let mut compilers = None;
    let left =
        privileges::give_up(&config, account.as_ref(), || compilers = policy::start_compilers(&config))?;
    reach::check_by_process(false);
    // The first thread beside this one.
    logging::start().map_err(|error| ServeError::System("the log has no thread", error))?;
    let runtime = start_runtime(&config, compilers)?;
    opened.next.start()?;
    privileges::seal(account.as_ref());
    let prepared = Prepared { opened, left, runtime, manager };
    let control = control_runtime()?;
    let result = control.block_on(async {
        match load_unless_stopped(&config, &prepared, &mut signals).await? {
            Some(policy) => {
                let mut server = Running::start(&config, prepared, policy, configure).await?;
                if let Some(watched) = watched {
                    server.watch_source(watched)?;
                }
                let result = server.run(&mut signals).await;
                server.shutdown().await;
                result
            }
            // Compiling cannot be interrupted, and is of no use any more: it ends with the process.
            None => {
                tracing::info!(target: "tuffet::server", "stopped before serving");
                Ok(())
            }
        }
    });
    // A thread that waits for a disk is not waited for: it ends with the process.
    control.shutdown_background();
    result
}

/// The policy, which takes seconds where plugins are compiled; `None` where a signal came meanwhile.
async fn load_unless_stopped(
    config: &Config,
    prepared: &Prepared,
    signals: &mut Signals,
) -> Result<Option<Policy>, ServeError> {
    let Prepared { opened, runtime, manager, .. } = prepared;
    tokio::select! {
        // An earlier signal counts, even if loading takes no time.
        biased;
        () = signals.stop() => {
            manager.stopping(Duration::ZERO, "stopping; it did not serve yet");
            Ok(None)
        }
        loaded = load_policy(runtime, config, &opened.resources.roots, true) => loaded.map(Some),
    }
}

/// Checks what only a start would reveal: that the roots open, that the server's user may access what it
/// needs, and that the plugins load for that user and accept their settings. Binds no socket and creates
/// nothing. Root becomes that user, for good. `pull`: whether registries are asked for components, which are then
/// kept. Returns the warnings for the operator.
///
/// # Errors
/// The problems that would prevent the server from starting.
pub fn check(config: &Config, pull: bool) -> Result<Vec<String>, ServeError> {
    let next = Origins::default().open(&config.origins)?;
    let roots = open_roots(config, &Disks::default(), None, &next)?;
    // Before the change of user: root's cache of compiled plugins is of no use to that user.
    let compiled = policy::compiled(config).filter(|_| keeps_its_user(&config.privileges));
    if pull {
        // What is pulled is for the server's user.
        privileges::prepare(config)?;
    }
    let mut found = privileges::check(config)?;
    let runtime = start_runtime_with(compiled)?;
    let policy = control_runtime()?.block_on(async {
        match pull {
            true => pull_policy(&runtime, config, &roots).await,
            false => load_policy(&runtime, config, &roots, false).await,
        }
    })?;
    let mut warnings = warnings(config, &policy);
    warnings.append(&mut found);
    warnings.extend(interfaces::missing(config));
    warnings.extend(config.silent.iter().map(not_answering));
    let (_, complaints) = TelemetrySettings::of_process(config.telemetry.as_ref());
    warnings.extend(complaints.iter().map(ToString::to_string));
    Ok(warnings)
}

/// Checks the plugins of a configuration alone, and opens its roots for them.
///
/// # Errors
/// What the plugins refuse.
pub fn check_plugins(config: &Config) -> Result<(), ServeError> {
    let roots = open_roots(config, &Disks::default(), None, &Origins::default().open(&config.origins)?)?;
    let runtime = start_runtime_to_look(tuffet_config::default_compiled().as_deref(), &config.privileges)?;
    control_runtime()?.block_on(load_policy(&runtime, config, &roots, false)).map(drop)
}

/// Opens the roots, but for those that did not answer.
fn open_roots(
    config: &Config,
    disks: &Disks,
    before: Option<&Roots>,
    next: &Next,
) -> Result<Roots, ServeError> {
    let silent: Vec<String> = config.silent.iter().map(|its| its.root.clone()).collect();
    Roots::open_without(&config.roots, disks, &silent, before, &next.of_roots()).map_err(ServeError::Root)
}

/// What an operator has to know about a root that did not answer.
fn not_answering(silent: &SilentRoot) -> String {
    let SilentRoot { root, above } = silent;
    let patience = reach::PATIENCE.as_secs();
    let sandbox = match above {
        Some(above) => format!("until then the sandbox rules allow {}", above.display()),
        None => "where the sandbox rules (Landlock) are in force, that takes a restart".to_owned(),
    };
    format!(
        "root `{root}`: its folder has not answered for {patience} s; a server starts without it and serves it as soon \
         as it answers; {sandbox}"
    )
}

/// Checks a folder named on the command line.
///
/// # Errors
/// [`ServeError::Folder`] if it is not a folder.
pub fn require_folder(path: &Path) -> Result<(), ServeError> {
    let wrong = |error| ServeError::Folder { path: path.to_owned(), error };
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(wrong(io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(wrong(error)),
    }
}

/// Starts the runtime of the control side.
///
/// # Errors
/// The system has no thread.
pub fn control_runtime() -> Result<tokio::runtime::Runtime, ServeError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(CONTROL_THREADS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name("tuffet-control")
        .enable_all()
        .build()
        .map_err(|error| ServeError::System("the control runtime cannot start", error))
}

/// What the service manager shows of a server that serves.
fn serving(generation: u64) -> String {
    format!("serving generation {generation} of the configuration")
}
