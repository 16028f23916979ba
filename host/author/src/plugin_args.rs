//! The plugin that a command works on, from its arguments.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::Args;

use crate::component;
use crate::error::fail;
use crate::lab::{self, Lab, LoadError, Plan};
use crate::stale;
use tuffet_config::{
    ByteCount, Config, ConfigError, Document, EXIT_CONFIG, Finding, Grant, PluginLimits, PluginSecrets,
    ReuseConfig, SettingNames, TimeSpan, reach,
};
use tuffet_policy::{LoadProblem, LoadProblemKind};
use tuffet_registry::Registries;
use tuffet_request::RootSpec;
use tuffet_terminal::print_stderr;
use tuffet_wasm::{Hook, StagedAnswers, Trial, locate_in_config, unused_hooks};

#[derive(Debug, Args)]
pub(crate) struct PluginArgs {
    /// The component: a file, or builtin:NAME; with --config also oci://… of that configuration, once it is pulled.
    #[arg(value_name = "COMPONENT", value_parser = component::checked)]
    component: String,
    #[command(flatten)]
    context: ContextArgs,
}

/// The context of a plugin in a server: settings, grants, roots and limits.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ContextArgs {
    /// A server's configuration, to take settings, grants, roots and limits of this component from.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["settings", "grants", "roots"])]
    config: Option<PathBuf>,
    /// A YAML file with the plugin's settings [default: `{}`].
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
    /// A grant, as in `grants` of the configuration: kv, client-mac, files/ROOT … May be repeated.
    #[arg(long = "grant", value_name = "GRANT")]
    grants: Vec<Grant>,
    /// A root: its name and its folder. Without any, the plugin may answer with files of any root. May be
    /// repeated.
    #[arg(long = "root", value_name = "NAME=DIR", value_parser = root)]
    roots: Vec<RootSpec>,
    /// The time limits of a call, CPU and total, such as 2s [default: those of the server, 200ms and 500ms].
    #[arg(long, value_name = "TIME", value_parser = TimeSpan::from_str)]
    time: Option<TimeSpan>,
    /// The memory of an instance, such as 16MiB [default: that of the server, 64MiB].
    #[arg(long, value_name = "SIZE", value_parser = ByteCount::from_str)]
    memory: Option<ByteCount>,
}

/// A plugin to be loaded, and the file with its settings.
pub(crate) struct Planned<'a> {
    pub plan: Plan,
    plugin_args: &'a PluginArgs,
    settings: SettingsSource,
}

/// A plugin that cannot be loaded. That was printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unloaded {
    code: ExitCode,
    /// Whether its settings are refused.
    pub settings: bool,
}

impl From<ExitCode> for Unloaded {
    fn from(code: ExitCode) -> Unloaded {
        Unloaded { code, settings: false }
    }
}

impl From<Unloaded> for ExitCode {
    fn from(unloaded: Unloaded) -> ExitCode {
        unloaded.code
    }
}

/// The source of the settings.
enum SettingsSource {
    /// There are no settings.
    Nowhere,
    /// A file with the settings alone.
    Alone(Document),
    /// The configuration of a server.
    InConfig(Box<Config>),
}

impl ContextArgs {
    /// Returns these options with a configuration for the plugin.
    pub fn with_config(&self, config: PathBuf) -> ContextArgs {
        ContextArgs { config: Some(config), ..self.clone() }
    }

    /// Replaces the limits that are given.
    pub fn limit(&self, limits: &mut PluginLimits) {
        if let Some(TimeSpan(time)) = self.time {
            (limits.cpu, limits.wall) = (time, time);
        }
        if let Some(ByteCount(memory)) = self.memory {
            limits.memory = memory;
        }
    }

    /// Returns whether no option but a limit is given.
    pub fn is_empty(&self) -> bool {
        let ContextArgs { config, settings, grants, roots, time: _, memory: _ } = self;
        config.is_none() && settings.is_none() && grants.is_empty() && roots.is_empty()
    }
}

impl PluginArgs {
    pub fn new(component: String, context: ContextArgs) -> PluginArgs {
        PluginArgs { component, context }
    }

    /// Reads the settings.
    ///
    /// # Errors
    /// The file is invalid.
    pub fn plan(&self) -> Result<Planned<'_>, ConfigError> {
        let mut planned = match &self.context.config {
            Some(config) => self.plan_as_configured(config)?,
            None => self.plan_alone()?,
        };
        self.context.limit(&mut planned.plan.limits);
        Ok(planned)
    }

    fn plan_as_configured(&self, file: &Path) -> Result<Planned<'_>, ConfigError> {
        let config = Config::load(file)?;
        let component = component::source(&self.component, Path::new(""));
        let Some(plugin) =
            config.policy.plugins.iter().find(|plugin| component::is_same(&plugin.component, &component))
        else {
            let message = format!(
                "no plugin has the component {}; add one with `component: {0}`, or leave --config out",
                self.component
            );
            return Err(config.error([("/plugins".to_owned(), message)]));
        };
        let plan = Plan {
            name: plugin.name.clone(),
            component,
            names: SettingNames::of(&config),
            registries: Registries::of(&config, false),
            verify: plugin.verify.clone(),
            settings: plugin.settings.clone(),
            secrets: plugin.secrets.clone(),
            grants: plugin.grants.clone(),
            roots: config.roots.clone(),
            unopened: config.unopened.clone(),
            named_roots: config.roots.iter().map(|root| root.name.clone()).collect(),
            given: StagedAnswers::default(),
            limits: plugin.limits,
            reuse: Some(ReuseConfig::NEVER),
            state: None,
        };
        Ok(Planned { plan, plugin_args: self, settings: SettingsSource::InConfig(Box::new(config)) })
    }

    fn plan_alone(&self) -> Result<Planned<'_>, ConfigError> {
        let context = &self.context;
        let read = |path: &PathBuf| Document::read(path, "the settings of the plugin; write {} for none");
        let settings = context.settings.as_ref().map(read).transpose()?;
        if let Some(document) = &settings
            && !document.value().is_object()
        {
            let message = "settings are a map, such as `version: 1.4.2`; write one";
            return Err(document.error([(String::new(), message.into())]));
        }
        let component = component::source(&self.component, Path::new(""));
        settings.as_ref().map_or(Ok(()), |document| document.check_as_settings(&component))?;
        let plan = Plan {
            name: component::name_of(&component),
            component,
            names: SettingNames::default(),
            registries: Registries::default(),
            verify: None,
            secrets: PluginSecrets::default(),
            settings: settings.as_ref().map_or_else(|| serde_json::json!({}), |file| file.value().clone()),
            grants: context.grants.clone(),
            roots: context.roots.clone(),
            unopened: reach::unresponsive(&context.roots),
            named_roots: context.roots.iter().map(|root| root.name.clone()).collect(),
            given: StagedAnswers::default(),
            limits: PluginLimits::default(),
            reuse: Some(ReuseConfig::NEVER),
            state: None,
        };
        let settings = settings.map_or(SettingsSource::Nowhere, SettingsSource::Alone);
        Ok(Planned { plan, plugin_args: self, settings })
    }
}

