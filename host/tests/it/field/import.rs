//! Sites that move from another server: their files, folders and uploads as they have been.

use crate::durable::trace::{is_possible, traced};
use crate::durable::{STORED, ask_to_put, new_content, send_content};
use crate::harness::{
    Answer, Disk, Peer, Server, Setup, ack, bytes, data, is_root, rrq, skipped, tuffet, wait_until, wrq,
};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// The user `nobody` of Debian, and two others.
const NOBODY: u32 = 65534;
const OWNER: u32 = 1234;
const OTHER: u32 = 1235;

const OLD: &[u8] = b"! the old configuration of the switch, which is a little longer\n";

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A site of another server: a folder that belongs to root, in one that its user may pass.
struct Site {
    around: TempDir,
}

impl Site {
    /// `None` without root, which changes owners.
    fn new() -> Option<Site> {
        if !is_root() {
            skipped("files of several users need root");
            return None;
        }
        let site = Site { around: TempDir::new().unwrap() };
        mode(site.around.path(), 0o755);
        fs::create_dir(site.top()).unwrap();
        fs::create_dir(site.at("state")).unwrap();
        chown(site.at("state"), Some(NOBODY), None).unwrap();
        mode(&site.top(), 0o755);
        Some(site)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn top(&self) -> PathBuf {
        self.at("tftp")
    }

    /// A file that everybody may write, as `touch FILE; chmod 666 FILE` makes it.
    fn prepare(&self, name: &str) -> PathBuf {
        let file = self.top().join(name);
        fs::write(&file, OLD).unwrap();
        mode(&file, 0o666);
        file
    }

    /// Imports the flags, and checks the result as the user that will serve.
    #[track_caller]
    fn imported(&self, server: &str, flags: &str) -> String {
        let flags = flags.replace("HERE", self.top().to_str().unwrap());
        let ran =
            tuffet(["import", server, "--etc", "/nonexistent", "--"].into_iter().chain(flags.split(' ')));
        ran.assert_good();
        let yaml = String::from_utf8(ran.stdout).unwrap();
        fs::write(self.at("tuffet.yaml"), &yaml).unwrap();
        // Not as root, as `tuffet` of the harness would do.
        let mut check = Command::new(env!("CARGO_BIN_EXE_tuffet"));
        check.env("STATE_DIRECTORY", self.at("state")).arg("check").arg(self.at("tuffet.yaml"));
        let checked = check.output().unwrap();
        assert!(checked.status.success(), "{}\n{yaml}", String::from_utf8_lossy(&checked.stderr));
        yaml
    }

    fn serve(&self, yaml: &str) -> Server {
        let state = self.at("state");
        Setup::new()
            .user(None)
            .variable("STATE_DIRECTORY", state.to_str().unwrap())
            .whole_yaml(1, yaml)
            .start()
    }

    /// What waits to be written in place.
    fn waiting(&self) -> Vec<String> {
        names(&self.at("state/uploads"))
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// Writes a file in lockstep, up to the last ACK.
#[track_caller]
fn put(server: &Server, name: &str, content: &[u8]) {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    peer.expect(Answer::Ack(0));
    peer.write_on(content, 512);
}

const FLAGS: &str = "-l -a 127.0.0.1:0 -s HERE";

/// The top belongs to root, and takes no uploads; a folder below it does.
#[test]
fn backups_below_a_folder_of_root() {
    let Some(site) = Site::new() else { return };
    fs::create_dir(site.top().join("backups")).unwrap();
    mode(&site.top().join("backups"), 0o777);
    let yaml = site.imported("tftpd-hpa", "-l -a 127.0.0.1:0 --secure --create -p HERE");
    let server = site.serve(&yaml);
    put(&server, "backups/sw1", b"a configuration");
    assert_eq!(fs::read(site.top().join("backups/sw1")).unwrap(), b"a configuration");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("sw1", &[]));
    peer.expect_error(2);
    assert_eq!(fs::metadata(site.top()).unwrap().mode() & 0o777, 0o755);
}

/// A dump of more than a gigabyte: the other servers know no limit.
#[test]
fn a_large_announcement() {
    let Some(site) = Site::new() else { return };
    mode(&site.top(), 0o777);
    let announced = ("tsize", "1200000000");
    for (server, flags) in [
        ("tftpd-hpa", "-l -a 127.0.0.1:0 -c -s HERE"),
        ("atftpd", "--daemon --port 6969 --bind-address 127.0.0.1 --no-multicast HERE"),
    ] {
        let yaml = site.imported(server, flags).replace("127.0.0.1:6969", "127.0.0.1:0");
        let server = site.serve(&yaml);
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("dump", &[announced]));
        peer.expect(Answer::Oack("tsize=1200000000".into()));
    }
}

/// One prepared file for each device, in a folder that the server's user may not write to.
#[test]
fn prepared_files() {
    let Some(site) = Site::new() else { return };
    let file = site.prepare("sw1-confg");
    fs::write(site.top().join("readable"), "x").unwrap();
    let before = fs::metadata(&file).unwrap();
    let yaml = site.imported("tftpd-hpa", FLAGS);
    assert!(yaml.contains("in-place: true"), "{yaml}");
    let server = site.serve(&yaml);
    for content in [b"short".to_vec(), bytes(3000), Vec::new(), bytes(512)] {
        // The old content stays until the new one is complete.
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("sw1-confg", &[]));
        peer.expect(Answer::Ack(0));
        let old = fs::read(&file).unwrap();
        assert_eq!((site.waiting().len(), names(&site.top()).len()), (1, 2));
        assert_eq!(Peer::new(server.address()).read_plainly("sw1-confg"), old);
        peer.write_on(&content, 512);
        assert!(fs::read(&file).unwrap() == content);
        assert_eq!(Peer::new(server.address()).read_plainly("sw1-confg"), content);
        assert_eq!(site.waiting(), [""; 0]);
        // Two readings, and the upload.
        for _ in 0..3 {
            let outcome = server.outcome("sw1-confg");
            assert!(outcome["outcome"] == "served" || outcome["outcome"] == "stored", "{outcome}");
        }
    }
    let after = fs::metadata(&file).unwrap();
    assert_eq!(
        (before.ino(), before.uid(), before.mode()),
        (after.ino(), after.uid(), after.mode()),
        "the file is the one that was prepared"
    );
    // One that breaks off leaves nothing, and what is not prepared is not there.
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("sw1-confg", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[7; 512]));
    peer.expect(Answer::Ack(1));
    peer.send(&crate::harness::error(0, "gave up"));
    wait_until("nothing of it waits", || site.waiting().is_empty());
    assert!(fs::read(&file).unwrap() == bytes(512));
    for (name, code) in [("sw2-confg", 1), ("readable", 2)] {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect_error(code);
    }
}

