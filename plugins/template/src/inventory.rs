//! The devices of the inventory file (YAML).

mod blocks;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use minijinja::Value;
use serde::{Deserialize, Deserializer, de};
use tuffet_sdk::Request;

use crate::settings::check_path;
use blocks::{Blocks, Known};

/// Names and values that templates use.
pub(crate) type Variables = BTreeMap<String, serde_yaml::Value>;

/// From this size in bytes on, an inventory is read device by device.
const LARGE: usize = 64 << 10;

pub(crate) enum Inventory {
    Whole(Whole),
    Blocks(Blocks),
}

/// The whole file; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whole {
    #[serde(default)]
    defaults: Variables,
    devices: BTreeMap<String, Device>,
}

/// The entry of a device.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Device {
    #[serde(deserialize_with = "mac")]
    mac: Option<String>,
    address: Option<IpAddr>,
    names: Vec<String>,
    /// Overrides the template of the rule.
    pub template: Option<String>,
    vars: Variables,
}

impl Device {
    /// The identifiers of the device, as the host and clients write them.
    fn facts(&self) -> impl Iterator<Item = String> + '_ {
        let facts = self.mac.iter().chain(&self.names).cloned();
        facts.chain(self.address.map(|address| address.to_string()))
    }

    fn check(&self, name: &str) -> Result<(), String> {
        match self.template.as_deref().map(check_path) {
            Some(Err(error)) => Err(format!("devices.{name}.template: {error}")),
            _ => Ok(()),
        }
    }
}

/// A device and its name.
type Found<'a> = (Cow<'a, str>, Cow<'a, Device>);

impl Inventory {
    /// `before` is the inventory as read before the file changed.
    pub fn parse(text: Vec<u8>, before: Option<Inventory>) -> Result<Inventory, String> {
        if text.len() < LARGE {
            return Whole::parse(&text).map(Inventory::Whole);
        }
        let known = match before {
            Some(Inventory::Blocks(blocks)) => blocks.into_known(),
            _ => Known::default(),
        };
        let text = String::from_utf8(text).map_err(|_| "it is not UTF-8".to_string())?;
        match Blocks::parse(text, known)? {
            Ok(blocks) => Ok(Inventory::Blocks(blocks)),
            Err(text) => Whole::parse(text.as_bytes()).map(Inventory::Whole),
        }
    }

    /// Finds a device by MAC address, else by the requested name, else by the client's address.
    pub fn find(&self, request: &Request) -> Result<Option<Found<'_>>, String> {
        match self {
            Inventory::Whole(whole) => {
                Ok(whole.find(request).map(|(name, device)| (Cow::Borrowed(name), Cow::Borrowed(device))))
            }
            Inventory::Blocks(blocks) => {
                let address: Option<IpAddr> = request.client.address.parse().ok();
                let address = address.map(|address| address.to_string());
                let names = [request.path.as_str(), request.path.rsplit('/').next().unwrap_or_default()];
                let macs = request.client.any_macs().map(|mac| mac.address.as_str());
                for fact in macs.chain(names).chain(address.as_deref()) {
                    if let Some((name, device)) = blocks.find(fact)? {
                        return Ok(Some((Cow::Owned(name), Cow::Owned(device))));
                    }
                }
                Ok(None)
            }
        }
    }

    fn defaults(&self) -> &Variables {
        match self {
            Inventory::Whole(whole) => &whole.defaults,
            Inventory::Blocks(blocks) => &blocks.defaults,
        }
    }

    /// The variables of a template: those of the device over the defaults, `device` and `request`.
    pub fn context(&self, name: &str, device: &Device, request: &Request) -> Value {
        let mut all: BTreeMap<&str, Value> = BTreeMap::new();
        for (key, value) in self.defaults().iter().chain(&device.vars) {
            all.insert(key, Value::from_serialize(value));
        }
        let address = device.address.map(|address| address.to_string());
        all.insert(
            "device",
            known(&[("name", Some(name)), ("mac", device.mac.as_deref()), ("address", address.as_deref())]),
        );
        let file = request.path.rsplit('/').next();
        all.insert(
            "request",
            known(&[
                ("path", Some(request.path.as_str())),
                ("name", file),
                ("address", Some(request.client.address.as_str())),
                ("listener", Some(request.listener.as_str())),
                ("mac", request.client.any_macs().next().map(|mac| mac.address.as_str())),
            ]),
        );
        Value::from_serialize(&all)
    }
}

impl Whole {
    fn parse(text: &[u8]) -> Result<Whole, String> {
        let inventory: Whole = serde_yaml::from_slice(text).map_err(|error| error.to_string())?;
        inventory.devices.iter().try_for_each(|(name, device)| device.check(name))?;
        inventory.each_is_one()?;
        Ok(inventory)
    }

    /// No two devices may share a MAC address, name or IP address: the choice would be arbitrary.
    fn each_is_one(&self) -> Result<(), String> {
        let mut seen = BTreeMap::new();
        for (name, device) in &self.devices {
            for fact in device.facts() {
                if let Some(other) = seen.insert(fact.clone(), name) {
                    return Err(format!("{fact} is {other} and {name}: only one can have it"));
                }
            }
        }
        Ok(())
    }

    fn find(&self, request: &Request) -> Option<(&str, &Device)> {
        let of = |fits: &dyn Fn(&Device) -> bool| self.devices.iter().find(|(_, device)| fits(device));
        let by_mac = || {
            request
                .client
                .any_macs()
                .find_map(|mac| of(&|device| device.mac.as_deref() == Some(mac.address.as_str())))
        };
        let last = request.path.rsplit('/').next().unwrap_or_default();
        let by_name = || of(&|device| device.names.iter().any(|name| *name == request.path || name == last));
        let address: Option<IpAddr> = request.client.address.parse().ok();
        let by_address = || of(&|device| device.address.is_some() && device.address == address);
        let (name, device) = by_mac().or_else(by_name).or_else(by_address)?;
        Some((name.as_str(), device))
    }
}

/// An unknown fact is left undefined, so using it is an error.
fn known(facts: &[(&'static str, Option<&str>)]) -> Value {
    let facts = facts.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
    Value::from_serialize(facts.collect::<BTreeMap<&str, &str>>())
}

/// Accepts any usual notation and stores the host's.
fn mac<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits: String = text.chars().filter(|c| !matches!(c, ':' | '-' | '.')).collect();
    if digits.len() != 12 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(de::Error::custom(format!("{text:?} is not a MAC address: write 02:00:5e:10:00:01")));
    }
    let octets: Vec<&str> = (0..6).map(|octet| &digits[octet * 2..octet * 2 + 2]).collect();
    Ok(Some(octets.join(":").to_ascii_lowercase()))
}
