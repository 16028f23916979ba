//! Listings of folders, searched regardless of case, for roots with `case: insensitive`.
//!
//! The system has no such look-up, so the whole folder must be read. Clients repeat requests, and a folder for phones
//! may have 100,000 names, so a listing is cached until the times of its folder change. Reading a folder that changes
//! constantly takes at most a tenth of the time. Concurrent requests for one folder share one reading; requests for
//! other folders do not wait.

use super::facts::{Facts, Moment};
use super::{StoreError, path, spelling};
use parking_lot::Mutex;
use rustix::fs::{Dir as Entries, Mode, OFlags, fstat, openat};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// The limit of names in a folder; larger folders are not searched.
const MAX_NAMES: usize = 262_144;

/// The limit of cached names for a root, over all its folders.
const MAX_CACHED_NAMES: usize = 2 * MAX_NAMES;

/// The weight of a cached folder, in names, in addition to its names.
const FOLDER_WEIGHT: usize = 64;

/// The maximum age of a listing: some file systems do not update the times of a folder.
const MAX_AGE: Duration = Duration::from_secs(60);

/// A listing stays in use for this many times its reading time, even if its folder has changed.
const REUSE: u32 = 10;

/// The limit of reported matches.
const MAX_MATCHES: usize = 8;

/// The cached listings of a root.
#[derive(Debug, Default)]
pub(super) struct Listings {
    folders: Mutex<Folders>,
}

/// The folders with cached listings, by device and inode, with their total weight.
#[derive(Debug, Default)]
struct Folders {
    folders: HashMap<(u64, u64), Folder>,
    weight: usize,
}

#[derive(Debug)]
struct Folder {
    listing: SharedListing,
    weight: usize,
}

/// Locked during the reading of its folder.
type SharedListing = Arc<Mutex<Option<CachedListing>>>;

#[derive(Debug)]
struct CachedListing {
    listing: Arc<Listing>,
    times: Times,
    /// Whether a later change would show in the times.
    settled: bool,
    began: Instant,
    took: Duration,
}

type Times = (Moment, Moment);

impl Listings {
    /// Returns the listing of an open folder, and reads the folder if necessary.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(super) fn of(&self, folder: impl AsFd) -> Result<Arc<Listing>, StoreError> {
        self.of_at(folder, Instant::now(), SystemTime::now())
    }

    /// As [`Listings::of`], at this time of both clocks.
    fn of_at(&self, folder: impl AsFd, now: Instant, clock: SystemTime) -> Result<Arc<Listing>, StoreError> {
        let facts = Facts::from(fstat(&folder)?);
        let key = (facts.device, facts.inode);
        let shared = self.folders.lock().get(key);
        let mut kept = shared.lock();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_usable(&facts, now)) {
            return Ok(Arc::clone(&kept.listing));
        }
        let began = Instant::now();
        // Taken before the reading, so that a change during it shows.
        let facts = Facts::from(fstat(&folder)?);
        let listing = Arc::new(Listing::read(folder)?);
        let (settled, took) = (is_settled(&facts, clock), began.elapsed());
        *kept = Some(CachedListing {
            listing: Arc::clone(&listing),
            times: times(&facts),
            settled,
            began: now,
            took,
        });
        drop(kept);
        self.folders.lock().read(key, &shared, listing.len());
        Ok(listing)
    }
}

impl Folders {
    fn get(&mut self, key: (u64, u64)) -> SharedListing {
        let folder = self.folders.entry(key).or_insert_with(|| {
            self.weight += FOLDER_WEIGHT;
            Folder { listing: SharedListing::default(), weight: FOLDER_WEIGHT }
        });
        Arc::clone(&folder.listing)
    }

    /// Records that a listing was read and has so many names. Drops all others if they have too many together.
    fn read(&mut self, key: (u64, u64), listing: &SharedListing, names: usize) {
        // Others may have dropped it meanwhile.
        let Some(folder) = self.folders.get_mut(&key) else { return };
        if !Arc::ptr_eq(&folder.listing, listing) {
            return;
        }
        let weight = FOLDER_WEIGHT + names;
        self.weight = self.weight - folder.weight + weight;
        folder.weight = weight;
        if self.weight > MAX_CACHED_NAMES {
            self.folders.retain(|other, _| *other == key);
            self.weight = weight;
        }
    }
}

