//! Requests that are allowed only at certain times of the week. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod settings;
#[cfg(test)]
mod tests;
mod week;

use tuffet_sdk::{Authorize, Denial, Glob, Operation, Plugin, Problems, Request, Verdict};

use settings::Settings;
use week::{Offset, Window};

/// The rules, each with its windows.
pub struct MaintenanceWindow {
    offset: Offset,
    rules: Vec<Rule>,
}

struct Rule {
    /// Empty for all operations.
    operations: Vec<Operation>,
    /// Empty for all names.
    names: Vec<Glob>,
    windows: Vec<Window>,
}

impl Plugin for MaintenanceWindow {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Authorize for MaintenanceWindow {
    fn authorize(&self, request: &Request) -> Verdict {
        let now = request.unix_ms / 1000;
        // Every rule that matches must have an open window.
        for (index, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.matches(request)) {
            let Some(wait) = week::until_open(&rule.windows, self.offset, now) else { continue };
            let opening = week::show(now + wait, self.offset);
            let message = format!("outside of the maintenance window, which opens {opening}");
            return Verdict::Deny(Denial::access_violation(
                message,
                format!("rule {}: opens {opening}", index + 1),
            ));
        }
        Verdict::Abstain
    }
}

impl Rule {
    fn matches(&self, request: &Request) -> bool {
        (self.operations.is_empty() || self.operations.contains(&request.operation))
            && (self.names.is_empty() || self.names.iter().any(|name| name.matches(&request.path)))
    }
}

tuffet_sdk::manifest! {
    name: "maintenance-window",
    version: env!("CARGO_PKG_VERSION"),
    description: "Allows some requests at certain times only",
    reuse: true,
}
tuffet_sdk::export!(MaintenanceWindow: authorize);
