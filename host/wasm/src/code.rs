//! The shared part of a plugin's instances.

use std::sync::Arc;

use wasmtime::component::InstancePre;

use super::access::Access;
use super::bindings::lifecycle;
use super::engine::PolicyRuntime;
use super::sandbox::Sandbox;
use tuffet_config::PluginLimits;

/// A compiled component with its settings and its grants.
pub(super) struct Code {
    pub name: Arc<str>,
    pub access: Arc<Access>,
    pub limits: PluginLimits,
    pub runtime: PolicyRuntime,
    /// The settings as JSON, with secrets inserted.
    pub settings: String,
    pub component: InstancePre<Sandbox>,
    pub lifecycle: lifecycle::GuestIndices,
}
