//! The configuration as a whole: the keys of the top level, and the sections.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::{Profile, ServiceSettings, SettingNames, Settings, Start};
use tuffet_request::units::{TimeSpan, plain};
use tuffet_request::{Bounds, RootSpec};

use super::address::path_schema;
use super::admin::{self, Admin, WrittenAdmin};
use super::chains::ListenerChains;
use super::error::ConfigError;
use super::events::{EventsSpec, WrittenEvents};
use super::facts::Facts;
use super::http::{Http, WrittenHttp};
use super::kv::{KvBucket, WrittenKv};
use super::limits::WrittenLimits;
use super::listeners::{self, WrittenListener};
use super::log::{LogSpec, WrittenLog};
use super::multicast::WrittenMulticast;
use super::netboot::WrittenNetboot;
use super::origins::OriginSpec;
use super::plugins::{PluginConfig, ReferableNames};
use super::policy::PolicyConfig;
use super::privileges::Privileges;
use super::registries::{RegistrySpec, WrittenRegistry};
use super::remote::Remote;
use super::resolver::{Resolver, environment, started_by_root};
use super::resource::resource_attributes;
use super::roots::WrittenRoot;
use super::secret::SecretText;
use super::sinks::{SinkSpec, WrittenSink};
use super::source::Source;
use super::telemetry::TelemetryConfig;
use super::transfer::WrittenTransfer;
use super::unopened::UnopenedRoot;

