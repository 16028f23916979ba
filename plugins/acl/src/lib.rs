//! Access rules by subnet, MAC address, class of client, operation, file name, listener, protocol and certificate.
//!
//! A request that any `deny` rule matches is denied. Otherwise the first matching `allow` rule applies, with
//! its ceilings. A request that no rule matches is left to the next plugin, or denied with `otherwise: deny`.
//! README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod certificate;
mod conditions;
mod mac;
mod settings;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use tuffet_sdk::{Authorize, Denial, Plugin, Problems, Profile, Request, Verdict};

use conditions::Conditions;
use settings::{Otherwise, Settings};

/// The checked rules.
pub struct Acl {
    deny: Vec<DenyRule>,
    allow: Vec<AllowRule>,
    otherwise: Otherwise,
}

struct DenyRule {
    conditions: Conditions,
    message: String,
}

struct AllowRule {
    conditions: Conditions,
    profile: Profile,
}

/// The message that a client gets if the rule sets none.
const DEFAULT_MESSAGE: &str = "access denied";

impl Plugin for Acl {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Authorize for Acl {
    fn authorize(&self, request: &Request) -> Verdict {
        let Ok(client) = request.client.address.parse::<IpAddr>() else {
            let reason = format!("{:?} is not an IP address", request.client.address);
            return Verdict::Deny(Denial::access_violation(DEFAULT_MESSAGE, reason));
        };
        for (index, rule) in self.deny.iter().enumerate() {
            if rule.conditions.match_request(request, client) {
                let reason = format!("deny rule {}", index + 1);
                return Verdict::Deny(Denial::access_violation(&rule.message, reason));
            }
        }
        if let Some(rule) = self.allow.iter().find(|rule| rule.conditions.match_request(request, client)) {
            return Verdict::Allow(rule.profile.clone());
        }
        match self.otherwise {
            Otherwise::Abstain => Verdict::Abstain,
            Otherwise::Deny => {
                Verdict::Deny(Denial::access_violation(DEFAULT_MESSAGE, "no rule matches, otherwise: deny"))
            }
        }
    }
}

tuffet_sdk::manifest! {
    name: "acl",
    version: env!("CARGO_PKG_VERSION"),
    description: "Who may do what: rules by subnet, MAC address, class of client, operation, file name, listener, protocol and certificate",
    grants: [],
    optional: [("client-mac", "knows machines by their MAC address, in rules with `macs` or `except-macs`")],
    depends_on: ["address", "class", "listener", "mac", "operation", "path"],
    reuse: true,
}
tuffet_sdk::export!(Acl: authorize);
