//! Where the log goes: into a file that is rotated, by others or by the server, to syslog, and elsewhere by a reload.

use crate::harness::{
    Disk, Folder, Peer, Ran, SOON, Setup, check, compiled, is_root, own_loopback, rrq, run_as_it_is, skipped,
    tuffet, wait_until,
};
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A server whose log is not at standard error.
struct Elsewhere {
    child: Child,
    stderr: File,
    folder: Folder,
    address: SocketAddr,
    _temporary: TempDir,
}

impl Elsewhere {
    /// With this section `log`; paths in it are relative to the folder. Waits until `lines` has the start.
    #[track_caller]
    fn start(log: &str, flags: &[&str], lines: impl FnMut(&Folder) -> String) -> Elsewhere {
        Elsewhere::start_as("root", log, flags, lines)
    }

    #[track_caller]
    fn start_as(
        user: &str,
        log: &str,
        flags: &[&str],
        mut lines: impl FnMut(&Folder) -> String,
    ) -> Elsewhere {
        let temporary = TempDir::new().unwrap();
        let folder = Folder(temporary.path().to_owned());
        let (stderr, writer) = std::io::pipe().unwrap();
        let mut command = command(&folder, user, log, flags);
        let child = command.stderr(Stdio::from(OwnedFd::from(writer))).spawn().unwrap();
        drop(command);
        let stderr = File::from(OwnedFd::from(stderr));
        rustix::io::ioctl_fionbio(&stderr, true).unwrap();
        let address = ([127, 0, 0, 1], 0).into();
        let mut server = Elsewhere { child, stderr, folder, address, _temporary: temporary };
        let mut text = String::new();
        wait_until("the log has the start", || {
            text = lines(&server.folder);
            if let Some(status) = server.child.try_wait().unwrap() {
                panic!("{status}: {}\n{text}", server.said());
            }
            text.contains("serving")
        });
        let begin = text.split_once("\"address\":\"").or(text.split_once("listening on ")).unwrap().1;
        server.address = begin.split([' ', '"', '\n']).next().unwrap().parse().unwrap();
        server
    }

    /// What came at standard error since the last call.
    fn said(&mut self) -> String {
        let mut bytes = Vec::new();
        // Without a writer it ends, otherwise it would block.
        let _ = self.stderr.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Asks for a file that is not there, whose name the log gets.
    #[track_caller]
    fn ask(&self, name: &str) {
        let mut peer = Peer::new(self.address);
        peer.ask(&rrq(name, &[]));
        peer.expect_error(1);
    }

    fn log(&self) -> String {
        self.text("log")
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path(name)).unwrap_or_default()
    }

    #[track_caller]
    fn has(&self, file: &str, words: &str) {
        wait_until(&format!("{file} has {words:?}"), || self.text(file).contains(words));
    }

    fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal).unwrap();
    }

    fn hang_up(&self) {
        self.signal(rustix::process::Signal::HUP);
    }

    fn rewrite(&self, log: &str) {
        fs::write(self.folder.path("tuffet.yaml"), yaml(log)).unwrap();
    }

    fn reload(&self) -> Ran {
        tuffet(["reload", "--config", self.folder.path("tuffet.yaml").to_str().unwrap()])
    }

    /// The rotated files, oldest first.
    fn rotated(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path("logs")).unwrap();
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| !file.ends_with("log"));
        files.sort();
        files
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn yaml(log: &str) -> String {
    format!("roots: [{{ name: boot, path: root }}]\ncontrol: control\nlog: {log}\n")
}

