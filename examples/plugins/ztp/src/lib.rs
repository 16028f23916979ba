//! Zero-touch provisioning: the fixed names that new switches and routers ask for lead to the configuration of
//! each device. README.md shows the settings and the sources.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod maker;
mod settings;
#[cfg(test)]
mod tests;

use tuffet_sdk::{Glob, Operation, Plugin, Problems, Request, Resolution, Resolve, Target};

use maker::Maker;
use settings::Settings;

/// The devices, and where their configurations are.
pub struct Ztp {
    root: String,
    /// Names that DHCP gives to devices: each device gets its own configuration for them.
    bootfiles: Vec<Glob>,
    devices: Vec<Device>,
}

struct Device {
    /// In lower case, as devices ask for it.
    name: String,
    maker: Maker,
    address: Option<String>,
    mac: Option<String>,
    /// Its configuration, a path in the root.
    file: String,
}

impl Plugin for Ztp {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for Ztp {
    fn resolve(&self, request: &Request) -> Resolution {
        if request.operation != Operation::Read {
            return Resolution::Abstain;
        }
        // Devices ask for these names without a folder.
        let name = request.path.to_ascii_lowercase();
        if let Some(maker) = Maker::ALL.into_iter().find(|maker| maker.tables().contains(&name.as_str())) {
            return self.table(maker);
        }
        let own = self.devices.iter().find(|device| device.maker.own_names(&device.name).contains(&name));
        let for_all = || {
            Maker::ALL.iter().any(|maker| maker.default_names().contains(&name.as_str()))
                || self.bootfiles.iter().any(|glob| glob.matches(&request.path))
        };
        match own.or_else(|| self.asking(request).filter(|_| for_all())) {
            Some(device) => Resolution::files([Target::new(&self.root, &device.file)]),
            None => Resolution::Abstain,
        }
    }
}

impl Ztp {
    /// The names and addresses of all devices of a maker, from which a device learns its own name.
    fn table(&self, maker: Maker) -> Resolution {
        let hosts = self.devices.iter().filter(|device| device.maker == maker);
        let hosts = hosts.filter_map(|device| Some((device.name.as_str(), device.address.as_deref()?)));
        match maker.table(hosts) {
            Some(table) => Resolution::content(table),
            None => Resolution::Abstain,
        }
    }

    /// The device that asks, by a MAC address or by its address.
    fn asking(&self, request: &Request) -> Option<&Device> {
        let client = &request.client;
        let macs = client.any_macs();
        let by_mac = self.devices.iter().find(|device| {
            device.mac.as_ref().is_some_and(|its| macs.clone().any(|mac| mac.address == *its))
        });
        by_mac.or_else(|| self.devices.iter().find(|device| device.address.as_ref() == Some(&client.address)))
    }
}

tuffet_sdk::manifest! {
    name: "ztp",
    version: env!("CARGO_PKG_VERSION"),
    description: "Zero-touch provisioning of Cisco, Juniper, Netgear and Arista devices",
    optional: [("client-mac", "knows devices by their MAC address")],
    reuse: true,
}
tuffet_sdk::export!(Ztp: resolve);
