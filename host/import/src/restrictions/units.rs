//! Restrictions in an administrator's units and drop-ins of systemd.

use super::optional::{files, text};
use crate::error::ImportError;
use crate::location::Location;
use crate::server::Server;
use crate::target::Target;
use std::path::Path;

/// Settings that decide which clients and files the service reaches.
const SETTINGS: [&str; 18] = [
    "IPAddressAllow",
    "IPAddressDeny",
    "IPIngressFilterPath",
    "BindToDevice",
    "RestrictNetworkInterfaces",
    "PrivateNetwork",
    "NetworkNamespacePath",
    "RootDirectory",
    "RootImage",
    "InaccessiblePaths",
    "ReadOnlyPaths",
    "TemporaryFileSystem",
    "BindPaths",
    "BindReadOnlyPaths",
    "ProtectSystem",
    "ProtectHome",
    "SELinuxContext",
    "AppArmorProfile",
];

pub(super) fn report(server: Server, etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    let names: &[&str] = match server {
        Server::TftpdHpa => &["tftpd-hpa", "tftp", "in.tftpd", "tftpd"],
        Server::Atftpd => &["atftpd", "atftp"],
        Server::Dnsmasq => &["dnsmasq"],
    };
    let folder = etc.join("systemd/system");
    for name in names {
        for kind in ["service", "socket"] {
            let unit = folder.join(format!("{name}.{kind}"));
            let mut paths = files(&unit.with_extension(format!("{kind}.d")));
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "conf"));
            for path in [unit].iter().chain(&paths).filter(|path| path.is_file()) {
                settings(path, target)?;
            }
        }
    }
    Ok(())
}

fn settings(path: &Path, target: &mut Target) -> Result<(), ImportError> {
    for (number, line) in (1..).zip(text(path)?.lines()) {
        let line = line.trim();
        let Some((name, value)) = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()))
        else {
            continue;
        };
        // An empty value resets the setting.
        let restricts = SETTINGS.contains(&name) && !value.is_empty() && value != "no" && value != "false";
        if restricts || (name == "ListenDatagram" && names_address(value)) {
            let advice =
                "set it for Tuffet's unit, or as an `acl`, an address or an interface of the listener";
            let text = format!("systemd restricts the service by `{line}`: {advice}");
            target.missing(&Location::file(path).line(number), text);
        }
    }
    Ok(())
}

/// Whether a socket is bound to one address.
fn names_address(value: &str) -> bool {
    let host = value.rsplit_once(':').map_or("", |(host, _)| host);
    !["", "*", "0.0.0.0", "[::]"].contains(&host)
}