/// The command that serves the folder `root` with this section `log`.
fn command(folder: &Folder, user: &str, log: &str, flags: &[&str]) -> Command {
    for name in ["root", "logs"] {
        let _ = fs::create_dir(folder.path(name));
    }
    for name in [".", "logs"] {
        fs::set_permissions(folder.path(name), Permissions::from_mode(0o777)).unwrap();
    }
    fs::write(folder.path("tuffet.yaml"), yaml(log)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.args(["serve", "--listen", &format!("{}:0", own_loopback()), "--config"]);
    command.arg(folder.path("tuffet.yaml")).args(flags).stdin(Stdio::null());
    if is_root() {
        command.args(["--user", user]);
    }
    command.env("CACHE_DIRECTORY", compiled());
    command
}

fn log_of(folder: &Folder) -> String {
    fs::read_to_string(folder.path("log")).unwrap_or_default()
}

#[test]
fn the_log_is_in_the_file_of_the_configuration() {
    let mut server = Elsewhere::start("{ to: { file: log } }", &[], log_of);
    server.ask("missing");
    server.has("log", " INFO tuffet::privileges: dropped privileges: ");
    server.has("log", " WARN not-found 127.");
    server.signal(rustix::process::Signal::TERM);
    server.child.wait().unwrap();
    assert!(server.log().trim_end().ends_with(" INFO tuffet::server::running: stopped"), "{}", server.log());
    assert_eq!(server.said(), "");
    assert!(!server.log().contains('\u{1b}') && server.log().starts_with("20"), "{}", server.log());
}

#[test]
fn level_and_format_are_those_of_the_configuration() {
    let server = Elsewhere::start(
        "{ level: 'info,tuffet::transfer=error', format: json, to: { file: log } }",
        &[],
        log_of,
    );
    server.ask("missing");
    server.signal(rustix::process::Signal::TERM);
    server.has("log", "\"message\":\"stopped\"");
    let log = server.log();
    assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{log}");
    assert!(!log.contains("not-found"), "{log}");
}

#[test]
fn flags_override_the_section() {
    let log = "{ level: error, format: dnsmasq, to: { file: other } }";
    let flags = ["--log", "info", "--log-format", "json", "--log-to"];
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("log");
    let flags: Vec<&str> = flags.into_iter().chain([file.to_str().unwrap()]).collect();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let server = Elsewhere::start(log, &flags, |_| fs::read_to_string(&file).unwrap_or_default());
    server.ask("missing");
    wait_until("the request is there", || {
        fs::read_to_string(&file).unwrap().contains("\"path\":\"missing\"")
    });
    // A reload does not change that.
    server.reload().assert_good();
    server.ask("again");
    wait_until("the request is there", || fs::read_to_string(&file).unwrap().contains("\"path\":\"again\""));
    assert!(!server.folder.path("other").exists());
}

/// Root creates it, and the server's user writes it, opens it anew and rotates it, within the rules of Landlock.
#[test]
fn the_file_belongs_to_the_servers_user() {
    if !is_root() {
        return skipped("another user than the one who starts the server needs root");
    }
    let log = "{ to: { file: logs/log, rotate: { size: 1KiB, keep: 3 } } }";
    let own = |folder: &Folder| {
        let rotated = fs::read_dir(folder.path("logs")).unwrap().map(|entry| entry.unwrap().path());
        rotated.map(|file| fs::read_to_string(file).unwrap_or_default()).collect()
    };
    let server = Elsewhere::start_as("nobody", log, &[], own);
    (0..50).for_each(|number| server.ask(&format!("missing{number}")));
    server.has("logs/log", "missing49");
    let about = fs::metadata(server.folder.path("logs/log")).unwrap();
    assert_ne!(about.uid(), 0);
    assert_eq!(about.mode() & 0o777, 0o640);
    assert_eq!(server.rotated().len(), 3);
    fs::rename(server.folder.path("logs/log"), server.folder.path("logs/away")).unwrap();
    server.reload().assert_good();
    server.has("logs/log", "reloaded");
}

#[test]
fn a_user_who_may_not_write_there_is_told_before_anything_is_served() {
    if !is_root() {
        return skipped("another user than the one who starts the server needs root");
    }
    let temporary = TempDir::new().unwrap();
    let folder = Folder(temporary.path().to_owned());
    folder.write("closed/log", b"");
    fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o755)).unwrap();
    let ran = run_as_it_is(&mut command(&folder, "nobody", "{ to: { file: closed/log } }", &[]), SOON);
    ran.assert_fails(77, &["log: the server runs as the user `nobody`, who may not write", "chown nobody"]);
}

#[test]
fn a_renamed_file_is_left_and_a_truncated_one_goes_on() {
    let server = Elsewhere::start("{ to: { file: log } }", &[], log_of);
    server.ask("before");
    server.has("log", "before");
    // As logrotate does, and its `postrotate`; without `create`.
    fs::rename(server.folder.path("log"), server.folder.path("log.1")).unwrap();
    server.hang_up();
    server.has("log", "reloaded");
    server.ask("after");
    server.has("log", "after");
    assert!(!server.text("log.1").contains("reloaded") && server.text("log.1").contains("before"));
    // With `create`, and a configuration that is refused: the file is opened all the same.
    fs::rename(server.folder.path("log"), server.folder.path("log.2")).unwrap();
    File::create(server.folder.path("log")).unwrap();
    server.rewrite("{ level: loud }");
    server.reload().assert_fails(1, &["tuffet.yaml:3:15", "`loud` is neither a level nor a target"]);
    server.has("log", "the reload was refused");
    // `copytruncate`.
    fs::copy(server.folder.path("log"), server.folder.path("log.3")).unwrap();
    File::options().write(true).open(server.folder.path("log")).unwrap().set_len(0).unwrap();
    server.ask("later");
    server.has("log", "later");
    assert!(server.log().starts_with("20") && !server.log().contains('\0'), "{}", server.log());
}

