//! The settings as written, and their check.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::maker::Maker;
use crate::{Device, Ztp};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    root: String,
    #[serde(default)]
    bootfiles: Vec<String>,
    devices: BTreeMap<String, DeviceSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceSettings {
    maker: Maker,
    address: Option<String>,
    mac: Option<String>,
    file: Option<String>,
}

pub(crate) fn check(settings: Settings) -> Result<Ztp, Problems> {
    let mut problems = Problems::new();
    if settings.root.is_empty() {
        problems.add("/root", "write the name of the root with the configurations");
    }
    let mut bootfiles = Vec::new();
    for (index, glob) in settings.bootfiles.iter().enumerate() {
        bootfiles.extend(problems.check(format!("/bootfiles/{index}"), Glob::parse(glob)));
    }
    let mut devices: Vec<Device> = Vec::new();
    for (name, its) in settings.devices {
        let at = Problems::at("/devices", &name);
        problems.check(&at, check_name(&name));
        if its.address.is_none() && its.mac.is_none() {
            problems.add(&at, "write the `address` that DHCP reserves for the device, or its `mac`, or both");
        }
        let address = its.address.and_then(|text| problems.check(format!("{at}/address"), address(&text)));
        let mac = its.mac.and_then(|text| problems.check(format!("{at}/mac"), mac(&text)));
        let file = its.file.unwrap_or_else(|| name.clone());
        if file.is_empty() || file.starts_with('/') {
            problems.add(format!("{at}/file"), "write the path of a file below the root");
        }
        let device = Device { name: name.to_ascii_lowercase(), maker: its.maker, address, mac, file };
        if let Some((other, why)) = devices.iter().find_map(|other| Some((other, conflict(other, &device)?)))
        {
            problems.add(&at, format!("{} {why}", other.name));
        }
        devices.push(device);
    }
    problems.or(Ztp { root: settings.root, bootfiles, devices })
}

/// Why two devices cannot be told apart.
fn conflict(one: &Device, other: &Device) -> Option<String> {
    if one.address.is_some() && one.address == other.address {
        return Some("has the same address".into());
    }
    if one.mac.is_some() && one.mac == other.mac {
        return Some("has the same MAC address".into());
    }
    let names = one.maker.own_names(&one.name);
    let same = other.maker.own_names(&other.name).into_iter().find(|name| names.contains(name))?;
    Some(format!("asks for {same}, too: file names have the first 8 characters of the host name"))
}

/// A host name (RFC 1123 section 2.1), of one label.
fn check_name(name: &str) -> Result<(), String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.is_empty() || name.len() > 63 || name.starts_with('-') || !name.bytes().all(good) {
        return Err(format!("{name:?} is no host name: write letters, digits and hyphens"));
    }
    Ok(())
}

fn address(text: &str) -> Result<String, String> {
    let address = text.parse::<IpAddr>().map_err(|_| format!("{text:?} is no IP address"))?;
    Ok(address.to_string())
}

/// As requests have it: six lower-case octets with colons.
fn mac(text: &str) -> Result<String, String> {
    let octets: Vec<&str> = text.split([':', '-']).collect();
    let good = |octet: &&str| octet.len() == 2 && octet.bytes().all(|digit| digit.is_ascii_hexdigit());
    if octets.len() == 6 && octets.iter().all(good) {
        return Ok(octets.join(":").to_ascii_lowercase());
    }
    Err(format!("{text:?} is no MAC address: write one such as \"00:1c:73:00:00:01\""))
}
