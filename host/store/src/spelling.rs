//! Serves and writes names only as the file system spells them.
//!
//! Policy judges the name that a client sent. On some file systems other names open the same file: `SECRET/x` and
//! `secret./x` for the stored `secret/x` (vfat, NTFS, Windows shares, folders of ext4 with case folding), its short
//! name `SECRET~1`, or its content as a stream, `x::$DATA`. Each would bypass a rule about `secret/**`. So after a file
//! was opened, each part of its path is looked up in its folder, byte by byte. If a part is not listed there, policy
//! has not judged it, and the file counts as not found.
//!
//! Reading a large folder takes long, and most file systems have one spelling for each name. There, one look-up
//! suffices: that of the same name in the other case, which must not exist.

use rustix::fs::{AtFlags, Dir as Entries, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};

use super::file_systems::is_by_bytes;
use super::open_folder::OpenFolder;
use super::{StoreError, path};

/// Checks that every part of an existing path is spelled as it is stored.
///
/// # Errors
/// `Spelling` if one is not; others if a folder cannot be read.
pub(super) fn require(root: &OpenFolder, path: &str) -> Result<(), StoreError> {
    let mut checked = 0;
    for part in path.split('/') {
        let above = path.get(..checked).unwrap_or_default();
        checked += part.len() + 1;
        if matches!(part, "" | ".") {
            continue;
        }
        let stored = if above.is_empty() {
            Opened(root.dir.as_fd()).stores(part)?
        } else {
            let (folder, _) = root.open_dir(above)?;
            Opened(folder.as_fd()).stores(part)?
        };
        if !stored {
            return Err(StoreError::Spelling);
        }
    }
    Ok(())
}

/// Checks the path of an upload: its folder exists, and its name may.
///
/// # Errors
/// As [`require`], and `Spelling` if the file system would store a new file under another name.
pub(super) fn require_of_upload(root: &OpenFolder, target: &str) -> Result<(), StoreError> {
    let (folder, name) = path::split(target);
    require(root, folder)?;
    let folder = root.open_dir_to_write(folder)?;
    require_in(&folder, name)
}

/// As [`require_of_upload`], in an open folder.
///
/// # Errors
/// As [`require_of_upload`].
pub(super) fn require_in(folder: impl AsFd, name: &str) -> Result<(), StoreError> {
    if Opened(folder.as_fd()).takes(name)? { Ok(()) } else { Err(StoreError::Spelling) }
}

/// Returns whether an open folder certainly stores this name with this spelling. If not, only its listing can tell.
///
/// # Errors
/// The folder cannot be searched.
pub(super) fn has(folder: impl AsFd, name: &str) -> Result<bool, StoreError> {
    let folder = Opened(folder.as_fd());
    Ok(folder.finds(name)? && folder.is_certain(name)?)
}

/// A folder of any file system.
trait Folder {
    /// Returns whether the name leads to a file, whatever its spelling.
    fn finds(&self, name: &str) -> Result<bool, StoreError>;

    /// Returns whether the folder lists the name, byte by byte.
    fn lists(&self, name: &str) -> Result<bool, StoreError>;

    /// Returns whether names are known to be compared byte by byte, except for case folding.
    fn is_by_bytes(&self) -> Result<bool, StoreError>;

    /// Returns whether an existing name is certainly stored as spelled; otherwise only the listing tells.
    fn is_certain(&self, name: &str) -> Result<bool, StoreError> {
        Ok(match other_case(name) {
            // Either two files exist, or one file has both names.
            Some(other) if self.finds(&other)? => false,
            Some(_) if is_plain(name) => true,
            // A case-folding file system may also equate several forms of a letter that has no case.
            None if !name.is_ascii() => false,
            _ => self.is_by_bytes()?,
        })
    }

    /// Returns whether an existing name is stored as spelled.
    fn stores(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.is_certain(name)? || self.lists(name)?)
    }

    /// Returns whether a name is stored as spelled, or would be for a new file.
    fn takes(&self, name: &str) -> Result<bool, StoreError> {
        if self.finds(name)? {
            return self.stores(name);
        }
        // Some file systems drop dots and spaces at the end, and treat a colon as the start of a stream name.
        let changes = name.ends_with(['.', ' ']) || name.contains(':');
        Ok(!changes || self.is_by_bytes()?)
    }
}

struct Opened<'a>(BorrowedFd<'a>);

impl Folder for Opened<'_> {
    fn finds(&self, name: &str) -> Result<bool, StoreError> {
        match statat(self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            // Includes the errors for names that no file can have.
            Err(Errno::NOENT | Errno::NAMETOOLONG | Errno::INVAL | Errno::ILSEQ) => Ok(false),
            Err(errno) => Err(StoreError::from_open(errno.into())),
        }
    }

    fn lists(&self, name: &str) -> Result<bool, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // The folder may have been opened with O_PATH, which cannot be read.
        let folder = openat(self.0, ".", flags, Mode::empty())?;
        let mut entries = Entries::new(folder)?;
        while let Some(entry) = entries.read() {
            if entry?.file_name().to_bytes() == name.as_bytes() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_by_bytes(&self) -> Result<bool, StoreError> {
        Ok(is_by_bytes(self.0)?)
    }
}

