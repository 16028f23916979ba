//! Which file a machine gets, by its MAC address.
//!
//! Rules are tried in order; the first that matches and knows at least one file answers, with the device's
//! own file first, then what its templates give, then the fallback. The server takes the first of them that
//! exists. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod mac;
mod rule;
mod settings;
mod template;
#[cfg(test)]
mod tests;

use tuffet_sdk::{MacSource, Plugin, Problems, Request, Resolution, Resolve, Target};

use mac::Mac;
use rule::Rule;
use settings::Settings;

/// The rules, ready to be asked.
pub struct MacMap {
    root: String,
    sources: Vec<MacSource>,
    rules: Vec<Rule>,
}

impl Plugin for MacMap {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for MacMap {
    fn resolve(&self, request: &Request) -> Resolution {
        let macs = self.macs(request);
        for rule in self.rules.iter().filter(|rule| rule.applies(request)) {
            let files = rule.candidates(request, &macs);
            if !files.is_empty() {
                return Resolution::Files(
                    files.into_iter().map(|path| Target::new(&self.root, path)).collect(),
                );
            }
        }
        Resolution::Abstain
    }
}

impl MacMap {
    /// The addresses known for the client, the preferred source first, each once.
    fn macs(&self, request: &Request) -> Vec<Mac> {
        let mut macs = Vec::new();
        for source in &self.sources {
            let of_source = request.client.macs.iter().filter(|fact| fact.source == *source);
            for mac in of_source.filter_map(|fact| Mac::parse(&fact.address).ok()) {
                if !macs.contains(&mac) {
                    macs.push(mac);
                }
            }
        }
        macs
    }
}

tuffet_sdk::manifest! {
    name: "mac-map",
    version: env!("CARGO_PKG_VERSION"),
    description: "Which file a machine gets, by its MAC address",
    grants: [("client-mac", "knows the machine by its MAC address")],
}
tuffet_sdk::export!(MacMap: resolve);
