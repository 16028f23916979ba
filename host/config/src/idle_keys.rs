//! Warnings about keys that are valid and have no effect, because another key, or a missing one, keeps them from it.
//!
//! Only written keys are reported, and only what the configuration says for certain: a default without effect is no mistake.

use tuffet_request::Network;
use tuffet_request::settings::{
    Ceilings, Listener, OptionRule, OptionRules, Profile, ServiceSettings, Settings,
};
use tuffet_request::units::{ByteCount, TimeSpan};

use super::component::ComponentSource;
use super::config::Config;
use super::grant::{Grant, GrantKind};
use super::origins::OriginSpec;
use super::plugins::{PluginConfig, PluginMode};
use super::privileges::SeccompMode;
use super::tree::join;

/// Pairs of a JSON pointer and a message.
type Warnings = Vec<(String, String)>;

/// Returns the warnings about a checked configuration.
pub(crate) fn warnings(config: &Config) -> Warnings {
    let idle = Idle { config, found: Vec::new() };
    idle.roots().listeners().profiles().policy().plugins().outputs().multicast().limits().telemetry().found
}

/// Collects the warnings.
struct Idle<'a> {
    config: &'a Config,
    found: Warnings,
}

impl Idle<'_> {
    /// Warns if the key is written and `is_idle`.
    fn key(&mut self, is_idle: bool, pointer: impl Into<String>, message: impl FnOnce() -> String) {
        let pointer = pointer.into();
        if is_idle && self.config.source.contains(&pointer) {
            self.found.push((pointer, message()));
        }
    }

    fn is_granted(&self, is: impl Fn(&Grant) -> bool) -> bool {
        self.config.policy.plugins.iter().any(|plugin| plugin.grants.iter().any(&is))
    }

    fn roots(mut self) -> Self {
        let Config { roots, origins, settings, .. } = self.config;
        for (number, root) in roots.iter().enumerate() {
            let (at, name) = (format!("/roots/{number}"), &root.name);
            let is_read = self.is_granted(|grant| matches!(grant, Grant::Files(its) if its == name));
            let is_served =
                settings.rules().any(|(_, its)| its.roots.as_ref().is_none_or(|its| its.contains(name)));
            self.key(!root.private && !is_read && !is_served, at.clone(), || {
                format!("no listener serves the root `{name}`: add it to `listeners[].roots`, or remove it")
            });
            self.key(root.private && !is_read, join(&at, "private"), || {
                format!(
                    "nobody reads the root `{name}`: clients get nothing from it, and no plugin has the grant \
                     `files/{name}`; add it to the `grants` of the plugin that reads it, or remove the root"
                )
            });
            let quota = &root.write.quota;
            let quota = [quota.bytes, quota.per_folder.bytes].into_iter().flatten().min();
            let quota = quota.unwrap_or(u64::MAX);
            self.key(root.max_upload > quota, join(&at, "max-upload"), || {
                format!(
                    "`max-upload` ({}) has no effect, because the quota ({}) ends such an upload first; lower it, or raise \
                     the quota",
                    ByteCount(root.max_upload),
                    ByteCount(quota)
                )
            });
            let cache =
                origins.iter().find(|origin| origin.root == *name).map(|OriginSpec { cache, .. }| cache);
            if let Some(cache) = cache {
                let is_idle = cache.stale_if_error <= cache.revalidate && !cache.stale_if_error.is_zero();
                self.key(is_idle, format!("{at}/cache/stale-if-error"), || {
                    format!(
                        "`stale-if-error` ({}) has no effect, because the origin is not asked before `revalidate` ({}); \
                         raise it, or write 0s",
                        TimeSpan(cache.stale_if_error),
                        TimeSpan(cache.revalidate)
                    )
                });
            }
        }
        self
    }

    fn listeners(mut self) -> Self {
        let Settings { listeners, service, .. } = &self.config.settings;
        let ServiceSettings { profiles, transfer, .. } = service;
        let all = Ceilings { options: transfer.options, ..Ceilings::default() };
        for (number, listener) in listeners.iter().enumerate() {
            let at = format!("/listeners/{number}");
            let is_idle = listener.free_bind && listener.address.ip().is_unspecified();
            self.key(is_idle, join(&at, "free-bind"), || {
                format!(
                    "`free-bind` has no effect with {}, which every machine has; remove it",
                    listener.address
                )
            });
            let windows = profiles.iter().filter_map(|profile| profile.ceilings.max_windowsize);
            let its = listener.rules.ceilings;
            let window = windows.chain([its.max_windowsize.unwrap_or(transfer.max_windowsize)]).max();
            self.burst(&at, its.burst, window);
            self.refused(&at, its.or(all).options);
        }
        self.refused("/transfer", transfer.options);
        for (key, is_replaced) in [
            ("rate", listeners.iter().all(|its| its.rules.ceilings.rate.is_some())),
            ("max-blksize", listeners.iter().all(|its| its.rules.ceilings.max_blksize.is_some())),
            ("max-windowsize", listeners.iter().all(|its| its.rules.ceilings.max_windowsize.is_some())),
        ] {
            self.key(is_replaced, join("/transfer", key), || {
                format!("`{key}` has no effect, because every listener has its own; remove it, or those of listeners")
            });
        }
        self
    }

    fn burst(&mut self, at: &str, burst: Option<u16>, window: Option<u16>) {
        let (Some(burst), Some(window)) = (burst, window) else { return };
        self.key(burst >= window, join(at, "burst"), || {
            format!(
                "`burst` ({burst}) has no effect, because no window is larger (`max-windowsize` {window}); lower it, or \
                 remove it"
            )
        });
    }

    /// Warns about ceilings of options that are not acknowledged for any client.
    fn refused(&mut self, at: &str, options: OptionRules) {
        let profiles = &self.config.settings.service.profiles;
        let acknowledged = |of: fn(OptionRules) -> Option<OptionRule>| {
            profiles.iter().any(|its| of(its.ceilings.options) == Some(OptionRule::Acknowledge))
        };
        let is_off = |of: fn(OptionRules) -> Option<OptionRule>| {
            of(options) == Some(OptionRule::Refuse) && !acknowledged(of)
        };
        let blocks = is_off(|its| its.blksize) && options.blksize2 != Some(OptionRule::Acknowledge);
        let windows = is_off(|its| its.windowsize) && options.msftwindow != Some(OptionRule::Acknowledge);
        for (key, option, is_idle) in
            [("max-blksize", "blksize", blocks), ("max-windowsize", "windowsize", windows)]
        {
            self.key(is_idle, join(at, key), || {
                format!("`{key}` has no effect, because `options` refuses `{option}`; remove one of the two")
            });
        }
    }

    fn profiles(mut self) -> Self {
        let Settings { listeners, service, .. } = &self.config.settings;
        let ServiceSettings { profiles, transfer, .. } = service;
        for (number, profile) in profiles.iter().enumerate() {
            let at = format!("/profiles/{number}");
            let its = settings_of(profile);
            self.key(its.iter().all(|(_, is_set)| !is_set), at.clone(), || {
                "this profile sets nothing; add a key, such as `rate`, or remove it".into()
            });
            // Options count one by one.
            for (key, _) in its.iter().filter(|(key, is_set)| *is_set && *key != "options") {
                let is_before = |(_, other): &(usize, &Profile)| {
                    covers(other, profile) && settings_of(other).contains(&(*key, true))
                };
                if let Some((before, _)) = profiles.iter().enumerate().take(number).find(is_before) {
                    self.key(true, join(&at, key), || {
                        format!(
                            "`{key}` has no effect, because profile {} sets it for all of these clients, and the first one \
                             counts; put the narrower profile first",
                            before + 1
                        )
                    });
                }
            }
            if let (Some(rate), Some(total)) = (profile.ceilings.rate, profile.total_rate) {
                self.key(rate >= total, join(&at, "rate"), || {
                    format!(
                        "`rate` ({}) has no effect, because all transfers together get `total-rate` ({}); lower it, or \
                         remove it",
                        ByteCount(rate),
                        ByteCount(total)
                    )
                });
            }
            self.burst(&at, profile.ceilings.burst, profile.ceilings.max_windowsize);
            let options = profile.ceilings.options.or(transfer.options);
            self.refused(&at, options);
            let reaches = |network: &Network| listeners.iter().any(|its| has_family(its, network.is_ipv6()));
            let is_reached = profile.clients.iter().any(reaches);
            self.key(!profile.clients.is_empty() && !is_reached, join(&at, "clients"), || {
                "no listener has clients of this family; correct the networks, or add a listener".into()
            });
        }
        self
    }

    fn policy(mut self) -> Self {
        let Config { policy, roots, settings, .. } = self.config;
        for (key, chain) in policy.chains() {
            let has_own = |listener: &str| {
                let own = policy.own_chains(listener);
                own.is_some_and(|own| own.written().any(|(own, _)| own == key))
            };
            let is_replaced = settings.rules().all(|(name, _)| has_own(name));
            self.key(is_replaced && !chain.is_empty(), join("/policy", key), || {
                format!("this chain has no effect, because every listener has its own `policy.{key}`; remove one of them")
            });
        }
        let is_idle = !policy.accept_upload.is_empty() && !roots.iter().any(|root| root.writable);
        self.key(is_idle, "/policy/accept-upload", || {
            "this chain has no effect, because no root takes uploads; set `writable: true` for a root, or remove it".into()
        });
        let is_idle = !policy.plugins.iter().any(|plugin| self.is_in(plugin, &Chain::DECIDING));
        self.key(is_idle, "/policy/time-limit", || {
            "`time-limit` has no effect, because no plugin decides about requests; remove it".into()
        });
        let is_idle = policy.plugins.is_empty() && policy.compiled.is_some();
        self.key(is_idle, "/policy/compiled", || {
            "`compiled` has no effect, because there are no plugins; remove it".into()
        });
        self
    }

    /// Whether the plugin is in one of these chains, for any listener.
    fn is_in(&self, plugin: &PluginConfig, chains: &[Chain]) -> bool {
        let Config { policy, settings, .. } = self.config;
        let named = |listener: &str| {
            let own = policy.own_chains(listener).cloned().unwrap_or_default();
            let all = policy.chains_of(&own);
            chains.iter().any(|chain| all[*chain as usize].contains(&plugin.name))
        };
        settings.rules().any(|(name, _)| named(name))
    }

    fn plugins(mut self) -> Self {
        for plugin in &self.config.policy.plugins {
            let at = join("/plugins", &plugin.name);
            let decides = self.is_in(plugin, &Chain::DECIDING);
            self.key(!decides, join(&at, "on-error"), || {
                "`on-error` has no effect, because the plugin only observes; remove it".into()
            });
            self.key(plugin.mode != PluginMode::Monitor, join(&at, "effects"), || {
                "`effects` has no effect without `mode: monitor`: what the plugin does is stored anyway; remove it".into()
            });
            let is_monitor = decides && plugin.mode == PluginMode::Monitor;
            self.key(is_monitor, join(&at, "on-error"), || {
                "`on-error` has no effect with `mode: monitor`, in which no verdict counts; remove it".into()
            });
            self.key(!self.is_in(plugin, &[Chain::Authorize, Chain::Resolve]), join(&at, "cache"), || {
                "`cache` has no effect, because the plugin is neither in `authorize` nor in `resolve`; remove it".into()
            });
            let has_keys = plugin.grants.iter().any(|grant| grant.kind() == GrantKind::Kv);
            for key in ["kv-keys", "kv-bytes"] {
                self.key(!has_keys, format!("{at}/limits/{key}"), || {
                    format!("`{key}` has no effect without the grant `kv`; add it to `grants`, or remove the limit")
                });
            }
            let resolves = self.is_in(plugin, &[Chain::Resolve]);
            for key in ["content", "renderings", "parts"] {
                self.key(!resolves, format!("{at}/limits/{key}"), || {
                    format!("`{key}` has no effect, because the plugin is not in `resolve` and makes no content; remove it")
                });
            }
        }
        self
    }

    /// Registries, sinks, and the bucket of keys.
    fn outputs(mut self) -> Self {
        let Config { registries, sinks, policy, .. } = self.config;
        for registry in registries {
            let host = &registry.host;
            let is_pulled = |plugin: &PluginConfig| matches!(&plugin.component, ComponentSource::Registry(its) if its.registry == *host);
            self.key(!policy.plugins.iter().any(is_pulled), join("/registries", host), || {
                format!("no plugin comes from `{host}` (`component: oci://{host}/…`); remove it")
            });
        }
        for sink in sinks.iter().filter(|sink| sink.spool.is_some()) {
            self.key(true, format!("{}/queue", join("/sinks", &sink.name)), || {
                "`queue` has no effect beside `spool`, where lines wait on disk; remove it".into()
            });
        }
        let has_keys = self.is_granted(|grant| grant.kind() == GrantKind::Kv);
        self.key(!has_keys, "/kv", || {
            "no plugin stores keys; add the grant `kv` to the `grants` of a plugin, or remove it".into()
        });
        self
    }

    fn multicast(mut self) -> Self {
        let Settings { multicast, listeners, service, .. } = &self.config.settings;
        let transfer = &service.transfer;
        let Some(multicast) = multicast else { return self };
        let enabled =
            || listeners.iter().zip(&multicast.listeners).filter(|(_, is_on)| **is_on).map(|(its, _)| its);
        let has_rate = |listener: &Listener| listener.rules.ceilings.rate.or(transfer.rate).is_some();
        self.key(enabled().all(has_rate), "/multicast", || {
            "there are no groups, because clients with a rate join none, and every client has one (`rate`); remove the rate, \
             or `multicast`"
                .into()
        });
        for (key, is_ipv6) in [("addresses", false), ("ipv6-addresses", true)] {
            let has_clients = enabled().any(|listener| has_family(listener, is_ipv6));
            self.key(!has_clients, join("/multicast", key), || {
                format!("`{key}` has no effect, because no listener with groups has clients of this family; remove it")
            });
        }
        self
    }

    fn limits(mut self) -> Self {
        let Config { settings, policy, roots, privileges, .. } = self.config;
        let Settings { listeners, service: ServiceSettings { limits, .. }, .. } = settings;
        if let (Some(all), Some(client)) = (limits.per_second, limits.per_client.per_second) {
            self.key(client >= all, "/limits/per-client/per-second", || {
                format!(
                    "`per-second` of a client ({client}) has no effect, because all clients together get {all} \
                     (`limits.per-second`); lower it, or raise that"
                )
            });
        }
        self.key(limits.cache == 0, "/limits/cache-max-age", || {
            "`cache-max-age` has no effect with `cache: 0B`; remove one of the two".into()
        });
        let is_idle = !policy.plugins.iter().any(|plugin| self.is_in(plugin, &[Chain::Observe]));
        self.key(is_idle, "/limits/events", || {
            "`events` has no effect, because no plugin is in `policy.observe`; remove it".into()
        });
        self.key(!roots.iter().any(|root| root.writable), "/limits/uploads-per-name", || {
            "`uploads-per-name` has no effect, because no root takes uploads; remove it".into()
        });
        let has_ipv6 = listeners.iter().any(|listener| has_family(listener, true));
        self.key(!has_ipv6, "/limits/per-client/ipv6-prefix", || {
            "`ipv6-prefix` has no effect, because no listener has clients with IPv6; remove it".into()
        });
        for key in ["readable", "writable"] {
            self.key(!privileges.landlock, join("/privileges", key), || {
                format!("`{key}` has no effect with `landlock: false`, which lets reloads name any file; remove one of the two")
            });
        }
        let is_idle = privileges.require && privileges.seccomp == SeccompMode::Off && !privileges.landlock;
        self.key(is_idle, "/privileges/require", || {
            "`require` has no effect with `seccomp: off` and `landlock: false`; remove it".into()
        });
        self
    }

    fn telemetry(mut self) -> Self {
        let Some(telemetry) = &self.config.telemetry else { return self };
        let (traces, metrics) = (telemetry.traces, telemetry.metrics);
        self.key(!traces.enabled && !metrics.enabled && !telemetry.logs, "/telemetry", || {
            "nothing is exported, because `traces`, `metrics` and `logs` are off; turn one on, or remove it"
                .into()
        });
        for key in ["sample", "per-second"] {
            self.key(!traces.enabled, format!("/telemetry/traces/{key}"), || {
                format!("`{key}` has no effect with `enabled: false`; remove one of the two")
            });
        }
        self.key(traces.enabled && traces.sample <= 0.0, "/telemetry/traces/per-second", || {
            "`per-second` has no effect with `sample: 0`; remove it, or raise `sample`".into()
        });
        self.key(!metrics.enabled, "/telemetry/metrics/interval", || {
            "`interval` has no effect with `enabled: false`; remove one of the two".into()
        });
        self
    }
}