/// Many devices at a time, and one file that two of them write: one of both is there in the end.
#[test]
fn uploads_in_place_at_a_time() {
    let Some(site) = Site::new() else { return };
    for number in 0..8 {
        site.prepare(&format!("sw{number}"));
    }
    let server = site.serve(&site.imported("tftpd-hpa", FLAGS));
    std::thread::scope(|scope| {
        for number in 0..8_u8 {
            for letter in [b'a', b'b'] {
                let server = &server;
                scope.spawn(move || {
                    put(server, &format!("sw{number}"), &[letter; 5000][usize::from(number)..])
                });
            }
        }
    });
    for number in 0..8 {
        let content = fs::read(site.top().join(format!("sw{number}"))).unwrap();
        assert_eq!(content.len(), 5000 - number);
        assert!(content.iter().all(|byte| *byte == content[0]), "a mixture");
    }
    assert_eq!(site.waiting(), [""; 0]);
}

/// A client that reads the file while an upload is written into it gets the old content or an ERROR, and never both
/// contents.
#[test]
fn a_reader_during_an_upload_in_place() {
    let Some(site) = Site::new() else { return };
    let file = site.prepare("large");
    fs::write(&file, vec![b'o'; 200_000]).unwrap();
    let server = site.serve(&site.imported("tftpd-hpa", FLAGS));
    let mut reader = Peer::new(server.address());
    reader.ask(&rrq("large", &[("blksize", "8192")]));
    reader.expect(Answer::Oack("blksize=8192".into()));
    reader.send(&ack(0));
    let mut writer = Peer::new(server.address());
    writer.ask(&wrq("large", &[("blksize", "8192")]));
    writer.expect(Answer::Oack("blksize=8192".into()));
    writer.write_on(&vec![b'n'; 200_000], 8192);
    assert!(fs::read(&file).unwrap() == vec![b'n'; 200_000]);
    let mut content = Vec::new();
    for block in 1.. {
        match reader.receive() {
            Answer::Data(number, payload) if number == block => {
                content.extend_from_slice(&payload);
                reader.send(&ack(block));
                if payload.len() < 8192 {
                    assert!(content.iter().all(|byte| *byte == content[0]), "a mixture");
                    break;
                }
            }
            Answer::Error(0, text) => {
                assert_eq!(text, "the file changed while it was read");
                break;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A folder in which not even root replaces the file: sticky, of another user, and the file of a third.
fn sticky(site: &Site) -> PathBuf {
    let file = site.prepare("sw1");
    chown(&file, Some(OTHER), Some(OTHER)).unwrap();
    chown(site.top(), Some(OWNER), Some(OWNER)).unwrap();
    mode(&site.top(), 0o1777);
    file
}

fn in_place(site: &Site, rules: &str) -> String {
    format!(
        "state: {}\nroots: [{{ name: in, path: '{}', writable: true, overwrite: true, write: {{ in-place: true {rules} }} }}]\n",
        site.at("state").display(),
        site.top().display()
    )
}

#[test]
fn earlier_versions_and_quotas_of_files_that_are_written_in_place() {
    let Some(site) = Site::new() else { return };
    let file = sticky(&site);
    let server =
        Setup::new().yaml(&in_place(&site, ", versions: { keep: 2 }, quota: { bytes: 10000 }")).start();
    server.logged("counted the contents of a root");
    let inode = fs::metadata(&file).unwrap().ino();
    put(&server, "sw1", &[b'1'; 3000]);
    put(&server, "sw1", &[b'2'; 3000]);
    let read = |name: &str| fs::read(site.top().join(name)).unwrap();
    assert_eq!(
        (read("sw1.~1~"), read("sw1.~2~"), read("sw1")),
        (OLD.to_vec(), vec![b'1'; 3000], vec![b'2'; 3000])
    );
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    // What is there and the upload together.
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("sw1", &[("tsize", "5000")]));
    peer.expect_error(3);
    assert_eq!(read("sw1"), [b'2'; 3000]);

    // Where no version can be kept, nothing is overwritten.
    let Some(site) = Site::new() else { return };
    let file = site.prepare("sw1");
    let yaml = site
        .imported("tftpd-hpa", FLAGS)
        .replace("in-place: true", "in-place: true\n      versions: { keep: 2 }");
    let server = site.serve(&yaml);
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("sw1", &[]));
    peer.expect_error(2);
    let detail = server.outcome("sw1")["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("cannot be kept as an earlier version"), "{detail}");
    assert_eq!(fs::read(file).unwrap(), OLD);
}

/// Neither the disk where uploads wait nor that of the file has room: the old content stays.
#[test]
fn full_disks() {
    let Some(site) = Site::new() else { return };
    let file = sticky(&site);
    let Some(disk) = Disk::new("size=64k") else { return };
    let yaml =
        in_place(&site, "").replace(site.at("state").to_str().unwrap(), disk.path("").to_str().unwrap());
    let server = Setup::new().yaml(&yaml).start();
    let refused = |server: &Server| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq("sw1", &[("blksize", "16384")]));
        peer.expect(Answer::Oack("blksize=16384".into()));
        let content = bytes(200_000);
        for (block, payload) in (1..).zip(content.chunks(16_384)) {
            peer.send(&data(block, payload));
            match peer.receive() {
                Answer::Ack(number) if number == block => {}
                Answer::Error(3, text) => return assert_eq!(text, "no space left"),
                other => panic!("{other:?}"),
            }
        }
        panic!("it was stored");
    };
    refused(&server);
    assert_eq!(fs::read(&file).unwrap(), OLD);
    wait_until("nothing of it waits", || names(&disk.path("uploads")).is_empty());
    put(&server, "sw1", b"fits");
    assert_eq!(fs::read(&file).unwrap(), b"fits");
    drop(server);

    let Some(disk) = Disk::new("size=64k,mode=1777") else { return };
    fs::write(disk.path("sw1"), OLD).unwrap();
    mode(&disk.path("sw1"), 0o666);
    chown(disk.path("sw1"), Some(OTHER), Some(OTHER)).unwrap();
    chown(disk.path(""), Some(OWNER), Some(OWNER)).unwrap();
    let yaml = in_place(&site, "").replace(site.top().to_str().unwrap(), disk.path("").to_str().unwrap());
    let server = Setup::new().yaml(&yaml).start();
    refused(&server);
    assert_eq!(fs::read(disk.path("sw1")).unwrap(), OLD);
    assert_eq!(site.waiting(), [""; 0]);
}

/// The server is killed while it stores an upload in place; the next one finds out how far that was. The client has got no
/// last ACK, so both contents are right, and a mixture is not.
#[test]
fn crashes_of_uploads_in_place() {
    if !is_possible() {
        return;
    }
    let old = vec![b'o'; 2 * new_content().len()];
    let is_mixed = |content: &[u8]| content != old && content != new_content();
    let calls = ["pwrite64", "renameat,renameat2", "ftruncate", "unlinkat", "fsync"];
    let last = |call: &str| if call == "fsync" { 6 } else { 1 };
    let mut mixtures = 0;
    for (call, when) in calls.into_iter().flat_map(|call| (1..=last(call)).map(move |when| (call, when))) {
        let Some(site) = Site::new() else { return };
        let file = sticky(&site);
        // With `fs.protected_regular`, not even root opens this file with O_CREAT.
        let mut opened = fs::OpenOptions::new().write(true).truncate(true).open(&file).unwrap();
        std::io::Write::write_all(&mut opened, &old).unwrap();
        let fault = format!("{call}:signal=KILL:when={when}");
        let behind = traced(&site.at("trace"), std::slice::from_ref(&fault));
        let server = Setup::new().behind(behind).yaml(&in_place(&site, "")).start();
        let mut peer = ask_to_put(&server, "sw1");
        let (mut unsent, mut is_stored) = (true, false);
        while !is_stored && !server.has_ended() {
            match peer.receive_within(Duration::from_millis(10)) {
                Some(Answer::Oack(_)) if std::mem::take(&mut unsent) => send_content(&peer),
                Some(STORED) => is_stored = true,
                _ => {}
            }
        }
        drop(server);
        let left = fs::read(&file).unwrap();
        mixtures += usize::from(is_mixed(&left));
        // Its content is complete, and not its length.
        assert!(call != "ftruncate" || (is_mixed(&left) && left.starts_with(&new_content())), "{fault}");

        let server = Setup::new().yaml(&in_place(&site, "")).start();
        wait_until(&format!("nothing waits any more after {fault}"), || site.waiting().is_empty());
        let content = fs::read(&file).unwrap();
        assert!(!is_mixed(&content), "{fault}: {} bytes", content.len());
        assert!(!is_stored || content == new_content(), "{fault}: it was acknowledged");
        if is_mixed(&left) {
            server.wait_for_log("finished an upload in place");
        }
        assert_eq!(names(&site.top()), ["sw1"], "{fault}");
    }
    assert!(mixtures >= 1, "nothing was to be finished");
}

/// A default access control list decides about new files in place of every umask.
#[test]
fn folders_with_a_default_list() {
    let Some(site) = Site::new() else { return };
    fs::create_dir(site.top().join("in")).unwrap();
    mode(&site.top().join("in"), 0o777);
    let mut set = Command::new("setfacl");
    set.args(["-m", "d:u::rw,d:g::r,d:m::rw,d:o::-,d:u:daemon:rw"]).arg(site.top().join("in"));
    let Ok(set) = set.output() else {
        return skipped("setfacl is not installed");
    };
    if !set.status.success() {
        return skipped("this file system has no access control lists");
    }
    let yaml = site.imported("tftpd-hpa", "-l -a 127.0.0.1:0 -c -p -U 000 -s HERE");
    let server = site.serve(&yaml);
    put(&server, "in/new", b"new");
    assert_eq!(
        fs::metadata(site.top().join("in/new")).unwrap().mode() & 0o777,
        0o660,
        "as open(2) with 0666"
    );
}

/// dnsmasq does not start with such a line, so its restriction must not get lost.
#[test]
fn a_line_without_an_equals_sign() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("dnsmasq.conf");
    fs::write(&file, "enable-tftp\ninterface enp0s8\ntftp-root=/srv/tftp\n").unwrap();
    let ran = tuffet(["import", "dnsmasq", "--conf", file.to_str().unwrap()]);
    let expected =
        format!("{}:2: interface enp0s8: a name and a value need a `=` between them", file.display());
    ran.assert_fails(64, &[&expected, "write interface=enp0s8"]);
    assert!(ran.stdout.is_empty());
}
