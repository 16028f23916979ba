//! What the devices of each maker ask for. README.md has the sources.

use serde::Deserialize;

/// The maker of a device, or rather of its boot procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Maker {
    /// AutoInstall of IOS.
    Cisco,
    /// Autoinstallation of Junos.
    Juniper,
    /// Auto Install of FASTPATH, which Cisco Small Business switches have, too.
    Netgear,
    /// ZTP of EOS.
    Arista,
}

/// Makers whose file names follow the 8.3 rule of DOS cut the host name here.
const DOS_NAME: usize = 8;

impl Maker {
    pub const ALL: [Maker; 4] = [Maker::Cisco, Maker::Juniper, Maker::Netgear, Maker::Arista];

    /// Files in which a device looks for its name.
    pub fn tables(self) -> &'static [&'static str] {
        match self {
            Maker::Cisco => &["network-confg", "cisconet.cfg"],
            Maker::Netgear => &["fp-net.cfg"],
            Maker::Juniper | Maker::Arista => &[],
        }
    }

    /// Files that a device asks for once it knows its name.
    pub fn own_names(self, name: &str) -> Vec<String> {
        match self {
            Maker::Cisco => vec![format!("{name}-confg"), format!("{}.cfg", dos(name))],
            Maker::Juniper => vec![format!("{name}.conf")],
            Maker::Netgear => vec![format!("{}.cfg", dos(name))],
            Maker::Arista => vec![],
        }
    }

    /// Files that a device asks for if it does not learn its name.
    pub fn default_names(self) -> &'static [&'static str] {
        match self {
            Maker::Cisco => &["router-confg", "ciscortr.cfg"],
            Maker::Juniper => &["router.conf"],
            Maker::Netgear => &["host.cfg"],
            Maker::Arista => &[],
        }
    }

    /// The file with names and addresses, or `None` without a host.
    pub fn table<'a>(self, hosts: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
        let lines: String = hosts.map(|(name, address)| format!("ip host {name} {address}\n")).collect();
        match self {
            _ if lines.is_empty() => None,
            Maker::Cisco => Some(lines),
            Maker::Netgear => Some(format!("config\n{lines}exit\n")),
            Maker::Juniper | Maker::Arista => None,
        }
    }
}

fn dos(name: &str) -> &str {
    name.get(..DOS_NAME).unwrap_or(name)
}
