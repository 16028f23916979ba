//! The open folder of a root.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::facts::{self, FolderIdentity};

/// A folder, and its identity when it was opened: later its disk may hang. `None` if its disk gave none.
#[derive(Debug, Clone)]
pub(super) struct OpenFolder {
    pub(super) dir: Arc<Dir>,
    pub(super) identity: Option<FolderIdentity>,
}

impl OpenFolder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let identity = facts::folder(&dir).ok();
        Ok(Self { dir: Arc::new(dir), identity })
    }
}
