//! Which file a machine gets, by its MAC address.
//!
//! Rules are tried in order; the first that matches and knows at least one file answers, with the device's
//! own file first, then what its templates give, then the fallback. The server takes the first of them that
//! exists. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod leases;
mod rule;
mod settings;
mod template;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use tuffet_leases::{Format, Index, Mac};
use tuffet_sdk::{Plugin, Problems, Request, Resolution, Resolve, Target};

use leases::Leases;
use rule::Rule;
use settings::{Settings, Source};

/// The rules, ready to be asked.
pub struct MacMap {
    root: String,
    sources: Vec<Source>,
    leases: Leases,
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
        let rules: Vec<&Rule> = self.rules.iter().filter(|rule| rule.applies(request)).collect();
        if rules.is_empty() {
            return Resolution::Abstain;
        }
        let macs = self.macs(request);
        for rule in rules {
            let files = rule.candidates(request, &macs);
            if !files.is_empty() {
                return Resolution::files(files.into_iter().map(|path| Target::new(&self.root, path)));
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
            let facts = request.client.network_macs().iter().chain(request.client.claimed_macs());
            let of_source = facts.filter(|fact| fact.source == source.name());
            for mac in of_source.filter_map(|fact| Mac::parse(&fact.address).ok()) {
                if !macs.contains(&mac) {
                    macs.push(mac);
                }
            }
            // Where the server or a source before it knows the client, the files are not read.
            if *source == Source::LeaseFile && macs.is_empty() {
                macs.extend(self.leased(request));
            }
        }
        macs
    }

    fn leased(&self, request: &Request) -> Option<Mac> {
        self.leases.find(request.client.address.parse().ok()?, now())
    }
}

/// Seconds since 1970; 0 without the grant `clock`, and then no lease is ever over.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// Who holds a lease on `address` at `now` according to a file of `dnsmasq`, `kea` or `isc`: for fuzzing.
#[doc(hidden)]
pub fn lease(format: &str, content: &[u8], address: IpAddr, now: u64) -> Option<String> {
    let format = match format {
        "dnsmasq" => Format::Dnsmasq,
        "kea" => Format::Kea,
        "isc" => Format::Isc,
        _ => return None,
    };
    Some(Index::of(format, content.to_vec())?.find(address, now)??.mac?.joined(":"))
}

tuffet_sdk::manifest! {
    name: "mac-map",
    version: env!("CARGO_PKG_VERSION"),
    description: "Which file a machine gets, by its MAC address",
    grants: [("client-mac", "knows the machine by its MAC address")],
    optional: [
        ("files", "looks the address up in the lease files of a DHCP server, with the setting `leases`"),
        ("clock", "knows which leases are over"),
    ],
    depends_on: ["address", "class", "mac", "operation", "path"],
    reuse: true,
}
tuffet_sdk::export!(MacMap: resolve);
