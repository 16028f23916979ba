//! `tuffet get --multicast` beside atftpd, on hosts of their own.

use super::lan::Lan;
use crate::harness::{bytes, run_for, skipped, wait_until};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// Killed on drop.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn atftpd() -> Option<PathBuf> {
    let unpacked =
        std::env::var_os("TUFFET_PEERS").map(|folder| Path::new(&folder).join("atftpd/usr/sbin/atftpd"));
    let found = unpacked.into_iter().chain([PathBuf::from("/usr/sbin/atftpd")]).find(|path| path.is_file());
    if found.is_none() {
        skipped("atftpd is not installed");
    }
    found
}

#[test]
fn clients_get_the_file_from_one_group() {
    let (Some(program), Some(lan)) = (atftpd(), Lan::new(3)) else { return };
    let folder = TempDir::new().unwrap();
    let file = bytes(300_000);
    std::fs::create_dir(folder.path().join("root")).unwrap();
    std::fs::write(folder.path().join("root/image"), &file).unwrap();
    let before = lan.on_server();
    let mut server = std::process::Command::new(&before[0]);
    server.args(&before[1..]).arg(program);
    server.args(["--daemon", "--no-fork", "--user", "root", "--group", "root", "--logfile", "-"]);
    server.args([
        "--mcast-addr",
        "239.255.70.0-239.255.70.255",
        "--mcast-port",
        "1758-1760",
        "--mcast-ttl",
        "1",
    ]);
    server.arg(folder.path().join("root"));
    let _server =
        Daemon(server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_until("atftpd listens", || lan.server_listens(69));
    let get = |client: usize| {
        let mut command = lan.on_client(client, env!("CARGO_BIN_EXE_tuffet"));
        command.args([
            "get",
            "--multicast",
            "--blksize",
            "1428",
            "--windowsize",
            "1",
            "tftp://192.0.2.1/image",
        ]);
        command.arg("--output").arg(folder.path().join(client.to_string()));
        thread::spawn(move || run_for(&mut command, Duration::from_secs(90)))
    };
    let clients = [0, 1, 2].map(get);
    for (number, client) in clients.into_iter().enumerate() {
        let ran = client.join().unwrap();
        ran.assert_good();
        assert!(ran.stderr.contains("group 239.255.70."), "{}", ran.stderr);
        assert!(std::fs::read(folder.path().join(number.to_string())).unwrap() == file);
    }
}
