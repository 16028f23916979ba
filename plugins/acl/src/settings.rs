//! The settings as written, and their check.

use serde::Deserialize;
use tuffet_sdk::{Glob, Operation, Problems, Profile, Protocol, SessionValues};

use crate::certificate::CertificatePattern;
use crate::conditions::{Conditions, check_list, check_not_empty, parse_subnet};
use crate::mac::{MacPrefix, Source};
use crate::{Acl, AllowRule, DEFAULT_MESSAGE, DenyRule};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    deny: Option<Vec<DenySettings>>,
    allow: Option<Vec<AllowSettings>>,
    #[serde(default)]
    otherwise: Otherwise,
    #[serde(default)]
    case: Case,
    sources: Option<Vec<Source>>,
}

/// Whether the globs of `names` tell upper from lower case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Case {
    #[default]
    Sensitive,
    Insensitive,
}

/// The conditions of a rule as written.
struct Written {
    clients: Option<Vec<String>>,
    except_clients: Option<Vec<String>>,
    macs: Option<Vec<String>>,
    except_macs: Option<Vec<String>>,
    classes: Option<Vec<String>>,
    operations: Option<Vec<Operation>>,
    names: Option<Vec<String>>,
    listeners: Option<Vec<String>>,
    protocols: Option<Vec<Protocol>>,
    certificates: Option<Vec<String>>,
    except_certificates: Option<Vec<String>>,
}

