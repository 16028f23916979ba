//! The settings of the exports: the section `telemetry`, and the variables of the OpenTelemetry specification, which
//! take precedence ([`super::environment`]).

use super::environment::{Environment, VariableProblem};
use super::metrics::Temporality;
use super::queue::Batching;
use std::time::Duration;
use tuffet_config::{TelemetryConfig, TracesSampled};
use tuffet_sinks::otlp::Destination;

/// The settings of all exports.
#[derive(Debug)]
pub struct Settings {
    /// Resource attributes in addition to those of every process; later ones win.
    pub(super) resource: Vec<(String, String)>,
    /// With the sampling.
    pub(super) traces: Option<(Destination, Batching, TracesSampled)>,
    /// With the interval.
    pub(super) metrics: Option<(Destination, Duration, Temporality)>,
    pub(super) logs: Option<(Destination, Batching)>,
}

impl Settings {
    /// Resolves the section and the environment; `None` if nothing is exported. Also returns the problems of variables.
    pub fn resolve(
        config: Option<&TelemetryConfig>,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> (Option<Settings>, Vec<VariableProblem>) {
        let mut environment = Environment::new(variable);
        let settings = Settings::of(config, &mut environment);
        (settings, environment.problems)
    }

    /// As [`Settings::resolve`], from the environment of the process; also reports variables without effect.
    pub fn of_process(config: Option<&TelemetryConfig>) -> (Option<Settings>, Vec<VariableProblem>) {
        let (settings, mut problems) = Settings::resolve(config, &|name| std::env::var(name).ok());
        if settings.is_some() {
            let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
            problems.extend(names.filter_map(|name| VariableProblem::of_unknown(&name)));
        }
        (settings, problems)
    }

    fn of(config: Option<&TelemetryConfig>, environment: &mut Environment) -> Option<Settings> {
        if environment.flag("OTEL_SDK_DISABLED") {
            return None;
        }
        if config.is_none() && !environment.names_an_endpoint() {
            return None;
        }
        let fallback = TelemetryConfig::default();
        let config = config.unwrap_or(&fallback);
        let traces = environment.signal("TRACES", config.traces.enabled, config).and_then(|destination| {
            let chosen = environment.sampler(config.traces.sampled().unwrap_or(TracesSampled::ALL))?;
            let most = environment.limit("OTEL_BSP_EXPORT_TIMEOUT");
            Some((within(destination, most), environment.batching("BSP", 5_000), chosen))
        });
        let metrics = environment.signal("METRICS", config.metrics.enabled, config).map(|destination| {
            let interval = environment.milliseconds("OTEL_METRIC_EXPORT_INTERVAL");
            let interval = interval.unwrap_or(config.metrics.interval);
            let most = environment.limit("OTEL_METRIC_EXPORT_TIMEOUT");
            let interval = interval.max(Duration::from_millis(100));
            (within(destination, most), interval, environment.temporality())
        });
        let logs = environment.signal("LOGS", config.logs, config).map(|destination| {
            let most = environment.limit("OTEL_BLRP_EXPORT_TIMEOUT");
            (within(destination, most), environment.batching("BLRP", 1_000))
        });
        if traces.is_none() && metrics.is_none() && logs.is_none() {
            return None;
        }
        let resource = environment.resource(Some(config));
        Some(Settings { resource, traces, metrics, logs })
    }
}

/// Applies the time limit of the processor, too.
fn within(destination: Destination, most: Duration) -> Destination {
    Destination { timeout: destination.timeout.min(most), ..destination }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use tuffet_config::{Secret, Traces};

    fn resolve(config: Option<&TelemetryConfig>, variables: &[(&str, &str)]) -> Option<Settings> {
        resolve_with_problems(config, variables).0
    }

    fn resolve_with_problems(
        config: Option<&TelemetryConfig>,
        variables: &[(&str, &str)],
    ) -> (Option<Settings>, Vec<String>) {
        let variables: HashMap<_, _> = variables.iter().copied().collect();
        let (settings, problems) =
            Settings::resolve(config, &|name| variables.get(name).map(|value| (*value).to_owned()));
        (settings, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn exports_are_off_by_default() {
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
            let (settings, problems) = resolve_with_problems(config, variables);
            assert_eq!(problems, [] as [&str; 0]);
            let settings = settings.unwrap();
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
            let traces = Traces { enabled: true, sample: 0.25, per_second: 7 };
            let config = TelemetryConfig { traces, ..TelemetryConfig::default() };
            let chosen = resolve(Some(&config), variables).unwrap().traces.map(|(_, _, chosen)| chosen);
            chosen.map(|chosen| (chosen.part, chosen.per_second))
        };
        assert_eq!(part(&[]), Some((0.25, Some(7))));
        assert_eq!(part(&[("OTEL_TRACES_SAMPLER", "parentbased_always_on")]), Some((1.0, None)));
        assert_eq!(part(&[("OTEL_TRACES_SAMPLER", "always_off")]), None);
        let ratio = ("OTEL_TRACES_SAMPLER", "traceidratio");
        assert_eq!(part(&[ratio, ("OTEL_TRACES_SAMPLER_ARG", "0.5")]), Some((0.5, None)));
        assert_eq!(part(&[ratio]), Some((1.0, None)));
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
    fn the_environment_takes_precedence_and_its_problems_are_reported() {
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
        let (settings, problems) = resolve_with_problems(Some(&config), &variables);
        let settings = settings.unwrap();
        let headers = [
            ("OTEL_EXPORTER_OTLP_HEADERS", "A=all,b=2"),
            ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", " a = of%20logs ,c=3, , bad name=4"),
        ];
        let secret = |name: &str, value: &str| (name.to_owned(), Secret::new(value));
        let written =
            TelemetryConfig { headers: [secret("a", "written"), secret("d", "4")].into(), ..config.clone() };
        let of_signals = resolve(Some(&written), &headers).unwrap();
        assert_eq!(
            of_signals.metrics.unwrap().0.headers,
            [secret("a", "all"), secret("b", "2"), secret("d", "4")].into()
        );
        assert_eq!(
            of_signals.logs.unwrap().0.headers,
            [secret("a", "of logs"), secret("c", "3"), secret("d", "4")].into()
        );
        let last = |key: &str| {
            let mut found = settings.resource.iter().rev().filter(|(name, _)| name == key);
            found.next().map(|(_, value)| value.as_str())
        };
        assert_eq!(["a", "b", "service.name"].map(last), [Some("2"), Some("x,y"), Some("first")]);
        let joined = problems.join("\n");
        for (name, value) in &variables[2..] {
            assert!(
                joined.contains(&format!("the variable {name}={value:?} is ignored: ")),
                "{name} in {joined}"
            );
        }
    }

    /// Problems include a remedy, but no possible secrets.
    #[test]
    fn invalid_variables_are_reported() {
        let config = TelemetryConfig::default();
        for (name, value, due) in [
            ("OTEL_SDK_DISABLED", "yes", "=\"yes\" is ignored: give `true` or `false`"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:s3cr3t@h", " is ignored: a user and password"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=b, s3cr3t", " is ignored: 1 of its pairs cannot be headers"),
            ("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "s3cr3t y=1", " is ignored: 1 of its pairs"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "1s", "=\"1s\" is ignored: give a whole number of milliseconds"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip", "=\"gzip\" is ignored: requests are not compressed"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "-1", "=\"-1\" is ignored: give a whole number of milliseconds"),
            ("OTEL_METRIC_EXPORT_TIMEOUT", "0", "=\"0\" is ignored: give a whole number of milliseconds, at"),
            (
                "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
                "both",
                "is ignored: the preferences are `cumulative`",
            ),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "0", "=\"0\" is ignored: give a whole number, at least 1"),
            ("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "many", "is ignored: give a whole number, at least 1"),
            ("OTEL_BSP_EXPORT_TIMEOUT", "x", "is ignored: give a whole number of milliseconds, at least 1"),
            ("OTEL_TRACES_SAMPLER", "sometimes", "is ignored: the samplers are `always_on`"),
        ] {
            let (settings, problems) = resolve_with_problems(Some(&config), &[(name, value)]);
            assert!(settings.is_some(), "{name}");
            let [problem] = &problems[..] else { unreachable!("{name}: {problems:?}") };
            assert!(problem.contains(&format!("the variable {name}")) && problem.contains(due), "{problem}");
            assert!(!problem.contains("s3cr3t"), "{problem}");
        }
        let ratio = [("OTEL_TRACES_SAMPLER", "traceidratio"), ("OTEL_TRACES_SAMPLER_ARG", "1.5")];
        let (settings, problems) = resolve_with_problems(Some(&config), &ratio);
        assert_eq!(settings.unwrap().traces.unwrap().2, TracesSampled::ALL);
        assert!(problems[0].contains("a number from 0 to 1"), "{problems:?}");
    }

    #[test]
    fn variables_without_effect_are_reported() {
        let read = [
            "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY",
            "OTEL_EXPORTER_OTLP_INSECURE",
            "OTEL_BSP_SCHEDULE_DELAY",
            "PATH",
        ];
        assert_eq!(read.map(VariableProblem::of_unknown), [const { None }; 4]);
        for name in
            ["OTEL_EXPORTER_OTLP_ENDPIONT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_EXPORTER_ZIPKIN_ENDPOINT"]
        {
            assert!(VariableProblem::of_unknown(name).is_some(), "{name}");
        }
    }

    #[test]
    fn temporality_limits_and_endpoints_without_scheme() {
        let config = TelemetryConfig::default();
        let variables = [
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "Delta"),
            ("OTEL_METRIC_EXPORT_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
            ("OTEL_EXPORTER_OTLP_LOGS_INSECURE", "true"),
        ];
        let (settings, problems) = resolve_with_problems(Some(&config), &variables);
        assert_eq!(problems, [] as [&str; 0]);
        let settings = settings.unwrap();
        let (metrics, _, temporality) = settings.metrics.unwrap();
        assert_eq!((metrics.timeout, temporality), (Duration::from_millis(250), Temporality::Delta));
        let endpoints = [settings.traces.unwrap().0.endpoint, settings.logs.unwrap().0.endpoint];
        assert_eq!(endpoints, ["https://collector:4317", "http://collector:4317"]);
    }

    /// Other certificates must not be trusted instead.
    #[test]
    fn a_signal_with_unreadable_certificates_is_not_exported() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, content: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let (pem, key) = (path("a", "-----BEGIN CERTIFICATE-----"), path("k", "-----BEGIN PRIVATE KEY-----"));
        let (config, https) = (TelemetryConfig::default(), ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://h"));
        let all = [
            https,
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", &*pem),
            ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", &*pem),
            ("OTEL_EXPORTER_OTLP_CLIENT_KEY", &*key),
            ("OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE", "/no/such/file"),
        ];
        let (settings, problems) = resolve_with_problems(Some(&config), &all);
        let settings = settings.unwrap();
        let tls = settings.traces.unwrap().0.tls;
        assert!(tls.authority.is_some() && tls.client.is_some() && settings.logs.is_none());
        let due = "the variable OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE=\"/no/such/file\" is ignored: ";
        assert!(problems.len() == 1 && problems[0].starts_with(due), "{problems:?}");
        assert!(problems[0].ends_with("Until then, logs are not exported"), "{problems:?}");
        let (settings, problems) = resolve_with_problems(Some(&config), &[https, all[3]]);
        assert!(settings.unwrap().traces.unwrap().0.tls.client.is_none());
        assert!(problems[0].contains("needs its certificate"), "{problems:?}");
    }
}