/// The chains, in the order of [`super::policy::PolicyConfig::chains_of`].
#[derive(Debug, Clone, Copy)]
enum Chain {
    Authorize,
    Resolve,
    AcceptUpload,
    Observe,
}

impl Chain {
    const DECIDING: [Chain; 3] = [Chain::Authorize, Chain::Resolve, Chain::AcceptUpload];
}

/// Whether clients of this family can reach the listener.
fn has_family(listener: &Listener, is_ipv6: bool) -> bool {
    listener.address.is_ipv6() == is_ipv6 || (listener.ipv4_too && !is_ipv6)
}

/// The keys of a profile, and whether they are set.
fn settings_of(profile: &Profile) -> [(&'static str, bool); 7] {
    let its = &profile.ceilings;
    [
        ("max-blksize", its.max_blksize.is_some()),
        ("max-windowsize", its.max_windowsize.is_some()),
        ("burst", its.burst.is_some()),
        ("rate", its.rate.is_some()),
        ("total-rate", profile.total_rate.is_some()),
        ("retransmit", profile.retransmit.is_some()),
        ("options", its.options != OptionRules::default()),
    ]
}

/// Whether all clients of `profile` are clients of `other`.
fn covers(other: &Profile, profile: &Profile) -> bool {
    let within = |network: &Network| other.clients.iter().any(|its| its.covers(network));
    let clients =
        other.clients.is_empty() || !profile.clients.is_empty() && profile.clients.iter().all(within);
    let named = |class| other.classes.contains(class);
    let classes =
        other.classes.is_empty() || !profile.classes.is_empty() && profile.classes.iter().all(named);
    clients && classes
}