/// Returns the name with its ASCII letters in the other case, because every case-folding file system folds them; with
/// all letters, if none is ASCII. `None` if no letter has another case.
fn other_case(name: &str) -> Option<String> {
    let ascii = name.bytes().any(|byte| byte.is_ascii_alphabetic());
    let swap = |letter: char| match letter {
        'a'..='z' => letter.to_ascii_uppercase(),
        'A'..='Z' => letter.to_ascii_lowercase(),
        _ if ascii => letter,
        _ => single(letter.to_lowercase())
            .filter(|lower| *lower != letter)
            .unwrap_or_else(|| single(letter.to_uppercase()).unwrap_or(letter)),
    };
    let other: String = name.chars().map(swap).collect();
    (other != name).then_some(other)
}

fn single(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

/// Returns whether only the case of the name can differ: it has no Unicode, no dot or space at the end, no stream name,
/// and no short name.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+,=@".contains(&byte);
    name.bytes().all(plain) && !name.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::fs;

    /// Folds case and drops dots and spaces at the end, as a Windows share does, if `folds` is set.
    struct Fake {
        names: &'static [&'static str],
        folds: bool,
        is_by_bytes: bool,
        listed: Cell<u32>,
    }

    impl Fake {
        fn folding(names: &'static [&'static str]) -> Fake {
            Fake { names, folds: true, is_by_bytes: false, listed: Cell::new(0) }
        }

        fn plain(names: &'static [&'static str]) -> Fake {
            Fake { names, folds: false, is_by_bytes: true, listed: Cell::new(0) }
        }
    }

    impl Folder for Fake {
        fn finds(&self, name: &str) -> Result<bool, StoreError> {
            let folded =
                |name: &str| name.trim_end_matches(['.', ' ']).trim_end_matches("::$DATA").to_lowercase();
            let is_it =
                |stored: &&str| if self.folds { folded(stored) == folded(name) } else { *stored == name };
            Ok(self.names.iter().any(is_it))
        }

        fn lists(&self, name: &str) -> Result<bool, StoreError> {
            self.listed.set(self.listed.get() + 1);
            Ok(self.names.contains(&name))
        }

        fn is_by_bytes(&self) -> Result<bool, StoreError> {
            Ok(self.is_by_bytes)
        }
    }

    #[test]
    fn only_the_stored_spelling_is_known() {
        let folder = Fake::folding(&["secret", "Image.WIM", "12", "gänse", "日本"]);
        for stored in folder.names {
            assert!(folder.stores(stored).unwrap() && folder.takes(stored).unwrap(), "{stored}");
        }
        for other in [
            "SECRET",
            "Secret",
            "secret.",
            "secret ",
            "secret::$DATA",
            "image.wim",
            "12.",
            "12 ",
            "12::$DATA",
            "GÄNSE",
            "日本.",
        ] {
            assert!(folder.finds(other).unwrap(), "{other} leads to a file");
            assert!(!folder.stores(other).unwrap() && !folder.takes(other).unwrap(), "{other}");
        }
    }

    #[test]
    fn new_names_are_stored_as_they_are_spelled() {
        let folder = Fake::folding(&["old"]);
        for name in ["new", "New File", "new~1", "neu.ä"] {
            assert!(folder.takes(name).unwrap(), "{name}");
        }
        for name in ["new.", "new ", "new:stream", "new::$DATA"] {
            assert!(!folder.takes(name).unwrap(), "{name}");
            assert!(Fake::plain(&["old"]).takes(name).unwrap(), "{name}");
        }
    }

    /// A folder is only read if several spellings are possible.
    #[test]
    fn ordinary_folders_are_not_read() {
        let folder = Fake::plain(&["kernel", "aa:bb:cc", "12", "12.", "with space ", "ä", "A b~1"]);
        for stored in folder.names {
            assert!(folder.stores(stored).unwrap(), "{stored}");
        }
        assert_eq!(folder.listed.get(), 0);
        let both = Fake::plain(&["Readme", "rEADME", "日本"]);
        for stored in both.names {
            assert!(both.stores(stored).unwrap(), "{stored}");
        }
        assert_eq!(both.listed.get(), 3);
    }

    #[test]
    fn the_other_case() {
        for (name, other) in [
            ("Secret.X", Some("sECRET.x")),
            ("gänse", Some("GäNSE")),
            ("Ä", Some("ä")),
            ("é", Some("É")),
            ("ß", None),
            ("12.-", None),
            ("", None),
        ] {
            assert_eq!(other_case(name).as_deref(), other, "{name}");
        }
    }

    /// A hard link adds the other spelling: both are listed, so both are served.
    #[test]
    fn real_folders() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/B")).unwrap();
        fs::write(folder.path().join("a/B/file"), b"content").unwrap();
        fs::hard_link(folder.path().join("a/B/file"), folder.path().join("a/B/FILE")).unwrap();
        std::os::unix::fs::symlink("a/B", folder.path().join("link")).unwrap();
        let root = OpenFolder::open(folder.path(), &Default::default()).unwrap();
        for path in ["a/B/file", "a/B/FILE", "./a//B/./file", "link/file"] {
            require(&root, path).unwrap();
        }
        for path in ["a/B/new", "new", "link/file"] {
            require_of_upload(&root, path).unwrap();
        }
        let (within, _) = root.open_dir("a/B").unwrap();
        assert!(
            Opened(within.as_fd()).lists("FILE").unwrap() && !Opened(within.as_fd()).lists("File").unwrap()
        );
    }
}
