//! File systems that find a file by other names than its own: no other spelling bypasses a rule about names.

use crate::harness::{Answer, Peer, Server, Setup, ack, assert_ended, data, is_root, rrq, skipped, wrq};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A case-folding file system, unmounted on drop.
struct Folding {
    _image: TempDir,
    folder: TempDir,
}

impl Folding {
    /// Creates one; `None`, reported as skipped, if none can be created and mounted.
    fn new() -> Option<Folding> {
        let (image, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let file = image.path().join("image");
        fs::File::create(&file).unwrap().set_len(16 << 20).unwrap();
        let (file, place) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
        let ways: [[&[&str]; 2]; 2] = [
            [&["mkfs.vfat", file], &["mount", "-t", "vfat", "-o", "loop", file, place]],
            [&["mkntfs", "-F", "-q", file], &["lowntfs-3g", "-o", "ignore_case", file, place]],
        ];
        if is_root() && ways.iter().any(|way| way.iter().all(|words| succeeds(words))) {
            return Some(Folding { _image: image, folder });
        }
        skipped("no file system that folds case can be mounted here (vfat, or NTFS by ntfs-3g, as root)");
        None
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, content: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Starts a server on it, with rules about names; uploads replace existing files.
    fn serve(&self, case: &str) -> Server {
        let root = self.path().display();
        Setup::new()
            .yaml(&format!(
                "roots: [{{ name: boot, path: {root}, writable: true, overwrite: true, case: {case} }}]\npolicy: {{ authorize: [acl] \
                 }}\nplugins:\n  acl:\n    component: builtin:acl\n    settings:\n      deny:\n        - {{ names: \
                 [\"secret/**\", \"*.key\"], message: \"not for you\" }}\n        - {{ operations: [write], names: \
                 [\"kernel.img\"], message: \"not for you\" }}\n"
            ))
            .start()
    }
}

impl Drop for Folding {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.path()).status();
    }
}

fn succeeds(words: &[&str]) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::null());
    command.output().is_ok_and(|ran| ran.status.success())
}

fn read(server: &Server, name: &str) -> Answer {
    let mut peer = Peer::new(server.address());
    peer.ask(&rrq(name, &[]));
    let answer = peer.receive();
    if let Answer::Data(1, _) = answer {
        peer.send(&ack(1));
    }
    answer
}

/// Returns whether it was stored.
fn write(server: &Server, name: &str) -> bool {
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq(name, &[]));
    if peer.receive() != Answer::Ack(0) {
        return false;
    }
    peer.send(&data(1, b"written"));
    peer.receive() == Answer::Ack(1)
}

#[test]
fn another_spelling_passes_no_rule() {
    let Some(disk) = Folding::new() else { return };
    disk.write("secret/plan", b"the plan");
    disk.write("boot.key", b"the key");
    disk.write("kernel.img", b"kernel");
    disk.write("folder/file", b"file");
    assert_eq!(fs::read(disk.path().join("SECRET/Plan")).unwrap(), b"the plan", "it folds case");
    let server = disk.serve("sensitive");

    assert_eq!(read(&server, "secret/plan"), Answer::Error(2, "not for you".into()));
    for name in [
        "SECRET/plan",
        "Secret/PLAN",
        "secret./plan",
        "secret /plan",
        "SECRET~1/plan",
        "BOOT.KEY",
        "boot.KEY",
    ] {
        assert_eq!(read(&server, name), Answer::Error(1, "file not found".into()), "{name}");
        server.outcome(name);
    }
    // Also without a rule: one name for each file.
    assert_eq!(read(&server, "folder/file"), Answer::Data(1, b"file".to_vec()));
    assert_eq!(read(&server, "folder/FILE"), Answer::Error(1, "file not found".into()));
    assert_ended(&server.outcome("folder/FILE"), "not-found", "spells the name of this file");

    for name in ["SECRET/new", "secret./new", "KERNEL.img", "new.key.", "FOLDER/new"] {
        assert!(!write(&server, name), "{name}");
        server.outcome(name);
    }
    assert_eq!(fs::read(disk.path().join("kernel.img")).unwrap(), b"kernel");
    assert_eq!(fs::read_dir(disk.path().join("secret")).unwrap().count(), 1);
    assert!(!disk.path().join("new.key").exists());
    assert!(write(&server, "folder/file") && write(&server, "folder/new file"));
    assert_eq!(fs::read(disk.path().join("folder/file")).unwrap(), b"written");
}