/// The configuration of a Tuffet server.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Written {
    /// The addresses on which the server receives requests. Required, unless `--listen` is given, which
    /// replaces it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub listeners: Vec<WrittenListener>,
    /// The same files by HTTP and HTTPS, under the same policy. Disabled without this section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<WrittenHttp>,
    /// What must be there at the start. With `available`, the server waits for interfaces, addresses and folders of roots
    /// that are missing, and serves the rest; see [not there yet](listeners.md#not-there-yet). With `all`, it does not
    /// start without them, and refuses a reload without the folder of a root.
    pub start: Start,
    /// The served folders, searched in this order. Required, unless `--root` is given, which replaces it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub roots: Vec<WrittenRoot>,
    /// Which plugins decide, and in which order.
    pub policy: PolicyConfig,
    /// The plugins, by name. Each must be in a chain of `policy`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub plugins: BTreeMap<String, PluginConfig>,
    /// How OCI registries are reached, by host, such as `registry.example:5000`; for plugins with `component:
    /// oci://…`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub registries: BTreeMap<String, WrittenRegistry>,
    /// Named outputs for plugins with the grant `sinks/NAME`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sinks: BTreeMap<String, WrittenSink>,
    /// The folder for data that outlives the process: the keys of plugins with the grant `kv`, the spools of
    /// sinks, components from registries, and uploads that wait for `write.in-place`. Created if missing. Each server needs its own. Default: `$STATE_DIRECTORY`, which systemd
    /// sets, else `/var/lib/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub state: Option<PathBuf>,
    /// The storage for keys of plugins with the grant `kv`. Default: a file in `state`, for this server alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv: Option<WrittenKv>,
    /// The NATS servers to which this server publishes its transfers, so that `tuffet top --nats` and the page show
    /// many servers in one view. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<WrittenEvents>,
    /// The control socket, which `tuffet reload` and `tuffet status` connect to; `none` disables it. Each
    /// server needs its own. Default: `control` in `$RUNTIME_DIRECTORY`, which systemd sets, else in
    /// `/run/tuffet` for root, else in `$XDG_RUNTIME_DIR/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub control: Option<PathBuf>,
    /// What the server logs, in which form, and where to. Flags of `tuffet serve` override its keys; a reload may change
    /// them.
    pub log: WrittenLog,
    /// The admin listener: the live view as a web page, health and metrics over HTTP, read-only. Disabled
    /// without this section; `{}` enables it with the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<WrittenAdmin>,
    /// The number of threads that move blocks. Default: the number of processor cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u16", range(min = 1, max = 1024))]
    pub workers: Option<usize>,
    /// How long a worker polls for the next datagram before it sleeps, while datagrams follow each other that
    /// closely. Makes lockstep transfers over short paths up to three times as fast; the core is busy
    /// meanwhile. 0s disables it.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1ms"))]
    pub busy_poll: Duration,
    /// How long the server still answers requests after SIGTERM or SIGINT, while `/readyz` reports that it is not
    /// ready. Set it to the time that VRRP, BGP, a load balancer or Kubernetes needs to notice that and move the
    /// clients. `drain` begins afterwards.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1h"))]
    pub drain_delay: Duration,
    /// How long running transfers may continue after SIGTERM or SIGINT and `drain-delay`. The server ends with the last
    /// of them. Its ports are free for another server meanwhile. A client that has never answered delays the end by one
    /// second at most. 0s ends them at once.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1d"))]
    pub drain: Duration,
    /// Option negotiation, retransmission, and bounds on slow transfers.
    pub transfer: WrittenTransfer,
    /// Negotiation settings for some clients, instead of those of `transfer` and their listener. For each key, the
    /// first profile with the client and the key counts. The server has [built-in profiles](listeners.md#profiles) for
    /// clients that are known to need less; they come last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    /// Further facts about clients, for plugins that request them.
    pub facts: Facts,
    /// Help for boot chains. Each key changes the answers to some other clients, so all are off by default.
    pub netboot: WrittenNetboot,
    /// Groups of clients that read one file from one stream, see [multicast](multicast.md). Disabled without this
    /// section; `{}` enables it with the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multicast: Option<WrittenMulticast>,
    /// Bounds on concurrent transfers, requests, uploads and memory.
    pub limits: WrittenLimits,
    /// Export to an OpenTelemetry collector over OTLP. Disabled without this section, unless
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` or its variant for one signal is set. The variables `OTEL_*` override
    /// this section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<TelemetryConfig<SecretText>>,
    /// The user and the restrictions that the server runs with after its start.
    pub privileges: Privileges,
}

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings of the server, as [`tuffet`](https://docs.rs/tuffet) takes them. There is at least one listener, and
    /// no two have the same name, or the same address with a port other than 0.
    pub settings: Settings,
    /// The listeners of HTTP; `None` for none. No listener of the settings has the name of one of them.
    pub http: Option<Http>,
    /// The roots, in the order of search; at least one. The folder of each existed when the configuration was checked,
    /// unless the root is `unopened` or has an origin.
    pub roots: Vec<RootSpec>,
    /// The origins of roots.
    pub origins: Vec<OriginSpec>,
    /// The plugins and their chains.
    pub policy: PolicyConfig,
    /// How OCI registries are reached, sorted by host.
    pub registries: Vec<RegistrySpec>,
    /// The sinks of plugins, sorted by name.
    pub sinks: Vec<SinkSpec>,
    /// The folder for persistent state. It need not exist.
    pub state: PathBuf,
    /// The bucket with the keys of plugins; `None` for a file in `state`.
    pub kv: Option<KvBucket>,
    /// The NATS server for publishing transfers; `None` for none.
    pub events: Option<EventsSpec>,
    /// The control socket; `None` for none.
    pub control: Option<PathBuf>,
    /// The log.
    pub log: LogSpec,
    /// The admin listener; `None` for none.
    pub admin: Option<Admin>,
    /// How long requests are answered after the signal that shuts the server down: 0 to an hour.
    pub drain_delay: Duration,
    /// How long transfers may continue when the server shuts down: 0 to a day.
    pub drain: Duration,
    /// The exports to an OpenTelemetry collector; `None` leaves them to the environment.
    pub telemetry: Option<TelemetryConfig>,
    /// The privileges to drop after the start.
    pub privileges: Privileges,
    /// The files that it was read from: the configuration itself and files of secrets.
    pub files: Vec<PathBuf>,
    /// The URL or key of its source; `None` for a file and for flags alone.
    pub remote: Option<Remote>,
    /// The roots with folders that were missing, or did not answer, when the configuration was checked.
    pub unopened: Vec<UnopenedRoot>,
    /// Warnings about valid but suspicious settings: pairs of a JSON pointer into the configuration and a message.
    pub warnings: Vec<(String, String)>,
    /// The positions of all values.
    pub(crate) source: Source,
}

impl Default for Written {
    fn default() -> Self {
        Self {
            listeners: Vec::new(),
            http: None,
            start: Start::default(),
            roots: Vec::new(),
            policy: PolicyConfig::default(),
            plugins: BTreeMap::new(),
            registries: BTreeMap::new(),
            sinks: BTreeMap::new(),
            state: None,
            kv: None,
            events: None,
            control: None,
            log: WrittenLog::default(),
            admin: None,
            workers: None,
            busy_poll: Duration::from_micros(50),
            drain_delay: Duration::ZERO,
            drain: Duration::from_secs(600),
            transfer: WrittenTransfer::default(),
            profiles: Vec::new(),
            facts: Facts::default(),
            netboot: WrittenNetboot::default(),
            multicast: None,
            limits: WrittenLimits::default(),
            telemetry: None,
            privileges: Privileges::default(),
        }
    }
}

impl Config {
    /// Resolves paths relative to `base`, which is absolute.
    ///
    /// # Errors
    /// All problems.
    pub(crate) fn resolve(written: Written, base: &Path, source: Source) -> Result<Config, ConfigError> {
        let files = source.file().map(std::path::absolute).and_then(Result::ok).into_iter().collect();
        let mut resolver = Resolver {
            base,
            source: &source,
            findings: Vec::new(),
            warnings: Vec::new(),
            resource: Vec::new(),
            files,
            start: written.start,
            unopened: Vec::new(),
        };
        let telemetry = written.telemetry.map(|telemetry| resolver.telemetry(telemetry));
        resolver.resource = resource_attributes(telemetry.as_ref(), &|name| std::env::var(name).ok()).0;
        let (listeners, chains) = resolver.listeners(written.listeners);
        let (http, of_http) = written.http.map(|http| resolver.http(http)).unzip();
        let of_http = of_http.unwrap_or_default();
        let mut names: Vec<String> = listeners.iter().map(|its| its.name.clone()).collect();
        resolver.own_names(&of_http, &names);
        names.extend(of_http.iter().map(|(_, its, _)| its.name.clone()));
        let state = written.state.map_or_else(default_state, |state| resolver.absolute(&state));
        let (roots, origins) = resolver.roots(written.roots, &state);
        for (number, listener) in listeners.iter().enumerate() {
            resolver.roots_of_listener(&format!("/listeners/{number}"), &listener.rules, &roots);
        }
        let mut chains: Vec<(String, ListenerChains)> = chains
            .into_iter()
            .enumerate()
            .map(|(number, its)| (format!("/listeners/{number}"), its))
            .collect();
        let mut other_listeners = Vec::new();
        for (pointer, listener, its) in of_http {
            resolver.roots_of_listener(&pointer, &listener.rules, &roots);
            chains.push((pointer, its));
            other_listeners.push(listener);
        }
        let kv = written.kv.as_ref().map(|kv| resolver.kv(kv));
        let events = written.events.as_ref().map(|events| resolver.events(events));
        let sinks = resolver.sinks(written.sinks, &state);
        let policy = resolver.policy(
            written.policy,
            written.plugins,
            ReferableNames { listeners: &names, roots: &roots, sinks: &sinks },
            &chains,
            written.privileges.stays_root(),
        );
        let registries = resolver.registries(written.registries);
        resolver.someone_is_served(&roots, &policy);
        let control = resolver.unless_none(written.control.as_deref(), default_control);
        let log = resolver.log(written.log, &sinks);
        let admin = written.admin.as_ref().and_then(|admin| resolver.admin(admin));
        let privileges = resolver.privileges(written.privileges);
        // As many as this process has processor cores.
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = written.workers.unwrap_or_else(cores);
        resolver.tid_ranges(&listeners, workers);
        resolver.profiles(&written.profiles, &written.transfer.fixed.retransmit);
        let multicast = written.multicast.map(|its| resolver.multicast(its, &listeners));
        let lease_files = resolver.lease_files(written.facts);
        let Written { start, busy_poll, drain_delay, drain, transfer, profiles, netboot, limits, .. } =
            written;
        resolver.transfer(&transfer);
        resolver.limits(&limits);
        let Resolver { findings, warnings, files, unopened, .. } = resolver;
        if !findings.is_empty() {
            let plugins = source.contains("/plugins");
            let error = source.error(findings);
            return Err(if plugins { error.unchecked("plugins and their settings") } else { error });
        }
        let WrittenTransfer { service: transfer, fixed } = transfer;
        let WrittenLimits { capacity, service: limits } = limits;
        let netboot = netboot.into();
        let service = ServiceSettings {
            transfer,
            profiles,
            netboot,
            lease_files,
            limits,
            // Each listener has its own.
            listeners: Vec::new(),
        };
        let settings = Settings {
            listeners,
            other_listeners,
            start,
            workers,
            busy_poll,
            capacity,
            transfer: fixed,
            multicast,
            names: SettingNames::Keys,
            service,
        };
        Ok(Config {
            settings,
            http,
            roots,
            origins,
            policy,
            registries,
            sinks,
            state,
            kv,
            events,
            control,
            log,
            admin,
            drain_delay,
            drain,
            telemetry,
            privileges,
            files,
            remote: None,
            unopened,
            warnings,
            source,
        })
    }

    /// Returns the limits that a reload may change, with the defaults that follow from others.
    pub fn bounds(&self) -> Bounds {
        self.settings.bounds()
    }

    /// Returns the keys that differ in `next` but cannot change while the server runs: its sockets, its
    /// threads, and the settings that these were created with.
    pub fn needs_restart(&self, next: &Config) -> Vec<&'static str> {
        let (its, new) = (&self.settings, &next.settings);
        let mut fixed = vec![
            ("listeners", listeners::sockets_differ(&its.listeners, &new.listeners)),
            ("http", Http::is_fixed_differently(self.http.as_ref(), next.http.as_ref())),
            ("workers", its.workers != new.workers),
            ("busy-poll", its.busy_poll != new.busy_poll),
            ("control", self.control != next.control),
            ("multicast", its.multicast != new.multicast),
            ("events", self.events != next.events),
            ("telemetry", self.telemetry != next.telemetry),
            ("privileges", self.privileges != next.privileges),
        ];
        fixed.extend(admin::fixed(self.admin.as_ref(), next.admin.as_ref()));
        fixed.extend(self.policy.fixed(&next.policy));
        fixed.extend([
            ("transfer.dont-fragment", its.transfer.dont_fragment != new.transfer.dont_fragment),
            ("transfer.rollover", its.transfer.rollover != new.transfer.rollover),
            ("transfer.retransmit", its.transfer.retransmit != new.transfer.retransmit),
            ("limits.transfers", its.capacity.transfers != new.capacity.transfers),
            ("limits.pending", its.capacity.pending != new.capacity.pending),
            ("limits.events", its.capacity.events != new.capacity.events),
        ]);
        fixed.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}

/// Returns the control socket in this file, or the default one; `None` if the server has none. The rest of the file may be
/// invalid: the server reports that.
///
/// # Errors
/// The file cannot be read that far. Another socket is that of another server.
pub fn control_of(file: Option<&Path>) -> Result<Option<PathBuf>, ConfigError> {
    let Some(file) = file else { return Ok(default_control()) };
    match written_control(file) {
        Some(None) => Ok(default_control()),
        Some(Some(socket)) if socket == "none" => Ok(None),
        Some(Some(socket)) => Ok(Some(file.parent().unwrap_or(Path::new("")).join(socket))),
        None => Config::load(file).map(|config| config.control),
    }
}

/// The key `control` of a file with keys.
fn written_control(file: &Path) -> Option<Option<String>> {
    let text = std::fs::read_to_string(file).ok()?;
    let value: serde_json::Value = serde_yaml::from_str(&text).ok()?;
    match value.as_object()?.get("control") {
        Some(socket) => Some(Some(socket.as_str()?.to_owned())),
        None => Some(None),
    }
}

/// The state folder of systemd (`StateDirectory=`), otherwise the usual one.
fn default_state() -> PathBuf {
    match environment("STATE_DIRECTORY") {
        // systemd.exec(5): several are separated by colons.
        Some(folders) => {
            let first = folders.as_encoded_bytes().split(|byte| *byte == b':').next().unwrap_or_default();
            PathBuf::from(OsStr::from_bytes(first))
        }
        None => PathBuf::from("/var/lib/tuffet"),
    }
}

/// The default path of the control socket.
fn default_control() -> Option<PathBuf> {
    let folder = if let Some(folders) = environment("RUNTIME_DIRECTORY") {
        std::env::split_paths(&folders).next()
    } else if started_by_root() {
        Some("/run/tuffet".into())
    } else {
        environment("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("tuffet"))
    };
    folder.map(|folder| folder.join("control"))
}
