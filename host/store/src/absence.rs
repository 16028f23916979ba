//! Explains why a file is missing: the first missing folder, names that differ only in case or in a few letters, names that
//! are stored as Latin-1, and a prefix of folders that the root does not have.
//!
//! A wrong case is the most common mistake in the configuration of phones. Trees of old systems have names that are not
//! UTF-8, which no request leads to. The search reads folders, so its work is
//! bounded, and callers bound the rate of searches.

use super::Sought;
use super::open_folder::OpenFolder;
use super::roots::{Root, Roots};
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Dir as Entries, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::{Duration, Instant};
use tuffet_request::Unopened;
use tuffet_request::names::{is_optional, mac_in_name};

/// The limit of names read in one search, over all folders of the path.
const MAX_NAMES: u32 = 10_000;

/// The time limit for reading folders in one search.
const MAX_LOOK_TIME: Duration = Duration::from_millis(50);

/// The number of names read between two checks of the clock.
const NAMES_PER_CLOCK_CHECK: u32 = 64;

/// The most letters in which a name may differ from the requested one to be taken for it.
const MAX_TYPOS: usize = 3;

/// A letter more may differ for so many letters before the suffix: any name is near to a short one.
const LETTERS_PER_TYPO: usize = 3;

/// Longer names are not compared.
const MAX_COMPARED: usize = 255;

/// Names of about the same length that are compared letter by letter in one folder. With more, there is no nearest name: a
/// comparison costs as much as reading some tens of names.
const MAX_COMPARISONS: u32 = 500;

/// The most folders before a name that are tried as a prefix.
const MAX_PREFIX: usize = 8;

/// The missing part of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absence {
    /// Whether the folder of the root itself does not exist yet.
    pub of_root: bool,
    /// The first missing folder of the path, relative to the root; `None` if the folder of the file exists.
    pub folder: Option<String>,
    /// An existing path that differs only in case. If `folder` is set and no such file was found, the path of a folder.
    pub other_case: Option<String>,
    /// The first part of the path that exists with its name in Latin-1, which no request leads to: its path, with escapes
    /// for the bytes that are not ASCII.
    pub latin_1: Option<String>,
    /// An existing path that differs in a few letters of the part that is missing. A path of a folder if `folder` is set.
    pub nearest: Option<String>,
    /// The folders in front of the path without which the file is there.
    pub prefix: Option<String>,
}

impl Roots {
    /// Explains why a path does not exist in this root. Blocks on the disk; reads at most 10,000 names, for at most
    /// 50 ms. The result is empty if folders cannot be read.
    pub fn absence(&self, root: &str, path: &str, sought: Sought) -> Absence {
        self.named(root).map(|root| look(root, path, sought)).unwrap_or_default()
    }
}

fn look(root: &Root, path: &str, sought: Sought) -> Absence {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if sought == Sought::FolderOf {
        parts.pop();
    }
    let mut found = Absence::default();
    let Ok(top) = root.folder() else {
        found.of_root = root.disk.unopened() == Some(Unopened::Missing);
        return found;
    };
    // A client goes on from these to its next name.
    let optional = is_optional(path);
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
        if let Some(stored) = latin_1(part).filter(|stored| has(&folder, stored, wanted)) {
            let mut path = way;
            push(&mut path, &stored.as_bytes().escape_ascii().to_string());
            found.latin_1 = Some(path);
            return found;
        }
        match similar(&folder, part, wanted, &mut budget) {
            Similar::Case(other) => {
                differs = true;
                push(&mut way, &other);
            }
            other => {
                found.prefix = prefix(&top, &parts, sought);
                if let (Similar::Near(name), false) = (other, optional) {
                    let mut path = way.clone();
                    push(&mut path, &name);
                    found.nearest = Some(path);
                }
                // Report the folders found so far: they differ only in case.
                found.other_case = differs.then_some(way);
                return found;
            }
        }
    }
    found.other_case = differs.then_some(way);
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// The rest of the limits of one search.
struct Budget {
    names: u32,
    until: Instant,
}

impl Budget {
    fn new() -> Budget {
        Budget { names: MAX_NAMES, until: Instant::now() + MAX_LOOK_TIME }
    }

