//! A corpus of configuration files, each imported and served beside the original: the same requests by both families, one
//! upload into each folder, a slow client, a large announcement, a window. The answers are the same, or the difference is
//! named here.
//!
//! Both servers run at the server's end of a cable, one after the other, as the files name its interface and addresses.

use super::beside::across::{across_a_cable, installed_program, server_command};
use crate::harness::{Server, Setup, ack, bytes, data, error, request, wait_until};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// The server's addresses.
const IPV4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const IPV6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

/// The user `nobody` of Debian.
const NOBODY: u32 = 65534;

/// How long a server may think before its client gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the slow client is silent: longer than the shortest time-out of the originals.
const SILENCE: Duration = Duration::from_millis(1300);

/// A server of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Original {
    TftpdHpa,
    Atftpd,
    Dnsmasq,
}

impl Original {
    /// Its program, its package, its name for the import, and the option that names the file.
    fn names(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Original::TftpdHpa => ("in.tftpd", "tftpd-hpa", "tftpd-hpa", "--defaults"),
            Original::Atftpd => ("atftpd", "atftpd", "atftpd", "--defaults"),
            Original::Dnsmasq => ("dnsmasq", "dnsmasq-base", "dnsmasq", "--conf"),
        }
    }
}

/// A file of the corpus. In texts, `HERE` is the served folder, and `SIDE` the folder around it.
struct Entry {
    name: &'static str,
    text: &'static str,
    original: Original,
    /// How a start script runs the program with it, as `sh` reads it: `PROG` is the program, `FILE` the file.
    start: &'static str,
    /// The mode of the served folder.
    top: u32,
    /// Exit code of the import; 64: both refuse the file.
    code: i32,
    /// What is asked, what the original answers, what Tuffet answers.
    differences: &'static [(&'static str, &'static str, &'static str)],
}

const HPA: Entry = Entry {
    name: "",
    text: "",
    original: Original::TftpdHpa,
    start: ". FILE; exec PROG --foreground ${TFTP_USERNAME:+--user $TFTP_USERNAME} \
            ${TFTP_ADDRESS:+--address $TFTP_ADDRESS} $TFTP_OPTIONS $TFTP_DIRECTORY",
    top: 0o755,
    code: 0,
    differences: &[],
};

const ATFTPD: Entry =
    Entry { original: Original::Atftpd, start: ". FILE; exec PROG --daemon --no-fork $OPTIONS", ..HPA };

const DNSMASQ: Entry = Entry {
    original: Original::Dnsmasq,
    start: "exec PROG --keep-in-foreground --log-facility=- --pid-file= -C FILE",
    ..HPA
};

macro_rules! entry {
    ($name:literal, $base:ident $(, $field:ident: $value:expr)*) => {
        Entry { name: $name, text: include_str!(concat!("corpus/", $name)), $($field: $value,)* ..$base }
    };
}

const DEBIAN: &[Entry] = &[
    entry!("hpa-debian", HPA),
    entry!("hpa-ipv4-blocks", HPA),
    entry!("hpa-one-address", HPA),
    entry!("hpa-ipv6-address", HPA),
    entry!("hpa-backups", HPA),
    entry!("hpa-open", HPA, top: 0o777),
    entry!("hpa-umask", HPA, top: 0o777),
    entry!("hpa-umask-022", HPA),
    entry!("hpa-refuse", HPA),
    entry!("hpa-slow-line", HPA),
    entry!("hpa-ports", HPA),
];

const TFTPD_HPA: &[Entry] = &[
    entry!("hpa-absolute", HPA),
    entry!("hpa-two-folders", HPA),
    entry!("hpa-map", HPA),
    entry!("hpa-variables", HPA),
    entry!("hpa-pid-verbose", HPA),
    entry!("hpa-alpine", HPA, start: ". FILE; exec PROG -L $INTFTPD_OPTS"),
    entry!("hpa-arch", HPA, start: ". FILE; exec PROG -L $TFTPD_ARGS"),
    entry!("hpa-old-debian", HPA, start: ". FILE; exec PROG -L $OPTIONS"),
    entry!("hpa-unit", HPA, start: "exec PROG -L --user nobody --create --permissive --secure HERE"),
    entry!("hpa-inetd", HPA, start: "exec PROG -L -c -p -s HERE"),
    entry!("hpa-xinetd", HPA, start: "exec PROG -L -c -p -s HERE"),
    entry!("hpa-acl", HPA),
    // in.tftpd creates a file as the list says, and then refuses it because others may not write it.
    entry!("hpa-closed-acl", HPA, differences: &[
        ("write incoming/new", "refused", "stored"),
        ("file incoming/new", "660 ", "660 new content"),
    ]),
    entry!("hpa-other-variable", HPA, start: "exec false", code: 64),
];

