//! Case files: requests, the answers of the host, and the expected verdicts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::component;
use crate::input::{
    InputProblem, KeyValue, SharedKeys, WrittenEvent, WrittenHost, WrittenRequest, hook_input,
};
use crate::lab::Plan;
use tuffet_config::{
    ComponentSource, Config, ConfigError, Document, Grant, PluginConfig, PluginLimits, PluginSecrets,
    ReuseConfig, SettingNames, UnopenedRoot, VerifyConfig,
};
use tuffet_registry::Registries;
use tuffet_request::RootSpec;
use tuffet_request::units::{TimeSpan, plain};
use tuffet_wasm::{AnswerSource, Hook, HookInput, OBSERVE_ANSWER};

/// A case file as written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenFile {
    /// `builtin:NAME`, or a path relative to the file.
    component: Option<String>,
    /// The configuration of a server, relative to the file: settings, grants, limits and roots are those of the plugin there,
    /// and so is the component, unless it is named here.
    config: Option<PathBuf>,
    /// The plugin of that configuration, by its name. Without it, the one with `component`, or the only one.
    plugin: Option<String>,
    #[serde(default)]
    settings: Map<String, Value>,
    #[serde(default)]
    grants: Vec<Grant>,
    /// The roots that an answer may name. Without it, they are those of `grants` and of files of `host`.
    #[serde(default)]
    roots: Vec<String>,
    #[serde(default)]
    host: WrittenHost,
    cases: Vec<WrittenCase>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenCase {
    name: String,
    hook: Option<Hook>,
    request: Option<WrittenRequest>,
    events: Option<Vec<WrittenEvent>>,
    /// Replaces the settings of the file.
    settings: Option<Map<String, Value>>,
    /// Changes the settings of the file: each key replaces the one there, a map changes the map there key by key, and null
    /// removes it.
    #[serde(rename = "settings+")]
    changed_settings: Option<Map<String, Value>>,
    /// Added to the host of the file.
    #[serde(default)]
    host: WrittenHost,
    /// Required except for `observe`, which answers nothing.
    expect: Option<Value>,
    /// Payloads by sink; if given, all payloads sent.
    emits: Option<BTreeMap<String, Vec<Value>>>,
    /// Keys that it sets, or deletes (null); if given, all of them.
    keys: Option<BTreeMap<String, Option<KeyValue>>>,
    /// The same in namespaces that plugins share.
    shared_keys: Option<SharedKeys>,
    /// Its own counters and gauges, such as `downloads{site="a"}`; if given, all of them.
    metrics: Option<BTreeMap<String, f64>>,
    /// Parts of its log lines, in this order; if empty, it logs none.
    log: Option<Vec<String>>,
    /// Calls one after the other, in place of the one of the case: each with its own input and expectations. The keys
    /// that one sets are there for the next.
    #[serde(default)]
    steps: Vec<WrittenStep>,
}

/// A call of a case, as in the case itself.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenStep {
    /// How much later than the step before the call is, such as `10m`: the clock moves on, and keys end.
    #[serde(default, with = "plain")]
    #[schemars(with = "Option<TimeSpan>")]
    after: Option<Duration>,
    hook: Option<Hook>,
    request: Option<WrittenRequest>,
    events: Option<Vec<WrittenEvent>>,
    /// Added to the host of the case.
    #[serde(default)]
    host: WrittenHost,
    expect: Option<Value>,
    emits: Option<BTreeMap<String, Vec<Value>>>,
    keys: Option<BTreeMap<String, Option<KeyValue>>>,
    shared_keys: Option<SharedKeys>,
    metrics: Option<BTreeMap<String, f64>>,
    log: Option<Vec<String>>,
}

