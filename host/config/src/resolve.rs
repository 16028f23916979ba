//! Resolves the written form: paths become absolute, addresses are parsed, every reference is checked.

mod admin;
mod limits;
mod otlp;
mod privileges;
mod secrets;
mod sinks;
mod telemetry;

pub use telemetry::{check_endpoint, usual_port};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::address::{check_name, parse_address};
use super::policy::{
    BreakerConfig, ComponentSource, DecisionCacheConfig, PluginConfig, PluginLimits, PolicyConfig,
    ReuseConfig,
};
use super::resource::resource_attributes;
use super::source::{Finding, Source};
use super::suggest::{closest, unknown};
use super::tree::join;
use super::written::defaults;
use super::written::{self, Written};
use super::{Config, ConfigError, Listener, Retransmit, Transfer};
use crate::reach::{self, Silent};
use crate::sinks::SinkSpec;
use tuffet_request::RootSpec;

/// Resolves paths relative to `base`, which is absolute.
///
/// # Errors
/// All problems.
pub(super) fn resolve(written: Written, base: &Path, source: Source) -> Result<Config, ConfigError> {
    let files = source.file().map(std::path::absolute).and_then(Result::ok).into_iter().collect();
    let mut resolver = Resolver {
        base,
        source: &source,
        findings: Vec::new(),
        resource: Vec::new(),
        files,
        silent: Vec::new(),
    };
    let telemetry = written.telemetry.map(|telemetry| resolver.telemetry(telemetry));
    resolver.resource = resource_attributes(telemetry.as_ref(), &|name| std::env::var(name).ok()).0;
    let listeners = resolver.listeners(&written.listeners);
    let roots = resolver.roots(&written.roots);
    let state = written.state.map_or_else(defaults::state, |state| resolver.absolute(&state));
    let sinks = resolver.sinks(written.sinks, &state);
    let policy = resolver.policy(&written.policy, written.plugins, &roots, &sinks);
    let control = match &written.control {
        None => defaults::control(),
        Some(none) if none.as_os_str() == "none" => None,
        Some(socket) => Some(resolver.absolute(socket)),
    };
    let admin = written.admin.as_ref().and_then(|admin| resolver.admin(admin));
    let privileges = resolver.privileges(written.privileges);
    let workers = written.workers.unwrap_or_else(defaults::workers);
    let busy_poll = written.busy_poll.0;
    let drain = written.drain.0;
    let transfer = resolver.transfer(&written.transfer);
    let limits = resolver.limits(&written.limits, &written.transfer);
    let (findings, files, silent) = (resolver.findings, resolver.files, resolver.silent);
    if findings.is_empty() {
        Ok(Config {
            listeners,
            roots,
            policy,
            sinks,
            state,
            control,
            admin,
            workers,
            busy_poll,
            drain,
            transfer,
            limits,
            telemetry,
            privileges,
            files,
            silent,
            source,
        })
    } else {
        Err(source.error(findings))
    }
}

struct Resolver<'a> {
    base: &'a Path,
    source: &'a Source,
    findings: Vec<Finding>,
    /// The configured resource attributes: of telemetry, and of sinks that send log records.
    resource: Vec<(String, String)>,
    /// The files that were read.
    files: Vec<PathBuf>,
    /// The roots that do not answer.
    silent: Vec<Silent>,
}

