//! The bundled plugins of the TFTP server Tuffet, as WebAssembly components; `build.rs` generates the table.

static COMPONENTS: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// Returns the names of the plugins, as in `component: builtin:NAME`.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMPONENTS.iter().map(|(name, _)| *name)
}

/// Returns the component of this name.
pub fn component(name: &str) -> Option<&'static [u8]> {
    COMPONENTS.iter().find(|(known, _)| *known == name).map(|(_, component)| *component)
}