/// The server, not the file system, finds the stored name, and policy judges that.
#[test]
fn case_may_be_ignored_and_no_other_spelling_passes_a_rule() {
    let Some(disk) = Folding::new() else { return };
    disk.write("secret/plan", b"the plan");
    disk.write("boot.key", b"the key");
    disk.write("kernel.img", b"kernel");
    disk.write("folder/file", b"file");
    let server = disk.serve("insensitive");
    for name in ["secret/plan", "SECRET/plan", "Secret/PLAN", "BOOT.KEY", "boot.KEY"] {
        assert_eq!(read(&server, name), Answer::Error(2, "not for you".into()), "{name}");
    }
    for name in ["secret./plan", "secret /plan", "SECRET~1/plan", "boot.key.", "folder/FILE."] {
        assert_eq!(read(&server, name), Answer::Error(1, "file not found".into()), "{name}");
    }
    for name in ["folder/file", "FOLDER/File", "folder/FILE"] {
        assert_eq!(read(&server, name), Answer::Data(1, b"file".to_vec()), "{name}");
    }
    for name in ["SECRET/new", "secret./new", "KERNEL.img", "new.key.", "FOLDER./new"] {
        assert!(!write(&server, name), "{name}");
    }
    assert_eq!(fs::read(disk.path().join("kernel.img")).unwrap(), b"kernel");
    assert_eq!(fs::read_dir(disk.path().join("secret")).unwrap().count(), 1);
    for name in ["FOLDER/FILE", "Folder/new"] {
        assert!(write(&server, name), "{name}: {}", server.log());
    }
    assert_eq!(fs::read(disk.path().join("folder/file")).unwrap(), b"written");
    let names = fs::read_dir(disk.path().join("folder")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["file", "new"]);
}

/// No client can name a file that is being written, in capitals either.
#[test]
fn uploads_in_progress_have_no_other_spelling() {
    let Some(disk) = Folding::new() else { return };
    let server = disk.serve("sensitive");
    let mut peer = Peer::new(server.address());
    peer.ask(&wrq("up", &[]));
    peer.expect(Answer::Ack(0));
    peer.send(&data(1, &[7; 512]));
    peer.expect(Answer::Ack(1));
    let names =
        fs::read_dir(disk.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let temporary = names.into_iter().find(|name| name.starts_with(".tuffet-")).expect("a temporary file");
    let shouted = temporary.to_uppercase();
    assert!(disk.path().join(&shouted).exists());
    assert_eq!(read(&server, &shouted), Answer::Error(1, "file not found".into()));
}

/// Neither is there when the other begins. The name of the first one stays, with its content.
#[test]
fn two_uploads_at_a_time_in_two_spellings_do_not_replace_each_other() {
    let Some(disk) = Folding::new() else { return };
    let server = disk.serve("sensitive");
    let mut peers = ["Confg", "CONFG"].map(|name| {
        let mut peer = Peer::new(server.address());
        peer.ask(&wrq(name, &[]));
        peer.expect(Answer::Ack(0));
        peer
    });
    for (peer, content) in peers.iter_mut().zip([b"first", b"later"]) {
        peer.send(&data(1, content));
    }
    let answers = peers.each_mut().map(Peer::receive);
    let stored = answers.iter().position(|answer| *answer == Answer::Ack(1)).expect("one is stored");
    assert!(matches!(answers[1 - stored], Answer::Error(..)), "{answers:?}");
    assert_eq!(fs::read(disk.path().join(["Confg", "CONFG"][stored])).unwrap(), [b"first", b"later"][stored]);
}