const OF_ATFTPD: &[Entry] = &[
    entry!("atftpd-debian", ATFTPD),
    entry!("atftpd-one-address", ATFTPD, top: 0o777),
    // An OACK without options, which few clients take.
    entry!("atftpd-no-options", ATFTPD, differences: &[("blksize 9000", "", "no option"), ("windowsize 4", "", "no option")]),
    entry!("atftpd-user", ATFTPD),
    entry!("atftpd-patterns", ATFTPD),
    entry!("atftpd-alpine", ATFTPD, start: ". FILE; exec PROG --no-fork $ATFTPD_OPTS $ATFTPD_ROOT"),
    entry!("atftpd-patient", ATFTPD),
    entry!("atftpd-unit", ATFTPD, start: "exec PROG --daemon --no-fork --user nobody --no-multicast HERE"),
];

const OF_DNSMASQ: &[Entry] = &[
    entry!("dnsmasq-plain", DNSMASQ),
    entry!("dnsmasq-interface", DNSMASQ),
    entry!("dnsmasq-address", DNSMASQ),
    entry!("dnsmasq-no-equals", DNSMASQ, code: 64),
    entry!("dnsmasq-unserved", DNSMASQ),
    entry!("dnsmasq-own-root", DNSMASQ),
    // There, the folder of the client would be part of the name.
    entry!("dnsmasq-unique", DNSMASQ, differences: &[("read HERE/f", "refused", "12 bytes, sum 1147")]),
    entry!("dnsmasq-lowercase", DNSMASQ),
    entry!("dnsmasq-mtu", DNSMASQ),
    entry!("dnsmasq-secure", DNSMASQ),
    entry!("dnsmasq-no-blocksize", DNSMASQ),
    entry!("dnsmasq-ports", DNSMASQ),
    entry!("dnsmasq-folder", DNSMASQ),
];

/// Interfaces, folders and families that are not there at the start.
const NOT_ALL_THERE: &[Entry] = &[
    entry!("hpa-any-ipv6", HPA, top: 0o777),
    entry!("dnsmasq-dynamic", DNSMASQ),
    entry!("dnsmasq-absent", DNSMASQ),
    entry!("dnsmasq-late-root", DNSMASQ),
];

#[test]
fn files_of_debians_tftpd_hpa() {
    matrix("import::matrix::files_of_debians_tftpd_hpa", DEBIAN);
}

#[test]
fn files_of_tftpd_hpa() {
    matrix("import::matrix::files_of_tftpd_hpa", TFTPD_HPA);
}

#[test]
fn files_of_atftpd() {
    matrix("import::matrix::files_of_atftpd", OF_ATFTPD);
}

#[test]
fn files_of_dnsmasq() {
    matrix("import::matrix::files_of_dnsmasq", OF_DNSMASQ);
}

#[test]
fn files_with_what_is_not_there_yet() {
    matrix("import::matrix::files_with_what_is_not_there_yet", NOT_ALL_THERE);
}

