//! What is exported, to whom: the section `telemetry`, and the variables of the OpenTelemetry specification,
//! which have precedence. What is wrong with a variable is told and the variable ignored, as the
//! specification wants it.

use super::queue::Batching;
use crate::config::{OtlpProtocol, TelemetryConfig, check_endpoint, usual_port};
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// All that is exported.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Resource attributes beside those that every process has; later ones win.
    pub(super) resource: Vec<(String, String)>,
    /// With the part that the ratio chooses.
    pub(super) traces: Option<(Destination, Batching, f64)>,
    /// With the interval.
    pub(super) metrics: Option<(Destination, Duration)>,
    pub(super) logs: Option<(Destination, Batching)>,
    /// What is wrong with variables.
    pub(super) complaints: Vec<String>,
}

/// Where one signal goes.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) endpoint: String,
    pub(super) protocol: OtlpProtocol,
    /// From the configuration; the exporter adds those of the environment.
    pub(super) headers: HashMap<String, String>,
    pub(super) timeout: Duration,
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Destination").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Settings {
    /// What the section and the environment come to; `None` where nothing is exported.
    pub(crate) fn resolve(
        config: Option<&TelemetryConfig>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<Settings> {
        let mut environment = Environment { variable, complaints: Vec::new() };
        if environment.get("OTEL_SDK_DISABLED").is_some_and(|word| word.eq_ignore_ascii_case("true")) {
            return None;
        }
        let endpoints = ["", "TRACES_", "METRICS_", "LOGS_"]
            .map(|signal| environment.get(&format!("OTEL_EXPORTER_OTLP_{signal}ENDPOINT")));
        if config.is_none() && endpoints.iter().all(Option::is_none) {
            return None;
        }
        let fallback = TelemetryConfig::default();
        let config = config.unwrap_or(&fallback);
        let traces = environment.signal("TRACES", config.traces.is_some(), config).and_then(|destination| {
            let part = environment.sampler(config.traces.unwrap_or(1.0))?;
            Some((environment.within(destination, "BSP"), environment.batching("BSP", 5_000), part))
        });
        let metrics = environment.signal("METRICS", config.metrics.is_some(), config).map(|destination| {
            let interval = environment.milliseconds("OTEL_METRIC_EXPORT_INTERVAL");
            let interval = interval.or(config.metrics).unwrap_or(Duration::from_secs(60));
            (destination, interval.max(Duration::from_millis(100)))
        });
        let logs = environment.signal("LOGS", config.logs, config).map(|destination| {
            (environment.within(destination, "BLRP"), environment.batching("BLRP", 1_000))
        });
        if traces.is_none() && metrics.is_none() && logs.is_none() {
            return None;
        }
        let resource = environment.resource(config);
        Some(Settings { resource, traces, metrics, logs, complaints: environment.complaints })
    }
}

struct Environment<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    complaints: Vec<String>,
}

