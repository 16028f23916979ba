//! Warnings about policies that parse, and serve everybody or nobody, or have rules without effect.
//!
//! Only what the settings say for certain is reported: a plugin other than `builtin:acl` may allow or deny anything.

use serde_json::Value;
use tuffet_request::Network;
use tuffet_request::settings::DefaultVerdict;

use super::chains::ListenerChains;
use super::component::ComponentSource;
use super::plugins::{PluginConfig, PluginMode};
use super::policy::PolicyConfig;
use super::resolver::Resolver;
use super::tree::join;

/// What a plugin of the chain `authorize` can do to a request, as far as its settings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Verdicts {
    allows: bool,
    denies: bool,
    /// Sets limits of what it allows, which count whatever the default is.
    limits: bool,
}

impl Verdicts {
    const ANY: Verdicts = Verdicts { allows: true, denies: true, limits: true };

    fn of(plugin: &PluginConfig) -> Verdicts {
        if plugin.mode == PluginMode::Monitor {
            return Verdicts { allows: false, denies: false, limits: false };
        }
        match &plugin.component {
            ComponentSource::Builtin(name) if name == "acl" => Verdicts::of_acl(&plugin.settings),
            _ => Verdicts::ANY,
        }
    }

    fn of_acl(settings: &Value) -> Verdicts {
        let rules = |key: &str| settings[key].as_array().map_or(&[][..], Vec::as_slice);
        let limit = ["max-blksize", "max-windowsize", "max-bytes"];
        Verdicts {
            allows: !rules("allow").is_empty(),
            denies: !rules("deny").is_empty() || settings["otherwise"] == "deny",
            limits: rules("allow").iter().any(|rule| limit.iter().any(|key| !rule[key].is_null())),
        }
    }
}

/// The conditions of a rule that are lists.
const LISTS: [&str; 8] =
    ["clients", "macs", "classes", "operations", "names", "listeners", "protocols", "certificates"];
/// Those that exclude clients.
const EXCEPTIONS: [&str; 3] = ["except-clients", "except-macs", "except-certificates"];

/// Returns whether every request that `rule` matches is matched by `other`, too. Globs count as equal only if they are.
fn covers(other: &Value, rule: &Value) -> bool {
    let within = |its: &Value, of: &Value| match (its.as_str(), of.as_str()) {
        (Some(its), Some(of)) => its == of || is_subnet(its, of),
        _ => false,
    };
    let each_within = |its: &Value, of: &Value| {
        let (Some(its), Some(of)) = (its.as_array(), of.as_array()) else { return false };
        its.iter().all(|its| of.iter().any(|of| within(its, of)))
    };
    let narrower = LISTS.iter().all(|key| other[key].is_null() || each_within(&rule[key], &other[key]));
    let excepts_less = |key: &&str| {
        let excepted = &other[*key];
        excepted.as_array().is_none_or(Vec::is_empty) || each_within(excepted, &rule[*key])
    };
    narrower && EXCEPTIONS.iter().all(excepts_less)
}

/// Returns whether these are subnets, and the first one is within the second one.
fn is_subnet(its: &str, of: &str) -> bool {
    let parse = |text: &str| text.parse::<Network>().ok();
    let (Some(its), Some(of)) = (parse(its), parse(of)) else { return false };
    of.covers(&its)
}

impl Resolver<'_> {
    /// Warns about rules of `acl` that never count, because other ones match all their requests.
    pub(crate) fn warn_of_shadowed_rules(&mut self, plugins: &[PluginConfig]) {
        let is_acl = |plugin: &&PluginConfig| plugin.component == ComponentSource::Builtin("acl".into());
        for plugin in plugins.iter().filter(is_acl) {
            let rules = |key: &str| plugin.settings[key].as_array().map_or(&[][..], Vec::as_slice);
            let settings = format!("{}/settings", join("/plugins", &plugin.name));
            let mut warn = |list: &str, number: usize, by: &str, other: usize| {
                let verb = if by == "deny" { "denies" } else { "allows" };
                let message = format!(
                    "this rule has no effect: the rule {} of `{by}` {verb} every request that it matches; remove one of \
                     them, or narrow that rule",
                    other + 1
                );
                self.warnings.push((format!("{settings}/{list}/{number}"), message));
            };
            let (deny, allow) = (rules("deny"), rules("allow"));
            let first = |rules: &[Value], rule| rules.iter().position(|other| covers(other, rule));
            for (number, rule) in deny.iter().enumerate() {
                if let Some(other) = first(&deny[..number], rule) {
                    warn("deny", number, "deny", other);
                }
            }
            for (number, rule) in allow.iter().enumerate() {
                if let Some(other) = first(deny, rule) {
                    warn("allow", number, "deny", other);
                } else if let Some(other) = first(&allow[..number], rule) {
                    warn("allow", number, "allow", other);
                }
            }
        }
    }

    /// Warns about rules that let everybody in although they name who may, and about chains that let nobody in.
    pub(crate) fn warn_of_verdicts(
        &mut self,
        policy: &PolicyConfig,
        plugins: &[PluginConfig],
        of_listeners: &[(String, ListenerChains)],
    ) {
        let find = |name: &String| plugins.iter().find(|plugin| plugin.name == *name);
        if policy.default == DefaultVerdict::Allow {
            let own = of_listeners.iter().filter_map(|(_, own)| own.authorize.as_ref());
            let mut named: Vec<&PluginConfig> =
                own.chain([&policy.authorize]).flatten().filter_map(find).collect();
            named.sort_unstable_by_key(|plugin| &plugin.name);
            named.dedup_by_key(|plugin| &plugin.name);
            for plugin in named {
                let its = Verdicts::of(plugin);
                if its == (Verdicts { allows: true, denies: false, limits: false }) {
                    let at = join(&format!("{}/settings", join("/plugins", &plugin.name)), "allow");
                    let message = "these rules have no effect: what they do not allow is allowed by `policy.default: \
                                   allow`, so everybody is served; write `otherwise: deny` beside `allow`, or \
                                   `policy: { default: deny }`";
                    self.warnings.push((at, message.into()));
                }
            }
            return;
        }
        let nobody =
            |chain: &[String]| !chain.iter().filter_map(find).any(|plugin| Verdicts::of(plugin).allows);
        let remedy = |chain: &[String]| match chain {
            [] => "add a plugin that allows to `authorize`, such as `acl` with a list `allow`".to_owned(),
            [.., last] => format!("add a list `allow` to the settings of `{last}`"),
        };
        for (listener, own) in of_listeners {
            let Some(own) = &own.authorize else { continue };
            if nobody(own) {
                let at = format!("{listener}/policy/authorize");
                let message = format!(
                    "nothing in this chain allows a request, and `policy.default: deny` denies the rest, so nobody is \
                     served here; {}, or write `default: allow`",
                    remedy(own)
                );
                self.warnings.push((at, message));
            }
        }
        let is_used = of_listeners.iter().any(|(_, own)| own.authorize.is_none());
        if is_used && nobody(&policy.authorize) {
            let message = format!(
                "nothing allows a request, so nobody is served; {}, or write `default: allow`",
                remedy(&policy.authorize)
            );
            self.warnings.push(("/policy/default".into(), message));
        }
    }
}
