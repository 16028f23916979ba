//! Starts a server and Tuffet, each with a folder of its own of the same content.

use super::super::open_folder;
use super::across::Place;
use crate::harness::{Server, Setup, bytes, is_root, skipped, tuffet};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};
use tempfile::TempDir;

/// Both servers, as long as they are compared.
pub(crate) struct Pair {
    pub(super) name: &'static str,
    pub(crate) theirs: SocketAddr,
    pub(crate) ours: SocketAddr,
    around: TempDir,
    child: Child,
    _server: Server,
}

impl Drop for Pair {
    fn drop(&mut self) {
        // in.tftpd has a process for each transfer, and some wait for a last packet.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

/// How a server is started. In its flags, `ADDR` is its address, `HERE` its folder, and `AROUND` the folder around
/// both, with further files of the test.
pub(crate) struct Started {
    pub(crate) name: &'static str,
    /// The program, its package, and its name for `tuffet import`.
    pub(crate) program: &'static str,
    pub(crate) package: &'static str,
    pub(crate) server: &'static str,
    /// The variable of the environment that names the program, if it is no package of Debian 12.
    pub(crate) variable: Option<&'static str>,
    /// Further flags of the import.
    pub(crate) import: &'static [&'static str],
    /// Flags that both the server and the import get.
    pub(crate) flags: &'static str,
    /// Flags that keep it in the foreground, and quiet.
    pub(crate) foreground: &'static str,
    /// The exit code of the import.
    pub(crate) code: i32,
}

impl Pair {
    /// Starts both, after `prepare` has changed the folder; `None` if the server is not installed.
    pub(crate) fn start(started: Started, prepare: impl Fn(&Path)) -> Option<Pair> {
        let what = format!("{} beside Tuffet", started.program);
        if !is_root() {
            skipped(&format!("{what}: needs root, for port 69"));
            return None;
        }
        let program = match started.variable {
            Some(variable) => named_by(variable),
            None => installed(started.program, started.package),
        };
        let Some(program) = program else {
            let missing = started.variable.map(|variable| format!("{variable} names no newer version"));
            skipped(&format!("{what}: {}", missing.unwrap_or("the version of Debian 12 is not here".into())));
            return None;
        };
        let around = open_folder();
        for side in ["theirs", "ours"] {
            let folder = around.path().join(side).join("tftp");
            populate(&folder);
            prepare(&folder);
        }
        let Place { server: behind, theirs, ours } = Place::of_this_process();
        let flags = |side: &str, address: Ipv4Addr| {
            let folder = around.path().join(side).join("tftp");
            let flags = started.flags.replace("HERE", folder.to_str().unwrap());
            flags
                .replace("SIDE", side)
                .replace("AROUND", around.path().to_str().unwrap())
                .replace("ADDR", &address.to_string())
        };
        let ours_flags = flags("ours", ours);
        let words = ["import", started.server].into_iter().chain(started.import.iter().copied());
        let imported = tuffet(words.chain(["--"]).chain(ours_flags.split_whitespace()));
        assert_eq!(imported.code(), started.code, "{}", imported.stderr);
        let yaml = String::from_utf8(imported.stdout).unwrap();
        // Started first: the other server is killed by the pair, and a start that fails would leave it running.
        let server = Setup::new().user(None).whole_yaml(1, &yaml).start();
        let words = format!("{} {}", started.foreground, flags("theirs", theirs));
        let mut all = behind.iter().map(OsString::from).chain([program.into_os_string()]);
        let mut command = Command::new(all.next().expect("a program"));
        command.args(all).args(words.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::null());
        // What it says is shown if it does not start.
        command.stderr(fs::File::create(around.path().join("log")).unwrap());
        let child = command.process_group(0).spawn().unwrap();
        let theirs = SocketAddr::from((theirs, 69));
        let mut pair =
            Pair { name: started.name, theirs, ours: (ours, 69).into(), around, child, _server: server };
        pair.wait();
        Some(pair)
    }

    pub(super) fn their_folder(&self) -> PathBuf {
        self.around.path().join("theirs/tftp")
    }

