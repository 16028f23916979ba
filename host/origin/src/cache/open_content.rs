//! Contents that are open: the one descriptor of each, and the share of each client.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use tuffet_request::ClientKey;
use tuffet_store::ContentId;

use super::limits::OVERHEAD;
use super::{Cache, Entry};

/// The divisor of the limit: the open files of one client may take a quarter of the cache. A single file may take more.
const SHARE_DIVISOR: u64 = 4;

/// An open content, which stays in the cache until it is dropped. All users share one descriptor, because the file may
/// have been unlinked.
#[derive(Debug)]
pub(crate) struct Open {
    pub file: Arc<File>,
    pub entry: Arc<Entry>,
    cache: Arc<Cache>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.cache.release(self.entry.close());
    }
}

/// The open files of each client: the number of times, and the bytes.
pub(super) type Shares = HashMap<ClientKey, HashMap<ContentId, (u32, u64)>>;

/// A file that counts against the share of a client.
#[derive(Debug)]
pub(crate) struct Share {
    cache: Arc<Cache>,
    client: ClientKey,
    content: ContentId,
}

impl Cache {
    /// Opens the content of an entry; `None` if the entry is being removed, or its file is missing.
    pub fn open_entry(self: &Arc<Self>, entry: &Arc<Entry>) -> io::Result<Option<Open>> {
        let file = entry.open()?;
        Ok(file.map(|file| Open { file, entry: Arc::clone(entry), cache: Arc::clone(self) }))
    }

    /// Counts a file against the share of a client; `None` if the share is used up. Several readers of the same file
    /// behind one address count once.
    pub fn share(self: &Arc<Self>, client: ClientKey, entry: &Entry) -> Option<Share> {
        if client != ClientKey::SERVER {
            let mut shares = self.shares.lock();
            let files = shares.entry(client).or_default();
            let (first, taken) = (files.is_empty(), files.values().map(|(_, bytes)| bytes).sum::<u64>());
            let bytes = OVERHEAD + entry.meta.size;
            let file = files.entry(entry.content).or_insert((0, bytes));
            if file.0 == 0 && !first && taken + bytes > self.limit() / SHARE_DIVISOR {
                files.remove(&entry.content);
                return None;
            }
            file.0 += 1;
        }
        Some(Share { cache: Arc::clone(self), client, content: entry.content })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut shares = self.cache.shares.lock();
        let Some(files) = shares.get_mut(&self.client) else { return };
        if let Some((times, _)) = files.get_mut(&self.content) {
            *times -= 1;
            if *times == 0 {
                files.remove(&self.content);
            }
        }
        if files.is_empty() {
            shares.remove(&self.client);
        }
    }
}
