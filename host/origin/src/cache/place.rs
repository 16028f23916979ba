//! Contents that are open: the one descriptor of each, and the share of each client.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use tuffet_request::ClientKey;
use tuffet_store::ContentId;

use super::{Cache, Entry, OVERHEAD};

/// The files that a client has open may take one part in this many of the cache. One file may take more.
const SHARE: u64 = 4;

/// A content that is open, and so stays in the cache. All who have it open share one descriptor: the file of its name
/// may be gone.
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

/// The files that clients have open: for each, how often and its bytes.
pub(super) type Shares = HashMap<ClientKey, HashMap<ContentId, (u32, u64)>>;

/// A file in the share of a client.
#[derive(Debug)]
pub(crate) struct Share {
    cache: Arc<Cache>,
    client: ClientKey,
    content: ContentId,
}

impl Cache {
    /// Opens the content of an entry; `None` if that is being removed, or has lost its file.
    pub fn open_entry(self: &Arc<Self>, entry: &Arc<Entry>) -> io::Result<Option<Open>> {
        let file = entry.open()?;
        Ok(file.map(|file| Open { file, entry: Arc::clone(entry), cache: Arc::clone(self) }))
    }

    /// Counts a file that a client opens; `None` if it has its share. Many machines behind one address that read the
    /// same file keep no more in the cache than one.
    pub fn share(self: &Arc<Self>, client: ClientKey, entry: &Entry) -> Option<Share> {
        if client != ClientKey::SERVER {
            let mut shares = self.shares.lock();
            let files = shares.entry(client).or_default();
            let (first, taken) = (files.is_empty(), files.values().map(|(_, bytes)| bytes).sum::<u64>());
            let bytes = OVERHEAD + entry.meta.size;
            let file = files.entry(entry.content).or_insert((0, bytes));
            if file.0 == 0 && !first && taken + bytes > self.limit() / SHARE {
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
