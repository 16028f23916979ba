//! The daemon: assembles policy, roots, sockets, workers and the control runtime.
//!
//! Order of a start: catch signals (`signals`); read and check the configuration; on the only thread, open everything
//! that may need a privilege (`open`) and drop privileges ([`privileges`]); start other threads, load plugins, answer
//! requests. For the order of a shutdown see [`running::Running::shutdown`].

mod cache;
mod control;
mod deadline;
mod error;
mod explain;
mod handover;
mod http;
mod inherited;
mod keys;
mod open;
mod parent;
mod passing;
mod policy;
mod predecessor;
mod reload;
mod reply;
mod revision;
mod running;
mod shared_state;
mod signals;
mod succession;
mod supervise;

pub use cache::{CacheCommand, run_blocking as run_cache_command};
pub use control::{CaptureStream, begin_capture, send_command};
pub use error::ServeError;
pub use explain::{explain, explain_all};
pub use inherited::count_inherited;
pub use keys::{KeyRow, KeyValue, KeysAction, KeysCommand, run_keys_command, unknown_keys};
pub use policy::may_fill_code_cache;
pub use reload::{Configure, ReloadCheck};
pub use reply::Reply;

use crate::logging;
use crate::privileges;
use crate::source::{self, Watched};
use crate::systemd::ServiceManager;
use http::AllCertificates;
use open::Opened;
use parent::Parent;
use policy::{
    check_policy, keeps_its_user, load_policy, pull_policy, start_runtime, start_runtime_for_check,
    start_runtime_with, warnings,
};
use running::Running;
use signals::Signals;
pub use signals::catch as catch_signals;
use std::io;
use std::path::Path;
use std::time::Duration;
pub use supervise::supervise;
use tokio::runtime::{Handle, Runtime};
use tuffet_config::{Config, UnopenedRoot, reach};
use tuffet_observe::telemetry::{self, Settings as TelemetrySettings};
use tuffet_policy::Policy;
use tuffet_request::Unopened;
use tuffet_request::settings::Start;
use tuffet_server::daemon::ServerParts;
use tuffet_server::interfaces;
use tuffet_server::origins::{Origins, PendingOrigins};
use tuffet_server::status::RemainingPrivileges;
use tuffet_store::{Disks, Roots};
use tuffet_wasm::PolicyRuntime;

/// Threads of the control runtime; plugins yield, and files are opened on other threads.
const CONTROL_THREADS: usize = 2;

/// Threads that may wait for disks: few enough for a flood of requests, and enough that a hanging folder does not block
/// all of them soon.
const BLOCKING_THREADS: usize = 64;

/// A start with everything but the loaded plugins.
struct Prepared {
    opened: Opened,
    left: RemainingPrivileges,
    runtime: PolicyRuntime,
    manager: ServiceManager,
    /// Where the listeners of HTTP run, if there are any.
    http: Option<Handle>,
}

/// How a server starts.
#[derive(Debug, Clone, Copy, Default)]
pub struct StartOptions {
    /// Whether it replaces the server with the same control socket.
    pub take_over: bool,
    /// Whether [`supervise`] has started it.
    pub under_parent: bool,
}

/// Serves until SIGTERM or SIGINT. Transfers may then continue for `drain`; a second signal ends them at once.
/// `configure` returns the configuration, now and at every reload; `watched` is its source, if changes trigger reloads.
///
/// # Errors
/// The server cannot start; each kind has its own exit code.
pub fn serve(
    configure: Configure,
    watched: Option<Watched>,
    options: StartOptions,
) -> Result<(), ServeError> {
    let mut signals = Signals::catch()?;
    reach::check_by_process(true);
    let config = configure()?;
    logging::configure(&config)?;
    source::log_unread(&config);
    let manager = ServiceManager::of_process();
    let account = privileges::prepare(&config)?;
    let opened = Opened::of(&config, account.as_ref(), options.take_over)?;
    telemetry::open_files();
    let mut compilers = Ok(None);
    let left = privileges::drop_privileges(&config, account.as_ref(), || {
        compilers = policy::start_compilers(&config)
    })?;
    reach::check_by_process(false);
    // The first other thread.
    logging::start(&config)?;
    let runtime = start_runtime(&config, compilers?)?;
    if opened.predecessor.is_some() || shared_state::is_shared(&config.state) {
        runtime.share_state();
    }
    opened.next.start()?;
    privileges::seal(account.as_ref());
    let control = control_runtime()?;
    let http = http::runtime(&config)?;
    let its = http.as_ref().map(|http| http.handle().clone());
    let prepared = Prepared { opened, left, runtime, manager, http: its };
    let result = control.block_on(async {
        let parent = match options.under_parent {
            true => Some(Parent::of_standard_input().map_err(|error| {
                ServeError::System("the process above the server cannot be reached", error)
            })?),
            false => None,
        };
        match load_unless_stopped(&config, &prepared, &mut signals).await? {
            Some(policy) => {
                let mut server = Running::start(&config, prepared, policy, configure, parent).await?;
                if let Some(watched) = watched {
                    server.watch_source(watched)?;
                }
                let result = server.run(&mut signals).await;
                server.shutdown().await;
                result
            }
            // Compiling cannot be interrupted; it ends with the process.
            None => {
                tracing::info!(target: "tuffet::server", "stopped before serving");
                Ok(())
            }
        }
    });
    // Does not join threads that wait for a disk: they end with the process.
    for runtime in [Some(control), http].into_iter().flatten() {
        runtime.shutdown_background();
    }
    result
}

