//! The settings as written, and their check.

use std::collections::BTreeMap;

use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::secret::Secret;
use crate::tlv::{self, Tlv};
use crate::{Docsis, mac};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    #[serde(rename = "match")]
    matches: String,
    secret: SecretSettings,
    classes: BTreeMap<String, ClassSettings>,
    #[serde(default)]
    modems: BTreeMap<String, String>,
    default: Option<String>,
    #[serde(default)]
    bind_address: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretSettings {
    root: String,
    file: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ClassSettings {
    network_access: Option<bool>,
    max_cpe: Option<u8>,
    privacy: Option<bool>,
    upstream: Option<u32>,
    downstream: Option<u32>,
    #[serde(default)]
    tlvs: Vec<TlvSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TlvSettings {
    #[serde(rename = "type")]
    kind: u8,
    hex: String,
}

pub(crate) fn check(settings: Settings) -> Result<Docsis, Problems> {
    let mut problems = Problems::new();
    let matches = problems.check("/match", Glob::parse(&settings.matches));
    let SecretSettings { root, file } = settings.secret;
    for (pointer, value) in [("/secret/root", &root), ("/secret/file", &file)] {
        if value.is_empty() {
            problems.add(pointer, "name the file with the shared secret, and the root that it is in");
        }
    }
    let known = |name: &str| settings.classes.contains_key(name);
    let unknown = |name: &str| {
        let names: Vec<&str> = settings.classes.keys().map(String::as_str).collect();
        format!("there is no class {name:?}; there are: {}", names.join(", "))
    };
    let mut modems = BTreeMap::new();
    for (name, class) in &settings.modems {
        let at = Problems::at("/modems", name);
        if !known(class) {
            problems.add(&at, unknown(class));
        }
        let modem = mac::parse(name)
            .ok_or_else(|| format!("{name:?} is no MAC address: write one such as \"00:11:22:33:44:55\""));
        if let Some(modem) = problems.check(&at, modem)
            && modems.insert(modem, class.clone()).is_some()
        {
            problems.add(&at, "another key is the same MAC address");
        }
    }
    if let Some(default) = settings.default.as_deref().filter(|default| !known(default)) {
        problems.add("/default", unknown(default));
    }
    let mut classes = BTreeMap::new();
    for (name, class) in &settings.classes {
        let at = Problems::at("/classes", name);
        classes.insert(name.clone(), check_class(&mut problems, &at, class, settings.bind_address));
    }
    let (default, bind_address) = (settings.default, settings.bind_address);
    match matches {
        Some(matches) => problems.or(Docsis {
            matches,
            secret: Secret { root, file },
            classes,
            modems,
            default,
            bind_address,
        }),
        None => Err(problems),
    }
}

/// The elements of a class, in the order of its keys, then those of `tlvs`.
fn check_class(problems: &mut Problems, at: &str, class: &ClassSettings, bind_address: bool) -> Vec<Tlv> {
    let mut tlvs = Vec::new();
    let flag = |kind, value: Option<bool>| value.map(|value| Tlv::new(kind, [u8::from(value)]));
    tlvs.extend(flag(tlv::NETWORK_ACCESS, class.network_access));
    tlvs.extend(class.max_cpe.map(|number| Tlv::new(tlv::MAX_CPE, [number])));
    if class.max_cpe == Some(0) {
        problems.add(format!("{at}/max-cpe"), "0 would let no device behind the modem: write 1 to 255");
    }
    tlvs.extend(flag(tlv::PRIVACY, class.privacy));
    // References are unique in a file.
    tlvs.extend(class.upstream.map(|rate| Tlv::service_flow(tlv::UPSTREAM_FLOW, 1, rate)));
    tlvs.extend(class.downstream.map(|rate| Tlv::service_flow(tlv::DOWNSTREAM_FLOW, 2, rate)));
    for (index, written) in class.tlvs.iter().enumerate() {
        let at = format!("{at}/tlvs/{index}");
        problems.check(format!("{at}/type"), check_kind(written.kind, bind_address));
        let value = problems.check(format!("{at}/hex"), hex(&written.hex));
        tlvs.extend(value.map(|value| Tlv::new(written.kind, value)));
    }
    if !tlvs.iter().any(|tlv| tlv.kind == tlv::NETWORK_ACCESS) {
        let message =
            "a modem refuses a file without network access (type 3): write `network-access: true` or false";
        problems.add(at, message);
    }
    for kind in [tlv::NETWORK_ACCESS, tlv::MAX_CPE, tlv::PRIVACY] {
        if tlvs.iter().filter(|tlv| tlv.kind == kind).count() > 1 {
            problems.add(format!("{at}/tlvs"), format!("type {kind} is there twice: leave one out"));
        }
    }
    tlvs
}

fn check_kind(kind: u8, bind_address: bool) -> Result<(), String> {
    match kind {
        tlv::PAD | tlv::END | tlv::CM_MIC | tlv::CMTS_MIC => {
            Err(format!("the plugin writes type {kind} itself: leave it out"))
        }
        tlv::MODEM_ADDRESS if bind_address => {
            Err("`bind-address` writes type 20: leave one of them out".into())
        }
        tlv::LONG => {
            Err("type 64 has a length of two octets, and belongs to files for telephone adapters".into())
        }
        _ => Ok(()),
    }
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        let both = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        both.then(|| u8::from_str_radix(pair, 16).ok())?
    });
    let value: Option<Vec<u8>> = digits.collect();
    match value {
        Some(value) if (1..=tlv::MAX_VALUE).contains(&value.len()) => Ok(value),
        Some(value) => Err(format!("the value has {} octets: write 1 to {}", value.len(), tlv::MAX_VALUE)),
        None => Err("write two hexadecimal digits for each octet, such as \"00ff\", without spaces".into()),
    }
}
