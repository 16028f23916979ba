//! Small disks: file systems in memory, if they can be mounted.

use super::skipped;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A small disk, unmounted on drop.
pub struct Disk(TempDir);

impl Disk {
    /// Creates one with these options of tmpfs(5), such as `size=64k`. `None`, reported as skipped, if
    /// mounting is not possible.
    pub fn new(options: &str) -> Option<Disk> {
        let folder = TempDir::new().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder.path());
        if !mount.output().is_ok_and(|mounted| mounted.status.success()) {
            skipped("no file system can be mounted here (root alone may): full disks are not tested");
            return None;
        }
        Some(Disk(folder))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Leaves no byte free.
    pub fn fill(&self) -> PathBuf {
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