impl CachedListing {
    fn is_usable(&self, facts: &Facts, now: Instant) -> bool {
        // Another request may have read the folder since `now`.
        let age = now.saturating_duration_since(self.began);
        let same = self.settled && self.times == times(facts) && age < MAX_AGE;
        same || age < self.took * REUSE
    }
}

fn times(facts: &Facts) -> Times {
    (facts.modified, facts.status)
}

/// Whether the next change would have other times. They advance in steps.
fn is_settled(facts: &Facts, now: SystemTime) -> bool {
    let (seconds, nanoseconds) = facts.status;
    let step = if nanoseconds == 0 { Duration::from_secs(2) } else { Duration::from_millis(50) };
    let changed = Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds as u32);
    now.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| now >= changed + step)
}

/// The names of a folder at one moment.
#[derive(Debug)]
pub(super) struct Listing {
    /// All names, concatenated.
    names: String,
    /// The hash of each name in lower case, its offset and its length; sorted.
    places: Vec<(u64, u32, u32)>,
    hasher: RandomState,
    /// Whether the folder has more than `MAX_NAMES` names.
    overflows: bool,
}

impl Listing {
    fn read(folder: impl AsFd) -> Result<Listing, StoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // The folder may have been opened with O_PATH, which cannot be read.
        let mut entries = Entries::new(openat(folder, ".", flags, Mode::empty())?)?;
        let hasher = RandomState::new();
        let mut listing = Listing { names: String::new(), places: Vec::new(), hasher, overflows: false };
        while let Some(entry) = entries.read() {
            let entry = entry?;
            // Clients cannot request names that are not UTF-8, or unfinished uploads.
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") || name.starts_with(path::RESERVED) {
                continue;
            }
            if listing.places.len() == MAX_NAMES {
                listing.overflows = true;
                break;
            }
            // At most 255 bytes for each name.
            let place = (listing.hash(name), listing.names.len() as u32, name.len() as u32);
            listing.names.push_str(name);
            listing.places.push(place);
        }
        listing.places.sort_unstable();
        listing.names.shrink_to_fit();
        listing.places.shrink_to_fit();
        Ok(listing)
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it contains all names of its folder.
    pub(super) fn is_complete(&self) -> bool {
        !self.overflows
    }

    /// Returns the name itself if it exists, otherwise up to 8 names that differ only in case.
    pub(super) fn find<'a>(&'a self, name: &str) -> Vec<&'a str> {
        let hash = self.hash(name);
        let first = self.places.partition_point(|place| place.0 < hash);
        let mut found = Vec::new();
        for (_, start, length) in self.places[first..].iter().take_while(|place| place.0 == hash) {
            let stored = &self.names[*start as usize..][..*length as usize];
            if stored == name {
                return vec![stored];
            }
            if found.len() < MAX_MATCHES && lower(stored).eq(lower(name)) {
                found.push(stored);
            }
        }
        found.sort_unstable();
        found
    }

    fn hash(&self, name: &str) -> u64 {
        self.hasher.hash_one(lower(name).collect::<String>())
    }
}

