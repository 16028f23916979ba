//! The settings as written, and their check.

use std::collections::BTreeMap;

use ipnet::IpNet;
use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::replace::Replacement;
use crate::{Site, Substitute};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    root: String,
    #[serde(rename = "match")]
    matches: Vec<String>,
    #[serde(default = "default_limit")]
    limit: u64,
    sites: Vec<SiteSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteSettings {
    #[serde(default)]
    clients: Vec<String>,
    replace: BTreeMap<String, String>,
}

fn default_limit() -> u64 {
    64 << 10
}

/// The largest `limit`, in bytes.
const MAX_LIMIT: u64 = 1 << 20;
/// Names of a site: each is compared at each byte of a file.
const MAX_REPLACEMENTS: usize = 64;

pub(crate) fn check(settings: Settings) -> Result<Substitute, Problems> {
    let mut problems = Problems::new();
    if settings.root.is_empty() {
        problems.add("/root", "write the name of the root with the boot menus");
    }
    if settings.matches.is_empty() {
        problems.add("/match", "an empty list matches no file: write globs such as \"pxelinux.cfg/*\"");
    }
    let mut matches = Vec::new();
    for (index, glob) in settings.matches.iter().enumerate() {
        matches.extend(problems.check(format!("/match/{index}"), Glob::parse(glob)));
    }
    if !(1..=MAX_LIMIT).contains(&settings.limit) {
        problems.add("/limit", format!("{} is out of range: write 1 to {MAX_LIMIT}", settings.limit));
    }
    if settings.sites.is_empty() {
        problems.add("/sites", "without a site the plugin does nothing: write one, or leave the plugin out");
    }
    let mut sites = Vec::new();
    for (index, site) in settings.sites.into_iter().enumerate() {
        let at = format!("/sites/{index}");
        let mut clients = Vec::new();
        for (index, text) in site.clients.iter().enumerate() {
            clients.extend(problems.check(format!("{at}/clients/{index}"), subnet(text)));
        }
        if site.replace.len() > MAX_REPLACEMENTS {
            let message = format!("{} names; a site has at most {MAX_REPLACEMENTS}", site.replace.len());
            problems.add(format!("{at}/replace"), message);
        }
        let mut replacements = Vec::new();
        for (from, to) in site.replace {
            let pointer = Problems::at(&format!("{at}/replace"), &from);
            problems.check(&pointer, check_name(&from));
            problems.check(pointer, check_name(&to));
            replacements.push(Replacement { from, to });
        }
        replacements.sort_by_key(|replacement| std::cmp::Reverse(replacement.from.len()));
        sites.push(Site { clients, replacements });
    }
    problems.or(Substitute { root: settings.root, matches, limit: settings.limit, sites })
}

fn subnet(text: &str) -> Result<IpNet, String> {
    let bare = || text.parse::<std::net::IpAddr>().map(IpNet::from).ok();
    text.parse::<IpNet>()
        .ok()
        .or_else(bare)
        .ok_or_else(|| format!("{text:?} is neither a subnet nor an address: write one such as 10.1.0.0/16"))
}

/// Host names and addresses, without a port or a path.
fn check_name(name: &str) -> Result<(), String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    if name.is_empty() || name.len() > 253 || !name.bytes().all(good) {
        return Err(format!("{name:?} is no host name and no address: write boot.example or 192.0.2.1"));
    }
    Ok(())
}