/// Loads the policy, which takes seconds if plugins are compiled; `None` after a stop signal.
async fn load_unless_stopped(
    config: &Config,
    prepared: &Prepared,
    signals: &mut Signals,
) -> Result<Option<Policy>, ServeError> {
    let Prepared { opened, runtime, manager, .. } = prepared;
    tokio::select! {
        // The signal takes precedence, even if loading takes no time.
        biased;
        () = signals.stop() => {
            manager.stopping(Duration::ZERO, "stopping; it did not serve yet");
            Ok(None)
        }
        loaded = load_policy(runtime, config, opened.server.roots(), true) => loaded.map(Some),
    }
}

/// Performs the checks of a start: the roots open, the interfaces and addresses of listeners are there or are waited for,
/// the server's user has access to all paths, and the plugins load for that user and accept their settings. Binds no port and creates nothing. Root permanently becomes that user. With
/// `pull`, components are fetched from registries and kept. Returns the warnings for the operator.
///
/// # Errors
/// The problems that would prevent the server from starting.
pub fn check(config: &Config, pull: bool) -> Result<Vec<String>, ServeError> {
    logging::check(config)?;
    let next = Origins::default().open(&config.origins)?;
    let roots = open_roots(config, &Disks::default(), None, &next)?;
    let waiting = waiting_listeners(config)?;
    let certificates = AllCertificates::load(config)?;
    // Before the change of user: root's cache of compiled plugins is useless to that user.
    let keeps_its_user = keeps_its_user(&config.privileges);
    let compiled = policy::compiled(config).filter(|_| keeps_its_user);
    if pull {
        // The server's user keeps the components.
        privileges::prepare(config)?;
    }
    let mut found = privileges::check(config)?;
    let runtime = start_runtime_with(compiled)?;
    let policy = control_runtime()?.block_on(async {
        match pull {
            true => pull_policy(&runtime, config, &roots, !keeps_its_user).await,
            false => check_policy(&runtime, config, &roots, !keeps_its_user).await,
        }
    })?;
    let mut warnings = warnings(config, &policy);
    warnings.append(&mut found);
    warnings.extend(certificates.warnings(config));
    warnings.extend(waiting);
    warnings.extend(config.unopened.iter().map(describe_unopened));
    let (_, problems) = TelemetrySettings::of_process(config.telemetry.as_ref());
    warnings.extend(problems.iter().map(ToString::to_string));
    Ok(warnings)
}

/// Returns what the listeners would wait for.
///
/// # Errors
/// They may not wait for it.
fn waiting_listeners(config: &Config) -> Result<Vec<String>, ServeError> {
    let mut waiting = Vec::new();
    for listener in &config.settings.listeners {
        match interfaces::would_wait_for(listener) {
            Some(missing) if config.settings.start == Start::All => {
                return Err(ServeError::missing(listener, missing));
            }
            Some(missing) => waiting.push(interfaces::describe(listener, missing)),
            None => {}
        }
    }
    Ok(waiting)
}

/// Checks the plugins of a configuration alone, and opens its roots for them.
///
/// # Errors
/// The problems of the plugins.
pub fn check_plugins(config: &Config) -> Result<(), ServeError> {
    let roots = open_roots(config, &Disks::default(), None, &Origins::default().open(&config.origins)?)?;
    let compiled = tuffet_config::default_compiled(config.privileges.stays_root());
    let runtime = start_runtime_for_check(compiled.as_deref(), &config.privileges)?;
    control_runtime()?.block_on(load_policy(&runtime, config, &roots, false)).map(drop)
}

/// Opens the roots, except those that are missing or do not answer.
fn open_roots(
    config: &Config,
    disks: &Disks,
    before: Option<&Roots>,
    next: &PendingOrigins,
) -> Result<Roots, ServeError> {
    let unopened: Vec<(String, Unopened)> =
        config.unopened.iter().map(|its| (its.root.clone(), its.why)).collect();
    Roots::open_without(&config.roots, disks, &unopened, before, &next.of_roots()).map_err(ServeError::Root)
}

/// Describes a root that is not open to the operator.
fn describe_unopened(unopened: &UnopenedRoot) -> String {
    let UnopenedRoot { root, why, path, above } = unopened;
    let sandbox = if above.is_empty() {
        "where the sandbox rules (Landlock) are in force, that takes a restart, unless `privileges.readable` has a folder \
         above it"
            .to_owned()
    } else {
        let above: Vec<String> = above.iter().map(|above| above.display().to_string()).collect();
        format!("until then the sandbox rules allow {}", above.join(" and "))
    };
    match why {
        Unopened::Missing => format!(
            "root `{root}`: the folder {} does not exist; a server starts without it and serves it as soon as it does; \
             {sandbox}",
            path.display()
        ),
        Unopened::Unresponsive => format!(
            "root `{root}`: its folder has not answered for {} s; a server starts without it and serves it as soon as it \
             answers; {sandbox}",
            reach::PATIENCE.as_secs()
        ),
    }
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
pub fn control_runtime() -> Result<Runtime, ServeError> {
    start_threads("tuffet-control", CONTROL_THREADS)
        .map_err(|error| ServeError::System("the control runtime cannot start", error))
}

/// Starts a runtime with so many threads of this name.
fn start_threads(name: &str, count: usize) -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(count)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name(name)
        .enable_all()
        .build()
}

/// Returns the status for the service manager.
fn serving_status(generation: u64) -> String {
    format!("serving generation {generation} of the configuration")
}
