//! The configuration: one YAML file, flags that override its keys, or flags alone.
//!
//! It has two stages, written and resolved. The written form is the schema: keys, types, bounds and their descriptions.
//! The whole file is checked against it first, which finds all problems with their positions (`shape`, `tree`). Then it
//! is resolved into [`Config`]: paths become absolute, addresses are parsed, references between sections checked
//! (`resolver`). A [`Config`] needs no further checks, and no socket is bound before there is one.
//!
//! A section is a type: that of the crate that uses its values (`Transfer`, `Limits` and others of
//! `tuffet_request::settings`), or of the file of the section here (`telemetry`, `kv`, …), with everything about its keys:
//! descriptions, bounds and defaults, and which of them a reload cannot change. Where keys together make a value, the file
//! of the section has them as `Written…`, and how they are resolved. The keys of the top level are in `config`.

mod address;
mod admin;
mod bundled;
mod chains;
mod changes;
mod component;
mod config;
mod document;
mod elsewhere;
mod error;
mod events;
mod facts;
mod form;
mod grant;
mod http;
mod idle_keys;
mod inaccessible;
mod keyless;
mod kinds;
mod kv;
mod limits;
mod listeners;
mod load;
mod log;
mod multicast;
mod nats;
mod netboot;
mod number_range;
mod origins;
mod overrides;
mod plugin_secrets;
mod plugins;
mod policy;
mod privileges;
mod profiles;
pub mod reach;
mod reference;
mod references;
mod registries;
mod remote;
mod resolver;
mod resource;
mod roots;
mod schema;
mod secret;
mod secret_forms;
mod settings_schema;
mod shape;
pub mod sinks;
mod slips;
mod source;
mod suggest;
mod telemetry;
#[cfg(test)]
mod tests;
mod transfer;
mod tree;
mod trusted_root;
mod unopened;
mod verdicts;
mod verify;

pub use admin::{Admin, AdminAddress, AdminToken};
pub use chains::ListenerChains;
pub use component::{ArtifactReference, ComponentSource, Sha256Digest};
pub use config::{Config, control_of};
pub use document::Document;
pub use error::{ConfigError, Position, Problem, ProblemPlace};
pub use events::EventsSpec;
pub use grant::{Grant, GrantKind, HttpHost};
pub use http::{Http, HttpListener, Tls};
pub use inaccessible::{Inaccessible, outside_sandbox, why_inaccessible};
pub use keyless::KeylessConfig;
pub use kv::{KvBucket, WhenAway};
pub use log::{LogFormat, LogSpec, LogTarget};
pub use nats::{NatsLogin, NatsServers};
pub use origins::{CacheSpec, Credentials, Location, OriginSpec, RedirectHost};
pub use overrides::Overrides;
pub use plugin_secrets::PluginSecrets;
pub use plugins::{DecisionCacheConfig, PluginConfig, PluginLimits, PluginMode, ReuseConfig};
pub use policy::{PolicyConfig, default_compiled};
pub use privileges::{Privileges, SeccompMode, UserOrGroup};
pub use reference::reference;
pub use registries::RegistrySpec;
pub use remote::Remote;
pub use resource::{decode, resource_attributes};
pub use schema::schema;
pub use secret::Secret;
pub use settings_schema::{Setting, SettingNames, SettingsSchema, schema_with};
pub use source::{Finding, digest};
pub use suggest::closest;
pub use telemetry::{
    Metrics, OtlpProtocol, TelemetryConfig, Traces, TracesSampled, check_endpoint, default_port,
};
pub use tree::join as join_pointer;
pub use trusted_root::{Period, TrustedAuthority, TrustedLog, TrustedRoot};
pub use tuffet_request::settings::{BreakerLimits, DefaultVerdict, Fact, Listener, OnError};
pub use tuffet_request::units::{ByteCount, TimeSpan};
pub use unopened::{UnopenedRoot, is_empty};
pub use verify::{VerifyConfig, VerifyKey};

/// The exit code for an invalid configuration (EX_USAGE of sysexits.h).
pub const EXIT_CONFIG: u8 = 64;

/// A configuration with every section.
pub const EXAMPLE: &str = include_str!("example.yaml");

/// The lines that most servers need, at the top of the reference.
pub(crate) const FIRST: &str = include_str!("first.yaml");
