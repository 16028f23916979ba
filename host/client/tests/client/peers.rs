//! Beside the servers that others use: in.tftpd, atftpd and dnsmasq, if they are here.
//!
//! `TUFFET_PEERS` names a folder with the versions of Debian 12 (`host/tests/suites/peers.sh` fills it); `TUFFET_NEWER_TFTPD` and
//! `TUFFET_NEWER_DNSMASQ` name newer programs, which have windows.

use super::{SOON, bytes};
use std::env;
use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tuffet_client::{Client, ClientError, Mode, Url};
use tuffet_testing::{Faults, Network};

/// A running server, killed on drop.
struct Peer {
    child: Child,
    address: SocketAddr,
    root: TempDir,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // in.tftpd has a process for each transfer.
        let group = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Peer {
    /// Starts a server, whose flags are `words`: `ADDR` is its address and `ROOT` its folder.
    async fn start(program: Option<PathBuf>, name: &str, place: u8, port: u16, words: &str) -> Option<Peer> {
        let Some(program) = program else {
            skipped(&format!("the client beside {name}: it is not here"));
            return None;
        };
        if !rustix::process::geteuid().is_root() {
            skipped(&format!("the client beside {name}: needs root, which its server gives up"));
            return None;
        }
        let root = TempDir::new().unwrap();
        fs::set_permissions(root.path(), Permissions::from_mode(0o777)).unwrap();
        let write = |name: &str, content: &[u8]| {
            fs::write(root.path().join(name), content).unwrap();
            fs::set_permissions(root.path().join(name), Permissions::from_mode(0o666)).unwrap();
        };
        for size in SIZES {
            write(&size.to_string(), &bytes(size));
        }
        write("text", TEXT);
        write("up", b"");
        // Processes of tests run at the same time, and some servers know no port but 69.
        let [high, low, ..] = std::process::id().to_be_bytes()[2..] else { panic!("four bytes") };
        let address = SocketAddr::from((Ipv4Addr::new(127, 1 + place, high, low.max(1)), port));
        let words = words
            .replace("ADDR", &address.ip().to_string())
            .replace("PORT", &port.to_string())
            .replace("ROOT", root.path().to_str().unwrap());
        let mut command = Command::new(program);
        command.args(words.split_whitespace()).process_group(0);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut peer = Peer { child, address, root };
        let deadline = tokio::time::Instant::now() + SOON;
        // Until it has bound its port, its address refuses datagrams.
        while !peer.answers().await {
            assert_eq!(peer.child.try_wait().unwrap(), None, "{name} ended");
            assert!(tokio::time::Instant::now() < deadline, "{name} does not listen");
        }
        Some(peer)
    }

    async fn answers(&self) -> bool {
        let client = Client::builder().patience(Duration::from_millis(200)).build();
        client.get(self.url("1")).bytes(1).await.is_ok()
    }

    fn url(&self, file: &str) -> Url {
        Url::new(self.address.ip().to_string(), self.address.port(), file)
    }

    /// Reads everything, writes if it may, and fails as it should.
    async fn serves(&self, name: &str, windows: bool, writes: bool) {
        let both = [None, Some(16)];
        for windowsize in both {
            for blksize in [None, Some(1_024), Some(1_428)] {
                let client = Client::builder().blksize(blksize).windowsize(windowsize).build();
                for size in SIZES {
                    let said = format!("{name}: {size} bytes, {blksize:?}, {windowsize:?}");
                    let mut got = Vec::new();
                    let report = client.get(self.url(&size.to_string())).writer(&mut got).await;
                    let report = report.unwrap_or_else(|error| panic!("{said}: {error}"));
                    assert!(got == bytes(size), "{said}: {} bytes came", got.len());
                    let granted = windowsize.filter(|_| windows).unwrap_or(1);
                    assert_eq!(
                        (report.blksize, report.windowsize),
                        (blksize.unwrap_or(512), granted),
                        "{said}"
                    );
                    if writes {
                        let put = client.put(self.url("up")).bytes(bytes(size)).await;
                        put.unwrap_or_else(|error| panic!("{said}, written: {error}"));
                        self.has_up(&bytes(size), &said).await;
                    }
                }
            }
        }
        let client = Client::new();
        let error = client.get(self.url("missing")).bytes(1).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { code: 1, .. }), "{name}: {error}");
        if writes {
            let put = client.put(self.url("up")).reader(&mut &bytes(100_000)[..], None).await;
            put.unwrap_or_else(|error| panic!("{name}, without a size: {error}"));
            self.has_up(&bytes(100_000), name).await;
        }
        for (seed, windowsize) in [(1, None), (2, Some(16))] {
            let faults = Faults::seeded(seed).lose(0.01).double(0.01).reorder(0.01);
            let network = Network::start(self.address, faults).unwrap();
            let url = Url::new(network.address().ip().to_string(), network.address().port(), "100000");
            let client = Client::builder().windowsize(windowsize).patience(SOON).build();
            let got = client.get(&url).bytes(100_000).await;
            let got = got.unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
            assert!(got == bytes(100_000), "{name}, seed {seed}");
            client.wait_idle().await;
        }
    }

    async fn text(&self, name: &str) {
        let url = Url { mode: Mode::Netascii, ..self.url("text") };
        let got = Client::new().get(&url).bytes(1 << 20).await.unwrap();
        assert_eq!(got, TEXT, "{name}");
    }

    /// A server may answer the last block before its file is closed.
    async fn has_up(&self, content: &[u8], said: &str) {
        let deadline = tokio::time::Instant::now() + SOON;
        while fs::read(self.root.path().join("up")).unwrap() != content {
            assert!(tokio::time::Instant::now() < deadline, "{said}: another file is there");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

const SIZES: [usize; 7] = [0, 1, 511, 512, 1_024 * 16, 1_428 * 3, 100_000];

const TEXT: &[u8] = b"some\nlines\n";

/// Returns a program: unpacked by peers.sh, or installed.
fn installed(name: &str, package: &str) -> Option<PathBuf> {
    let unpacked =
        env::var_os("TUFFET_PEERS").map(|folder| Path::new(&folder).join(package).join("usr/sbin"));
    let folders = unpacked.into_iter().chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn named_by(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file())
}

/// Reports a skipped test, on the terminal and in the file that `TUFFET_SKIPPED` names.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    let Some(list) = env::var_os("TUFFET_SKIPPED") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(&list).unwrap();
    file.write_all(format!("skipped: {why}\n").as_bytes()).unwrap();
}

const TFTPD: &str = "-L -4 -c -u root -a ADDR:PORT -s ROOT";

#[tokio::test(flavor = "multi_thread")]
async fn tftpd_hpa() {
    let program = installed("in.tftpd", "tftpd-hpa");
    let Some(peer) = Peer::start(program, "in.tftpd", 1, 7069, TFTPD).await else { return };
    peer.serves("in.tftpd", false, true).await;
    peer.text("in.tftpd").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_tftpd_hpa() {
    let program = named_by("TUFFET_NEWER_TFTPD");
    let Some(peer) = Peer::start(program, "a newer in.tftpd", 2, 7069, TFTPD).await else { return };
    peer.serves("a newer in.tftpd", true, true).await;
    peer.text("a newer in.tftpd").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn atftpd() {
    let flags =
        "--daemon --no-fork --user root --group root --logfile - --bind-address ADDR --port PORT ROOT";
    let program = installed("atftpd", "atftpd");
    let Some(peer) = Peer::start(program, "atftpd", 3, 7069, flags).await else { return };
    peer.serves("atftpd", true, true).await;
    peer.text("atftpd").await;
}

const DNSMASQ: &str = "-k -C /dev/null --port=0 --user=root --pid-file= --enable-tftp --listen-address=ADDR \
                       --bind-interfaces --tftp-root=ROOT";

#[tokio::test(flavor = "multi_thread")]
async fn dnsmasq() {
    let program = installed("dnsmasq", "dnsmasq-base");
    let Some(peer) = Peer::start(program, "dnsmasq", 4, 69, DNSMASQ).await else { return };
    peer.serves("dnsmasq", false, false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newer_dnsmasq() {
    let program = named_by("TUFFET_NEWER_DNSMASQ");
    let Some(peer) = Peer::start(program, "a newer dnsmasq", 5, 69, DNSMASQ).await else { return };
    peer.serves("a newer dnsmasq", true, false).await;
}