impl WrittenCase {
    /// Returns its calls, each with its pointer below the case.
    ///
    /// # Errors
    /// A key of the case belongs into a step.
    fn calls(&self) -> Result<Vec<(String, WrittenStep)>, InputProblem> {
        let own = WrittenStep {
            after: None,
            hook: self.hook,
            request: self.request.clone(),
            events: self.events.clone(),
            host: WrittenHost::default(),
            expect: self.expect.clone(),
            emits: self.emits.clone(),
            keys: self.keys.clone(),
            shared_keys: self.shared_keys.clone(),
            metrics: self.metrics.clone(),
            log: self.log.clone(),
        };
        if self.steps.is_empty() {
            return Ok(vec![(String::new(), own)]);
        }
        let misplaced = [
            ("request", self.request.is_some()),
            ("events", self.events.is_some()),
            ("expect", self.expect.is_some()),
            ("emits", self.emits.is_some()),
            ("keys", self.keys.is_some()),
            ("shared-keys", self.shared_keys.is_some()),
            ("metrics", self.metrics.is_some()),
            ("log", self.log.is_some()),
        ];
        if let Some((key, _)) = misplaced.iter().find(|(_, there)| *there) {
            let message = format!("a case with `steps` has `{key}` in each of them; move it there");
            return Err((format!("/{key}"), message));
        }
        let steps = self.steps.iter().enumerate();
        Ok(steps
            .map(|(index, step)| {
                let step = WrittenStep { hook: step.hook.or(self.hook), ..step.clone() };
                (format!("/steps/{index}"), step)
            })
            .collect())
    }
}

/// A resolved call of a case.
pub(crate) struct Case {
    /// The number of the case in its file.
    pub index: usize,
    /// Whether the keys that the previous call set are present.
    pub continues: bool,
    pub name: String,
    pub hook: Option<Hook>,
    pub plan: Plan,
    pub input: HookInput,
    /// As written in the case itself, without its steps.
    pub host: WrittenHost,
    pub expect: Value,
    pub emits: Option<BTreeMap<String, Vec<Value>>>,
    pub keys: Option<BTreeMap<String, Option<KeyValue>>>,
    pub shared_keys: Option<SharedKeys>,
    pub metrics: Option<BTreeMap<String, f64>>,
    pub log: Option<Vec<String>>,
}

/// The context of all cases, from the command line.
#[derive(Debug, Clone)]
pub(crate) struct CaseContext<'a> {
    /// Replaces the component that a file names.
    pub component: Option<&'a str>,
    pub limits: PluginLimits,
    /// Whether the real world answers the calls that a case does not, so that the answers are recorded.
    pub recorded: bool,
    /// The roots of the real world.
    pub roots: &'a [RootSpec],
    /// Those of them that did not answer.
    pub unopened: &'a [UnopenedRoot],
}

/// The reason why a case file cannot be run.
pub(crate) enum CaseFileError {
    /// It names no component, and none is given.
    NoComponent(ConfigError),
    /// All other problems, each with its place.
    Invalid(ConfigError),
}

impl From<ConfigError> for CaseFileError {
    fn from(error: ConfigError) -> CaseFileError {
        CaseFileError::Invalid(error)
    }
}

