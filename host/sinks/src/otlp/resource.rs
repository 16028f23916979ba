//! The resource attributes of all OTLP data of the process.

use opentelemetry::KeyValue;
use opentelemetry_proto::tonic::resource::v1;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_sdk::Resource;
use std::sync::OnceLock;

/// Returns the resource: attributes of the process, and the configured ones.
pub fn resource(attributes: &[(String, String)]) -> Resource {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    // Shared by all signals, and by sinks that send log records.
    static INSTANCE: OnceLock<String> = OnceLock::new();
    let instance = INSTANCE.get_or_init(|| format!("{:032x}", fastrand::u128(..)));
    Resource::builder()
        .with_attributes([
            KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            KeyValue::new("service.instance.id", instance.as_str()),
            KeyValue::new("host.name", host.trim().to_owned()),
            KeyValue::new("process.pid", i64::from(std::process::id())),
        ])
        .with_attributes(attributes.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone())))
        .build()
}

/// Returns a resource as a message of OTLP.
pub fn message(resource: &Resource) -> v1::Resource {
    let attributes = ResourceAttributesWithSchema::from(resource).attributes.0;
    v1::Resource { attributes, ..v1::Resource::default() }
}
