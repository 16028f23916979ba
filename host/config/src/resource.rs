//! The resource attributes of telemetry, from the section `telemetry` and from the environment, as
//! OpenTelemetry specifies.

use crate::telemetry::TelemetryConfig;

const ATTRIBUTES: &str = "OTEL_RESOURCE_ATTRIBUTES";

/// An ignored environment variable, and the remedy.
pub type IgnoredVariable = (&'static str, &'static str);

/// Returns the resource attributes of the section and the environment; later ones win.
pub fn resource_attributes(
    config: Option<&TelemetryConfig>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Vec<(String, String)>, Option<IgnoredVariable>) {
    // OpenTelemetry: an empty variable counts as unset.
    let get =
        |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let fallback = TelemetryConfig::default();
    let config = config.unwrap_or(&fallback);
    let mut wrong = None;
    let mut resource = vec![("service.name".to_owned(), config.service_name.clone())];
    resource.extend(config.resource.clone());
    if let Some(list) = get(ATTRIBUTES) {
        let pairs: Option<Vec<_>> = list
            .split(',')
            .filter(|pair| !pair.trim().is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once('=')?;
                Some((decode(key.trim())?, decode(value.trim())?))
            })
            .collect();
        match pairs {
            Some(pairs) => resource.extend(pairs),
            None => wrong = Some((ATTRIBUTES, "write `key=value,key=value`, with %XX for other characters")),
        }
    }
    resource.extend(get("OTEL_SERVICE_NAME").map(|name| ("service.name".to_owned(), name)));
    (resource, wrong)
}

/// Decodes percent-encoding (W3C Baggage).
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| (byte? as char).to_digit(16);
        bytes.push(match byte {
            b'%' => (digit(rest.next())? * 16 + digit(rest.next())?) as u8,
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}