/// Reads a case file.
///
/// # Errors
/// See [`CaseFileError`].
pub(crate) fn read(path: &Path, context: &CaseContext<'_>) -> Result<Vec<Case>, CaseFileError> {
    let document = Document::read(path, "the key `cases`")?;
    let file: WrittenFile = document.parse()?;
    let plugin = CasePlugin::find(&document, &file, path, context)?;
    let its_host = file.host.given(AnswerSource::Nothing);
    let mut wrong: Vec<InputProblem> =
        its_host.err().map(|(pointer, message)| (format!("/host{pointer}"), message)).into_iter().collect();
    let mut cases = Vec::new();
    for (index, written) in file.cases.iter().enumerate() {
        let calls = match written.calls() {
            Ok(calls) => calls,
            Err((pointer, message)) => {
                wrong.push((format!("/cases/{index}{pointer}"), message));
                continue;
            }
        };
        let settings = match (&written.settings, &written.changed_settings) {
            (Some(_), Some(_)) => {
                let message = "`settings` replaces all settings of the file, so nothing is left to change; remove one of them";
                wrong.push((format!("/cases/{index}/settings+"), message.into()));
                continue;
            }
            (Some(all), None) => all.clone(),
            (None, None) => plugin.settings.clone(),
            (None, Some(changes)) => changed(&plugin.settings, changes),
        };
        // They are settings of the file, too.
        let secrets = match written.settings {
            Some(_) => PluginSecrets::default(),
            None => plugin.secrets.clone(),
        };
        let mut host = written.host.clone();
        let all = file.host.with(&host);
        let beyond = if context.recorded { AnswerSource::Recorded } else { AnswerSource::Nothing };
        // The recording fixes the time of the case.
        if context.recorded && all.clock.is_none() && plugin.grants.contains(&Grant::Clock) {
            host.clock = Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string());
        }
        // Each by itself first, so that a problem has its own place.
        if let Err((pointer, message)) = host.given(beyond) {
            wrong.push((format!("/cases/{index}/host{pointer}"), message));
            continue;
        }
        let several = calls.len() > 1;
        let mut clock = None;
        for (number, (within, call)) in calls.into_iter().enumerate() {
            let at = |section: &str| {
                let place = format!("/cases/{index}{within}{section}");
                move |(pointer, message): InputProblem| (place + &pointer, message)
            };
            if call.after.is_some() && call.host.clock.is_some() {
                let message = "`after` moves the clock on, and `host` sets it; remove one of them";
                wrong.push(at("/after")((String::new(), message.into())));
                continue;
            }
            let given = call.host.given(beyond).map_err(at("/host"));
            let given = given.map(|own| {
                let mut all = file.host.with(&host).with(&call.host).given(beyond).unwrap_or(own);
                // Time goes on from step to step.
                let before = clock.filter(|_| call.host.clock.is_none()).unwrap_or(all.clock);
                all.clock = before + call.after.unwrap_or_default();
                clock = Some(all.clock);
                all
            });
            let now = clock.unwrap_or_default();
            let input =
                hook_input(call.hook, call.request.as_ref(), call.events.as_deref(), now).map_err(at(""));
            let expect = match (&call.expect, &call.events) {
                (Some(expect), _) => Ok(expect.clone()),
                (None, Some(_)) => Ok(OBSERVE_ANSWER.into()),
                (None, None) => {
                    let message = "nothing is expected; add `expect`, such as `expect: abstain`";
                    Err(at("")((String::new(), message.to_owned())))
                }
            };
            match (input, expect, given) {
                (Ok((hook, input)), Ok(expect), Ok(given)) => cases.push(Case {
                    index,
                    continues: number > 0,
                    name: if several {
                        format!("{}, step {}", written.name, number + 1)
                    } else {
                        written.name.clone()
                    },
                    hook,
                    plan: Plan {
                        name: plugin.name.clone(),
                        component: plugin.component.clone(),
                        names: plugin.names.clone(),
                        registries: plugin.registries.clone(),
                        verify: plugin.verify.clone(),
                        settings: settings.clone().into(),
                        secrets: secrets.clone(),
                        grants: plugin.grants.clone(),
                        roots: context.roots.to_vec(),
                        unopened: context.unopened.to_vec(),
                        named_roots: plugin.roots.clone(),
                        given,
                        limits: plugin.limits,
                        reuse: Some(ReuseConfig::NEVER),
                        state: None,
                    },
                    input,
                    host: host.clone(),
                    expect,
                    emits: call.emits,
                    keys: call.keys,
                    shared_keys: call.shared_keys,
                    metrics: call.metrics,
                    log: call.log,
                }),
                (input, expect, given) => {
                    wrong.extend([input.err(), expect.err(), given.err()].into_iter().flatten());
                }
            }
        }
    }
    if wrong.is_empty() { Ok(cases) } else { Err(document.error(wrong).into()) }
}

/// Returns the settings with changes, as a merge patch makes them (RFC 7396).
fn changed(settings: &Map<String, Value>, changes: &Map<String, Value>) -> Map<String, Value> {
    let mut all = settings.clone();
    for (key, change) in changes {
        match (all.get(key), change) {
            (_, Value::Null) => drop(all.remove(key)),
            (Some(Value::Object(before)), Value::Object(change)) => {
                let merged = changed(before, change);
                all.insert(key.clone(), merged.into());
            }
            _ => drop(all.insert(key.clone(), change.clone())),
        }
    }
    all
}

/// The plugin of a case file, with what the cases have in common.
struct CasePlugin {
    name: String,
    component: ComponentSource,
    names: SettingNames,
    registries: Registries,
    verify: Option<VerifyConfig>,
    settings: Map<String, Value>,
    secrets: PluginSecrets,
    grants: Vec<Grant>,
    limits: PluginLimits,
    /// The roots that an answer may name; empty if the file names none.
    roots: Vec<String>,
}