/// Nobody reloads: the server notices by itself, within a second.
#[test]
fn a_removed_file_comes_back() {
    let server = Elsewhere::start("{ to: { file: log } }", &[], log_of);
    fs::remove_file(server.folder.path("log")).unwrap();
    let mut asked = 0;
    wait_until("there is a new file", || {
        asked += 1;
        server.ask(&format!("again{asked}"));
        server.log().contains("again")
    });
}

#[test]
fn a_file_is_rotated_by_size_and_the_oldest_are_removed() {
    let log = "{ to: { file: logs/log, rotate: { size: 2KiB, keep: 4 } } }";
    let mut all = String::new();
    let server = Elsewhere::start(log, &[], |folder| {
        all += &fs::read_to_string(folder.path("logs/log")).unwrap_or_default();
        all.clone()
    });
    (0..100).for_each(|number| server.ask(&format!("missing{number}.")));
    server.has("logs/log", "missing99.");
    let rotated = server.rotated();
    assert_eq!(rotated.len(), 4);
    let mut text: String = rotated.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    assert!(rotated.iter().all(|file| fs::metadata(file).unwrap().len() <= 2048));
    text += &server.text("logs/log");
    // Whole lines, in order, without a gap.
    assert!(text.lines().all(|line| line.starts_with("20")), "{text}");
    let number = |line: &str| line.split_once(" read missing")?.1.split_once('.')?.0.parse().ok();
    let numbers: Vec<usize> = text.lines().filter_map(number).collect();
    assert!(numbers.len() > 30, "{text}");
    assert_eq!(numbers, (100 - numbers.len()..100).collect::<Vec<_>>());
}

#[test]
fn a_file_is_rotated_by_age() {
    let server = Elsewhere::start("{ to: { file: logs/log, rotate: { every: 1s } } }", &[], |folder| {
        fs::read_to_string(folder.path("logs/log")).unwrap_or_default()
    });
    let mut asked = 0;
    wait_until("it is rotated", || {
        asked += 1;
        server.ask(&format!("again{asked}"));
        server.rotated().len() >= 2
    });
}

/// Its lines wait; the server serves on, and says on standard error why nothing is written.
#[test]
fn a_full_disk_stops_nothing() {
    let Some(disk) = Disk::new("size=64k,mode=777") else { return };
    let file = disk.path("log");
    let read = || fs::read_to_string(&file).unwrap_or_default();
    let mut server =
        Elsewhere::start(&format!("{{ to: {{ file: '{}' }} }}", file.display()), &[], |_| read());
    let filler = disk.fill();
    // The rest of the last page takes some of them.
    (0..100).for_each(|number| server.ask(&format!("missing{number}.")));
    let mut said = String::new();
    wait_until("the operator is told", || {
        said += &server.said();
        said.contains("\n")
    });
    let expected =
        format!("tuffet: the log cannot be written to {}: No space left on device", file.display());
    assert!(said.starts_with(&expected) && said.lines().count() == 1, "{said}");
    fs::remove_file(filler).unwrap();
    wait_until("the rest is written", || read().contains("missing99."));
    let log = read();
    for number in 0..100 {
        assert_eq!(
            log.lines().filter(|line| line.contains(&format!(" missing{number}. "))).count(),
            1,
            "{log}"
        );
    }
    assert!(log.lines().all(|line| line.starts_with("20")), "no line is cut: {log}");
}

/// The severity of a message (RFC 5424), and its text.
fn syslog(receiver: &UnixDatagram) -> (u8, String) {
    let mut bytes = [0; 65_536];
    let length = receiver.recv(&mut bytes).unwrap();
    let message = String::from_utf8(bytes[..length].to_vec()).unwrap();
    let (priority, rest) = message.strip_prefix('<').unwrap().split_once('>').unwrap();
    let priority: u8 = priority.parse().unwrap();
    assert_eq!(priority / 8, 16, "local0: {message}");
    let words: Vec<&str> = rest.splitn(6, ' ').collect();
    assert_eq!((words[0], words[3]), ("1", "boot"), "{message}");
    assert!(words[1].ends_with('Z') && words[1].len() == 27, "the time with microseconds: {message}");
    let (_, text) = rest.split_once("] ").unwrap();
    (priority % 8, text.to_owned())
}