    fn take(&mut self) -> bool {
        self.names = self.names.saturating_sub(1);
        self.names > 0 && (!self.names.is_multiple_of(NAMES_PER_CLOCK_CHECK) || Instant::now() < self.until)
    }
}

fn push(way: &mut String, part: &str) {
    if !way.is_empty() {
        way.push('/');
    }
    way.push_str(part);
}

/// Opens a folder below the root, or one that its links lead to.
fn open(top: &OpenFolder, way: &str) -> Option<Dir> {
    top.open_dir(if way.is_empty() { "." } else { way }).map(|(folder, _)| folder).ok()
}

/// Whether the name exists with this kind. A link may lead to either kind.
fn has(folder: &Dir, name: impl AsRef<OsStr>, wanted: Kind) -> bool {
    match statat(folder, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => fits(FileType::from_raw_mode(stat.st_mode), wanted),
        // With any other error, the name is not missing.
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

/// Returns a name in Latin-1, if that is not UTF-8.
fn latin_1(name: &str) -> Option<OsString> {
    let bytes: Vec<u8> = name.chars().map(|letter| u8::try_from(letter).ok()).collect::<Option<_>>()?;
    std::str::from_utf8(&bytes).is_err().then(|| OsString::from_vec(bytes))
}

/// A name that is similar to a missing one.
enum Similar {
    /// It differs only in case.
    Case(String),
    /// It differs in a few letters.
    Near(String),
    None,
}

/// Finds a name in the folder that is similar to `name`.
fn similar(folder: &Dir, name: &str, wanted: Kind, budget: &mut Budget) -> Similar {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // The folder was opened with O_PATH and cannot be read.
    let entries = openat(folder, ".", flags, Mode::empty()).and_then(Entries::new);
    let Ok(mut entries) = entries else { return Similar::None };
    let sought = name.to_lowercase();
    let letters = sought.chars().count();
    let mut nearest: Option<(usize, String)> = None;
    let (most, mut comparisons) = (most_typos(&sought), MAX_COMPARISONS);
    while let Some(Ok(entry)) = entries.read() {
        // A part of the folder has no nearest name.
        if !budget.take() {
            return Similar::None;
        }
        let Ok(found) = entry.file_name().to_str() else { continue };
        let lower = found.to_lowercase();
        if found != name && lower == sought && has(folder, found, wanted) {
            return Similar::Case(found.to_owned());
        }
        if most == 0 || lower.len() > MAX_COMPARED || lower.chars().count().abs_diff(letters) > most {
            continue;
        }
        let Some(left) = comparisons.checked_sub(1) else { continue };
        comparisons = left;
        let distance = strsim::osa_distance(&sought, &lower);
        let is_nearer =
            nearest.as_ref().is_none_or(|(least, known)| (distance, found) < (*least, known.as_str()));
        if distance <= most && is_nearer && has(folder, found, wanted) {
            nearest = Some((distance, found.to_owned()));
        }
    }
    // Of a part of the names, none is the nearest.
    nearest.filter(|_| comparisons > 0).map_or(Similar::None, |(_, name)| Similar::Near(name))
}

/// Returns in how many letters another name may differ from this one. None for a name of one machine: others differ from it
/// in a few digits.
fn most_typos(name: &str) -> usize {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_of_a_machine =
        mac_in_name(name).is_some() || stem.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if is_of_a_machine || name.len() > MAX_COMPARED {
        return 0;
    }
    (stem.chars().count() / LETTERS_PER_TYPO).min(MAX_TYPOS)
}

/// Returns the folders in front of a path without which its file is there.
fn prefix(top: &OpenFolder, parts: &[&str], sought: Sought) -> Option<String> {
    if sought == Sought::FolderOf {
        return None;
    }
    let (file, folders) = parts.split_last()?;
    (1..=folders.len().min(MAX_PREFIX)).find_map(|length| {
        let (prefix, rest) = folders.split_at(length);
        let folder = open(top, &rest.join("/"))?;
        let stat = statat(&folder, *file, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        fits(FileType::from_raw_mode(stat.st_mode), Kind::File).then(|| prefix.join("/"))
    })
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
        let (folder, other_case) = (folder.map(str::to_owned), other_case.map(str::to_owned));
        Absence { folder, other_case, ..Absence::default() }
    }

    #[test]
    fn the_missing_part_is_named() {
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
    fn what_is_stored_as_latin_1_is_named() {
        let (folder, roots) = roots();
        let stored = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
        fs::write(stored(b"plain/g\xe4nse"), b"x").unwrap();
        fs::create_dir(stored(b"plain/\xfcber")).unwrap();
        let of = |path: &str, sought| roots.absence("boot", path, sought);
        let latin_1 = |path: &str| Some(path.to_owned());
        assert_eq!(of("plain/g\u{e4}nse", Sought::File).latin_1, latin_1("plain/g\\xe4nse"));
        assert_eq!(of("plain/g\u{e4}nse/x", Sought::File).latin_1, None, "it is no folder");
        assert_eq!(of("plain/\u{fc}ber", Sought::File).latin_1, None, "it is no file");
        let below = of("plain/\u{fc}ber/x", Sought::FolderOf);
        assert_eq!(below.latin_1, latin_1("plain/\\xfcber"));
        assert_eq!(below.folder, latin_1("plain/\u{fc}ber"));
        assert_eq!(of("plain/\u{20ac}", Sought::File), Absence::default());
    }

    #[test]
    fn the_nearest_name_is_found_and_no_name_of_another_machine() {
        let (folder, roots) = roots();
        fs::create_dir_all(folder.path().join("pxelinux.cfg")).unwrap();
        for name in [
            "switch.cfg",
            "vmlinuz-6.1",
            "a.cfg",
            "SEP001122334455.cnf.xml",
            "pxelinux.cfg/01-00-11-22-33-44-55",
        ] {
            fs::write(folder.path().join(name), b"x").unwrap();
        }
        let near = |path: &str| roots.absence("boot", path, Sought::File).nearest;
        for (asked, nearest) in [
            ("switch.cgf", Some("switch.cfg")),
            ("siwtch.cfg", Some("switch.cfg")),
            ("Swich.CFG", Some("switch.cfg")),
            ("switch.conf", None),
            ("vmlinuz-6.2", Some("vmlinuz-6.1")),
            ("b.cfg", None),
            ("SEP001122334456.cnf.xml", None),
            ("pxelinux.cfg/01-00-11-22-33-44-56", None),
            ("plan/x", Some("plain")),
            ("phone/site/x", Some("Phones")),
            ("plain/02AC.CFG", None),
        ] {
            assert_eq!(near(asked).as_deref(), nearest, "{asked}");
        }
    }

    #[test]
    fn folders_in_front_of_a_path_are_named() {
        let (folder, roots) = roots();
        fs::write(folder.path().join("switch.cfg"), b"x").unwrap();
        let prefix = |path: &str, sought| roots.absence("boot", path, sought).prefix;
        for (asked, expected) in [
            ("tftpboot/switch.cfg", Some("tftpboot")),
            ("srv/tftp/switch.cfg", Some("srv/tftp")),
            ("tftpboot/Phones/Site/02AB.cfg", Some("tftpboot")),
            ("tftpboot/other", None),
            ("tftpboot/plain", None),
            ("other", None),
        ] {
            assert_eq!(prefix(asked, Sought::File).as_deref(), expected, "{asked}");
        }
        assert_eq!(prefix("tftpboot/switch.cfg", Sought::FolderOf), None, "an upload makes another file");
    }

    #[test]
    fn an_upload_needs_only_its_folder() {
        let (_folder, roots) = roots();
        let folder_of = |path: &str| roots.absence("boot", path, Sought::FolderOf);
        assert_eq!(folder_of("plain/new"), absence(None, None));
        assert_eq!(folder_of("Plain/new"), absence(Some("Plain"), Some("plain")));
        assert_eq!(folder_of("backups/2024/new"), absence(Some("backups"), None));
    }

    #[test]
    fn a_search_ends_within_its_limits() {
        let mut budget = Budget::new();
        let taken = (0..2 * MAX_NAMES).take_while(|_| budget.take()).count();
        assert!(taken < MAX_NAMES as usize);
        let mut late = Budget { until: Instant::now(), ..Budget::new() };
        assert!((0..NAMES_PER_CLOCK_CHECK).any(|_| !late.take()), "the time limit applies, too");
    }
}
