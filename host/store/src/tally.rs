//! Sums of files: those of a root, and of each folder at its top.

use std::collections::HashMap;

/// The limit of folders with sums of their own: they take 20 MiB if they have the longest names, twice during a walk.
pub(super) const MAX_FOLDERS: usize = 65_536;

/// The contents of a root, or a part of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub bytes: u64,
    pub files: u64,
    pub folders: u64,
}

impl Contents {
    pub const FOLDER: Contents = Contents { bytes: 0, files: 0, folders: 1 };

    /// Files of these bytes.
    pub fn files(files: u64, bytes: u64) -> Contents {
        Contents { bytes, files, folders: 0 }
    }

    pub fn add(&mut self, more: Contents) {
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.files = self.files.saturating_add(more.files);
        self.folders = self.folders.saturating_add(more.folders);
    }

    pub fn subtract(&mut self, less: Contents) {
        self.bytes = self.bytes.saturating_sub(less.bytes);
        self.files = self.files.saturating_sub(less.files);
        self.folders = self.folders.saturating_sub(less.folders);
    }
}

/// The sums of a root, and of the files of each folder at its top. Folders without files have none.
///
/// A folder is its name. The empty name is for the files beside the folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    all: Contents,
    folders: HashMap<Box<[u8]>, Contents>,
}

impl Tally {
    /// The sum of the root.
    pub fn all(&self) -> Contents {
        self.all
    }

    /// The sum of a folder.
    pub fn of(&self, folder: &[u8]) -> Contents {
        self.folders.get(folder).copied().unwrap_or_default()
    }

    /// Whether this folder has a sum, or can get one.
    pub fn has_place(&self, folder: &[u8]) -> bool {
        self.folders.len() < MAX_FOLDERS || self.folders.contains_key(folder)
    }

    /// Adds to the root, and to the folder if it has a place.
    pub fn add(&mut self, folder: &[u8], more: Contents) {
        self.all.add(more);
        if self.has_place(folder) {
            self.add_to_folder(folder, more);
        }
    }

    /// As [`Tally::add`], for sums that something else bounds.
    pub fn add_anyway(&mut self, folder: &[u8], more: Contents) {
        self.all.add(more);
        self.add_to_folder(folder, more);
    }

    fn add_to_folder(&mut self, folder: &[u8], more: Contents) {
        if more.files == 0 && more.bytes == 0 {
            return;
        }
        match self.folders.get_mut(folder) {
            Some(sum) => sum.add(more),
            None => drop(self.folders.insert(folder.into(), more)),
        }
    }

    pub fn subtract(&mut self, folder: &[u8], less: Contents) {
        self.all.subtract(less);
        if let Some(sum) = self.folders.get_mut(folder) {
            sum.subtract(less);
            if *sum == Contents::default() {
                self.folders.remove(folder);
            }
        }
    }

    pub fn add_all(&mut self, more: &Tally) {
        self.all.add(more.all);
        for (folder, more) in &more.folders {
            if self.has_place(folder) {
                self.add_to_folder(folder, *more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_has_its_sum() {
        let mut tally = Tally::default();
        tally.add(b"a", Contents::files(1, 10));
        tally.add(b"", Contents::files(1, 5));
        tally.add(b"a", Contents::files(1, 0));
        tally.add(b"", Contents::FOLDER);
        assert_eq!(tally.all(), Contents { bytes: 15, files: 3, folders: 1 });
        assert_eq!((tally.of(b"a"), tally.of(b"")), (Contents::files(2, 10), Contents::files(1, 5)));
        tally.subtract(b"a", Contents::files(2, 10));
        tally.subtract(b"never", Contents::files(0, 1));
        assert_eq!((tally.of(b"a"), tally.folders.len()), (Contents::default(), 1));
        let mut sum = tally.clone();
        sum.add_all(&tally);
        assert_eq!(
            (sum.all(), sum.of(b"")),
            (Contents { bytes: 8, files: 2, folders: 2 }, Contents::files(2, 10))
        );
    }

    #[test]
    fn the_number_of_folders_is_bounded() {
        let mut tally = Tally::default();
        for number in 0..MAX_FOLDERS + 10 {
            tally.add(number.to_string().as_bytes(), Contents::files(1, 1));
        }
        assert_eq!((tally.folders.len(), tally.all().files), (MAX_FOLDERS, MAX_FOLDERS as u64 + 10));
        assert!(tally.has_place(b"0") && !tally.has_place(b"new"));
        let mut more = Tally::default();
        more.add(b"new", Contents::files(1, 1));
        tally.add_all(&more);
        assert!(!tally.has_place(b"new"));
    }
}