#[test]
fn syslog_gets_each_line_with_its_severity() {
    for format in ["text", "json", "tftp-hpa"] {
        let folder = TempDir::new().unwrap();
        let socket = folder.path().join("log");
        let receiver = UnixDatagram::bind(&socket).unwrap();
        receiver.set_read_timeout(Some(SOON)).unwrap();
        fs::set_permissions(&socket, Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        let log = format!(
            "{{ format: {format}, to: {{ syslog: {{ address: 'unix:{}', facility: local0, app-name: boot }} }} }}",
            socket.display()
        );
        let mut all = String::new();
        let server = Elsewhere::start(&log, &[], |_| {
            let (severity, text) = syslog(&receiver);
            assert!(severity == 6 || severity == 4, "{text}");
            all += &format!("{text}\n");
            all.clone()
        });
        server.ask("missing");
        let (severity, text) = loop {
            let (severity, text) = syslog(&receiver);
            if text.contains("missing") {
                break (severity, text);
            }
        };
        assert_eq!(severity, 4, "{text}");
        match format {
            "text" => assert!(text.starts_with("not-found 127."), "{text}"),
            "json" => assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}"),
            _ => assert!(text.starts_with("RRQ from 127."), "{text}"),
        }
    }
}

#[test]
fn a_reload_changes_level_format_and_target() {
    // Within the sandbox rules: the file lies beside the first one.
    let server = Elsewhere::start("{ to: { file: log } }", &[], log_of);
    server.ask("first");
    server.has("log", " WARN not-found ");
    server.rewrite("{ format: json, level: 'info,tuffet::transfer=debug', to: { file: next } }");
    server.reload().assert_good();
    server.ask("second");
    server.has("next", "\"path\":\"second\"");
    assert!(!server.log().contains("second"));
    server.rewrite("{ level: 'warn,tuffet::transfer=off', to: { file: next } }");
    server.reload().assert_good();
    server.ask("third");
    server.rewrite("{ format: dnsmasq, to: { file: log } }");
    server.reload().assert_good();
    server.ask("fourth");
    server.has("log", "dnsmasq-tftp[");
    assert!(!server.text("next").contains("third") && !server.log().contains("third"));
    let line = server.log().lines().last().unwrap().to_owned();
    assert!(
        line.ends_with(&format!("root/fourth not found for {}", "127.0.0.1")) || line.contains("fourth"),
        "{line}"
    );
}

#[test]
fn a_reload_that_moves_the_log_out_of_reach_is_refused() {
    let outside = TempDir::new().unwrap();
    fs::set_permissions(outside.path(), Permissions::from_mode(0o777)).unwrap();
    let server = Elsewhere::start("{ to: { file: log } }", &[], log_of);
    server.rewrite(&format!("{{ to: {{ file: '{}' }} }}", outside.path().join("log").display()));
    if server.log().contains(", Landlock ") {
        server.reload().assert_fails(1, &["tuffet.yaml:3:20", "restart"]);
        assert!(!outside.path().join("log").exists());
    } else {
        skipped("this kernel has no Landlock");
    }
    server.rewrite("{ to: { file: none/log } }");
    server.reload().assert_fails(1, &["there is no folder"]);
    server.ask("still");
    server.has("log", " read still ");
}

/// From standard error into a file and back, by the flags' absence.
#[test]
fn a_log_moves_from_standard_error_into_a_file() {
    let server = Setup::new().rest_of_yaml("privileges: { writable: [.] }\n").start();
    let rest = "privileges: { writable: [.] }\nlog: { to: { file: log } }\n";
    server.rewrite(&format!("roots: [{{ name: boot, path: root }}]\n{rest}"));
    server.ask("reload").assert_good();
    let file = server.outside().path("log");
    wait_until("the file has the reload", || {
        fs::read_to_string(&file).is_ok_and(|text| text.contains("\"message\":\"reloaded\""))
    });
    server.rewrite("roots: [{ name: boot, path: root }]\nprivileges: { writable: [.] }\n");
    server.ask("reload").assert_good();
    assert_eq!(server.logged("reloaded")["generation"], 3);
}

#[test]
fn check_knows_the_levels() {
    let ran = check(&(yaml("{ level: warning }") + "listeners: [{ address: 127.0.0.1:6969 }]\n"));
    ran.assert_fails(64, &["tuffet.yaml:3:", "did you mean `warn`?"]);
}
