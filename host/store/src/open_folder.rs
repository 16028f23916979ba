//! The open folder of a root.

use std::io;
use std::path::Path;
use std::sync::{Arc, Weak};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use parking_lot::Mutex;

use super::facts::{self, FolderIdentity};
use super::link_folders::{LinkFolders, LinkTarget, real_path};
use super::usage::Usage;

/// A folder with what it contains, and its identity when it was opened: later its disk may hang.
#[derive(Debug, Clone)]
pub(super) struct OpenFolder {
    pub(super) dir: Arc<Dir>,
    /// `None` if its disk gave none.
    pub(super) identity: Option<FolderIdentity>,
    pub(super) usage: Arc<Usage>,
    /// Its path, as configured and without links: absolute links name it.
    path: Arc<Path>,
    real: Option<Arc<Path>>,
    /// Where links may lead to outside of it.
    links: Arc<LinkFolders>,
}

impl OpenFolder {
    pub(super) fn open(path: &Path, links: &Arc<LinkFolders>) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let identity = facts::folder(&dir).ok();
        let path: Arc<Path> = std::path::absolute(path)?.as_path().into();
        let (real, links) = (real_path(&path), Arc::clone(links));
        Ok(Self { dir: Arc::new(dir), identity, usage: Arc::default(), path, real, links })
    }

    /// The same folder, whose links may lead to these.
    pub(super) fn with_links(self, links: &Arc<LinkFolders>) -> Self {
        Self { links: Arc::clone(links), ..self }
    }

    /// Its path without links.
    pub(super) fn real_path(&self) -> &Path {
        self.real.as_deref().unwrap_or(&self.path)
    }

    /// What links may lead to at this path.
    pub(super) fn target(&self, path: &Path) -> Option<LinkTarget<'_>> {
        if *self.path == *path || self.real.as_deref() == Some(path) {
            return Some(LinkTarget::Root);
        }
        self.links.at(path).map(LinkTarget::Link)
    }

    /// Returns whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        self.dir.entries().is_ok_and(|mut entries| entries.next().is_none())
    }

    /// Goes on with the known sums of this folder.
    pub(super) fn with_known(mut self, usages: &Usages) -> Self {
        self.usage = usages.known(self.identity, self.usage);
        self
    }
}

/// The sums of the folders of a root that are in use. A reload, or a replaced folder, opens another one while uploads to
/// the one before are running; a reload that opens the same folder again goes on with its sums.
#[derive(Debug, Default)]
pub(crate) struct Usages(Mutex<Vec<(Place, Weak<Usage>)>>);

/// Device and inode of a folder, which may be mounted at several places. Folders without an identity count as one.
type Place = Option<(u64, u64)>;

impl Usages {
    /// Returns the sums of a folder: `new`, if none are known.
    fn known(&self, folder: Option<FolderIdentity>, new: Arc<Usage>) -> Arc<Usage> {
        let place = folder.map(|(_, device, inode)| (device, inode));
        let mut usages = self.0.lock();
        usages.retain(|(_, usage)| usage.strong_count() > 0);
        let known = usages.iter().find(|(its, _)| *its == place);
        if let Some(usage) = known.and_then(|(_, usage)| usage.upgrade()) {
            return usage;
        }
        usages.push((place, Arc::downgrade(&new)));
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_its_sums_as_long_as_it_is_in_use() {
        let (usages, one, other) = (Usages::default(), Some((1, 2, 3)), Some((1, 2, 4)));
        let of = |folder| usages.known(folder, Arc::default());
        let (first, second) = (of(one), of(other));
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&first, &of(one)) && Arc::ptr_eq(&second, &of(other)));
        assert!(Arc::ptr_eq(&first, &of(Some((9, 2, 3)))), "by way of another mount");
        let unknown = of(None);
        assert!(Arc::ptr_eq(&unknown, &of(None)) && !Arc::ptr_eq(&unknown, &first));
        drop((first, second, unknown));
        let _third = of(Some((1, 2, 5)));
        assert_eq!(usages.0.lock().len(), 1, "the others are not in use");
    }
}
