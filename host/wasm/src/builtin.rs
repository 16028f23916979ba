//! The plugins embedded in the server; `build.rs` generates the table.

static BUILTIN: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Returns the names of the embedded plugins, as in `component: builtin:NAME`.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// Returns the component of this name.
pub(super) fn component(name: &str) -> Option<&'static [u8]> {
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, component)| *component)
}
