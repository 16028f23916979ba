//! The section `telemetry`.

use super::super::telemetry::{OtlpProtocol, TelemetryConfig};
use super::super::tree::join;
use super::super::written;
use super::Resolver;
use super::secrets::is_secret;

impl Resolver<'_> {
    pub(super) fn telemetry(&mut self, written: written::Telemetry) -> TelemetryConfig {
        let at = "/telemetry";
        if let Some(endpoint) = &written.endpoint
            && let Err(complaint) = check_endpoint(endpoint, written.protocol)
        {
            self.wrong(join(at, "endpoint"), complaint);
        }
        let mut headers = std::collections::BTreeMap::new();
        for (name, value) in &written.headers {
            let pointer = join(&join(at, "headers"), name);
            if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                self.wrong(
                    &pointer,
                    format!("`{name}` is not a header name; use letters, digits and dashes"),
                );
            }
            let what = is_secret(name).then(|| format!("the header `{name}`"));
            match self.secret(&pointer, value, what.as_deref()) {
                Some(value) if !value.is_header() => {
                    self.wrong(pointer, "the value contains control characters");
                }
                Some(value) => drop(headers.insert(name.to_ascii_lowercase(), value)),
                None => {}
            }
        }
        if written.service_name.trim().is_empty() {
            self.wrong(join(at, "service-name"), "the name is empty; give one, or remove the key");
        }
        TelemetryConfig {
            endpoint: written.endpoint,
            protocol: written.protocol,
            headers,
            timeout: written.timeout.0,
            service_name: written.service_name,
            resource: written.resource,
            traces: written.traces.chosen(),
            metrics: written.metrics.enabled.then_some(written.metrics.interval.0),
            logs: written.logs,
        }
    }
}

/// Checks an endpoint, from the configuration or from the environment.
///
/// # Errors
/// What is wrong, and what to write.
pub fn check_endpoint(endpoint: &str, protocol: OtlpProtocol) -> Result<(), String> {
    if endpoint.contains('@') {
        return Err("a user and password in a URL would be shown; use the header `authorization`".into());
    }
    let uri: http::Uri = endpoint.parse().map_err(|_| {
        format!("`{endpoint}` is not a URL; write one such as http://127.0.0.1:{}", usual_port(protocol))
    })?;
    match (uri.scheme_str(), uri.host()) {
        (Some("http" | "https"), Some(_)) => Ok(()),
        _ => Err(format!(
            "`{endpoint}` is not an http:// or https:// URL; write one such as http://127.0.0.1:{}",
            usual_port(protocol)
        )),
    }
}

/// Returns the usual port of collectors.
pub fn usual_port(protocol: OtlpProtocol) -> u16 {
    match protocol {
        OtlpProtocol::HttpProtobuf => 4318,
        OtlpProtocol::Grpc => 4317,
    }
}
