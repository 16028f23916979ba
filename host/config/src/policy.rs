//! The section `policy`: the chains.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::DefaultVerdict;
use tuffet_request::units::{TimeSpan, plain};

use super::address::path_schema;
use super::chains::ListenerChains;
use super::plugins::{PluginConfig, ReferableNames};
use super::resolver::{Resolver, environment, started_by_root};
use super::suggest::{closest, unknown};
use super::tree::join;

/// The chains: which plugins decide, and in which order.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// The decision if every plugin of `authorize` abstains.
    pub default: DefaultVerdict,
    /// The plugins that allow or deny requests, in order. The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub authorize: Vec<String>,
    /// The plugins that decide which file a client gets, in order. The first answer ends the chain; without
    /// one, the server searches the roots for the requested path.
    #[schemars(extend("uniqueItems" = true))]
    pub resolve: Vec<String>,
    /// The plugins that decide whether an upload becomes visible, in order, once it is complete and on disk.
    /// The first denial ends the chain.
    #[schemars(extend("uniqueItems" = true))]
    pub accept_upload: Vec<String>,
    /// The plugins that receive events of transfers.
    #[schemars(extend("uniqueItems" = true))]
    pub observe: Vec<String>,
    /// The time limit of all chains together for one request, waiting included; `accept-upload` has the same limit
    /// again. If it passes in a queue, the request gets no answer, so that its client asks again. Keep it below the
    /// time-out of your clients, which is often one second.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1m"))]
    pub time_limit: Duration,
    /// The cache folder for compiled plugins, so that a start compiles only new ones; `none` disables the cache. It
    /// must belong to the server's user, and no other user may be able to write to it. Default: `$CACHE_DIRECTORY`,
    /// which systemd sets; else, if root starts the server, `/var/cache/tuffet`, and `/var/cache/tuffet-root` if it
    /// stays root; else `$XDG_CACHE_HOME/tuffet` or `~/.cache/tuffet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub compiled: Option<PathBuf>,
    /// Every plugin, each once and each in a chain, sorted by name: the section `plugins`.
    #[serde(skip)]
    pub plugins: Vec<PluginConfig>,
    /// The listeners with their own chains, by name.
    #[serde(skip)]
    pub listeners: Vec<(String, ListenerChains)>,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            default: DefaultVerdict::Allow,
            authorize: Vec::new(),
            resolve: Vec::new(),
            accept_upload: Vec::new(),
            observe: Vec::new(),
            time_limit: Duration::from_millis(500),
            compiled: None,
            plugins: Vec::new(),
            listeners: Vec::new(),
        }
    }
}

/// The folder of the code cache. `stays_root`: whether root that starts a server stays root; the cache of one user is
/// useless to another.
pub fn default_compiled(stays_root: bool) -> Option<PathBuf> {
    let folder = |name| environment(name).map(PathBuf::from);
    // If there are several, systemd lists the preferred one first.
    if let Some(given) = std::env::var_os("CACHE_DIRECTORY") {
        return std::env::split_paths(&given).next();
    }
    if started_by_root() {
        return Some(if stays_root { "/var/cache/tuffet-root" } else { "/var/cache/tuffet" }.into());
    }
    let user = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    user.map(|user| user.join("tuffet")).filter(|folder| folder.is_absolute())
}