impl Resolver<'_> {
    fn wrong(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.findings.push(Finding::value(pointer, message));
    }

    fn listeners(&mut self, written: &[written::Listener]) -> Vec<Listener> {
        if written.is_empty() {
            let message = "there is no listener; add `listeners: [{ address: 127.0.0.1:6969 }]`, or give --listen IP:PORT";
            self.wrong("/listeners", message);
        }
        let mut listeners: Vec<Listener> = Vec::new();
        for (index, written) in written.iter().enumerate() {
            let pointer = format!("/listeners/{index}");
            let address = match parse_address(&written.address) {
                Ok(address) => address,
                Err(complaint) => {
                    self.wrong(join(&pointer, "address"), complaint);
                    continue;
                }
            };
            let name = written.name.clone().unwrap_or_else(|| written.address.clone());
            // Port 0 is a different free port each time.
            if address.port() != 0 && listeners.iter().any(|other| other.address == address) {
                let message = format!("{address} has two listeners; remove one");
                self.wrong(join(&pointer, "address"), message);
            } else if listeners.iter().any(|other| other.name == name) {
                let message = format!("two listeners are named `{name}`; give each a `name` of its own");
                self.wrong(join(&pointer, "name"), message);
            }
            listeners.push(Listener {
                name,
                address,
                single_port: written.single_port,
                tid_ports: written.tid_ports,
                burst: written.burst,
            });
        }
        listeners
    }

    fn roots(&mut self, written: &[written::Root]) -> Vec<RootSpec> {
        if written.is_empty() {
            let message =
                "there is no root; add `roots: [{ name: boot, path: ./files }]`, or give --root DIR";
            self.wrong("/roots", message);
        }
        let mut roots: Vec<RootSpec> = Vec::new();
        let paths: Vec<PathBuf> = written.iter().map(|root| self.absolute(&root.path)).collect();
        let answers = reach::look(&paths);
        for ((index, root), (path, answer)) in written.iter().enumerate().zip(paths.into_iter().zip(answers))
        {
            let pointer = format!("/roots/{index}");
            if roots.iter().any(|other| other.name == root.name) {
                let message = format!("two roots are named `{}`; give each a name of its own", root.name);
                self.wrong(join(&pointer, "name"), message);
            }
            match answer {
                Ok(()) => {
                    if let Some(complaint) = complaint_of_folder(&path) {
                        self.wrong(join(&pointer, "path"), complaint);
                    }
                }
                Err(above) => self.silent.push(Silent { root: root.name.clone(), above }),
            }
            if root.private && root.writable {
                let message = "nobody can upload into a private root: clients do not see it; set \
                               `writable: false`, or `private: false`";
                self.wrong(join(&pointer, "writable"), message);
            }
            if !root.writable {
                self.refuse_without_writable(&pointer, "overwrite", root.overwrite);
                self.refuse_without_writable(&pointer, "max-upload", true);
                self.refuse_without_writable(&pointer, "write", true);
            } else if !root.overwrite && self.source.contains(&format!("{pointer}/write/links")) {
                let message = "`links` means nothing while the root has `overwrite: false`, which keeps links, too; \
                               set `overwrite: true`, or remove it";
                self.findings.push(Finding::key(format!("{pointer}/write/links"), message));
            }
            roots.push(RootSpec {
                name: root.name.clone(),
                path,
                writable: root.writable,
                overwrite: root.overwrite,
                private: root.private,
                max_upload: root.max_upload.0,
                links: root.write.links,
                mode: root.write.mode.map(|mode| mode.0),
                follow: root.follow,
            });
        }
        roots
    }

    /// Refuses a key that has no effect: more likely, `writable: true` was forgotten.
    fn refuse_without_writable(&mut self, root: &str, key: &str, matters: bool) {
        let pointer = join(root, key);
        if matters && self.source.contains(&pointer) {
            let message = format!(
                "`{key}` has no effect while the root has `writable: false`; set `writable: true`, or remove it"
            );
            self.findings.push(Finding::key(pointer, message));
        }
    }

    fn policy(
        &mut self,
        written: &written::Policy,
        plugins: BTreeMap<String, written::Plugin>,
        roots: &[RootSpec],
        sinks: &[SinkSpec],
    ) -> PolicyConfig {
        let chains = [
            ("authorize", &written.authorize),
            ("resolve", &written.resolve),
            ("accept-upload", &written.accept_upload),
            ("observe", &written.observe),
        ];
        for (chain, names) in chains {
            for (index, name) in names.iter().enumerate().filter(|(_, name)| !plugins.contains_key(*name)) {
                let known = || plugins.keys().map(String::as_str);
                let message = match closest(name, known()) {
                    Some(like) => unknown("plugin", name, Some(like), known()),
                    None => format!(
                        "unknown plugin `{name}`; add it below `plugins`, such as `{name}: {{ component: builtin:{name} }}`"
                    ),
                };
                self.wrong(format!("/policy/{chain}/{index}"), message);
            }
        }
        let in_chain = |name: &String| chains.iter().any(|(_, names)| names.contains(name));
        for name in plugins.keys().filter(|name| !in_chain(name)) {
            let message = format!(
                "the plugin `{name}` is in no chain, so nothing would ask it; add it to `policy.authorize` or \
                 to another list of `policy`, or remove it"
            );
            self.findings.push(Finding::key(join("/plugins", name), message));
        }
        PolicyConfig {
            default: written.default,
            authorize: written.authorize.clone(),
            resolve: written.resolve.clone(),
            accept_upload: written.accept_upload.clone(),
            observe: written.observe.clone(),
            plugins: plugins
                .into_iter()
                .map(|(name, plugin)| {
                    self.grants(&name, &plugin.grants, roots, sinks);
                    self.plugin(name, plugin)
                })
                .collect(),
            time_limit: written.time_limit.0,
            compiled: match &written.compiled {
                None => defaults::compiled(),
                Some(none) if none.as_os_str() == "none" => None,
                Some(folder) => Some(self.absolute(folder)),
            },
        }
    }

    fn plugin(&mut self, name: String, written: written::Plugin) -> PluginConfig {
        let pointer = join("/plugins", &name);
        if let Err(complaint) = check_name(&name) {
            self.findings.push(Finding::key(&pointer, complaint));
        }
        let limits = &written.limits;
        if limits.time > limits.wall {
            let message = format!(
                "`time` ({}) is above `wall` ({}), which ends the call first; lower one or raise the other",
                limits.time, limits.wall
            );
            // Blames the written key, or `time` if both are written.
            let [time, wall] = ["time", "wall"].map(|key| format!("{pointer}/limits/{key}"));
            self.wrong(if self.source.contains(&time) { time } else { wall }, message);
        }
        if written.breaker.back_off > written.breaker.cap {
            let message = format!(
                "`back-off` ({}) is above `cap` ({}); lower one or raise the other",
                written.breaker.back_off, written.breaker.cap
            );
            let [back_off, cap] = ["back-off", "cap"].map(|key| format!("{pointer}/breaker/{key}"));
            self.wrong(if self.source.contains(&back_off) { back_off } else { cap }, message);
        }
        PluginConfig {
            component: self.component(&join(&pointer, "component"), &written.component),
            name,
            settings: written.settings.into(),
            on_error: written.on_error,
            grants: written.grants,
            limits: limits.into(),
            mode: written.mode,
            breaker: BreakerConfig {
                failures: written.breaker.failures,
                back_off: written.breaker.back_off.0,
                cap: written.breaker.cap.0,
            },
            cache: written.cache.map(|cache| DecisionCacheConfig {
                ttl: cache.ttl.0,
                key: cache.key.into(),
                entries: cache.entries,
            }),
            reuse: written.reuse.map(|reuse| ReuseConfig { calls: reuse.calls, idle: reuse.idle.0 }),
        }
    }

    fn component(&mut self, pointer: &str, written: &str) -> ComponentSource {
        if let Some(name) = written.strip_prefix("builtin:") {
            return ComponentSource::Builtin(name.to_owned());
        }
        let path = self.absolute(Path::new(written));
        let complaint = match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => None,
            Ok(_) => Some("is not a file".to_owned()),
            Err(error) => Some(format!("cannot be found: {error}")),
        };
        if let Some(complaint) = complaint {
            let message = format!(
                "the component {} {complaint}; correct the path, or write `builtin:NAME` for a bundled plugin",
                path.display()
            );
            self.wrong(pointer, message);
        }
        ComponentSource::Path(path)
    }

    fn transfer(&mut self, written: &written::Transfer) -> Transfer {
        let times = &written.retransmit;
        let ordered = [
            ("floor", times.floor),
            ("initial", times.initial),
            ("cap", times.cap),
            ("give-up", times.give_up),
        ];
        for [(low, shorter), (high, longer)] in ordered.array_windows() {
            if shorter > longer {
                let message =
                    format!("`{low}` ({shorter}) is above `{high}` ({longer}); lower one or raise the other");
                let [low, high] = [low, high].map(|key| format!("/transfer/retransmit/{key}"));
                self.wrong(if self.source.contains(&low) { low } else { high }, message);
            }
        }
        Transfer {
            max_blksize: written.max_blksize,
            max_windowsize: written.max_windowsize,
            rollover: written.rollover,
            retransmit: Retransmit {
                floor: times.floor.0,
                initial: times.initial.0,
                cap: times.cap.0,
                give_up: times.give_up.0,
            },
        }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        // Drops the `.` of `./files`, and nothing else.
        self.base.join(path).components().collect()
    }
}

fn complaint_of_folder(path: &Path) -> Option<String> {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some(format!("{shown} is not a folder; name the folder that is served")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Some(format!("there is no folder {shown}; create it or correct the path"))
        }
        Err(error) => Some(format!("the folder {shown} cannot be accessed: {error}; give this user access")),
    }
}

impl Default for PluginLimits {
    /// As in a configuration that does not name them.
    fn default() -> Self {
        PluginLimits::from(&written::PluginLimits::default())
    }
}

impl From<&written::PluginLimits> for PluginLimits {
    fn from(written: &written::PluginLimits) -> Self {
        PluginLimits {
            cpu: written.time.0,
            configure: written.configure.0,
            wall: written.wall.0,
            memory: written.memory.0,
            content: written.content.0,
            instances: written.instances,
            queue: written.queue,
            kv_keys: written.kv_keys,
            kv_bytes: written.kv_bytes.0,
        }
    }
}
