//! What a server that runs holds on to.

use std::path::{Path, PathBuf};

use super::Config;
use super::written::defaults;

impl Config {
    /// The keys in which `next` differs from this configuration although they cannot change while a server
    /// runs: its sockets, its threads, and what these were made with.
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

/// The control socket of the server that this file is for, or the default one. All else in the file may be
/// wrong: the server will say what.
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