/// Returns the name of an open folder that differs from this one in case alone, if it does not have this one. Reads the
/// folder now: a cached listing may be older than the last upload.
///
/// # Errors
/// `Ambiguous` if there are several, and those of reading the folder.
pub(super) fn other_spelling(folder: impl AsFd, name: &str) -> Result<Option<String>, StoreError> {
    if spelling::has(&folder, name)? {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut entries = Entries::new(openat(folder, ".", flags, Mode::empty())?)?;
    let mut found: Vec<String> = Vec::new();
    while let Some(entry) = entries.read() {
        let entry = entry?;
        let Ok(stored) = entry.file_name().to_str() else { continue };
        if stored == name {
            return Ok(None);
        }
        if found.len() < MAX_MATCHES && lower(stored).eq(lower(name)) {
            found.push(stored.to_owned());
        }
    }
    if found.len() > 1 {
        found.sort_unstable();
        return Err(StoreError::Ambiguous(found.join("`, `"), "the folder of the upload".into()));
    }
    Ok(found.pop())
}

/// A name in lower case. Names that are equal then are the same name where case does not matter.
pub(super) fn lower(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    #[test]
    fn names_are_found_regardless_of_case() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["Foo", "foo", "BCD", "Gänse", "x", ".tuffet-0123456789abcdef.part"] {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        let listing = Listing::read(File::open(folder.path()).unwrap()).unwrap();
        for (name, found) in [
            ("Foo", &["Foo"][..]),
            ("foo", &["foo"]),
            ("FOO", &["Foo", "foo"]),
            ("bcd", &["BCD"]),
            ("GÄNSE", &["Gänse"]),
            ("gaense", &[]),
            (".TUFFET-0123456789abcdef.part", &[]),
            ("..", &[]),
            ("", &[]),
        ] {
            assert_eq!(listing.find(name), found, "{name}");
        }
    }

    #[test]
    fn a_listing_is_cached_until_its_folder_changes() {
        let folder = tempfile::tempdir().unwrap();
        let listings = Listings::default();
        let (began, clock) = (Instant::now(), SystemTime::now());
        // Long enough that a changed folder is read again. A day later, the clock has moved since the last change.
        let of = |seconds, has_moved: bool| {
            let clock = clock + Duration::from_secs(if has_moved { 86_400 } else { 0 });
            let now = began + Duration::from_secs(seconds);
            listings.of_at(File::open(folder.path()).unwrap(), now, clock).unwrap()
        };
        fs::write(folder.path().join("a"), b"").unwrap();
        let first = of(0, true);
        assert!(Arc::ptr_eq(&of(50, true), &first));
        fs::write(folder.path().join("a"), b"changed").unwrap();
        assert!(Arc::ptr_eq(&of(50, true), &first), "only names matter");
        fs::write(folder.path().join("b"), b"").unwrap();
        let second = of(50, false);
        assert!(!Arc::ptr_eq(&second, &first) && second.find("B") == ["b"]);
        // The folder changed within a step of the clock, so a further change might not show.
        let third = of(100, true);
        assert!(!Arc::ptr_eq(&third, &second));
        assert!(Arc::ptr_eq(&of(150, true), &third));
        assert!(!Arc::ptr_eq(&of(100 + MAX_AGE.as_secs(), true), &third), "some file systems keep the times");
    }

    #[test]
    fn a_folder_that_changes_all_the_time_is_read_for_a_tenth_of_the_time() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..1_000 {
            fs::write(folder.path().join(format!("SEP{number:012}.cnf.xml")), b"").unwrap();
        }
        let listings = Listings::default();
        let (began, clock) = (Instant::now(), SystemTime::now());
        let of = |after| listings.of_at(File::open(folder.path()).unwrap(), began + after, clock).unwrap();
        let first = of(Duration::ZERO);
        assert_eq!(first.find("sep000000000999.CNF.xml"), ["SEP000000000999.cnf.xml"]);
        let facts = Facts::from(fstat(File::open(folder.path()).unwrap()).unwrap());
        let shared = listings.folders.lock().get((facts.device, facts.inode));
        let took = shared.lock().as_ref().unwrap().took;
        fs::write(folder.path().join("new"), b"").unwrap();
        assert!(Arc::ptr_eq(&of(took * REUSE - Duration::from_nanos(1)), &first));
        assert!(!Arc::ptr_eq(&of(took * REUSE), &first));
    }

    #[test]
    fn cached_listings_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let listings = Listings::default();
        for number in 0..MAX_CACHED_NAMES / FOLDER_WEIGHT + 2 {
            let path = folder.path().join("one");
            fs::create_dir(&path).unwrap();
            // A folder that is open keeps its number from being reused.
            let open = File::open(&path).unwrap();
            listings.of(&open).unwrap();
            fs::rename(&path, folder.path().join(format!("{number}"))).unwrap();
        }
        let kept = listings.folders.lock().folders.len();
        assert!(kept < 10, "{kept}");
    }
}
