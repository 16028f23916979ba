//! SELinux and AppArmor, which confine the programs of these servers by their paths or labels.

use crate::location::Location;
use crate::server::Server;
use crate::target::Target;
use std::path::Path;

/// `selinux`: where the kernel shows the state of SELinux.
pub(super) fn report(server: Server, etc: &Path, selinux: &Path, target: &mut Target) {
    let (program, domain) = match server {
        Server::TftpdHpa => ("in.tftpd", "tftpd_t"),
        Server::Atftpd => ("atftpd", "tftpd_t"),
        Server::Dnsmasq => ("dnsmasq", "dnsmasq_t"),
    };
    if std::fs::read_to_string(selinux.join("enforce")).is_ok_and(|text| text.trim() == "1") {
        let text = format!(
            "SELinux confines the server ({domain}; the booleans tftp_anon_write and tftp_home_dir, and the labels of \
             files); it has no rules for Tuffet, which confines itself to its roots"
        );
        target.missing(&Location::file(selinux), text);
    }
    let folder = etc.join("apparmor.d");
    for name in [format!("usr.sbin.{program}"), program.to_owned()] {
        let profile = folder.join(&name);
        if profile.is_file() && !folder.join("disable").join(&name).exists() {
            let text = "this AppArmor profile confines the server; Tuffet has none, and confines itself to its roots";
            target.missing(&Location::file(&profile), text);
        }
    }
}
