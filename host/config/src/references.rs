//! Checks references in the settings of bundled plugins to listeners, roots, sinks and HTTP servers. Each target in the
//! configuration must exist, and the plugin needs the grant to use it.

use super::bundled::{self, GRANTED_URL, Reference};
use super::component::ComponentSource;
use super::grant::{Grant, HttpHost};
use super::plugins::{PluginConfig, ReferableNames};
use super::resolver::Resolver;
use super::suggest::{closest, unknown};
use tuffet_request::ClientClass;

/// Creates a grant for this name.
type NamedGrant = fn(String) -> Grant;

/// The target of a reference.
struct Target<'a> {
    section: &'static str,
    kind: &'static str,
    known: Vec<&'a str>,
    /// The grant that the plugin needs to use it.
    needs: Option<NamedGrant>,
}

impl<'a> Target<'a> {
    /// Returns the target of a string of this format; `None` if it names nothing in the configuration.
    fn of(format: &str, named: ReferableNames<'a>) -> Option<Target<'a>> {
        let ReferableNames { listeners, roots, sinks } = named;
        let roots: Vec<&str> = roots.iter().map(|root| &*root.name).collect();
        let needs: Option<NamedGrant> = match format {
            "granted-root-name" => Some(Grant::Files),
            "granted-sink-name" => Some(Grant::Sinks),
            _ => None,
        };
        let (section, kind, known) = match format {
            "listener-name" => {
                let listeners = listeners.iter().map(|listener| &*listener.name);
                ("/listeners", "listener", listeners.collect())
            }
            "class-name" => {
                let mut classes: Vec<&str> = ClientClass::all().map(|class| class.as_str()).collect();
                classes.sort_unstable();
                classes.dedup();
                // Classes are built in; no section of the configuration defines them.
                ("", "class", classes)
            }
            "root-name" | "granted-root-name" => ("/roots", "root", roots),
            "granted-sink-name" => ("/sinks", "sink", sinks.iter().map(|sink| &*sink.name).collect()),
            _ => return None,
        };
        Some(Target { section, kind, known, needs })
    }
}

impl Resolver<'_> {
    /// Checks that the settings of a bundled plugin name listeners, roots and sinks that exist, and that it may use
    /// them.
    pub(crate) fn references(&mut self, pointer: &str, plugin: &PluginConfig, named: ReferableNames<'_>) {
        let ComponentSource::Builtin(builtin) = &plugin.component else { return };
        let Some(schema) = bundled::settings_schema(builtin) else { return };
        let mut found = Vec::new();
        bundled::references(&schema, &plugin.settings, pointer, &mut found);
        for Reference { format, name, pointer } in found {
            if format == GRANTED_URL {
                self.granted_url(pointer, name, plugin);
                continue;
            }
            let Some(Target { section, kind, known, needs }) = Target::of(format, named) else { continue };
            // The plugin itself refuses an empty name. A flag may replace the roots and listeners that the file refers to.
            if name.is_empty() || self.source.is_replaced(section) {
                continue;
            }
            if !known.contains(&name) {
                let like = closest(name, known.iter().copied());
                self.wrong(pointer, unknown(kind, name, like, known));
            } else if let Some(grant) = needs.map(|grant| grant(name.to_owned()))
                && !plugin.grants.contains(&grant)
            {
                let message =
                    format!("the plugin may not use {kind} `{name}`; add `{grant}` to its `grants`");
                self.wrong(pointer, message);
            }
        }
    }

    /// Checks that the plugin may send requests to the host of a URL. The plugin itself refuses what is no URL.
    fn granted_url(&mut self, pointer: String, url: &str, plugin: &PluginConfig) {
        let Some((scheme, rest)) = url.split_once("://") else { return };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let Ok(host) = host.parse::<HttpHost>() else { return };
        let usual = if scheme == "https" { 443 } else { 80 };
        let port = |host: &HttpHost| host.port.unwrap_or(usual);
        let same = |its: &HttpHost| its.name == host.name && port(its) == port(&host);
        if !plugin.grants.iter().any(|grant| matches!(grant, Grant::Http(its) if same(its))) {
            let message =
                format!("the plugin may not send requests to `{host}`; add `http/{host}` to its `grants`");
            self.wrong(pointer, message);
        }
    }
}