impl PolicyConfig {
    /// The chains, by their keys.
    pub(crate) fn chains(&self) -> [(&'static str, &Vec<String>); 4] {
        [
            ("authorize", &self.authorize),
            ("resolve", &self.resolve),
            ("accept-upload", &self.accept_upload),
            ("observe", &self.observe),
        ]
    }

    /// Returns whether the plugin is in `observe`, of all listeners or of one.
    pub fn observes(&self, plugin: &str) -> bool {
        let of_listeners = self.listeners.iter().filter_map(|(_, own)| own.observe.as_ref());
        of_listeners.chain([&self.observe]).flatten().any(|name| name == plugin)
    }

    /// Returns the own chains of a listener.
    pub fn own_chains(&self, listener: &str) -> Option<&ListenerChains> {
        self.listeners.iter().find(|(name, _)| name == listener).map(|(_, own)| own)
    }

    /// Returns the chains of a listener, in the order of their hooks: its own, and these where it has none.
    pub fn chains_of(&self, own: &ListenerChains) -> [Vec<String>; 4] {
        let chain = |own: &Option<Vec<String>>, of_all: &Vec<String>| own.as_ref().unwrap_or(of_all).clone();
        [
            chain(&own.authorize, &self.authorize),
            chain(&own.resolve, &self.resolve),
            chain(&own.accept_upload, &self.accept_upload),
            chain(&own.observe, &self.observe),
        ]
    }

    /// The keys that cannot change while the server runs, and whether they differ.
    pub(crate) fn fixed(&self, next: &Self) -> Vec<(&'static str, bool)> {
        vec![("policy.compiled", self.compiled != next.compiled)]
    }
}

impl Resolver<'_> {
    pub(crate) fn policy(
        &mut self,
        policy: PolicyConfig,
        plugins: BTreeMap<String, PluginConfig>,
        named: ReferableNames<'_>,
        of_listeners: &[(String, ListenerChains)],
        stays_root: bool,
    ) -> PolicyConfig {
        let of_all = policy.chains().map(|(chain, names)| (format!("/policy/{chain}"), chain, names));
        let mut chains: Vec<(String, &str, &Vec<String>)> = of_all.into();
        for (listener, own) in of_listeners {
            chains.extend(
                own.written().map(|(chain, names)| (format!("{listener}/policy/{chain}"), chain, names)),
            );
        }
        for (place, _, names) in &chains {
            for (index, name) in names.iter().enumerate().filter(|(_, name)| !plugins.contains_key(*name)) {
                let known = || plugins.keys().map(String::as_str);
                let message = match closest(name, known()) {
                    Some(like) => unknown("plugin", name, Some(like), known()),
                    None => format!(
                        "unknown plugin `{name}`; add it below `plugins`, such as `{name}: {{ component: builtin:{name} }}`"
                    ),
                };
                self.wrong(format!("{place}/{index}"), message);
            }
        }
        let in_chain = |name: &String| chains.iter().any(|(_, _, names)| names.contains(name));
        let decides = |name: &String| {
            chains.iter().any(|(_, chain, names)| *chain != "observe" && names.contains(name))
        };
        for (name, plugin) in plugins.iter().filter(|(name, _)| decides(name)) {
            let pointer = format!("{}/limits/wall", join("/plugins", name));
            if plugin.limits.wall > policy.time_limit && self.is_written(&pointer) {
                let [wall, all] = [plugin.limits.wall, policy.time_limit].map(TimeSpan);
                let message = format!(
                    "`wall` ({wall}) is above `policy.time-limit` ({all}), which ends the call first; lower one or \
                     raise the other"
                );
                self.warnings.push((pointer, message));
            }
        }
        for name in plugins.keys().filter(|name| !in_chain(name)) {
            let message = format!(
                "the plugin `{name}` is in no chain, so it would never run; add it to `policy.authorize` or \
                 to another list of `policy`, or remove it"
            );
            self.wrong_key(join("/plugins", name), message);
        }
        let compiled = self.unless_none(policy.compiled.as_deref(), || default_compiled(stays_root));
        let plugins: Vec<PluginConfig> =
            plugins.into_iter().map(|(name, plugin)| self.plugin(name, plugin, named)).collect();
        self.warn_of_verdicts(&policy, &plugins, of_listeners);
        self.warn_of_shadowed_rules(&plugins);
        let own = named
            .listeners
            .iter()
            .zip(of_listeners)
            .filter(|(_, (_, own))| *own != ListenerChains::default());
        let listeners = own.map(|(listener, (_, own))| (listener.clone(), own.clone())).collect();
        PolicyConfig { compiled, plugins, listeners, ..policy }
    }
}
