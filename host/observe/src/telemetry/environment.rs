//! The variables of the OpenTelemetry specification. Invalid ones are reported and ignored, as the specification
//! requires; but if that would trust the wrong certificates, nothing is sent.

use super::metrics::Temporality;
use super::queue::Batching;
use http::{HeaderName, HeaderValue};
use std::fmt::{self, Display};
use std::fs;
use std::str::FromStr;
use std::time::Duration;
use tuffet_config::{
    OtlpProtocol, Secret, TelemetryConfig, TracesSampled, check_endpoint, decode, default_port,
    resource_attributes,
};
use tuffet_sinks::otlp::{Destination, Tls};

/// The known variables, except those of the exporter, which exist for each signal.
const KNOWN_VARIABLES: [&str; 21] = [
    "OTEL_SDK_DISABLED",
    "OTEL_SERVICE_NAME",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_LOGS_EXPORTER",
    "OTEL_TRACES_SAMPLER",
    "OTEL_TRACES_SAMPLER_ARG",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "OTEL_METRIC_EXPORT_TIMEOUT",
    "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
    "OTEL_BSP_MAX_QUEUE_SIZE",
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
    "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BSP_EXPORT_TIMEOUT",
    "OTEL_BLRP_MAX_QUEUE_SIZE",
    "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE",
    "OTEL_BLRP_SCHEDULE_DELAY",
    "OTEL_BLRP_EXPORT_TIMEOUT",
    // For SDKs of other languages; child processes inherit them.
    "OTEL_LOG_LEVEL",
    "OTEL_PROPAGATORS",
];

/// Variables of the exporter: `OTEL_EXPORTER_OTLP_X` and `OTEL_EXPORTER_OTLP_SIGNAL_X`.
const EXPORTER_SETTINGS: [&str; 9] = [
    "ENDPOINT",
    "PROTOCOL",
    "HEADERS",
    "TIMEOUT",
    "COMPRESSION",
    "INSECURE",
    "CERTIFICATE",
    "CLIENT_CERTIFICATE",
    "CLIENT_KEY",
];

/// A problem with a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableProblem {
    variable: String,
    /// `None` if it may be a secret.
    value: Option<String>,
    /// The problem and its remedy.
    why: String,
}

impl VariableProblem {
    /// Returns the problem of a variable without effect.
    pub(super) fn of_unknown(name: &str) -> Option<VariableProblem> {
        let exporter = name.strip_prefix("OTEL_EXPORTER_OTLP_").is_some_and(|rest| {
            let signals = ["TRACES_", "METRICS_", "LOGS_"];
            let what = signals.iter().find_map(|signal| rest.strip_prefix(signal)).unwrap_or(rest);
            EXPORTER_SETTINGS.contains(&what)
        });
        (name.starts_with("OTEL_") && !exporter && !KNOWN_VARIABLES.contains(&name)).then(|| {
            VariableProblem {
                variable: name.to_owned(),
                value: None,
                why: "it has no effect here; docs/telemetry.md lists the supported variables".to_owned(),
            }
        })
    }
}

impl Display for VariableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VariableProblem { variable, value, why } = self;
        match value {
            Some(value) => write!(f, "the variable {variable}={value:?} is ignored: {why}"),
            None => write!(f, "the variable {variable} is ignored: {why}"),
        }
    }
}

/// The largest file of certificates, in bytes.
const MAX_PEM: u64 = 1 << 20;

/// # Errors
/// The file cannot be read, or is not PEM.
fn read_pem(path: &str) -> Result<Vec<u8>, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > MAX_PEM {
        return Err(format!("it is not a file, or has more than {MAX_PEM} bytes"));
    }
    let pem = fs::read(path).map_err(|error| error.to_string())?;
    let begin = b"-----BEGIN ";
    if pem.windows(begin.len()).any(|part| part == begin) { Ok(pem) } else { Err("it is not PEM".into()) }
}

/// Reads variables, and collects their problems.
pub(super) struct Environment<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    pub(super) problems: Vec<VariableProblem>,
}

