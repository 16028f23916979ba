//! Access to `/proc` and `/sys`.

use std::fs;
use std::path::{Path, PathBuf};

/// The kernel's trees; below another folder in tests.
pub(super) struct System {
    root: PathBuf,
}

impl System {
    /// Accesses the trees of this machine.
    pub(super) fn real() -> System {
        System { root: "/".into() }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Reads a file without surrounding white space.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        Some(fs::read_to_string(self.path(path)).ok()?.trim().to_owned())
    }

    /// Reads a file with one number.
    pub(super) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// Reads a kernel setting by its dotted name.
    pub(super) fn sysctl(&self, name: &str) -> Option<String> {
        self.text(&format!("proc/sys/{}", name.replace('.', "/")))
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Returns the names in a folder, sorted.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn link(&self, path: &str) -> Option<PathBuf> {
        fs::read_link(self.path(path)).ok()
    }

    /// Returns the rest of the line that begins with `key`.
    pub(super) fn line(&self, path: &str, key: &str) -> Option<String> {
        let text = fs::read_to_string(self.path(path)).ok()?;
        text.lines().find_map(|line| Some(line.strip_prefix(key)?.trim().to_owned()))
    }

    /// Reads a UDP counter of all sockets of this network namespace, since its start.
    pub(super) fn udp_counter(&self, name: &str) -> Option<u64> {
        let text = fs::read_to_string(self.path("proc/net/snmp")).ok()?;
        let mut lines = text.lines().filter_map(|line| line.strip_prefix("Udp:"));
        let (names, values) = (lines.next()?, lines.next()?);
        let mut both = names.split_ascii_whitespace().zip(values.split_ascii_whitespace());
        both.find(|(its, _)| *its == name)?.1.parse().ok()
    }
}

impl From<&Path> for System {
    fn from(root: &Path) -> Self {
        System { root: root.to_owned() }
    }
}

/// Creates an artificial machine for tests.
#[cfg(test)]
pub(super) fn fake(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let system = System::from(folder.path());
    (folder, system)
}
