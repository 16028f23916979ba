//! Describes a component without running it.

use std::fmt::Write;

use serde::Serialize;
use wasmtime::component::Component;

use super::answer_values::digest;
use super::bindings;
use super::code_cache::CodeCache;
use super::engine::PolicyRuntime;
use super::hook::Hook;
use super::kind::check_kind;
use super::load::is_pure_kind;
use super::manifest::Manifest;
use super::read::read;
use super::{sections, settings_schema};
use tuffet_config::{ComponentSource, Fact, GrantKind, SettingsSchema};
use tuffet_policy::text;
use tuffet_request::events::Kind;

/// The description of a component.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ComponentInfo {
    /// Its name in the manifest; empty without one.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its purpose.
    pub description: String,
    /// Its licence; empty if it names none.
    pub license: String,
    /// A page with more information; empty if it names none.
    pub homepage: String,
    /// The interface version that it was built for.
    pub interface: Option<String>,
    /// Its hooks, if this server supports that version.
    pub hooks: Vec<&'static str>,
    /// The events that its hook `observe` receives; none without that hook.
    pub events: Vec<Kind>,
    /// Whether `observe` is also called without events.
    pub empty_batches: bool,
    /// Whether an instance serves several calls.
    pub reuse: bool,
    /// The optional facts of its requests.
    pub facts: Vec<Fact>,
    /// The facts that its decisions depend on; none if they may depend on anything.
    pub depends_on: Option<Vec<Fact>>,
    /// The attributes that it cannot do without.
    pub needs: Vec<String>,
    /// What its manifest says without effect, each with the reason.
    pub without_effect: Vec<String>,
    /// Grants that it does not request, although it imports what is constant without them: the time, random numbers.
    pub constant: Vec<&'static str>,
    /// The grants that it requests.
    pub grants: Vec<GrantInfo>,
    /// The schema of its settings; none if the component carries none.
    pub settings_schema: Option<SettingsSchema>,
    /// The imported interfaces.
    pub imports: Vec<String>,
    /// The exported interfaces.
    pub exports: Vec<String>,
    /// The size of the component in bytes.
    pub bytes: usize,
    /// The SHA-256 digest, as 64 hexadecimal digits.
    pub sha256: String,
}

/// A requested grant.
#[derive(Debug, Clone, Serialize)]
pub struct GrantInfo {
    /// The word of its kind.
    pub grant: String,
    /// The reason, for the operator.
    pub reason: String,
    /// Whether the plugin works without it.
    pub optional: bool,
}

impl ComponentInfo {
    /// Reads and compiles a component.
    ///
    /// # Errors
    /// It cannot be read, is not a component, or its manifest is invalid; with the remedy.
    pub fn of(runtime: &PolicyRuntime, source: &ComponentSource) -> Result<ComponentInfo, String> {
        let mut info = ComponentInfo::of_bytes(runtime, &read(source)?)?;
        if let ComponentSource::Builtin(name) = source {
            info.settings_schema = SettingsSchema::of_builtin(name);
        }
        Ok(info)
    }

