//! The settings of dnsmasq that matter to TFTP.

use super::conf::Setting;
use crate::error::ImportError;
use std::net::IpAddr;
use tuffet_config::closest;

/// The relevant settings, checked for misspellings. dnsmasq has some 200 others.
const NAMES: [&str; 17] = [
    "enable-tftp",
    "tftp-root",
    "tftp-unique-root",
    "tftp-secure",
    "tftp-lowercase",
    "tftp-no-blocksize",
    "tftp-single-port",
    "tftp-no-fail",
    "tftp-max",
    "tftp-mtu",
    "tftp-port-range",
    "quiet-tftp",
    "interface",
    "except-interface",
    "listen-address",
    "bind-interfaces",
    "conf-file",
];

/// The settings that dnsmasq refuses without a value, and those that it refuses with one.
const NEED_VALUE: [&str; 12] = [
    "interface",
    "except-interface",
    "no-dhcp-interface",
    "listen-address",
    "tftp-root",
    "tftp-max",
    "tftp-mtu",
    "tftp-port-range",
    "dhcp-script",
    "dhcp-luascript",
    "dhcp-boot",
    "pxe-service",
];
const TAKE_NO_VALUE: [&str; 8] = [
    "bind-interfaces",
    "bind-dynamic",
    "tftp-secure",
    "tftp-lowercase",
    "tftp-no-blocksize",
    "tftp-single-port",
    "tftp-no-fail",
    "quiet-tftp",
];

/// Other settings with similar names, which are not misspellings.
const NAMESAKES: [&str; 3] = ["bridge-interface", "quiet-dhcp", "conf-script"];

/// The property of a client that names its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UniqueRoot {
    Ip,
    Mac,
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) enabled: Option<Setting>,
    /// Interfaces of `enable-tftp`.
    pub(super) tftp_interfaces: Vec<(String, Setting)>,
    /// Folders, and the interface that each is for.
    pub(super) roots: Vec<(String, Option<String>, Setting)>,
    pub(super) interfaces: Vec<(String, Setting)>,
    /// Interfaces that are left out.
    pub(super) except: Vec<(String, Setting)>,
    pub(super) addresses: Vec<(IpAddr, Setting)>,
    /// Whether it binds each address that it serves, which must be there.
    pub(super) bind_interfaces: bool,
    pub(super) unique: Option<(UniqueRoot, Setting)>,
    pub(super) secure: Option<Setting>,
    pub(super) lowercase: Option<Setting>,
    pub(super) no_blocksize: Option<Setting>,
    pub(super) single_port: Option<Setting>,
    pub(super) quiet: Option<Setting>,
    pub(super) max: Option<(u64, Setting)>,
    pub(super) mtu: Option<(u64, Setting)>,
    pub(super) ports: Option<(u16, u16, Setting)>,
    pub(super) user: Option<Setting>,
    pub(super) group: Option<Setting>,
    pub(super) scripts: Vec<Setting>,
    /// Settings of DNS and DHCP.
    pub(super) others: usize,
    /// Settings of DHCP that make clients ask dnsmasq itself for files.
    pub(super) boot: Vec<Setting>,
}

impl Settings {
    pub(super) fn read(list: Vec<Setting>) -> Result<Settings, ImportError> {
        let mut settings = Settings::default();
        for setting in list {
            settings.add(setting)?;
        }
        Ok(settings)
    }

