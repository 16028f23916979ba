//! The settings as written, and their check.

use std::collections::BTreeMap;

use serde::Deserialize;
use tuffet_sdk::{Glob, Operation, Problems, Protocol, mac_source};

use crate::MacMap;
use crate::leases::{LeaseFile, Leases};
use crate::rule::{Device, Rule};
use crate::template::{Template, check_path};
use tuffet_leases::Mac;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    root: String,
    sources: Option<Vec<Source>>,
    leases: Option<Vec<LeaseFile>>,
    #[serde(default)]
    case: Case,
    rules: Vec<RuleSettings>,
}

/// Whether the globs of `match` tell upper from lower case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Case {
    #[default]
    Sensitive,
    Insensitive,
}

/// Where MAC addresses are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    NeighbourTable,
    LeaseFile,
    RequestedName,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::NeighbourTable => mac_source::NEIGHBOUR_TABLE,
            Source::LeaseFile => mac_source::LEASE_FILE,
            Source::RequestedName => mac_source::REQUESTED_NAME,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleSettings {
    #[serde(rename = "match")]
    matches: Option<String>,
    operations: Option<Vec<Operation>>,
    classes: Option<Vec<String>>,
    protocols: Option<Vec<Protocol>>,
    devices: Option<BTreeMap<String, String>>,
    templates: Option<Vec<String>>,
    fallback: Option<Vec<String>>,
}

pub(crate) fn check(settings: Settings) -> Result<MacMap, Problems> {
    let mut problems = Problems::new();
    if settings.root.is_empty() {
        problems.add("/root", "write the name of the root that the files are in");
    }
    let default = vec![Source::NeighbourTable, Source::LeaseFile, Source::RequestedName];
    let sources = settings.sources.unwrap_or(default);
    if settings.leases.is_some() && !sources.is_empty() && !sources.contains(&Source::LeaseFile) {
        problems.add("/leases", "nobody looks into them: add lease-file to sources, or leave sources out");
    }
    let leases = check_leases(&mut problems, settings.leases);
    if sources.is_empty() {
        problems.add("/sources", "without a source no MAC is ever known: name one, or leave the key out");
    }
    for (i, source) in sources.iter().enumerate().filter(|(i, source)| sources[..*i].contains(source)) {
        let what = format!("{} is there already: leave the second out", source.name());
        problems.add(format!("/sources/{i}"), what);
    }
    if settings.rules.is_empty() {
        problems.add("/rules", "without a rule the plugin does nothing: write one, or leave the plugin out");
    }
    let rules = settings.rules.into_iter().enumerate();
    let case = settings.case;
    let rules =
        rules.map(|(i, rule)| check_rule(&mut problems, &format!("/rules/{i}"), rule, case)).collect();
    let leases = Leases::new(leases);
    let map = problems.or(MacMap { root: settings.root, sources, leases, rules })?;
    map.leases.prepare(crate::now());
    Ok(map)
}

fn check_leases(problems: &mut Problems, leases: Option<Vec<LeaseFile>>) -> Vec<LeaseFile> {
    if leases.as_ref().is_some_and(Vec::is_empty) {
        problems.add("/leases", "no file is named: name one, or leave the key out");
    }
    let leases = leases.unwrap_or_default();
    for (i, file) in leases.iter().enumerate() {
        if file.root.is_empty() {
            problems.add(format!("/leases/{i}/root"), "write the name of the root that the file is in");
        }
        problems.check(format!("/leases/{i}/path"), check_path(&file.path));
    }
    leases
}

fn check_rule(problems: &mut Problems, at: &str, rule: RuleSettings, case: Case) -> Rule {
    if rule.devices.is_none() && rule.templates.is_none() && rule.fallback.is_none() {
        problems.add(at, "the rule gives no file: add devices, templates or fallback");
    }
    let matches = rule.matches.and_then(|glob| problems.check(format!("{at}/match"), Glob::parse(&glob)));
    let matches = matches.map(|glob| if case == Case::Insensitive { glob.ignoring_case() } else { glob });
    if rule.classes.as_ref().is_some_and(Vec::is_empty) {
        problems
            .add(format!("{at}/classes"), "an empty list matches nothing: leave the key out for every class");
    }
    if rule.protocols.as_ref().is_some_and(Vec::is_empty) {
        let what = "an empty list matches nothing: leave the key out for every protocol";
        problems.add(format!("{at}/protocols"), what);
    }
    if rule.operations.as_ref().is_some_and(Vec::is_empty) {
        problems
            .add(format!("{at}/operations"), "an empty list matches nothing: leave the key out for [read]");
    }
    let devices = check_devices(problems, &format!("{at}/devices"), rule.devices);
    let templates = check_templates(problems, &format!("{at}/templates"), rule.templates);
    let fallback = check_templates(problems, &format!("{at}/fallback"), rule.fallback);
    for (i, _) in fallback.iter().filter(|(_, template)| template.needs_mac()) {
        let what = "a fallback is for clients whose MAC is not known, too: move it to templates";
        problems.add(format!("{at}/fallback/{i}"), what);
    }
    Rule {
        operations: rule.operations.unwrap_or_else(|| vec![Operation::Read]),
        classes: rule.classes,
        protocols: rule.protocols,
        matches,
        devices,
        templates: templates.into_iter().map(|(_, template)| template).collect(),
        fallback: fallback.into_iter().map(|(_, template)| template).collect(),
    }
}

fn check_devices(
    problems: &mut Problems,
    at: &str,
    devices: Option<BTreeMap<String, String>>,
) -> BTreeMap<Mac, Device> {
    let mut checked = BTreeMap::new();
    if devices.as_ref().is_some_and(BTreeMap::is_empty) {
        problems.add(at, "no device is named: name one, or leave the key out");
    }
    for (text, path) in devices.into_iter().flatten() {
        let at = Problems::at(at, &text);
        let mac = problems.check(&at, Mac::parse(&text));
        let device = problems.check(&at, check_device(path));
        let (Some(mac), Some(device)) = (mac, device) else { continue };
        if checked.insert(mac, device).is_some() {
            problems.add(at, format!("{} is there twice, in two notations", mac.joined(":")));
        }
    }
    checked
}

fn check_device(path: String) -> Result<Device, String> {
    check_path(&path)?;
    if path.contains(['{', '}']) {
        return Err(format!("{path:?}: a device has a fixed path; variables belong in templates"));
    }
    Ok(if path.ends_with('/') { Device::Folder(path) } else { Device::File(path) })
}

/// The good ones, with their place in the list.
fn check_templates(
    problems: &mut Problems,
    at: &str,
    templates: Option<Vec<String>>,
) -> Vec<(usize, Template)> {
    if templates.as_ref().is_some_and(Vec::is_empty) {
        problems.add(at, "an empty list gives no file: fill it, or leave the key out");
    }
    let templates = templates.into_iter().flatten().enumerate();
    templates
        .filter_map(|(i, text)| Some((i, problems.check(format!("{at}/{i}"), Template::parse(&text))?)))
        .collect()
}
