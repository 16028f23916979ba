//! Restrictions of a server outside of its flags and files: tcp-wrappers, inetd, xinetd, systemd, SELinux and
//! AppArmor. Nothing of that applies to Tuffet, so it is carried over or reported.

mod addresses;
mod hosts_access;
mod inetd;
mod mandatory;
mod optional;
mod units;

use crate::error::ImportError;
use crate::location::Location;
use crate::server::Server;
use crate::target::Target;
use crate::yaml::{Map, Value};
use addresses::Addresses;
use hosts_access::Table;
use optional::text;
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

fn hosts_access(server: Server, etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    let paths = ["hosts.allow", "hosts.deny"].map(|name| etc.join(name));
    let texts = [text(&paths[0])?, text(&paths[1])?];
    let tables =
        [0, 1].map(|at| Table { location: Location::file(&paths[at]), text: &texts[at], allows: at == 0 });
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
    comments.push(target.report.differs(&Location::file(etc), copied));
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