    /// Compiles a component from its bytes.
    ///
    /// # Errors
    /// As [`ComponentInfo::of`].
    pub fn of_bytes(runtime: &PolicyRuntime, binary: &[u8]) -> Result<ComponentInfo, String> {
        check_kind(binary)?;
        let shared = runtime.shared();
        let engine = &shared.engine;
        // As when it is loaded: code without a digest would be removed at the next load, and compiled again.
        shared.code_cache.iter().for_each(CodeCache::verify);
        let component = Component::from_binary(engine, &sections::code(binary));
        shared.code_cache.iter().for_each(CodeCache::seal);
        let component = component.map_err(|error| {
            format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")))
        })?;
        let manifest = Manifest::of(binary)?;
        let ty = component.component_type();
        let exports: Vec<String> = ty.exports(engine).map(|(name, _)| name.to_owned()).collect();
        let version = bindings::version_of(engine, &component);
        let is_compatible = version.as_deref().is_some_and(bindings::is_compatible);
        let has = |hook: &Hook| {
            is_compatible && component.get_export_index(None, bindings::interface(hook.word())).is_some()
        };
        let observes = has(&Hook::Observe);
        let hooks: Vec<&str> = Hook::ALL.iter().filter(|hook| has(hook)).map(|hook| hook.word()).collect();
        let without_effect = without_effect(&manifest, &hooks);
        let imports: Vec<String> = ty.imports(engine).map(|(name, _)| name.to_owned()).collect();
        let constant = constant(&manifest, &imports);
        let (events, empty_batches) = (manifest.wants(), manifest.empty_batches && observes);
        let grants = manifest.grants.into_iter();
        Ok(ComponentInfo {
            name: manifest.name,
            version: manifest.version,
            description: manifest.description,
            license: manifest.license,
            homepage: manifest.homepage,
            hooks,
            reuse: manifest.reuse,
            facts: manifest.facts,
            depends_on: manifest.depends_on,
            needs: manifest.needs,
            without_effect,
            constant,
            interface: version,
            events: if observes { events.iter().collect() } else { Vec::new() },
            empty_batches,
            grants: grants
                .map(|request| GrantInfo {
                    grant: request.grant,
                    reason: request.reason,
                    optional: request.optional,
                })
                .collect(),
            settings_schema: settings_schema::of(binary)?,
            imports,
            exports,
            bytes: binary.len(),
            sha256: digest(binary),
        })
    }

    /// Formats the description as text.
    pub fn text(&self) -> String {
        let or_none =
            |text: &str| if text.is_empty() { "none".to_owned() } else { text::one_line(text, 500) };
        let mut shown = String::new();
        let name = if self.name.is_empty() { "(no manifest)".into() } else { or_none(&self.name) };
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "name         {name}");
        let _ = writeln!(shown, "version      {}", or_none(&self.version));
        let _ = writeln!(shown, "description  {}", or_none(&self.description));
        for (head, value) in [("license", &self.license), ("homepage", &self.homepage)] {
            if !value.is_empty() {
                let _ = writeln!(shown, "{head:<12} {}", or_none(value));
            }
        }
        if let Some(interface) = &self.interface {
            let _ = writeln!(shown, "interface    tuffet:policy@{interface}");
        }
        let _ = writeln!(shown, "hooks        {}", or_none(&self.hooks.join(", ")));
        if self.hooks.contains(&Hook::Observe.word()) {
            let kinds: Vec<&str> = self.events.iter().map(|kind| kind.word()).collect();
            let more = if self.empty_batches { ", and empty batches" } else { "" };
            let _ = writeln!(shown, "events       {}{more}", or_none(&kinds.join(", ")));
        }
        let _ = writeln!(shown, "instances    {}", if self.reuse { "reused" } else { "one for each call" });
        let facts = |facts: &[Fact]| facts.iter().map(Fact::to_string).collect::<Vec<_>>().join(", ");
        if !self.facts.is_empty() {
            let _ = writeln!(shown, "facts        {}", facts(&self.facts));
        }
        if let Some(depends_on) = &self.depends_on {
            let _ = writeln!(shown, "depends on   {}", or_none(&facts(depends_on)));
        }
        if !self.needs.is_empty() {
            let _ = writeln!(shown, "needs        {}", or_none(&self.needs.join(", ")));
        }
        for (index, what) in self.without_effect.iter().enumerate() {
            let head = if index == 0 { "no effect" } else { "" };
            let _ = writeln!(shown, "{head:<12} {}", or_none(what));
        }
        let _ = writeln!(shown, "size         {} bytes", self.bytes);
        let _ = writeln!(shown, "sha256       {}", self.sha256);
        for (index, grant) in self.grants.iter().enumerate() {
            let head = if index == 0 { "grants" } else { "" };
            let optional = if grant.optional { ", optional" } else { "" };
            let reason = or_none(&grant.reason);
            let _ = writeln!(shown, "{head:<12} {}{optional}: {reason}", grant.grant);
        }
        if self.grants.is_empty() {
            let _ = writeln!(shown, "grants       none");
        }
        for (index, grant) in self.constant.iter().enumerate() {
            let head = if index == 0 { "constant" } else { "" };
            let what = if *grant == GrantKind::Clock.word() { "the time" } else { "random numbers" };
            let _ = writeln!(
                shown,
                "{head:<12} {what}: it imports the interface, maybe for its standard library alone, and does not ask for \
                 `{grant}`"
            );
        }
        self.write_settings(&mut shown);
        for (index, import) in self.imports.iter().enumerate() {
            let head = if index == 0 { "imports" } else { "" };
            let _ = writeln!(shown, "{head:<12} {import}");
        }
        shown
    }

    fn write_settings(&self, shown: &mut String) {
        let settings = self.settings_schema.as_ref().map(SettingsSchema::settings);
        let lines: Vec<String> = match settings {
            None => vec!["unknown: the component has no schema of them".into()],
            Some(settings) if settings.is_empty() => vec!["none".into()],
            Some(settings) => settings
                .iter()
                .map(|setting| {
                    let required = if setting.required { ", required" } else { "" };
                    let default =
                        setting.default.map_or_else(String::new, |value| format!(", default {value}"));
                    format!("{}: {}{required}{default}: {}", setting.name, setting.kind, setting.summary)
                })
                .collect(),
        };
        for (index, line) in lines.iter().enumerate() {
            let head = if index == 0 { "settings" } else { "" };
            // Writing to a string cannot fail.
            let _ = writeln!(shown, "{head:<12} {}", text::one_line(line, 500).trim_end_matches(':'));
        }
    }
}

