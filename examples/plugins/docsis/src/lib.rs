//! Configuration files of cable modems, made for each modem: TLVs, padding, and the two message integrity checks
//! of DOCSIS. README.md shows the settings and the sources.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod file;
mod hmac;
mod mac;
mod secret;
mod settings;
#[cfg(test)]
mod tests;
mod tlv;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use tuffet_sdk::{Denial, ErrorCode, Glob, Operation, Plugin, Problems, Request, Resolution, Resolve};

use secret::Secret;
use settings::Settings;
use tlv::Tlv;

/// The modems, and the configurations of their classes.
pub struct Docsis {
    matches: Glob,
    secret: Secret,
    classes: BTreeMap<String, Vec<Tlv>>,
    /// The class of each modem, by its MAC address.
    modems: BTreeMap<String, String>,
    default: Option<String>,
    bind_address: bool,
}

impl Plugin for Docsis {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for Docsis {
    fn resolve(&self, request: &Request) -> Resolution {
        if request.operation != Operation::Read || !self.matches.matches(&request.path) {
            return Resolution::Abstain;
        }
        match self.content(request) {
            Ok(file) => Resolution::content(file),
            Err(denial) => Resolution::Deny(denial),
        }
    }
}

impl Docsis {
    fn content(&self, request: &Request) -> Result<Vec<u8>, Denial> {
        let name = request.path.rsplit('/').next().unwrap_or_default();
        let modem = mac::in_name(name)
            .ok_or_else(|| Denial::file_not_found("no such modem", format!("no MAC address in {name:?}")))?;
        // A neighbour on the same network is known by its address; behind a router there is none to compare.
        if let Some(macs) = &request.client.macs
            && let Some(other) = macs.network.first()
            && !request.client.has_mac(&modem)
        {
            let reason = format!("{} asked for the configuration of {modem}", other.address);
            return Err(Denial::access_violation("not your configuration", reason));
        }
        let class = self.modems.get(&modem).or(self.default.as_ref()).ok_or_else(|| {
            Denial::file_not_found(
                "no such modem",
                format!("{modem} is not in `modems`, and there is no `default`"),
            )
        })?;
        // `configure` checked that each class exists.
        let mut tlvs = self.classes.get(class).cloned().unwrap_or_default();
        if self.bind_address {
            let address = request.client.address.parse::<Ipv4Addr>().map_err(|_| {
                let reason = format!("bind-address: {} is no IPv4 address", request.client.address);
                Denial::new(ErrorCode::NotDefined, "the configuration cannot be made", reason)
            })?;
            tlvs.push(Tlv::new(tlv::MODEM_ADDRESS, address.octets()));
        }
        let secret = self.secret.read().map_err(|reason| {
            Denial::new(ErrorCode::NotDefined, "the configuration cannot be made", reason)
        })?;
        Ok(file::encode(&tlvs, &secret))
    }
}

tuffet_sdk::manifest! {
    name: "docsis",
    version: env!("CARGO_PKG_VERSION"),
    description: "Makes the configuration files of cable modems",
    grants: [("files", "reads the shared secret")],
    optional: [("client-mac", "denies a modem the configuration of another one")],
    reuse: true,
}
tuffet_sdk::export!(Docsis: resolve);
