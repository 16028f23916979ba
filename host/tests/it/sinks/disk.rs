//! Full disks: small file systems in memory, where they can be mounted.

use super::{Kept, ask, asked, wait_until};
use crate::harness::skipped;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A small disk; unmounted when dropped.
struct Disk(TempDir);

impl Disk {
    /// `None` where mounting is not possible.
    fn new(size: &str) -> Option<Disk> {
        let folder = TempDir::new().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output();
        if !mounted.is_ok_and(|mounted| mounted.status.success()) {
            skipped(
                "no file system can be mounted here (root alone may): full disks of sinks are not tested",
            );
            return None;
        }
        Some(Disk(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Leaves no byte free.
    fn fill(&self) -> PathBuf {
        let path = self.path("filler");
        let mut file = std::fs::File::create(&path).unwrap();
        for piece in [4096, 1] {
            while file.write_all(&vec![0; piece]).is_ok() {}
        }
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// A line that was cut off is completed when there is room again; none is lost, split or written twice.
#[test]
fn a_file_on_a_full_disk_goes_on_when_there_is_room() {
    for fsync in ["never", "each"] {
        let Some(disk) = Disk::new("64k") else { return };
        let kept = Kept::new();
        let file = disk.path("lines");
        let server = kept.setup(&format!("{{ file: '{}', fsync: {fsync} }}", file.display())).start();
        ask(&server, 0..5);
        wait_until("they are there", || lines(&file).len() == 5);
        let filler = disk.fill();
        // What is left of the last page takes some of them.
        ask(&server, 5..60);
        server.logged("a sink is broken; its lines wait, and plugins hear when there is no room for more");
        std::fs::remove_file(filler).unwrap();
        wait_until("all is delivered", || server.sink()["delivered"] == 60);
        assert_eq!(asked(&lines(&file)), (0..60).collect::<Vec<u32>>(), "{fsync}");
    }
}

/// A spool that cannot grow: plugins hear that it is full, and what it took is whole.
#[test]
fn a_spool_on_a_full_disk_says_so_and_keeps_what_it_took() {
    let Some(disk) = Disk::new("128k") else { return };
    let kept = Kept::new();
    // Nobody listens there.
    let sink = format!(
        "{{ http: {{ url: 'http://127.0.0.1:1/', batch: {{ lines: 10 }} }}, spool: {{ bytes: 1MiB, path: '{}' }} }}",
        disk.path("spool").display()
    );
    let server = kept.setup(&sink).start();
    ask(&server, 0..5);
    wait_until("they are taken", || server.sink()["queued"] == 5);
    let filler = disk.fill();
    ask(&server, 5..40);
    let count = |key: &str| server.sink()[key].as_u64().unwrap();
    wait_until("the plugin was told of all", || count("queued") + count("refused") == 40);
    assert!(count("refused") > 0);
    server.logged("a spool cannot be written; plugins hear that it is full");
    std::fs::remove_file(filler).unwrap();
    let before = count("queued");
    ask(&server, 40..50);
    wait_until("it takes lines again", || count("queued") == before + 10);
    drop(server);
    let server = kept.setup(&sink).start();
    assert_eq!(server.sink()["waiting"], before + 10, "all that was taken is there, and nothing else");
}