impl CasePlugin {
    fn find(
        document: &Document,
        file: &WrittenFile,
        path: &Path,
        context: &CaseContext<'_>,
    ) -> Result<CasePlugin, CaseFileError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let its = file.component.as_ref().map(|its| component::source(its, folder));
        let component = context.component.map(|given| component::source(given, Path::new("")));
        let component = component.or_else(|| its.clone());
        let wrong = |key: &str, message: &str| document.error([(format!("/{key}"), message.to_owned())]);
        let Some(config) = &file.config else {
            if file.plugin.is_some() {
                let message = "`plugin` names one of a configuration; add `config: FILE`, or remove it";
                return Err(wrong("plugin", message).into());
            }
            let Some(component) = component else {
                let message = "no component is named; write `component: ./NAME.wasm`, or give --component";
                return Err(CaseFileError::NoComponent(document.error([(String::new(), message.into())])));
            };
            return Ok(CasePlugin {
                name: component::name_of(&component),
                component,
                names: SettingNames::default(),
                registries: Registries::default(),
                verify: None,
                settings: file.settings.clone(),
                secrets: PluginSecrets::default(),
                grants: file.grants.clone(),
                limits: context.limits,
                roots: file.roots.clone(),
            });
        };
        let twice = [
            ("settings", !file.settings.is_empty()),
            ("grants", !file.grants.is_empty()),
            ("roots", !file.roots.is_empty()),
        ];
        if let Some((key, _)) = twice.iter().find(|(_, there)| *there) {
            let message = format!("`config` has the {key} already; remove `{key}`, or `config`");
            return Err(wrong(key, &message).into());
        }
        let config = Config::load(&folder.join(config))?;
        let plugin = configured(&config, file.plugin.as_deref(), its.as_ref())
            .map_err(|(key, message)| wrong(key, &message))?;
        Ok(CasePlugin {
            name: plugin.name.clone(),
            component: component.unwrap_or_else(|| plugin.component.clone()),
            names: SettingNames::of(&config),
            registries: Registries::of(&config, false),
            verify: plugin.verify.clone(),
            settings: plugin.settings.as_object().cloned().unwrap_or_default(),
            secrets: plugin.secrets.clone(),
            grants: plugin.grants.clone(),
            limits: PluginLimits { cpu: context.limits.cpu, wall: context.limits.wall, ..plugin.limits },
            roots: config.roots.iter().map(|root| root.name.clone()).collect(),
        })
    }
}

/// Returns the plugin of a configuration: the one of this name, the one with this component, or the only one.
///
/// # Errors
/// There is none, or several: the key of the case file, and the message.
fn configured<'a>(
    config: &'a Config,
    name: Option<&str>,
    component: Option<&ComponentSource>,
) -> Result<&'a PluginConfig, (&'static str, String)> {
    let plugins = &config.policy.plugins;
    let of_component = |plugin: &&PluginConfig| {
        component.is_none_or(|component| component::is_same(&plugin.component, component))
    };
    let fitting: Vec<&PluginConfig> = match name {
        Some(name) => plugins.iter().filter(|plugin| plugin.name == name).collect(),
        None => plugins.iter().filter(of_component).collect(),
    };
    let names = |plugins: &mut dyn Iterator<Item = &PluginConfig>| {
        plugins.map(|plugin| format!("`{}`", plugin.name)).collect::<Vec<_>>().join(", ")
    };
    match (fitting.as_slice(), name) {
        ([plugin], _) => Ok(plugin),
        ([], _) if plugins.is_empty() => Err(("config", "it has no plugin; add one below `plugins`".into())),
        ([], Some(name)) => {
            let all = names(&mut plugins.iter());
            Err(("plugin", format!("the configuration has no plugin `{name}`; it has {all}")))
        }
        ([], None) => {
            let all = names(&mut plugins.iter());
            let message = format!("none of its plugins has this component; it has {all}: add `plugin: NAME`");
            Err(("config", message))
        }
        (several, _) => {
            let all = names(&mut several.iter().copied());
            Err(("config", format!("several of its plugins fit: {all}; add `plugin: NAME`")))
        }
    }
}

/// The case file of a project.
const OF_PROJECT: &str = "cases.yaml";

/// Returns the file itself, or the case files in a folder: those of a project are in `cases.yaml`, beside other YAML;
/// in any other folder all that end in `.yaml` are, by name.
///
/// # Errors
/// The path cannot be read.
pub(crate) fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !fs::metadata(path)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let of_project = path.join(OF_PROJECT);
    if of_project.is_file() {
        return Ok(vec![of_project]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
