use super::*;
use crate::testing::Imported;
use std::fs;
use tempfile::TempDir;

/// Files below `etc`.
fn etc(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn added(server: Server, files: &[(&str, &str)]) -> Imported {
    let folder = etc(files);
    let mut target = Target::default();
    add(server, folder.path(), &mut target).unwrap();
    Imported::new(target, crate::tftpd_hpa::ORIGIN)
}

/// The texts of all differences without a counterpart.
fn missing(server: Server, files: &[(&str, &str)]) -> Vec<String> {
    let read = added(server, files);
    read.remarks.into_iter().filter(|remark| remark.contains(": not carried over: ")).collect()
}

#[test]
fn hosts_files_become_an_acl() {
    let read = added(Server::Atftpd, &[("hosts.allow", "in.tftpd: 10.\n"), ("hosts.deny", "ALL: ALL\n")]);
    assert!(read.is_complete, "{:?}", read.remarks);
    assert_eq!(read.at("/policy/authorize/0"), "acl");
    assert_eq!(read.at("/plugins/acl/settings/allow/0/clients/0"), "10.0.0.0/8");
    assert_eq!(read.at("/plugins/acl/settings/otherwise"), "deny");
    assert!(read.comments().contains("hosts.deny:1: ALL: ALL"), "{}", read.text);
    let read = added(Server::TftpdHpa, &[("hosts.deny", "in.tftpd: 192.0.2.7\n")]);
    assert_eq!(read.at("/plugins/acl/settings/deny/0/clients/0"), "192.0.2.7/32");
    for server in [Server::TftpdHpa, Server::Dnsmasq] {
        let none = added(server, &[("hosts.deny", "# ALL: PARANOID\nsshd: ALL\n")]);
        assert_eq!((none.remarks.len(), none.at("/plugins").is_null()), (0, true), "{}", none.text);
    }
    // dnsmasq does not ask them.
    assert!(added(Server::Dnsmasq, &[("hosts.deny", "ALL: ALL\n")]).at("/plugins").is_null());
}

#[test]
fn what_starts_the_server_restricts_it() {
    let service = "service tftp\n{\n  socket_type = dgram\n  disable = no\n  only_from += 10.0.0.0\n  instances = 5\n}\n";
    let defaults = "defaults\n{\n no_access = 10.0.0.7\n}\nincludedir /etc/xinetd.d\n";
    let files = [("xinetd.conf", defaults), ("xinetd.d/tftp", service)];
    let found = missing(Server::TftpdHpa, &files);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("xinetd.conf:3: ") && found[1].contains("`only_from += 10.0.0.0`"),
        "{found:?}"
    );
    assert!(added(Server::TftpdHpa, &files).remarks.iter().any(|it| it.contains("instances = 5")));
    let disabled = service.replace("= no", "= yes");
    assert!(missing(Server::TftpdHpa, &[files[0], ("xinetd.d/tftp", &disabled)]).is_empty());
    let inetd = "#tftp dgram\ntftp dgram udp4 wait root /x x\n192.0.2.1:tftp dgram udp4 wait root /x x\n";
    let found = missing(Server::Atftpd, &[("inetd.conf", inetd)]);
    assert!(found.len() == 1 && found[0].contains("inetd.conf:3: "), "{found:?}");
}

#[test]
fn units_and_profiles_restrict_it() {
    let unit = "systemd/system/tftpd-hpa.service.d/local.conf";
    let text = "[Service]\nIPAddressDeny=any\nIPAddressAllow=10.0.0.0/8\nProtectHome=no\nReadOnlyPaths=\n";
    let found = missing(Server::TftpdHpa, &[(unit, text), (&unit.replace("conf", "off"), text)]);
    assert!(found.len() == 2 && found[0].contains("local.conf:2: "), "{found:?}");
    assert!(missing(Server::Dnsmasq, &[(unit, text)]).is_empty());
    for (address, count) in [("69", 0), ("[::]:69", 0), ("0.0.0.0:69", 0), ("192.0.2.1:69", 1)] {
        let socket = format!("[Socket]\nListenDatagram={address}\n");
        assert_eq!(missing(Server::Atftpd, &[("systemd/system/atftpd.socket", &socket)]).len(), count);
    }
    let profile = ("apparmor.d/usr.sbin.dnsmasq", "");
    assert_eq!(missing(Server::Dnsmasq, &[profile]).len(), 1);
    assert!(missing(Server::Dnsmasq, &[profile, ("apparmor.d/disable/usr.sbin.dnsmasq", "")]).is_empty());
}

#[test]
fn selinux_is_named_where_it_confines() {
    for (state, count) in [("1", 1), ("0", 0)] {
        let folder = etc(&[("enforce", state)]);
        let mut target = Target::default();
        mandatory::report(Server::TftpdHpa, folder.path(), folder.path(), &mut target);
        assert_eq!(target.report.remarks().len(), count);
    }
}
