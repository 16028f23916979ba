//! Resources that plugins share and a reload must not open twice: the file of keys, and the sinks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::kv::{KvOpenError, KvStore};
use crate::open_once::OpenOnce;
use crate::sinks::Sinks;

/// Resources that are open while any policy uses them. For threads that may block.
#[derive(Debug, Default)]
pub(super) struct Resources {
    stores: OpenOnce<PathBuf, KvStore>,
    /// The sinks.
    pub sinks: Sinks,
}

impl Resources {
    /// Opens the file of keys in a folder.
    pub fn store(&self, folder: &Path) -> Result<Arc<KvStore>, KvOpenError> {
        self.stores.get(folder.to_owned(), |folder| KvStore::open(folder))
    }
}
