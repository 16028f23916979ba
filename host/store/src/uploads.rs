//! Limits the concurrent uploads to one name, because each is a file on the disk until it is complete.
//!
//! Clients share the places of a name as they share the threads of a disk: a client has at most as many as remain for
//! others. So slow uploads of one address keep no other one from the name.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use tuffet_request::settings::SettingName;
use tuffet_request::{Bounds, ClientKey};

use super::StoreError;

/// The running uploads, by root and path. Cheap to clone; clones share the counts, also across reloads. Only for the
/// control side, because it takes a lock.
#[derive(Debug, Clone)]
pub struct Uploads(Arc<RunningUploads>);

#[derive(Debug)]
struct RunningUploads {
    most: AtomicU32,
    /// Its name for messages.
    setting: SettingName,
    running: Mutex<HashMap<Box<str>, ClientUploads>>,
}

/// How many uploads to a name each client has. No entry is 0.
type ClientUploads = HashMap<ClientKey, u32>;

/// Counts an upload of a client until it is dropped.
#[derive(Debug)]
pub struct Writing {
    uploads: Uploads,
    name: Box<str>,
    client: ClientKey,
}

impl Uploads {
    /// Creates a counter with the limit for each name.
    pub fn new(bounds: &Bounds) -> Uploads {
        let setting = bounds.names.of("limits.uploads-per-name");
        let most = AtomicU32::new(bounds.uploads_per_name);
        Uploads(Arc::new(RunningUploads { most, setting, running: Mutex::default() }))
    }

    /// Replaces the limit.
    pub fn replace(&self, most: u32) {
        self.0.most.store(most, Relaxed);
    }

    /// Counts an upload of this client.
    ///
    /// # Errors
    /// `Busy` if all places of the name are taken, or the client has its share of them.
    pub fn begin(&self, root: &str, path: &str, client: ClientKey) -> Result<Writing, StoreError> {
        let most = self.0.most.load(Relaxed);
        // No path contains a NUL.
        let name: Box<str> = format!("{root}\0{path}").into();
        let mut running = self.lock();
        let clients = running.get(&name);
        let all = clients.map_or(0, |clients| clients.values().sum());
        let own = clients.and_then(|clients| clients.get(&client)).copied().unwrap_or_default();
        let free = most.saturating_sub(all);
        if own >= free {
            let own = (free > 0).then_some(own);
            return Err(StoreError::Busy { running: all, own, setting: self.0.setting });
        }
        *running.entry(name.clone()).or_default().entry(client).or_default() += 1;
        drop(running);
        Ok(Writing { uploads: self.clone(), name, client })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, ClientUploads>> {
        self.0.running.lock()
    }
}

impl Writing {
    /// The client of the upload.
    pub(super) fn client(&self) -> ClientKey {
        self.client
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let name = std::mem::take(&mut self.name);
        let mut running = self.uploads.lock();
        let Entry::Occupied(mut clients) = running.entry(name) else { return };
        if let Entry::Occupied(mut own) = clients.get_mut().entry(self.client) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
        if clients.get().is_empty() {
            clients.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uploads(most: u32) -> Uploads {
        Uploads::new(&Bounds { uploads_per_name: most, ..Bounds::none() })
    }

    fn client(number: u8) -> ClientKey {
        ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
    }

    #[test]
    fn uploads_to_a_name_are_limited_and_forgotten_when_they_end() {
        let uploads = uploads(2);
        let begin = |root, path, number| uploads.begin(root, path, client(number));
        let first = begin("boot", "a", 1).unwrap();
        let second = begin("boot", "a", 2).unwrap();
        assert!(matches!(begin("boot", "a", 3), Err(StoreError::Busy { running: 2, own: None, .. })));
        let others = [begin("boot", "b", 1), begin("other", "a", 1)];
        assert!(others.iter().all(Result::is_ok));
        drop(first);
        let third = begin("boot", "a", 3).unwrap();
        uploads.replace(1);
        assert!(begin("boot", "a", 4).is_err());
        drop((second, third, others));
        assert!(uploads.lock().is_empty());
    }

    #[test]
    fn a_client_takes_at_most_as_many_places_of_a_name_as_remain() {
        let uploads = uploads(16);
        let all_of = |number: u8| -> Vec<Writing> {
            std::iter::from_fn(|| uploads.begin("boot", "a", client(number)).ok()).collect()
        };
        let places = [1, 2, 3].map(all_of);
        assert_eq!(places.each_ref().map(Vec::len), [8, 4, 2]);
        let refused = uploads.begin("boot", "a", client(1));
        assert!(matches!(refused, Err(StoreError::Busy { running: 14, own: Some(8), .. })));
        assert!(uploads.begin("boot", "a", client(4)).is_ok());
        drop(places);
        assert!(uploads.lock().is_empty());
    }
}
