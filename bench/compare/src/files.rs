//! The served files, and the comparison of uploaded ones. They are in memory (tmpfs) if possible, so that only cases
//! about disks measure a disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A tmpfs on every Linux with glibc.
const MEMORY: &str = "/dev/shm";

/// The prefix of a run's folder; the process ID follows.
const PREFIX: &str = "tuffet-bench-";

/// The prefix of uploads by a probe.
pub const PROBE: &str = "probe";

/// The seed of the contents.
const SEED: u64 = 69;

/// The folder of a run; dropping it removes the folder.
#[derive(Debug)]
pub struct Workplace {
    folder: PathBuf,
    /// Its part on a disk, created on demand.
    on_disk: PathBuf,
    /// Whether it is in memory.
    pub in_memory: bool,
}

impl Workplace {
    /// Creates the folder; in `fallback` without a writable tmpfs.
    ///
    /// # Errors Neither is writable.
    pub fn new(fallback: &Path) -> io::Result<Self> {
        for place in [Path::new(MEMORY), fallback] {
            remove_stale(place);
        }
        let name = format!("{PREFIX}{}", std::process::id());
        let memory = Path::new(MEMORY).join(&name);
        let in_memory = fs::create_dir(&memory).is_ok();
        let on_disk = fallback.join(name);
        let folder = if in_memory { memory } else { on_disk.clone() };
        let place = Workplace { folder, on_disk, in_memory };
        for part in ["files", "scratch", "uploads"] {
            fs::create_dir_all(place.folder.join(part))?;
        }
        Ok(place)
    }

    /// The folder that servers serve.
    pub fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// The folder for the servers' own files.
    pub fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// The folder for downloads of third-party clients.
    pub fn downloads(&self) -> PathBuf {
        self.folder.join("downloads")
    }

    /// Returns an empty folder for uploads, with a file `probe` for the first request.
    ///
    /// # Errors It cannot be emptied or written to.
    pub fn uploads(&self, on_disk: bool) -> io::Result<PathBuf> {
        let folder = self.folder_of_uploads(on_disk);
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir_all(&folder)?,
        }
        fs::write(folder.join(PROBE), b"probe")?;
        Ok(folder)
    }

    fn folder_of_uploads(&self, on_disk: bool) -> PathBuf {
        if on_disk { &self.on_disk } else { &self.folder }.join("uploads")
    }

    /// Creates a served file of `size` random bytes; returns its name.
    ///
    /// # Errors It cannot be written.
    pub fn file(&self, size: u64) -> io::Result<String> {
        let name = format!("{size}.img");
        let path = self.files().join(&name);
        if !path.exists() {
            let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
            fastrand::Rng::with_seed(SEED ^ size).fill(&mut bytes);
            fs::write(path, bytes)?;
        }
        Ok(name)
    }

    /// The number of uploads with wrong content, plus the number missing of `expected`.
    ///
    /// # Errors The folder or a file cannot be read.
    pub fn wrong_uploads(&self, on_disk: bool, name: &str, expected: u64) -> io::Result<u64> {
        let sent = fs::read(self.files().join(name))?;
        let (mut right, mut wrong) = (0_u64, 0_u64);
        for entry in fs::read_dir(self.folder_of_uploads(on_disk))? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(PROBE) {
                continue;
            }
            if fs::read(entry.path())? == sent { right += 1 } else { wrong += 1 }
        }
        Ok(wrong + expected.saturating_sub(right + wrong))
    }
}

/// Removes the folders of killed runs.
fn remove_stale(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let gone = process.parse::<u32>().is_ok_and(|number| !Path::new(&format!("/proc/{number}")).exists());
        if gone && fs::remove_dir_all(entry.path()).is_ok() {
            eprintln!("removed {}, left behind by a killed run", entry.path().display());
        }
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        for folder in [&self.folder, &self.on_disk] {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    eprintln!("{} is left behind: {error}", folder.display());
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let stale = place.path().join(format!("{PREFIX}{}", child.id()));
        let current = place.path().join(format!("{PREFIX}{}", std::process::id()));
        let other = place.path().join(format!("{PREFIX}notes"));
        for folder in [&stale, &current, &other] {
            fs::create_dir(folder).unwrap();
        }
        remove_stale(place.path());
        assert_eq!([stale.exists(), current.exists(), other.exists()], [false, true, true]);
    }

    #[test]
    fn uploads_are_compared_and_missed() {
        let fallback = tempfile::tempdir().unwrap();
        let place = Workplace::new(fallback.path()).unwrap();
        let name = place.file(1_000).unwrap();
        let uploads = place.uploads(false).unwrap();
        let sent = fs::read(place.files().join(&name)).unwrap();
        fs::write(uploads.join("1000.img.w0"), &sent).unwrap();
        assert_eq!(place.wrong_uploads(false, &name, 1).unwrap(), 0);
        assert_eq!(place.wrong_uploads(false, &name, 2).unwrap(), 1, "one is missing");
        fs::write(uploads.join("1000.img.w1"), &sent[1..]).unwrap();
        assert_eq!(place.wrong_uploads(false, &name, 2).unwrap(), 1, "one is short");
        fs::write(place.uploads(true).unwrap().join("1000.img.w0"), &sent).unwrap();
        assert_eq!(place.wrong_uploads(true, &name, 1).unwrap(), 0);
        assert!(place.uploads(true).unwrap().starts_with(fallback.path()), "emptied, to be used again");
        assert_eq!(place.wrong_uploads(true, &name, 1).unwrap(), 1);
        let folders = [place.folder.clone(), place.on_disk.clone()];
        drop(place);
        assert_eq!(folders.map(|folder| folder.exists()), [false, false]);
    }
}