impl Environment<'_> {
    /// An empty variable is one that is not set.
    fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// The one of the signal, else the one for all.
    fn of(&self, signal: &str, what: &str) -> Option<(String, String)> {
        [format!("OTEL_EXPORTER_OTLP_{signal}_{what}"), format!("OTEL_EXPORTER_OTLP_{what}")]
            .into_iter()
            .find_map(|name| self.get(&name).map(|value| (name, value)))
    }

    fn complain(&mut self, name: &str, why: impl Display) {
        // Not the value: nothing tells whether it is a secret.
        let complaint = format!("the variable {name} is ignored: {why}");
        if !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    fn number<T: FromStr + PartialOrd + From<u8>>(&mut self, name: &str) -> Option<T> {
        let value = self.get(name)?;
        let number = value.parse().ok().filter(|number| *number >= T::from(0));
        if number.is_none() {
            self.complain(name, "it is no number; give one that is not negative");
        }
        number
    }

    fn milliseconds(&mut self, name: &str) -> Option<Duration> {
        self.number::<u64>(name).map(Duration::from_millis)
    }

    /// Where a signal goes; `None` for nowhere.
    fn signal(&mut self, signal: &str, wanted: bool, config: &TelemetryConfig) -> Option<Destination> {
        let name = format!("OTEL_{signal}_EXPORTER");
        let wanted = match self.get(&name) {
            Some(list) if list.split(',').any(|exporter| exporter.trim() == "otlp") => true,
            Some(none) if none == "none" => false,
            Some(_) => {
                self.complain(&name, "there are the exporters `otlp` and `none`");
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
                self.complain(&name, "there are the protocols `http/protobuf` and `grpc`");
                config.protocol
            }
            None => config.protocol,
        };
        let timeout = self.of(signal, "TIMEOUT").and_then(|(name, _)| self.milliseconds(&name));
        let endpoint = self.endpoint(signal, protocol, config);
        Some(Destination {
            endpoint,
            protocol,
            headers: config
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), value.reveal().to_owned()))
                .collect(),
            timeout: timeout.unwrap_or(config.timeout).max(Duration::from_millis(1)),
        })
    }

    fn endpoint(&mut self, signal: &str, protocol: OtlpProtocol, config: &TelemetryConfig) -> String {
        let own = format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT");
        // The endpoint of a signal is taken as it stands; the one for all gets the path of the signal.
        for (name, as_it_stands) in [(own.as_str(), true), ("OTEL_EXPORTER_OTLP_ENDPOINT", false)] {
            let Some(endpoint) = self.get(name) else { continue };
            match check_endpoint(&endpoint, protocol) {
                Ok(()) if as_it_stands => return endpoint,
                Ok(()) => return with_path(&endpoint, signal, protocol),
                Err(complaint) => self.complain(name, complaint),
            }
        }
        let usual = || format!("http://localhost:{}", usual_port(protocol));
        with_path(&config.endpoint.clone().unwrap_or_else(usual), signal, protocol)
    }

    /// The part that is chosen; `None` for no traces at all.
    fn sampler(&mut self, configured: f64) -> Option<f64> {
        let Some(sampler) = self.get("OTEL_TRACES_SAMPLER") else { return Some(configured) };
        // A request of TFTP has no parent.
        match sampler.strip_prefix("parentbased_").unwrap_or(&sampler) {
            "always_on" => Some(1.0),
            "always_off" => None,
            "traceidratio" => {
                let part = self.number::<f64>("OTEL_TRACES_SAMPLER_ARG").filter(|part| *part <= 1.0);
                Some(part.unwrap_or(1.0))
            }
            _ => {
                self.complain(
                    "OTEL_TRACES_SAMPLER",
                    "there are `always_on`, `always_off`, `traceidratio`, and the same with `parentbased_`",
                );
                Some(configured)
            }
        }
    }

    fn batching(&mut self, processor: &str, delay: u64) -> Batching {
        let number = |environment: &mut Self, what: &str| {
            environment.number::<u32>(&format!("OTEL_{processor}_{what}")).filter(|number| *number > 0)
        };
        let queue = number(self, "MAX_QUEUE_SIZE").unwrap_or(2048) as usize;
        let batch = number(self, "MAX_EXPORT_BATCH_SIZE").unwrap_or(512) as usize;
        let delay = self
            .milliseconds(&format!("OTEL_{processor}_SCHEDULE_DELAY"))
            .unwrap_or(Duration::from_millis(delay));
        Batching { queue, batch: batch.min(queue), delay }
    }

    /// With the time limit of the processor.
    fn within(&mut self, destination: Destination, processor: &str) -> Destination {
        let most = self.milliseconds(&format!("OTEL_{processor}_EXPORT_TIMEOUT"));
        let timeout = most.filter(|most| !most.is_zero()).unwrap_or(Duration::from_secs(30));
        Destination { timeout: destination.timeout.min(timeout), ..destination }
    }

    fn resource(&mut self, config: &TelemetryConfig) -> Vec<(String, String)> {
        let mut resource = vec![("service.name".to_owned(), config.service_name.clone())];
        resource.extend(config.resource.clone());
        let name = "OTEL_RESOURCE_ATTRIBUTES";
        if let Some(list) = self.get(name) {
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
                None => self.complain(name, "write `key=value,key=value`, with %XX for other characters"),
            }
        }
        resource.extend(self.get("OTEL_SERVICE_NAME").map(|name| ("service.name".to_owned(), name)));
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

