//! Decisions of plugins, as clients and the log see them.

mod accept_upload;
mod acl;
mod audit;
mod bad_plugins;
mod causes;
mod compiled;
mod cpu;
mod else_next;
mod fairness;
mod grants;
mod guards;
mod https;
mod keys;
mod mac_map;
mod neighbours;
mod observe;
mod own_metrics;
mod publish;
mod remap;
mod sessions;
mod settings;
mod storms;
mod template;

pub use grants::http_server;

/// Returns a plugin that uses everything that can be granted, as a component.
pub fn probe() -> String {
    format!("{}/tuffet_probe.wasm", env!("TUFFET_TEST_GUESTS"))
}

/// Returns a plugin that misbehaves, as a component.
pub fn misbehave() -> String {
    format!("{}/tuffet_misbehave.wasm", env!("TUFFET_TEST_GUESTS"))
}
