//! A plugin for tests: it tries the grants.
//!
//! ```yaml
//! run: [kv set a 1, kv get a]  # `resolve` answers with the result of each command, one line each
//! when: "tell/**"              # for these paths; default every path
//! configure: [kv get a]        # the same in `configure`; its result is the first line of `resolve`
//! upload: rename up/{sha256}   # abstain (default), accept, rename PATH, deny, trap; run: deny with what `run` says
//! observe: audit               # the sink that gets every event as JSON
//! dawdle: 300                  # milliseconds that each call of `observe` takes
//! stumble: 2                   # this many calls of `observe` trap, after sending their first event
//! ```
#![forbid(unsafe_code)]

mod command;

use std::time::Duration;

use serde::Deserialize;
use tuffet_sdk::{
    Accept, Acceptance, Authorize, Denial, Destination, Event, EventKind, Glob, Observe, Plugin, Problems,
    Request, Resolution, Resolve, Summary, Upload, Verdict, kv, sinks,
};

/// The settings, as shown above.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    run: Vec<String>,
    when: Option<String>,
    #[serde(default)]
    configure: Vec<String>,
    upload: Option<String>,
    observe: Option<String>,
    #[serde(default)]
    dawdle: u64,
    #[serde(default)]
    stumble: i64,
}

/// The plugin with its settings.
pub struct Probe {
    settings: Settings,
    when: Option<Glob>,
    configured: String,
}

impl Plugin for Probe {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let when = settings.when.as_ref().and_then(|glob| problems.check("/when", Glob::parse(glob)));
        let configured = command::run_all(&settings.configure);
        problems.or(Probe { settings, when, configured })
    }
}

impl Authorize for Probe {
    fn authorize(&self, _: &Request) -> Verdict {
        Verdict::Abstain
    }
}

impl Resolve for Probe {
    fn resolve(&self, request: &Request) -> Resolution {
        let asked = self.when.as_ref().is_none_or(|glob| glob.matches(&request.path));
        if self.settings.run.is_empty() && self.settings.configure.is_empty() || !asked {
            return Resolution::Abstain;
        }
        let macs: Vec<&str> = request.client.any_macs().map(|mac| mac.address.as_str()).collect();
        let said = command::run_all(&self.settings.run)
            .replace("{macs}", &macs.join(","))
            .replace("{raw-name}", request.attribute("raw-name").unwrap_or("none"));
        Resolution::content(format!("{}{said}", self.configured))
    }
}

impl Accept for Probe {
    fn accept_upload(&self, request: &Request, upload: &Upload) -> Acceptance {
        let answer = self.settings.upload.as_deref().unwrap_or("abstain");
        match answer.split_once(' ').unwrap_or((answer, "")) {
            ("accept", _) => Acceptance::Accept,
            ("rename", path) => {
                let path = path.replace("{sha256}", &upload.sha256);
                Destination::new(path.replace("{bytes}", &upload.size.to_string())).into()
            }
            ("free", path) => Destination::new(path).or_next_free().into(),
            ("deny", _) => Acceptance::Deny(Denial::access_violation(
                "not this one",
                format!("{} of {} for {}:{}", upload.size, request.client.address, upload.root, upload.path),
            )),
            // What the commands of `run` come to.
            ("run", _) => {
                Acceptance::Deny(Denial::access_violation("ran", command::run_all(&self.settings.run)))
            }
            ("trap", _) => trap(),
            _ => Acceptance::Abstain,
        }
    }
}

impl Observe for Probe {
    fn observe(&self, events: &[Event]) {
        let Some(sink) = &self.settings.observe else { return };
        std::thread::sleep(Duration::from_millis(self.settings.dawdle));
        for event in events {
            let line = shown(event);
            assert_eq!(sinks::emit(sink, &line), Ok(()), "{line}");
            if self.settings.stumble > 0 {
                let stumbled = kv::increment("stumbled", 1, None).unwrap_or_default();
                assert!(stumbled > self.settings.stumble, "stumbled as asked");
            }
        }
    }
}

fn shown(event: &Event) -> String {
    match &event.kind {
        EventKind::Started(start) => format!(
            r#"{{"started":{:?},"path":{:?},"size":{:?},"macs":{},"ms":{}}}"#,
            start.request.id,
            start.request.path,
            start.size.unwrap_or_default(),
            start.request.client.any_macs().count(),
            event.unix_ms,
        ),
        EventKind::Progressed(progress) => {
            format!(r#"{{"progressed":{:?},"bytes":{}}}"#, progress.request_id, progress.transferred)
        }
        EventKind::Finished(summary) => finished(summary),
        EventKind::Other(other) => format!(r#"{{"other":{:?}}}"#, other.kind),
    }
}

fn finished(summary: &Summary) -> String {
    let request = &summary.decided.request;
    let resolved = summary.decided.resolved.as_ref().map(ToString::to_string).unwrap_or_default();
    let attributes = request.attributes.iter().chain(&summary.attributes);
    let attributes: Vec<String> = attributes.map(|(key, value)| format!("{key}={value}")).collect();
    let tried: Vec<String> =
        summary.tried.iter().map(|file| format!("{}:{}", file.root, file.path)).collect();
    format!(
        r#"{{"finished":{:?},"path":{:?},"outcome":{:?},"decision":{:?},"class":{:?},"bytes":{},"blocks":{},"first_block":{},"resolved":{resolved:?},"tried":{tried:?},"attributes":{attributes:?}}}"#,
        request.id,
        request.path,
        summary.outcome,
        summary.decision,
        request.client.class,
        summary.transferred,
        summary.blocks,
        summary.first_block_us.is_some(),
    )
}

#[allow(clippy::panic)] // the purpose of this setting
fn trap() -> ! {
    panic!("trapped as asked");
}

tuffet_sdk::manifest! {
    name: "probe",
    version: env!("CARGO_PKG_VERSION"),
    description: "Uses all that can be granted, for the tests of the server",
    grants: [
        ("kv", "tries keys"),
        ("files", "tries files"),
        ("sinks", "tries sinks"),
    ],
    optional: [
        ("client-mac", "tells the addresses that it was told"),
        ("clock", "looks at the time"),
        ("http", "tries hosts"),
        ("metrics", "counts"),
        ("random", "looks at random numbers"),
        ("upload", "reads uploads"),
    ],
}
tuffet_sdk::export!(Probe: authorize, resolve, accept_upload, observe);
