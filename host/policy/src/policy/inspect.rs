//! What a component says of itself, before anything of it runs.

use std::fmt::Write;

use serde::Serialize;
use wasmtime::component::Component;

use super::engine::PolicyRuntime;
use super::load::{check_kind, read};
use super::manifest::Manifest;
use super::shown::digest;
use super::text;
use super::trial::Hook;
use tuffet_config::ComponentSource;
use tuffet_request::events::Kind;

/// A component as it is.
#[derive(Debug, Clone, Serialize)]
pub struct Inspected {
    /// By its manifest; empty without one.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The hooks that it has in the version of this server.
    pub hooks: Vec<&'static str>,
    /// The events that its hook `observe` is told; none without that hook.
    pub events: Vec<Kind>,
    /// Whether `observe` is called without events, too.
    pub empty_batches: bool,
    /// What it asks for.
    pub grants: Vec<Asked>,
    /// The interfaces that it imports.
    pub imports: Vec<String>,
    /// The interfaces that it exports.
    pub exports: Vec<String>,
    /// The size of the component.
    pub bytes: usize,
    /// 64 hexadecimal digits.
    pub sha256: String,
}

/// A grant that it asks for.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    pub grant: String,
    pub reason: String,
    pub optional: bool,
}

impl Inspected {
    /// Reads and compiles a component.
    ///
    /// # Errors
    /// It cannot be read, is no component, or its manifest is none; what is wrong and the remedy.
    pub fn of(runtime: &PolicyRuntime, source: &ComponentSource) -> Result<Inspected, String> {
        let binary = read(source)?;
        check_kind(&binary)?;
        let engine = &runtime.shared().engine;
        let component = Component::from_binary(engine, &binary).map_err(|error| {
            format!("the component cannot be compiled: {}", text::reason(&format!("{error:#}")))
        })?;
        let manifest = Manifest::of(&binary)?;
        let ty = component.component_type();
        let exports: Vec<String> = ty.exports(engine).map(|(name, _)| name.to_owned()).collect();
        let has = |hook: &Hook| exports.iter().any(|export| *export == hook.interface());
        let observes = has(&Hook::Observe);
        let (events, empty_batches) = (manifest.wants(), manifest.empty_batches && observes);
        let grants = manifest.grants.into_iter();
        Ok(Inspected {
            name: manifest.name,
            version: manifest.version,
            description: manifest.description,
            hooks: Hook::ALL.iter().filter(|hook| has(hook)).map(|hook| hook.word()).collect(),
            events: if observes { events.iter().collect() } else { Vec::new() },
            empty_batches,
            grants: grants
                .map(|wish| Asked { grant: wish.grant, reason: wish.reason, optional: wish.optional })
                .collect(),
            imports: ty.imports(engine).map(|(name, _)| name.to_owned()).collect(),
            exports,
            bytes: binary.len(),
            sha256: digest(&binary),
        })
    }

    /// For people: what it is called first, what it needs last.
    pub fn text(&self) -> String {
        let or_none =
            |text: &str| if text.is_empty() { "none".to_owned() } else { text::one_line(text, 500) };
        let mut shown = String::new();
        let name = if self.name.is_empty() { "(no manifest)".into() } else { or_none(&self.name) };
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "name         {name}");
        let _ = writeln!(shown, "version      {}", or_none(&self.version));
        let _ = writeln!(shown, "description  {}", or_none(&self.description));
        let _ = writeln!(shown, "hooks        {}", or_none(&self.hooks.join(", ")));
        if self.hooks.contains(&Hook::Observe.word()) {
            let kinds: Vec<&str> = self.events.iter().map(|kind| kind.word()).collect();
            let more = if self.empty_batches { ", and empty batches" } else { "" };
            let _ = writeln!(shown, "events       {}{more}", or_none(&kinds.join(", ")));
        }
        let _ = writeln!(shown, "size         {} bytes", self.bytes);
        let _ = writeln!(shown, "sha256       {}", self.sha256);
        for (index, asked) in self.grants.iter().enumerate() {
            let head = if index == 0 { "grants" } else { "" };
            let optional = if asked.optional { ", optional" } else { "" };
            let reason = or_none(&asked.reason);
            let _ = writeln!(shown, "{head:<12} {}{optional}: {reason}", asked.grant);
        }
        if self.grants.is_empty() {
            let _ = writeln!(shown, "grants       none");
        }
        for (index, import) in self.imports.iter().enumerate() {
            let head = if index == 0 { "imports" } else { "" };
            let _ = writeln!(shown, "{head:<12} {import}");
        }
        shown
    }
}
