//! The servers that people come from, on the server's host of a network.

use crate::harness::{Folder, Network, skipped, wait_until};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running server, killed on drop.
pub(super) struct OldServer {
    pub(super) name: &'static str,
    /// A port of 192.0.2.1.
    pub(super) address: SocketAddr,
    child: Child,
    _root: TempDir,
}

impl Drop for OldServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts in.tftpd, if it is installed, with these files.
pub(super) fn tftpd(network: &Network, files: &[(&str, &[u8])]) -> Option<OldServer> {
    start(network, files, ("in.tftpd", "tftpd-hpa"), 7069, |command, root| {
        command.args(["-L", "-4", "-a", "192.0.2.1:7069", "-u", "root", "-s"]).arg(root);
    })
}

/// Starts dnsmasq, if it is installed, with these files; it knows no other port than 69.
pub(super) fn dnsmasq(network: &Network, files: &[(&str, &[u8])]) -> Option<OldServer> {
    start(network, files, ("dnsmasq", "dnsmasq-base"), 69, |command, root| {
        command.args(["-k", "-C", "/dev/null", "--port=0", "--user=root", "--pid-file=", "--enable-tftp"]);
        command.arg("--listen-address=192.0.2.1").arg(format!("--tftp-root={}", root.display()));
    })
}

fn start(
    network: &Network,
    files: &[(&str, &[u8])],
    (name, package): (&'static str, &str),
    port: u16,
    flags: impl FnOnce(&mut Command, &Path),
) -> Option<OldServer> {
    let program = installed(name, package)?;
    let root = TempDir::new().unwrap();
    std::fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).unwrap();
    for (name, content) in files {
        Folder(root.path().to_owned()).write(name, content);
    }
    let before = network.on_server();
    let mut command = Command::new(&before[0]);
    command.args(&before[1..]).arg(program);
    flags(&mut command, root.path());
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let server = OldServer { name, address: ([192, 0, 2, 1], port).into(), child, _root: root };
    wait_until(name, || network.server_listens(port));
    Some(server)
}

/// Returns the program: unpacked by host/tests/suites/peers.sh, or installed.
pub(super) fn installed(name: &str, package: &str) -> Option<PathBuf> {
    let unpacked =
        std::env::var_os("TUFFET_PEERS").map(|folder| Path::new(&folder).join(package).join("usr/sbin"));
    let folders = unpacked.into_iter().chain([PathBuf::from("/usr/sbin")]);
    let found = folders.map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skipped(&format!("{name} is not installed"));
    }
    found
}