/// What holds for all rules.
struct Common {
    case: Case,
    sources: Vec<Source>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Otherwise {
    #[default]
    Abstain,
    Deny,
}

// Both structs spell out the conditions, because serde's `flatten` would lose the position of an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DenySettings {
    clients: Option<Vec<String>>,
    except_clients: Option<Vec<String>>,
    macs: Option<Vec<String>>,
    except_macs: Option<Vec<String>>,
    classes: Option<Vec<String>>,
    operations: Option<Vec<Operation>>,
    names: Option<Vec<String>>,
    listeners: Option<Vec<String>>,
    protocols: Option<Vec<Protocol>>,
    certificates: Option<Vec<String>>,
    except_certificates: Option<Vec<String>>,
    message: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct AllowSettings {
    clients: Option<Vec<String>>,
    except_clients: Option<Vec<String>>,
    macs: Option<Vec<String>>,
    except_macs: Option<Vec<String>>,
    classes: Option<Vec<String>>,
    operations: Option<Vec<Operation>>,
    names: Option<Vec<String>>,
    listeners: Option<Vec<String>>,
    protocols: Option<Vec<Protocol>>,
    certificates: Option<Vec<String>>,
    except_certificates: Option<Vec<String>>,
    max_blksize: Option<u64>,
    max_windowsize: Option<u64>,
    max_bytes: Option<u64>,
}

pub(crate) fn check(settings: Settings) -> Result<Acl, Problems> {
    let mut problems = Problems::new();
    let sources = settings.sources.unwrap_or_else(|| Source::NETWORK.into());
    if sources.is_empty() {
        problems.add("/sources", "without a source no MAC is ever known: name one, or leave the key out");
    }
    let common = &Common { case: settings.case, sources };
    let deny = settings.deny.unwrap_or_default().into_iter().enumerate();
    let deny = deny.map(|(i, rule)| check_deny(&mut problems, &format!("/deny/{i}"), rule, common)).collect();
    let allow = settings.allow.unwrap_or_default().into_iter().enumerate();
    let allow =
        allow.map(|(i, rule)| check_allow(&mut problems, &format!("/allow/{i}"), rule, common)).collect();
    problems.or(Acl { deny, allow, otherwise: settings.otherwise })
}

fn check_deny(problems: &mut Problems, at: &str, rule: DenySettings, common: &Common) -> DenyRule {
    let DenySettings { clients, except_clients, macs, except_macs, .. } = rule;
    let DenySettings { classes, operations, names, listeners, message, .. } = rule;
    let DenySettings { protocols, certificates, except_certificates, .. } = rule;
    let written = Written {
        clients,
        except_clients,
        macs,
        except_macs,
        classes,
        operations,
        names,
        listeners,
        protocols,
        certificates,
        except_certificates,
    };
    let conditions = check_conditions(problems, at, written, common);
    let message = message.unwrap_or_else(|| DEFAULT_MESSAGE.to_string());
    if message.len() > MAX_MESSAGE {
        let length = message.len();
        let what =
            format!("the message has {length} bytes: shorten it to {MAX_MESSAGE}, which a client gets");
        problems.add(format!("{at}/message"), what);
    }
    if message.is_empty() || message.contains(char::is_control) {
        problems.add(format!("{at}/message"), "write one line of text, or leave the key out");
    }
    DenyRule { conditions, message }
}

/// Length of a denial's message that the host sends, in bytes (sdk/wit/policy.wit, `denial`).
const MAX_MESSAGE: usize = 200;

fn check_allow(problems: &mut Problems, at: &str, rule: AllowSettings, common: &Common) -> AllowRule {
    let AllowSettings { clients, except_clients, macs, except_macs, .. } = rule;
    let AllowSettings { classes, operations, names, listeners, .. } = rule;
    let AllowSettings { protocols, certificates, except_certificates, .. } = rule;
    let AllowSettings { max_blksize, max_windowsize, max_bytes, .. } = rule;
    let written = Written {
        clients,
        except_clients,
        macs,
        except_macs,
        classes,
        operations,
        names,
        listeners,
        protocols,
        certificates,
        except_certificates,
    };
    let conditions = check_conditions(problems, at, written, common);
    let ceilings = SessionValues {
        blksize: ceiling(problems, format!("{at}/max-blksize"), max_blksize, 8, 65464),
        windowsize: ceiling(problems, format!("{at}/max-windowsize"), max_windowsize, 1, 65535),
        timeout: None,
    };
    if max_bytes == Some(0) {
        problems.add(format!("{at}/max-bytes"), "0 would refuse every file: use a deny rule for that");
    }
    AllowRule { conditions, profile: Profile { ceilings, max_size: max_bytes, ..Profile::default() } }
}

fn ceiling(
    problems: &mut Problems,
    pointer: String,
    value: Option<u64>,
    least: u16,
    most: u16,
) -> Option<u16> {
    let value = value?;
    let in_range = u16::try_from(value).ok().filter(|value| (least..=most).contains(value));
    if in_range.is_none() {
        problems.add(pointer, format!("{value} is out of range: write {least} to {most}"));
    }
    in_range
}

fn check_conditions(problems: &mut Problems, at: &str, written: Written, common: &Common) -> Conditions {
    let Written { clients, except_clients, macs, except_macs, classes, operations, .. } = written;
    let Written { names, listeners, protocols, certificates, except_certificates, .. } = written;
    if let Some(operations) = &operations {
        check_not_empty(problems, &format!("{at}/operations"), operations);
    }
    if let Some(protocols) = &protocols {
        check_not_empty(problems, &format!("{at}/protocols"), protocols);
    }
    let excepted = check_list(problems, &format!("{at}/except-clients"), except_clients, parse_subnet);
    let certificates_in = |problems: &mut Problems, key: &str, list| {
        check_list(problems, &format!("{at}/{key}"), list, CertificatePattern::parse)
    };
    Conditions {
        clients: check_list(problems, &format!("{at}/clients"), clients, parse_subnet),
        except_clients: excepted.unwrap_or_default(),
        macs: check_list(problems, &format!("{at}/macs"), macs, MacPrefix::parse),
        except_macs: check_list(problems, &format!("{at}/except-macs"), except_macs, MacPrefix::parse)
            .unwrap_or_default(),
        sources: common.sources.clone(),
        classes: check_list(problems, &format!("{at}/classes"), classes, |class| named(class, "a class")),
        operations,
        names: check_list(problems, &format!("{at}/names"), names, |glob| match common.case {
            Case::Sensitive => Glob::parse(glob),
            Case::Insensitive => Glob::parse(glob).map(Glob::ignoring_case),
        }),
        listeners: check_list(problems, &format!("{at}/listeners"), listeners, |name| {
            named(name, "a listener")
        }),
        protocols,
        certificates: certificates_in(problems, "certificates", certificates),
        except_certificates: certificates_in(problems, "except-certificates", except_certificates)
            .unwrap_or_default(),
    }
}

fn named(name: &str, what: &str) -> Result<String, String> {
    if name.is_empty() { Err(format!("write the name of {what}")) } else { Ok(name.to_string()) }
}