impl fmt::Display for PluginArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.component)
    }
}

impl Planned<'_> {
    /// Loads the plugin and prints its warnings.
    ///
    /// # Errors
    /// It cannot be loaded: that was printed.
    pub fn load(&self, lab: &Lab) -> Result<Trial, Unloaded> {
        if let Some(message) = stale::explain(&self.plan.component) {
            print_stderr(message);
            return Err(ExitCode::from(EXIT_CONFIG).into());
        }
        match lab.load(&self.plan).0 {
            Ok(trial) => {
                lab::warn_of_unopened_roots(&self.plan.unopened);
                let unused = match &self.settings {
                    SettingsSource::InConfig(config) => {
                        unused_hooks(&config.policy, &self.plan.name, &trial.hooks())
                    }
                    SettingsSource::Nowhere | SettingsSource::Alone(_) => Vec::new(),
                };
                for warning in trial.warnings().into_iter().chain(unused) {
                    print_stderr(format_args!("warning: {}", self.place(&warning)));
                }
                Ok(trial)
            }
            Err(LoadError::Root(error)) => Err(fail(error).into()),
            Err(LoadError::Problems(problems)) => {
                problems.iter().for_each(|problem| print_stderr(self.place(problem)));
                let of_settings = |problem: &LoadProblem| {
                    matches!(problem.kind, LoadProblemKind::Settings | LoadProblemKind::UnknownSetting)
                };
                Err(Unloaded {
                    code: ExitCode::from(EXIT_CONFIG),
                    settings: problems.iter().any(of_settings),
                })
            }
        }
    }

    /// Returns the hook to call: the named one, or the only one of the plugin.
    ///
    /// # Errors
    /// There is none, or several: that was printed, and this is the exit code.
    pub fn hook(&self, trial: &Trial, named: Option<Hook>) -> Result<Hook, ExitCode> {
        let refuse = |message: String| {
            print_stderr(format_args!("{}: {message}", self.plugin_args.component));
            Err(ExitCode::from(EXIT_CONFIG))
        };
        if let Some(problem) = named.and_then(|hook| trial.lacks(hook)) {
            return refuse(problem.message);
        }
        let mut hooks = trial.hooks();
        if hooks.len() > 1 {
            // It takes events, and those name the hook.
            hooks.retain(|hook| *hook != Hook::Observe);
        }
        match (named, hooks.as_slice()) {
            (Some(hook), _) | (None, &[hook]) => Ok(hook),
            (None, []) => refuse("it has no hook".into()),
            (None, several) => {
                let words: Vec<&str> = several.iter().map(|hook| hook.word()).collect();
                refuse(format!("it has several hooks; name one with --hook: {}", words.join(", ")))
            }
        }
    }

    /// Formats a problem with its place.
    fn place(&self, problem: &LoadProblem) -> String {
        let component = &self.plugin_args.component;
        let message = format!("plugin `{}`: {}", problem.plugin, problem.message);
        match (problem.kind, &self.settings) {
            (_, SettingsSource::InConfig(config)) => {
                config.error_of([locate_in_config(problem, config)]).to_string()
            }
            (LoadProblemKind::Settings, SettingsSource::Alone(file)) => {
                file.error([(problem.pointer.clone().unwrap_or_default(), message)]).to_string()
            }
            (LoadProblemKind::UnknownSetting, SettingsSource::Alone(file)) => file
                .error_of([Finding::key(problem.pointer.clone().unwrap_or_default(), message)])
                .to_string(),
            (LoadProblemKind::Settings | LoadProblemKind::UnknownSetting, SettingsSource::Nowhere) => {
                let pointer = problem.pointer.as_deref().unwrap_or_default();
                format!("{component}: settings{pointer}: {message}; give the settings with --settings FILE")
            }
            (LoadProblemKind::Grant, _) => {
                format!("{component}: {message}; here, a grant is given with --grant GRANT")
            }
            _ => format!("{component}: {message}"),
        }
    }
}

/// Parses the value of `--root`.
pub(crate) fn root(text: &str) -> Result<RootSpec, String> {
    let (name, folder) = text
        .split_once('=')
        .filter(|(name, folder)| !name.is_empty() && !folder.is_empty())
        .ok_or("write NAME=DIR, such as boot=./files")?;
    Ok(RootSpec::read_only(name, folder))
}
