//! What restricts a server outside of its own flags and files: tcp-wrappers, inetd, xinetd, systemd, SELinux and
//! AppArmor. Nothing of that applies to Tuffet, so it is carried over or reported.

mod addresses;
mod hosts_access;
mod inetd;
mod mandatory;
mod units;

use super::Server;
use super::error::ImportError;
use super::place::Place;
use super::source;
use super::target::Target;
use super::yaml::{Map, Value};
use addresses::Addresses;
use hosts_access::Table;
use std::path::Path;

/// Adds the restrictions that the files below `etc` have for this server.
pub(super) fn add(server: Server, etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    if server != Server::Dnsmasq {
        hosts_access(server, etc, target)?;
        inetd::report(etc, target)?;
    }
    units::report(server, etc, target)?;
    mandatory::report(server, etc, Path::new("/sys/fs/selinux"), target);
    Ok(())
}

/// Reads a file that may be missing.
fn text(path: &Path) -> Result<String, ImportError> {
    if path.exists() { source::read(path) } else { Ok(String::new()) }
}

/// The files of a folder that may be missing, in order.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn hosts_access(server: Server, etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    let paths = ["hosts.allow", "hosts.deny"].map(|name| etc.join(name));
    let texts = [text(&paths[0])?, text(&paths[1])?];
    let tables = [0, 1].map(|at| Table { place: Place::file(&paths[at]), text: &texts[at], allows: at == 0 });
    let decision = hosts_access::decide(&tables, server == Server::TftpdHpa, &mut target.report)?;
    let (served, refused) = (decision.served.subnets(), Addresses::all().without(&decision.served).subnets());
    if refused.is_empty() {
        return Ok(());
    }
    let clients = |subnets: &[String]| {
        let mut rule = Map::default();
        rule.put("clients", Value::texts(subnets), []);
        Value::List(vec![rule])
    };
    let mut comments = decision.rules;
    let copied = "hosts.allow and hosts.deny are copied here: import them again after a change. Refused clients get \
                  ERROR 2, where tcp-wrappers send nothing";
    comments.push(target.report.differs(&Place::file(etc), copied));
    if served.is_empty() || served.len() > refused.len() {
        let rule = if served.is_empty() { Value::plain("[{}]") } else { clients(&refused) };
        target.acl.put("deny", rule, comments);
    } else {
        target.acl.put("allow", clients(&served), comments);
        target.acl.put("otherwise", Value::text("deny"), []);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