/// Percent-decoded (W3C Baggage).
fn decode(text: &str) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(config: Option<&TelemetryConfig>, variables: &[(&str, &str)]) -> Option<Settings> {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        Settings::resolve(config, &|name| variables.get(name).map(|value| (*value).to_owned()))
    }

    #[test]
    fn nothing_is_exported_unless_it_is_wanted() {
        assert!(resolve(None, &[]).is_none());
        assert!(resolve(None, &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).is_none());
        assert!(resolve(None, &[("OTEL_TRACES_SAMPLER", "always_on")]).is_none());
        let config = TelemetryConfig::default();
        assert!(resolve(Some(&config), &[]).is_some());
        assert!(resolve(Some(&config), &[("OTEL_SDK_DISABLED", "TRUE")]).is_none());
        let none = [("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "none")];
        let settings = resolve(Some(&config), &none).unwrap();
        assert!(settings.traces.is_none() && settings.metrics.is_none() && settings.logs.is_some());
        let all = [none[0], none[1], ("OTEL_LOGS_EXPORTER", "none")];
        assert!(resolve(Some(&config), &all).is_none());
    }

    #[test]
    fn endpoints_by_signal_and_protocol() {
        let of = |config: Option<&TelemetryConfig>, variables: &[(&str, &str)]| {
            let settings = resolve(config, variables).unwrap();
            assert_eq!(settings.complaints, [] as [&str; 0]);
            [settings.traces.unwrap().0, settings.metrics.unwrap().0, settings.logs.unwrap().0]
                .map(|destination| destination.endpoint)
        };
        let config = TelemetryConfig::default();
        assert_eq!(
            of(Some(&config), &[]),
            ["traces", "metrics", "logs"].map(|signal| format!("http://localhost:4318/v1/{signal}"))
        );
        let grpc = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
        assert_eq!(of(Some(&config), &grpc), ["http://localhost:4317"; 3]);
        let written = TelemetryConfig { endpoint: Some("http://c:1/otlp/".into()), ..config };
        let one = [("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:2/x")];
        assert_eq!(
            of(Some(&written), &one),
            ["http://t:2/x", "http://c:1/otlp/v1/metrics", "http://c:1/otlp/v1/logs"]
        );
        let both = [one[0], ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://e:3")];
        let due = ["http://t:2/x", "http://e:3/v1/metrics", "http://e:3/v1/logs"];
        assert_eq!((of(Some(&written), &both), of(None, &both)), (due.map(Into::into), due.map(Into::into)));
    }

    #[test]
    fn samplers_and_batches() {
        let part = |variables: &[(&str, &str)]| {
            let config = TelemetryConfig { traces: Some(0.25), ..TelemetryConfig::default() };
            resolve(Some(&config), variables).unwrap().traces.map(|(_, _, part)| part)
        };
        assert_eq!(part(&[]), Some(0.25));
        assert_eq!(part(&[("OTEL_TRACES_SAMPLER", "parentbased_always_on")]), Some(1.0));
        assert_eq!(part(&[("OTEL_TRACES_SAMPLER", "always_off")]), None);
        let ratio = ("OTEL_TRACES_SAMPLER", "traceidratio");
        assert_eq!(part(&[ratio, ("OTEL_TRACES_SAMPLER_ARG", "0.5")]), Some(0.5));
        assert_eq!(part(&[ratio]), Some(1.0));
        let config = TelemetryConfig::default();
        let variables = [
            ("OTEL_BSP_MAX_QUEUE_SIZE", "100"),
            ("OTEL_BSP_SCHEDULE_DELAY", "7"),
            ("OTEL_BSP_EXPORT_TIMEOUT", "900"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "2000"),
            ("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "3000"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1500"),
        ];
        let settings = resolve(Some(&config), &variables).unwrap();
        let (destination, batching, _) = settings.traces.unwrap();
        let due = Batching { queue: 100, batch: 100, delay: Duration::from_millis(7) };
        assert_eq!((batching, destination.timeout), (due, Duration::from_millis(900)));
        assert_eq!(settings.logs.unwrap().0.timeout, Duration::from_secs(3));
        assert_eq!(settings.metrics.unwrap().1, Duration::from_millis(1500));
    }

    #[test]
    fn the_environment_has_precedence_and_what_is_wrong_in_it_is_told() {
        let config = TelemetryConfig {
            service_name: "written".into(),
            resource: [("a".into(), "1".into())].into(),
            ..TelemetryConfig::default()
        };
        let variables = [
            ("OTEL_RESOURCE_ATTRIBUTES", "a=2,b=x%2Cy, service.name=third"),
            ("OTEL_SERVICE_NAME", "first"),
            ("OTEL_LOGS_EXPORTER", "console"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "secret"),
            ("OTEL_BLRP_SCHEDULE_DELAY", "soon"),
        ];
        let settings = resolve(Some(&config), &variables).unwrap();
        let last = |key: &str| {
            let mut found = settings.resource.iter().rev().filter(|(name, _)| name == key);
            found.next().map(|(_, value)| value.as_str())
        };
        assert_eq!(["a", "b", "service.name"].map(last), [Some("2"), Some("x,y"), Some("first")]);
        let told = settings.complaints.join("\n");
        for (name, _) in &variables[2..] {
            assert!(told.contains(name), "{name} in {told}");
        }
    }
}
