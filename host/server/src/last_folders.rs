//! The folder of the last `.efi` file that each client got.
//!
//! A table of fixed size: a flood of addresses replaces entries and takes no more memory. A client without an entry is
//! served as without the table.

use parking_lot::{Mutex, MutexGuard};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tuffet_request::{Operation, Request};

/// Remembered clients.
const SLOTS: usize = 16_384;

/// The longest remembered folder, in bytes.
const MAX_FOLDER: usize = 255;

/// How long a folder is remembered.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The table. Cheap to clone; clones share it, also across reloads.
#[derive(Clone)]
pub(crate) struct LastFolders(Arc<Shared>);

struct Shared {
    hasher: RandomState,
    /// Empty until the first folder is recorded.
    slots: Mutex<Vec<Option<Entry>>>,
}

#[derive(Clone)]
struct Entry {
    client: IpAddr,
    folder: Arc<str>,
    at: Instant,
}

impl LastFolders {
    pub(crate) fn new() -> LastFolders {
        LastFolders(Arc::new(Shared { hasher: RandomState::new(), slots: Mutex::default() }))
    }

    /// Records the folder of a granted request.
    pub(crate) fn note(&self, request: &Request) {
        if request.operation == Operation::Read {
            self.remember(request.client.ip(), &request.path);
        }
    }

    fn remember(&self, client: IpAddr, path: &str) {
        let Some((folder, name)) = path.rsplit_once('/') else { return };
        if folder.len() <= MAX_FOLDER && is_efi(name) {
            let mut slots = self.lock();
            if slots.is_empty() {
                slots.resize(SLOTS, None);
            }
            let entry = Entry { client, folder: folder.into(), at: Instant::now() };
            if let Some(slot) = slots.get_mut(self.slot(client)) {
                *slot = Some(entry);
            }
        }
    }

    /// The last folder of a client, at most a minute old.
    pub(crate) fn of(&self, client: IpAddr) -> Option<Arc<str>> {
        let slots = self.lock();
        let entry = slots.get(self.slot(client))?.as_ref();
        let entry = entry.filter(|entry| entry.client == client && entry.at.elapsed() < MAX_AGE);
        entry.map(|entry| Arc::clone(&entry.folder))
    }

    fn slot(&self, client: IpAddr) -> usize {
        // The remainder is below `SLOTS`.
        (self.0.hasher.hash_one(client) % SLOTS as u64) as usize
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Entry>>> {
        self.0.slots.lock()
    }
}

fn is_efi(name: &str) -> bool {
    // Debian's is called `shimx64.efi.signed`.
    name.to_ascii_lowercase().contains(".efi")
}

/// Whether shim requests this name at the top, although the file belongs to shim's folder.
pub(crate) fn is_requested_by_shim(path: &str) -> bool {
    let name = path.to_ascii_lowercase();
    let begins = ["grub", "mm", "revocations", "shim_certificate"].iter().any(|word| name.starts_with(word));
    begins && name.ends_with(".efi") && !name.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn a_client_has_the_folder_of_its_last_efi_file() {
        let folders = LastFolders::new();
        let [one, other] = [1, 2].map(|number| IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)));
        assert_eq!(folders.of(one), None);
        folders.remember(one, "efi/debian/shimx64.efi.signed");
        for path in ["shimx64.efi", "boot/vmlinuz", &format!("{}/x.efi", "f".repeat(256))] {
            folders.remember(one, path);
            assert_eq!(folders.of(one).as_deref(), Some("efi/debian"), "{path}");
        }
        assert_eq!(folders.of(other), None);
        folders.remember(one, "EFI/BOOT/BOOTX64.EFI");
        assert_eq!(folders.of(one).as_deref(), Some("EFI/BOOT"));
    }

    #[test]
    fn a_folder_is_forgotten_after_a_minute() {
        let folders = LastFolders::new();
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        folders.remember(client, "a/x.efi");
        let slot = folders.slot(client);
        let Some(before) = Instant::now().checked_sub(MAX_AGE) else { return };
        if let Some(entry) = &mut folders.lock()[slot] {
            entry.at = before;
        }
        assert_eq!(folders.of(client), None);
    }

    #[test]
    fn a_flood_of_addresses_takes_no_more_memory() {
        let folders = LastFolders::new();
        for number in 0..100_000_u32 {
            folders.remember(IpAddr::V4(number.into()), "a/x.efi");
        }
        assert_eq!(folders.lock().len(), SLOTS);
    }

    #[test]
    fn names_of_shim() {
        for name in
            ["grubx64.efi", "GRUBAA64.EFI", "mmx64.efi", "revocations_sbat.efi", "shim_certificate_0.efi"]
        {
            assert!(is_requested_by_shim(name), "{name}");
        }
        for name in ["a/grubx64.efi", "grub.cfg", "shimx64.efi", "xgrub.efi", "grub.efi.x", ""] {
            assert!(!is_requested_by_shim(name), "{name}");
        }
    }
}
