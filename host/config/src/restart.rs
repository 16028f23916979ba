//! The keys that a running server cannot change.

use std::path::{Path, PathBuf};

use super::Config;
use super::written::defaults;

impl Config {
    /// Returns the keys that differ in `next` but cannot change while the server runs: its sockets, its
    /// threads, and the settings that these were created with.
    pub fn needs_restart(&self, next: &Config) -> Vec<&'static str> {
        let admin = |config: &Config| config.admin.as_ref().map(|admin| admin.address.clone());
        let differs = [
            ("listeners", self.listeners != next.listeners),
            ("workers", self.workers != next.workers),
            ("busy-poll", self.busy_poll != next.busy_poll),
            ("control", self.control != next.control),
            ("admin.address", admin(self) != admin(next)),
            ("policy.compiled", self.policy.compiled != next.policy.compiled),
            ("transfer.rollover", self.transfer.rollover != next.transfer.rollover),
            ("transfer.retransmit", self.transfer.retransmit != next.transfer.retransmit),
            ("limits.transfers", self.limits.transfers != next.limits.transfers),
            ("limits.pending", self.limits.pending != next.limits.pending),
            ("telemetry", self.telemetry != next.telemetry),
            ("privileges", self.privileges != next.privileges),
            ("limits.events", self.limits.events != next.limits.events),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
    }
}

/// Returns the control socket in this file, or the default one. The rest of the file may be invalid: the
/// server reports that.
pub fn control_of(file: Option<&Path>) -> Option<PathBuf> {
    let written = file.and_then(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        let value: serde_json::Value = serde_yaml::from_str(&text).ok()?;
        Some((file.parent()?.to_owned(), value.get("control")?.as_str()?.to_owned()))
    });
    match written {
        None => defaults::control(),
        Some((_, socket)) if socket == "none" => None,
        Some((folder, socket)) => Some(folder.join(socket)),
    }
}
