//! Components as authors name them: `builtin:NAME`, `oci://…`, or a file.

use std::path::Path;

use tuffet_config::ComponentSource;

/// Checks the name of a component on the command line.
///
/// # Errors
/// The reference to a registry is invalid.
pub(crate) fn checked(text: &str) -> Result<String, String> {
    ComponentSource::parse(text).map(|_| text.to_owned())
}

/// Parses the name of a component; files are relative to `base`.
pub(crate) fn source(component: &str, base: &Path) -> ComponentSource {
    match ComponentSource::parse(component) {
        Ok(ComponentSource::Path(path)) => ComponentSource::Path(base.join(path)),
        Ok(other) => other,
        // Reported later, as a missing file.
        Err(_) => ComponentSource::Path(component.into()),
    }
}

/// Returns the name of a plugin without a configuration, for messages.
pub(crate) fn name_of(component: &ComponentSource) -> String {
    match component {
        ComponentSource::Builtin(name) => name.clone(),
        ComponentSource::Path(path) => {
            path.file_stem().map_or_else(|| "plugin".into(), |stem| stem.to_string_lossy().into_owned())
        }
        ComponentSource::Registry(reference) => {
            reference.repository.rsplit('/').next().unwrap_or("plugin").to_owned()
        }
    }
}

/// Returns whether both are the same component: a configuration has absolute paths.
pub(crate) fn is_same(configured: &ComponentSource, named: &ComponentSource) -> bool {
    match (configured, named) {
        (ComponentSource::Path(configured), ComponentSource::Path(named)) => {
            let configured = configured.canonicalize();
            configured.is_ok_and(|configured| named.canonicalize().is_ok_and(|named| named == configured))
        }
        (configured, named) => configured == named,
    }
}