    pub(super) fn our_folder(&self) -> PathBuf {
        self.around.path().join("ours/tftp")
    }

    /// Waits until the server has bound its port: until then its address refuses datagrams.
    fn wait(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(20);
        // Across a cable, the first refusal may be lost before the other end has an address.
        let mut unrefused = 0;
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).unwrap();
        socket.connect(self.theirs).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        loop {
            // An ACK out of nowhere: no server answers it.
            let refused = socket.send(&[0, 4, 0, 0]).is_err()
                || socket
                    .recv(&mut [0; 600])
                    .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused);
            unrefused = if refused { 0 } else { unrefused + 1 };
            if unrefused == 3 {
                return;
            }
            let log = || fs::read_to_string(self.around.path().join("log")).unwrap_or_default();
            assert_eq!(self.child.try_wait().unwrap(), None, "{} ended: {}", self.name, log());
            assert!(Instant::now() < deadline, "{} does not listen: {}", self.name, log());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Returns a server: unpacked by host/tests/suites/peers.sh, or installed.
pub(crate) fn installed(program: &str, package: &str) -> Option<PathBuf> {
    let unpacked =
        env::var_os("TUFFET_PEERS").map(|folder| Path::new(&folder).join(package).join("usr/sbin"));
    let folders = unpacked.into_iter().chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    let found = folders.map(|folder| folder.join(program)).find(|path| path.is_file())?;
    // The package of atftpd has a link of the name in.tftpd to itself, and version 6.0 differs.
    let version = Command::new(&found).arg("--version").output().unwrap().stdout;
    let expected = match program {
        "in.tftpd" => "tftp-hpa 5.2",
        "atftpd" => "atftp-0.8",
        _ => "Dnsmasq version 2.90",
    };
    String::from_utf8_lossy(&version).starts_with(expected).then_some(found)
}

/// A newer version than that of Debian 12: an in.tftpd from 5.4 on, all of which read maps in one way, or a dnsmasq from
/// 2.92 on, which has windows.
fn named_by(variable: &str) -> Option<PathBuf> {
    let program = PathBuf::from(env::var_os(variable)?);
    let is_newer = major_of(&program).is_some_and(|major| major >= 5)
        || minor_of_dnsmasq(&program).is_some_and(|minor| minor >= 92);
    is_newer.then_some(program)
}

/// `Dnsmasq version 2.93  Copyright …`
fn minor_of_dnsmasq(program: &Path) -> Option<u32> {
    let version = Command::new(program).arg("--version").output().ok()?.stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    version.strip_prefix("Dnsmasq version 2.")?.split_whitespace().next()?.parse().ok()
}

/// The major version of an in.tftpd.
pub(super) fn major_of(program: &Path) -> Option<u32> {
    let version = Command::new(program).arg("--version").output().ok()?.stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    let number = version.strip_prefix("tftp-hpa ").filter(|number| !number.starts_with("5.2"))?;
    number.split('.').next()?.parse().ok()
}

fn populate(folder: &Path) {
    for below in ["sub", "sizes"] {
        fs::create_dir_all(folder.join(below)).unwrap();
    }
    let evil = folder.with_file_name("tftp-evil");
    fs::create_dir(&evil).unwrap();
    let texts = [
        ("f", "hello\nworld\r\n"),
        ("sub/g", "below\n"),
        ("unreadable", "x"),
        ("group", "y"),
        ("old", "old"),
        ("fixed", "old"),
    ];
    for (name, text) in texts {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(evil.join("x"), "evil").unwrap();
    fs::write(folder.with_file_name("outside"), "outside").unwrap();
    for size in [0, 511, 512, 513, 5000] {
        fs::write(folder.join(format!("sizes/{size}")), bytes(size)).unwrap();
    }
    symlink("sub/g", folder.join("relative-link")).unwrap();
    let modes = [
        ("unreadable", 0o600),
        ("group", 0o640),
        ("old", 0o666),
        ("fixed", 0o644),
        ("", 0o777),
        ("sub", 0o755),
    ];
    for (name, mode) in modes {
        fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).unwrap();
    }
}