fn matrix(test: &str, entries: &[Entry]) {
    if !across_a_cable(test) {
        return;
    }
    answer_each_closed_port();
    let mut wrong = Vec::new();
    for entry in entries {
        let (program, package, ..) = entry.original.names();
        let Some(program) = installed_program(program, package) else { return };
        for line in differences(entry, &program) {
            wrong.push(format!("{}: {line}", entry.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "not named, or named and gone (what: the original, Tuffet):\n{}",
        wrong.join("\n")
    );
}

/// Returns the differences that are not named, and those that have gone.
fn differences(entry: &Entry, program: &Path) -> Vec<String> {
    let around = lower_case_folder();
    let [theirs, ours] = ["theirs", "ours"].map(|side| Side::new(around.path().join(side), entry));
    let imported = ours.import(entry);
    if imported.code != entry.code {
        return vec![format!("the import ended with {}: {}", imported.code, imported.stderr)];
    }
    if entry.code == 64 {
        let starts = theirs.start(entry, program).is_ok();
        return starts.then(|| "the original starts with it".to_owned()).into_iter().collect();
    }
    let original = match theirs.start(entry, program) {
        Ok(original) => original,
        Err(log) => return vec![format!("the original does not start: {log}")],
    };
    let their_answers = theirs.ask_all();
    drop(original);
    let checked = ours.check(&imported.yaml);
    if !checked.is_empty() {
        return vec![format!("tuffet check: {checked}\n{}", imported.yaml)];
    }
    let our_answers = {
        let _server = ours.serve(&imported.yaml);
        ours.ask_all()
    };
    let mut found = BTreeSet::new();
    for what in their_answers.keys().chain(our_answers.keys()) {
        let of = |answers: &BTreeMap<String, String>| answers.get(what).cloned().unwrap_or("absent".into());
        let (theirs, ours) = (of(&their_answers), of(&our_answers));
        if theirs != ours {
            found.insert((what.clone(), theirs, ours));
        }
    }
    let expected: BTreeSet<_> =
        entry.differences.iter().map(|it| (it.0.to_owned(), it.1.to_owned(), it.2.to_owned())).collect();
    println!("{}: {} answers compared, {} differences", entry.name, our_answers.len(), found.len());
    found
        .symmetric_difference(&expected)
        .map(|(what, theirs, ours)| format!("{what}: {theirs}, {ours}"))
        .collect()
}

/// A folder that the servers may pass, and whose path has no capital letters: `tftp-lowercase` changes whole paths.
fn lower_case_folder() -> TempDir {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("tuffet-matrix-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let folder = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The folder of one of the two servers.
struct Side {
    around: PathBuf,
}

/// The result of an import.
struct Imported {
    code: i32,
    yaml: String,
    stderr: String,
}

/// An original server, killed on drop with its processes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

impl Side {
    fn new(around: PathBuf, entry: &Entry) -> Side {
        let side = Side { around };
        let top = side.served();
        for folder in ["incoming", "closed", "inner", "127.0.0.1"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let files = [
            ("f", "hello\nworld\r\n", 0o644),
            ("inner/g", "below\n", 0o644),
            ("upper", "small letters", 0o644),
            ("192.0.2.2/f", "one client's", 0o644),
            ("private", "x", 0o600),
            ("prepared", "old content, which is longer", 0o666),
            ("closed/prepared", "old", 0o666),
            ("incoming/prepared", "old", 0o666),
            ("incoming/announced", "old", 0o666),
        ];
        for (name, content, mode) in files {
            // Only `dnsmasq-unique` has a folder for each client.
            if name.starts_with("192") && !entry.name.ends_with("unique") {
                continue;
            }
            fs::create_dir_all(top.join(name).parent().unwrap()).unwrap();
            fs::write(top.join(name), content).unwrap();
            fs::set_permissions(top.join(name), Permissions::from_mode(mode)).unwrap();
        }
        fs::write(top.join("big"), bytes(1200)).unwrap();
        for (folder, mode) in [("", entry.top), ("incoming", 0o777), ("closed", 0o755)] {
            fs::set_permissions(top.join(folder), Permissions::from_mode(mode)).unwrap();
        }
        if entry.name.ends_with("acl") {
            let list = "d:u::rw,d:g::r,d:m::rw,d:o::-,d:u:daemon:rw";
            let set = Command::new("setfacl").args(["-m", list]).arg(top.join("incoming")).status();
            assert!(set.unwrap().success(), "setfacl");
        }
        fs::create_dir(side.around.join("more")).unwrap();
        let more = format!("enable-tftp\ntftp-root={}\n", top.display());
        fs::write(side.around.join("more/tftp.conf"), more).unwrap();
        fs::write(side.around.join("rules"), "^alias$ f\n").unwrap();
        if entry.original == Original::TftpdHpa {
            fs::write(side.around.join("rules"), "# another name\nr ^alias$ f\n").unwrap();
        }
        fs::create_dir(side.around.join("etc")).unwrap();
        fs::create_dir(side.around.join("state")).unwrap();
        chown(side.around.join("state"), Some(NOBODY), None).unwrap();
        fs::write(side.file(), side.replaced(entry.text)).unwrap();
        side
    }

    fn served(&self) -> PathBuf {
        self.around.join("tftp")
    }

    fn file(&self) -> PathBuf {
        self.around.join("file")
    }

    fn replaced(&self, text: &str) -> String {
        text.replace("HERE", self.served().to_str().unwrap()).replace("SIDE", self.around.to_str().unwrap())
    }

    /// Runs `tuffet` at the server's end.
    fn tuffet(&self, words: &[&str]) -> std::process::Output {
        let mut command = Command::new(server_command()[0].clone());
        command.args(&server_command()[1..]).arg(env!("CARGO_BIN_EXE_tuffet")).args(words);
        command.env("STATE_DIRECTORY", self.around.join("state")).stdin(Stdio::null()).output().unwrap()
    }

    fn import(&self, entry: &Entry) -> Imported {
        let (_, _, server, option) = entry.original.names();
        let (etc, file) = (self.around.join("etc"), self.file());
        let words = ["import", server, "--etc", etc.to_str().unwrap(), option, file.to_str().unwrap()];
        let ran = self.tuffet(&words);
        Imported {
            code: ran.status.code().unwrap_or(-1),
            yaml: String::from_utf8(ran.stdout).unwrap(),
            stderr: String::from_utf8(ran.stderr).unwrap(),
        }
    }

    /// Returns what `tuffet check` complains about.
    fn check(&self, yaml: &str) -> String {
        let file = self.around.join("tuffet.yaml");
        fs::write(&file, yaml).unwrap();
        let ran = self.tuffet(&["check", file.to_str().unwrap()]);
        if ran.status.success() { String::new() } else { String::from_utf8_lossy(&ran.stderr).into_owned() }
    }

    fn serve(&self, yaml: &str) -> Server {
        let state = self.around.join("state");
        let setup = Setup::new().user(None).behind(server_command());
        setup.variable("STATE_DIRECTORY", state.to_str().unwrap()).whole_yaml(0, yaml).start()
    }

    /// Starts the original, or returns what it says.
    fn start(&self, entry: &Entry, program: &Path) -> Result<Running, String> {
        let script = entry.start.replace("PROG", program.to_str().unwrap());
        let script = self.replaced(&script.replace("FILE", self.file().to_str().unwrap()));
        let log = self.around.join("log");
        let mut command = Command::new(server_command()[0].clone());
        command.args(&server_command()[1..]).args(["sh", "-c", &script]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap());
        let mut running = Running(command.process_group(0).spawn().unwrap());
        let mut ended = false;
        wait_until("the original listens or ends", || {
            ended = running.0.try_wait().unwrap().is_some();
            ended || is_open(IPV4) || is_open(IPV6)
        });
        if ended { Err(fs::read_to_string(&log).unwrap()) } else { Ok(running) }
    }

    /// Asks everything; returns the answers, and the files that are there then, by their names.
    fn ask_all(&self) -> BTreeMap<String, String> {
        let families: Vec<(&str, IpAddr)> =
            [("IPv4", IPV4), ("IPv6", IPV6)].into_iter().filter(|(_, address)| is_open(*address)).collect();
        let Some(&(_, server)) = families.first() else { return BTreeMap::new() };
        let here = self.served().display().to_string();
        let mut asked: Vec<(String, Asked, IpAddr)> = Vec::new();
        for (family, address) in &families {
            asked.push((format!("f by {family}"), Asked::read("f"), *address));
        }
        for name in ["/f", "inner/g", "HERE/f", "HERE/inner/g", "private", "UPPER", "alias", "missing"] {
            asked.push((format!("read {name}"), Asked::read(&name.replace("HERE", &here)), server));
        }
        let names = ["new", "prepared", "incoming/new", "incoming/prepared", "closed/new", "closed/prepared"];
        for name in names.iter().flat_map(|name| [(*name).to_owned(), format!("HERE/{name}")]) {
            asked.push((format!("write {name}"), Asked::write(&name.replace("HERE", &here)), server));
        }
        for (option, value) in [("windowsize", "4"), ("timeout", "7"), ("blksize", "9000"), ("tsize", "0")] {
            asked.push((format!("{option} {value}"), Asked::option("f", option, value), server));
        }
        for name in ["incoming/announced", "HERE/incoming/announced"] {
            let announced = Asked::announced(&name.replace("HERE", &here));
            asked.push((format!("announce {name}"), announced, server));
        }
        for name in ["big", "HERE/inner/g"] {
            let slow = Asked { is_slow: true, ..Asked::read(&name.replace("HERE", &here)) };
            asked.push((format!("slow {name}"), slow, server));
        }
        let mut answers = BTreeMap::new();
        thread::scope(|scope| {
            let (slow, quick): (Vec<_>, Vec<_>) = asked.iter().partition(|(_, asked, _)| asked.is_slow);
            let slow: Vec<_> = slow
                .into_iter()
                .map(|(what, asked, to)| (what, scope.spawn(move || asked.send(*to))))
                .collect();
            for (what, asked, to) in quick {
                answers.insert(what.clone(), asked.send(*to));
            }
            for (what, answer) in slow {
                answers.insert(what.clone(), answer.join().unwrap());
            }
        });
        wait_until("uploads that were broken off are gone", || {
            self.files().keys().all(|name| !name.ends_with(".part"))
        });
        answers.extend(self.files());
        answers
    }

    /// Mode and content of each file, except those whose uploads were broken off: in.tftpd truncates them at the start.
    fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.served()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap().map(Result::unwrap) {
                // An upload that was broken off goes at any time.
                let Ok(about) = entry.metadata() else { continue };
                let name = entry.path().strip_prefix(self.served()).unwrap().display().to_string();
                if about.is_dir() {
                    folders.push(entry.path());
                } else if !name.ends_with("announced") {
                    let Ok(content) = fs::read(entry.path()) else { continue };
                    let shown = content[..content.len().min(20)].escape_ascii();
                    files.insert(format!("file {name}"), format!("{:o} {shown}", about.mode() & 0o7777));
                }
            }
        }
        files
    }
}

/// Has the server's end tell of each datagram to a closed port, not of one in a second.
fn answer_each_closed_port() {
    let script = "echo 0 > /proc/sys/net/ipv4/icmp_ratelimit; echo 0 > /proc/sys/net/ipv6/icmp/ratelimit";
    let mut command = Command::new(server_command()[0].clone());
    let ran = command.args(&server_command()[1..]).args(["sh", "-c", script]).status();
    assert!(ran.unwrap().success(), "{script}");
}

/// Whether something listens on port 69 of an address.
fn is_open(address: IpAddr) -> bool {
    let any: IpAddr =
        if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0)).unwrap();
    socket.connect((address, 69)).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    // An ACK out of nowhere: no server answers it, and a closed port refuses it.
    socket.send(&ack(0)).is_ok()
        && !socket.recv(&mut [0; 600]).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

/// A request and what its client does then.
#[derive(Debug, Clone)]
struct Asked {
    packet: Vec<u8>,
    upload: &'static [u8],
    /// Whether the client is silent before its first ACK.
    is_slow: bool,
    /// Whether the first answer is all that it wants.
    is_probe: bool,
}

impl Asked {
    fn read(name: &str) -> Asked {
        let packet = request(1, name.as_bytes(), b"octet", &[]);
        Asked { packet, upload: b"", is_slow: false, is_probe: false }
    }

    fn write(name: &str) -> Asked {
        Asked {
            upload: b"new content",
            packet: request(2, name.as_bytes(), b"octet", &[]),
            ..Asked::read("")
        }
    }

    fn option(name: &str, option: &str, value: &str) -> Asked {
        let packet = request(1, name.as_bytes(), b"octet", &[(option, value)]);
        Asked { packet, is_probe: true, ..Asked::read("") }
    }

    /// Announces an upload of 1.2 GB.
    fn announced(name: &str) -> Asked {
        let packet = request(2, name.as_bytes(), b"octet", &[("tsize", "1200000000")]);
        Asked { packet, is_probe: true, ..Asked::read("") }
    }

    /// Sends it, and says what became of it.
    fn send(&self, server: IpAddr) -> String {
        let any: IpAddr =
            if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = UdpSocket::bind((any, 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.send_to(&self.packet, SocketAddr::new(server, 69)).unwrap();
        let mut buffer = vec![0; 70_000];
        let (mut content, mut next, mut sent) = (Vec::new(), 1_u16, 0_u16);
        loop {
            let Ok((length, from)) = socket.recv_from(&mut buffer) else { return "nothing".into() };
            let packet = &buffer[..length];
            let number = |at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
            match number(0) {
                3 if number(2) == next => {
                    if self.is_slow && next == 1 {
                        thread::sleep(SILENCE);
                    }
                    content.extend_from_slice(&packet[4..]);
                    if self.is_probe {
                        socket.send_to(&error(0, "enough"), from).unwrap();
                        return "no option".into();
                    }
                    socket.send_to(&ack(next), from).unwrap();
                    next += 1;
                    if length < 516 {
                        return format!(
                            "{} bytes, sum {}",
                            content.len(),
                            content.iter().map(|it| u64::from(*it)).sum::<u64>()
                        );
                    }
                }
                4 if number(2) == sent => {
                    if self.is_probe {
                        socket.send_to(&error(0, "enough"), from).unwrap();
                        return "no option".into();
                    }
                    if sent == 1 {
                        return "stored".into();
                    }
                    sent = 1;
                    socket.send_to(&data(1, self.upload), from).unwrap();
                }
                5 => return "refused".into(),
                6 => {
                    socket.send_to(&error(0, "enough"), from).unwrap();
                    let words = String::from_utf8_lossy(&packet[2..]).to_ascii_lowercase();
                    return words.trim_end_matches('\0').replace('\0', " ");
                }
                // A packet that was repeated.
                _ => {}
            }
        }
    }
}