    fn add(&mut self, setting: Setting) -> Result<(), ImportError> {
        let each = |setting: &Setting| -> Vec<(String, Setting)> {
            let parts = setting.parts.iter().filter(|part| !part.is_empty());
            parts.map(|part| (part.clone(), setting.clone())).collect()
        };
        let name = setting.name.as_str();
        if NEED_VALUE.contains(&name) && setting.parts.is_empty() {
            return Err(wrong(&setting, &format!("dnsmasq does not start without a value: {name}=VALUE")));
        }
        if TAKE_NO_VALUE.contains(&name) && !setting.parts.is_empty() {
            return Err(wrong(&setting, &format!("dnsmasq does not start with a value here: write {name}")));
        }
        match name {
            "enable-tftp" => {
                self.tftp_interfaces.extend(each(&setting));
                self.enabled = Some(setting);
            }
            "tftp-root" => self.root(setting)?,
            "interface" => self.interfaces.extend(each(&setting)),
            "except-interface" | "no-dhcp-interface" => self.except.extend(each(&setting)),
            "listen-address" => {
                for part in &setting.parts {
                    let address = part.parse().map_err(|_| wrong(&setting, "expected IP addresses"))?;
                    self.addresses.push((address, setting.clone()));
                }
            }
            "bind-interfaces" => self.bind_interfaces = true,
            "tftp-unique-root" => {
                let unique = match setting.value().as_str() {
                    "" | "ip" => UniqueRoot::Ip,
                    "mac" => UniqueRoot::Mac,
                    _ => return Err(wrong(&setting, "expected ip or mac")),
                };
                self.unique = Some((unique, setting));
            }
            "tftp-secure" => self.secure = Some(setting),
            "tftp-lowercase" => self.lowercase = Some(setting),
            "tftp-no-blocksize" => self.no_blocksize = Some(setting),
            "tftp-single-port" => self.single_port = Some(setting),
            // Roots that are not there yet are waited for in any case.
            "tftp-no-fail" => {}
            "quiet-tftp" => self.quiet = Some(setting),
            "tftp-max" => self.max = Some((number(&setting, 1, 10_000_000)?, setting)),
            "tftp-mtu" => self.mtu = Some((number(&setting, 60, 65_535)?, setting)),
            "tftp-port-range" => self.ports(setting)?,
            // Without a name, dnsmasq keeps its default.
            "user" => self.user = Some(setting).filter(|setting| !setting.value().is_empty()),
            "group" => self.group = Some(setting).filter(|setting| !setting.value().is_empty()),
            "dhcp-script" | "dhcp-luascript" => self.scripts.push(setting),
            "dhcp-boot" | "pxe-service" => {
                self.others += 1;
                self.boot.push(setting);
            }
            name => match (NAMESAKES.contains(&name), closest(name, NAMES)) {
                (false, Some(like)) => {
                    return Err(wrong(&setting, &format!("unknown setting; did you mean {like}?")));
                }
                (false, None) if name.starts_with("tftp-") => return Err(wrong(&setting, "unknown setting")),
                _ => self.others += 1,
            },
        }
        Ok(())
    }

    fn root(&mut self, setting: Setting) -> Result<(), ImportError> {
        let (folder, interface) = match &setting.parts[..] {
            [folder] => (folder.clone(), None),
            [folder, interface] => (folder.clone(), Some(interface.clone())),
            _ => return Err(wrong(&setting, "expected DIR or DIR,INTERFACE")),
        };
        if folder.is_empty() {
            return Err(wrong(&setting, "expected a folder"));
        }
        // The last one counts.
        self.roots.retain(|(_, other, _)| *other != interface);
        self.roots.push((folder, interface, setting));
        Ok(())
    }

    fn ports(&mut self, setting: Setting) -> Result<(), ImportError> {
        let numbers: Vec<u16> = setting.parts.iter().filter_map(|part| part.parse().ok()).collect();
        match numbers[..] {
            // dnsmasq exchanges the ends where they are the wrong way round.
            [one, other] if one.min(other) > 0 => {
                self.ports = Some((one.min(other), one.max(other), setting));
                Ok(())
            }
            _ => Err(wrong(&setting, "expected FIRST,LAST, two ports")),
        }
    }
}

fn number(setting: &Setting, least: u64, most: u64) -> Result<u64, ImportError> {
    let number = setting.value().parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| wrong(setting, &format!("expected a number from {least} to {most}")))
}

fn wrong(setting: &Setting, text: &str) -> ImportError {
    ImportError::invalid(&setting.location, format!("{}: {text}", setting.written))
}
