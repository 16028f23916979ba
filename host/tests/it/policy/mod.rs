//! Decisions of plugins, as clients and the log see them.

mod accept_upload;
mod acl;
mod ask;
mod audit;
mod bad_plugins;
mod causes;
mod compiled;
mod compilers;
mod cpu;
mod else_next;
mod facts;
mod fairness;
mod grants;
mod guards;
mod history;
mod https;
mod keys;
mod labels;
mod leases;
mod mac_map;
mod neighbours;
mod observe;
mod own_metrics;
mod parts;
mod publish;
pub(crate) mod remap;
mod renderings;
mod sessions;
mod settings;
mod storms;
mod template;

pub use facts::{TELL, guest};
pub use grants::http_server;

/// Returns a plugin that uses everything that can be granted, as a component.
pub fn probe() -> String {
    tuffet_test_guests::component("probe")
}

/// Returns a plugin that misbehaves, as a component.
pub fn misbehave() -> String {
    tuffet_test_guests::component("misbehave")
}
