//! Decisions of plugins, as clients and the log see them.

mod acl;
mod bad_plugins;
mod compiled;
mod mac_map;
mod neighbours;
mod settings;

/// A plugin that does what it should not, as a component.
fn misbehave() -> String {
    format!("{}/tuffet_misbehave.wasm", env!("TUFFET_TEST_GUESTS"))
}