impl<'a> Environment<'a> {
    pub(super) fn new(variable: &'a dyn Fn(&str) -> Option<String>) -> Environment<'a> {
        Environment { variable, problems: Vec::new() }
    }

    /// Returns a variable; an empty one counts as unset.
    fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns the variable of the signal, or the one for all.
    fn of(&self, signal: &str, what: &str) -> Option<(String, String)> {
        [format!("OTEL_EXPORTER_OTLP_{signal}_{what}"), format!("OTEL_EXPORTER_OTLP_{what}")]
            .into_iter()
            .find_map(|name| self.get(&name).map(|value| (name, value)))
    }

    fn report(&mut self, name: &str, why: impl Display) {
        // Headers hold secrets, and URLs may.
        let shown = |value: &String| !name.ends_with("HEADERS") && !value.contains(['@', '?']);
        let value = self.get(name).filter(shown).map(|value| value.chars().take(100).collect());
        let problem = VariableProblem { variable: name.to_owned(), value, why: why.to_string() };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Returns whether any variable names an endpoint.
    pub(super) fn names_an_endpoint(&self) -> bool {
        let names = ["", "TRACES_", "METRICS_", "LOGS_"];
        names.iter().any(|signal| self.get(&format!("OTEL_EXPORTER_OTLP_{signal}ENDPOINT")).is_some())
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        match self.get(name).map(|word| word.to_ascii_lowercase()).as_deref() {
            Some("true") => true,
            None | Some("false") => false,
            Some(_) => {
                self.report(name, "give `true` or `false`; it counts as `false`");
                false
            }
        }
    }

    fn number<T: FromStr>(&mut self, name: &str, is_valid: impl Fn(&T) -> bool, what: &str) -> Option<T> {
        let value = self.get(name)?;
        let number = value.parse().ok().filter(is_valid);
        if number.is_none() {
            self.report(name, format_args!("give {what}"));
        }
        number
    }

    pub(super) fn milliseconds(&mut self, name: &str) -> Option<Duration> {
        self.number(name, |_| true, "a whole number of milliseconds").map(Duration::from_millis)
    }

    /// Reads the time limit of one export.
    pub(super) fn limit(&mut self, name: &str) -> Duration {
        let most = self.number(name, |most| *most > 0, "a whole number of milliseconds, at least 1");
        Duration::from_millis(most.unwrap_or(30_000))
    }

    /// Returns the destination of a signal; `None` for none.
    pub(super) fn signal(
        &mut self,
        signal: &str,
        wanted: bool,
        config: &TelemetryConfig,
    ) -> Option<Destination> {
        let name = format!("OTEL_{signal}_EXPORTER");
        let wanted = match self.get(&name) {
            Some(list) if list.split(',').any(|exporter| exporter.trim() == "otlp") => true,
            Some(none) if none == "none" => false,
            Some(_) => {
                self.report(&name, "the exporters are `otlp` and `none`");
                wanted
            }
            None => wanted,
        };
        if !wanted {
            return None;
        }
        let protocol = match self.of(signal, "PROTOCOL") {
            Some((_, word)) if word == "grpc" => OtlpProtocol::Grpc,
            Some((_, word)) if word == "http/protobuf" => OtlpProtocol::HttpProtobuf,
            Some((name, _)) => {
                self.report(&name, "the protocols are `http/protobuf` and `grpc`");
                config.protocol
            }
            None => config.protocol,
        };
        let timeout = self.of(signal, "TIMEOUT").and_then(|(name, _)| self.milliseconds(&name));
        if let Some((name, word)) = self.of(signal, "COMPRESSION")
            && word != "none"
        {
            self.report(&name, "requests are not compressed; give `none`, or remove it");
        }
        let endpoint = self.endpoint(signal, protocol, config);
        let tls = self.tls(signal, &endpoint)?;
        let timeout = timeout.unwrap_or(config.timeout).max(Duration::from_millis(1));
        let written = config.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        let headers = written.chain(self.headers(signal)).collect();
        Some(Destination { endpoint, protocol, headers, timeout, tls })
    }

    fn endpoint(&mut self, signal: &str, protocol: OtlpProtocol, config: &TelemetryConfig) -> String {
        let own = format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT");
        // The endpoint of a signal is used unchanged; the one for all gets the path of the signal.
        for (name, as_it_stands) in [(own.as_str(), true), ("OTEL_EXPORTER_OTLP_ENDPOINT", false)] {
            let Some(endpoint) = self.get(name) else { continue };
            let endpoint = self.with_scheme(signal, endpoint, protocol);
            match check_endpoint(&endpoint, protocol) {
                Ok(()) if as_it_stands => return endpoint,
                Ok(()) => return with_path(&endpoint, signal, protocol),
                Err(problem) => self.report(name, problem),
            }
        }
        let usual = || format!("http://localhost:{}", default_port(protocol));
        with_path(&config.endpoint.clone().unwrap_or_else(usual), signal, protocol)
    }

    /// Adds a missing scheme, which gRPC allows; `…_INSECURE` then decides about TLS.
    fn with_scheme(&mut self, signal: &str, endpoint: String, protocol: OtlpProtocol) -> String {
        if protocol != OtlpProtocol::Grpc || endpoint.contains("://") || endpoint.contains('@') {
            return endpoint;
        }
        let insecure = self.of(signal, "INSECURE").is_some_and(|(name, _)| self.flag(&name));
        if insecure { format!("http://{endpoint}") } else { format!("https://{endpoint}") }
    }

    /// Reads the certificates that the variables name. `None` if they cannot be read: the signal is then not exported,
    /// because the default ones would be trusted instead.
    fn tls(&mut self, signal: &str, endpoint: &str) -> Option<Tls> {
        let mut tls = Tls::default();
        if !endpoint.starts_with("https:") {
            return Some(tls);
        }
        let mut readable = true;
        let mut file = |environment: &mut Self, what: &str| -> Option<(String, Vec<u8>)> {
            let (name, path) = environment.of(signal, what)?;
            match read_pem(&path) {
                Ok(pem) => Some((name, pem)),
                Err(error) => {
                    let signal = signal.to_ascii_lowercase();
                    let why = format!("{error}; name a file in PEM. Until then, {signal} are not exported");
                    environment.report(&name, why);
                    readable = false;
                    None
                }
            }
        };
        tls.authority = file(self, "CERTIFICATE").map(|(_, pem)| pem);
        let (certificate, key) = (file(self, "CLIENT_CERTIFICATE"), file(self, "CLIENT_KEY"));
        match (certificate, key) {
            (Some((_, certificate)), Some((_, key))) => tls.client = Some((certificate, key)),
            (None, None) => {}
            (Some((name, _)), None) if readable => {
                self.report(&name, "a client certificate needs its key; set …_CLIENT_KEY, too");
            }
            (None, Some((name, _))) if readable => {
                self.report(&name, "a client key needs its certificate; set …_CLIENT_CERTIFICATE, too");
            }
            _ => {}
        }
        readable.then_some(tls)
    }

    /// Reads headers, which replace configured ones.
    fn headers(&mut self, signal: &str) -> Vec<(String, Secret)> {
        let Some((name, list)) = self.of(signal, "HEADERS") else { return Vec::new() };
        let header = |pair: &str| {
            let (key, value) = pair.split_once('=')?;
            let value = decode(value.trim())?;
            HeaderValue::from_str(&value).ok()?;
            let key = HeaderName::from_str(key.trim()).ok()?;
            Some((key.as_str().to_owned(), Secret::new(value)))
        };
        let pairs: Vec<_> = list.split(',').filter(|pair| !pair.trim().is_empty()).map(header).collect();
        let bad = pairs.iter().filter(|pair| pair.is_none()).count();
        if bad > 0 {
            let why = format!(
                "{bad} of its pairs cannot be headers, and are ignored; write `name=value,name=value`, with %XX \
                 for other characters"
            );
            self.report(&name, why);
        }
        pairs.into_iter().flatten().collect()
    }

    /// Returns the sampling of traces; `None` for no traces at all.
    pub(super) fn sampler(&mut self, configured: TracesSampled) -> Option<TracesSampled> {
        let Some(sampler) = self.get("OTEL_TRACES_SAMPLER") else { return Some(configured) };
        // A TFTP request has no parent.
        match sampler.strip_prefix("parentbased_").unwrap_or(&sampler) {
            "always_on" => Some(TracesSampled::ALL),
            "always_off" => None,
            "traceidratio" => {
                let is_part = |part: &f64| (0.0..=1.0).contains(part);
                let what = "a number from 0 to 1; it counts as 1";
                let part = self.number("OTEL_TRACES_SAMPLER_ARG", is_part, what).unwrap_or(1.0);
                Some(TracesSampled { part, ..TracesSampled::ALL })
            }
            _ => {
                self.report(
                    "OTEL_TRACES_SAMPLER",
                    "the samplers are `always_on`, `always_off`, `traceidratio`, and the same with `parentbased_`",
                );
                Some(configured)
            }
        }
    }

    pub(super) fn temporality(&mut self) -> Temporality {
        let name = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE";
        match self.get(name).map(|word| word.to_ascii_lowercase()).as_deref() {
            None | Some("cumulative") => Temporality::Cumulative,
            Some("delta") => Temporality::Delta,
            Some("lowmemory") => Temporality::LowMemory,
            Some(_) => {
                self.report(name, "the preferences are `cumulative`, `delta` and `lowmemory`");
                Temporality::Cumulative
            }
        }
    }

    pub(super) fn batching(&mut self, processor: &str, delay: u64) -> Batching {
        let number = |environment: &mut Self, what: &str| {
            let name = format!("OTEL_{processor}_{what}");
            environment.number::<u32>(&name, |number| *number > 0, "a whole number, at least 1")
        };
        let queue = number(self, "MAX_QUEUE_SIZE").unwrap_or(2048) as usize;
        let batch = number(self, "MAX_EXPORT_BATCH_SIZE").unwrap_or(512) as usize;
        let delay = self
            .milliseconds(&format!("OTEL_{processor}_SCHEDULE_DELAY"))
            .unwrap_or(Duration::from_millis(delay));
        Batching { queue, batch: batch.min(queue), delay }
    }

    pub(super) fn resource(&mut self, config: Option<&TelemetryConfig>) -> Vec<(String, String)> {
        let (resource, wrong) = resource_attributes(config, self.variable);
        if let Some((name, why)) = wrong {
            self.report(name, why);
        }
        resource
    }
}

fn with_path(endpoint: &str, signal: &str, protocol: OtlpProtocol) -> String {
    match protocol {
        OtlpProtocol::Grpc => endpoint.to_owned(),
        OtlpProtocol::HttpProtobuf => {
            format!("{}/v1/{}", endpoint.trim_end_matches('/'), signal.to_ascii_lowercase())
        }
    }
}
