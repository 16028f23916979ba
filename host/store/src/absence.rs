//! Where the way to a missing file ends, and whether the same letters in another case are there.
//!
//! A name with a wrong case is the most common mistake on the way from a phone's configuration to a file. The look
//! reads folders, so its work is bounded, and callers bound how often they look.

use super::{Root, Roots};
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Dir as Entries, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// Names read in one look, over all folders on the way.
const MOST_NAMES: u32 = 10_000;

/// How long a look may read folders.
const MOST_TIME: Duration = Duration::from_millis(50);

/// Names read between two looks at the clock.
const STEP: u32 = 64;

/// What is missing on the way to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absence {
    /// The first missing folder on the way, as a path in the root; `None` if the folder of the file is there.
    pub folder: Option<String>,
    /// A path with the same letters in another case that is there. The whole path, or where `folder` is given and no
    /// such file was found, that of a folder.
    pub other_case: Option<String>,
}

impl Roots {
    /// Looks why a path does not exist in this root. Blocks on the disk; reads at most 10,000 names, for at most
    /// 50 ms. Finds nothing where folders cannot be read.
    pub fn absence(&self, root: &str, path: &str, sought: Sought) -> Absence {
        self.named(root).map(|root| look(root, path, sought)).unwrap_or_default()
    }
}

/// What a path should name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// A regular file, to be read.
    File,
    /// The folder of a file that is to be written.
    FolderOf,
}

fn look(root: &Root, path: &str, sought: Sought) -> Absence {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if sought == Sought::FolderOf {
        parts.pop();
    }
    let mut found = Absence::default();
    let Ok(top) = root.folder() else { return found };
    let mut budget = Budget::new();
    let mut way = String::new();
    let mut differs = false;
    for (index, part) in parts.iter().enumerate() {
        let wanted =
            if index + 1 < parts.len() || sought == Sought::FolderOf { Kind::Folder } else { Kind::File };
        let Some(folder) = open(&top, &way) else { break };
        if has(&folder, part, wanted) {
            push(&mut way, part);
            continue;
        }
        if wanted == Kind::Folder && found.folder.is_none() && !differs {
            let mut missing = way.clone();
            push(&mut missing, part);
            found.folder = Some(missing);
        }
        let Some(other) = same_letters(&folder, part, wanted, &mut budget) else {
            // Folders up to here differ in case alone, and that is worth knowing.
            found.other_case = differs.then_some(way);
            return found;
        };
        differs = true;
        push(&mut way, &other);
    }
    found.other_case = differs.then_some(way);
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// What remains of the bounds of a look.
struct Budget {
    names: u32,
    until: Instant,
}

impl Budget {
    fn new() -> Budget {
        Budget { names: MOST_NAMES, until: Instant::now() + MOST_TIME }
    }

    fn take(&mut self) -> bool {
        self.names = self.names.saturating_sub(1);
        self.names > 0 && (!self.names.is_multiple_of(STEP) || Instant::now() < self.until)
    }
}

fn push(way: &mut String, part: &str) {
    if !way.is_empty() {
        way.push('/');
    }
    way.push_str(part);
}

/// A folder below the root, which no link leads out of.
fn open(top: &Dir, way: &str) -> Option<Dir> {
    top.open_dir(if way.is_empty() { "." } else { way }).ok()
}

/// Whether the name is there and of that kind, or may be: links are followed when they are opened.
fn has(folder: &Dir, name: &str, wanted: Kind) -> bool {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => fits(FileType::from_raw_mode(stat.st_mode), wanted),
        // Whatever it is, it is not missing.
        Err(errno) => errno != Errno::NOENT,
    }
}

fn fits(found: FileType, wanted: Kind) -> bool {
    match found {
        FileType::Symlink => true,
        FileType::Directory => wanted == Kind::Folder,
        _ => wanted == Kind::File,
    }
}

/// A name in the folder that differs from this one in case alone.
fn same_letters(folder: &Dir, name: &str, wanted: Kind, budget: &mut Budget) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The folder was opened with O_PATH, which cannot be read.
    let mut entries = Entries::new(openat(folder, ".", flags, Mode::empty()).ok()?).ok()?;
    let sought = name.to_lowercase();
    while let Some(Ok(entry)) = entries.read() {
        if !budget.take() {
            return None;
        }
        let Ok(found) = entry.file_name().to_str() else { continue };
        if found != name && found.to_lowercase() == sought && has(folder, found, wanted) {
            return Some(found.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tuffet_request::RootSpec;

    fn roots() -> (tempfile::TempDir, Roots) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("Phones/Site")).unwrap();
        fs::create_dir_all(folder.path().join("plain")).unwrap();
        fs::write(folder.path().join("Phones/Site/02AB.cfg"), b"x").unwrap();
        fs::write(folder.path().join("plain/02AB.CFG"), b"x").unwrap();
        fs::create_dir(folder.path().join("plain/NAME")).unwrap();
        let roots = Roots::open(&[RootSpec::read_only("boot", folder.path())]).unwrap();
        (folder, roots)
    }

    fn absence(folder: Option<&str>, other_case: Option<&str>) -> Absence {
        Absence { folder: folder.map(str::to_owned), other_case: other_case.map(str::to_owned) }
    }

    #[test]
    fn what_is_missing_is_named() {
        let (_folder, roots) = roots();
        let file = |path: &str| roots.absence("boot", path, Sought::File);
        assert_eq!(file("plain/nothing"), absence(None, None));
        assert_eq!(file("plain/02ab.cfg"), absence(None, Some("plain/02AB.CFG")));
        assert_eq!(file("plain/name"), absence(None, None), "a folder is no file");
        assert_eq!(file("no/such/file"), absence(Some("no"), None));
        assert_eq!(file("plain/no/file"), absence(Some("plain/no"), None));
        assert_eq!(
            file("phones/site/02ab.CFG"),
            absence(Some("phones"), Some("Phones/Site/02AB.cfg")),
            "each part may differ"
        );
        assert_eq!(file("phones/site/other"), absence(Some("phones"), Some("Phones/Site")));
        assert_eq!(roots.absence("none", "plain/x", Sought::File), Absence::default());
    }

    #[test]
    fn an_upload_needs_its_folder_alone() {
        let (_folder, roots) = roots();
        let folder_of = |path: &str| roots.absence("boot", path, Sought::FolderOf);
        assert_eq!(folder_of("plain/new"), absence(None, None));
        assert_eq!(folder_of("Plain/new"), absence(Some("Plain"), Some("plain")));
        assert_eq!(folder_of("backups/2024/new"), absence(Some("backups"), None));
    }

    #[test]
    fn a_look_ends_within_its_bounds() {
        let mut budget = Budget::new();
        let taken = (0..2 * MOST_NAMES).take_while(|_| budget.take()).count();
        assert!(taken < MOST_NAMES as usize);
        let mut late = Budget { until: Instant::now(), ..Budget::new() };
        assert!((0..STEP).any(|_| !late.take()), "the clock counts, too");
    }
}