/// Returns the grants without which the plugin gets constants from what it imports. Seeds of hash tables, for which Rust has
/// an interface of its own, do not count.
fn constant(manifest: &Manifest, imports: &[String]) -> Vec<&'static str> {
    let interfaces = [
        (GrantKind::Clock, "wasi:clocks/wall-clock@"),
        (GrantKind::Random, "wasi:random/random@"),
        (GrantKind::Random, "wasi:random/insecure@"),
    ];
    let imported =
        interfaces.iter().filter(|(_, prefix)| imports.iter().any(|name| name.starts_with(prefix)));
    let unasked = imported.filter(|(grant, _)| manifest.grant_request(*grant).is_none());
    let mut grants: Vec<&str> = unasked.map(|(grant, _)| grant.word()).collect();
    grants.dedup();
    grants
}

/// Returns what a manifest says without effect.
fn without_effect(manifest: &Manifest, hooks: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    let has_hook = |names: &[&str]| hooks.iter().any(|hook| names.contains(hook));
    if !has_hook(&["observe"]) {
        let keys = [("events", manifest.events.is_some()), ("empty-batches", manifest.empty_batches)];
        let named = keys.iter().filter(|(_, is_there)| *is_there);
        all.extend(named.map(|(key, _)| format!("`{key}`: there is no hook `observe`")));
    }
    if manifest.depends_on.is_some() {
        if !has_hook(&["authorize", "resolve"]) {
            all.push("`depends-on`: there is no hook `authorize` or `resolve`".into());
        } else if !manifest.reuse {
            all.push("`depends-on`: decisions are only kept where instances are reused (`reuse`)".into());
        }
        let kinds = GrantKind::ALL.into_iter().filter(|kind| !is_pure_kind(*kind)).map(GrantKind::word);
        let voiding = kinds.filter(|word| manifest.grants.iter().any(|request| request.grant == *word));
        all.extend(voiding.map(|word| {
            format!("`depends-on`, once `{word}` is granted: decisions may depend on more than facts")
        }));
    }
    all
}
