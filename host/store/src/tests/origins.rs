//! Roots with an origin in memory.

use super::*;
use crate::{
    Arrival, ContentId, FileCache, Lane, Origin, Origins, Reach, RemoteFile, RemoteMeta, Sought, Stored,
    Waited,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// An origin that lets bytes arrive on command.
#[derive(Debug, Default)]
struct Memory {
    files: Mutex<BTreeMap<String, Arc<Version>>>,
    stored: Mutex<Vec<(String, Vec<u8>, bool)>>,
    fails: Mutex<Option<&'static str>>,
    opened: AtomicU64,
}

#[derive(Debug)]
struct Version {
    name: &'static str,
    content: Vec<u8>,
    id: ContentId,
    cache: Arc<File>,
    /// Bytes that have arrived, and whether more will.
    state: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Version {
    fn new(name: &'static str, content: &[u8]) -> Arc<Version> {
        let cache = Arc::new(tempfile::tempfile().unwrap());
        let id = ContentId::unused();
        let (content, state, changed) = (content.to_vec(), Mutex::new((0, true)), Condvar::new());
        Arc::new(Version { name, content, id, cache, state, changed })
    }

    fn arrive(&self, upto: u64) {
        self.cache.write_all_at(&self.content[..upto as usize], 0).unwrap();
        self.state.lock().unwrap().0 = upto;
        self.changed.notify_all();
    }

    fn is_replaced(&self) {
        self.state.lock().unwrap().1 = false;
        self.changed.notify_all();
    }
}

#[derive(Debug)]
struct Arriving(Arc<Version>);

impl Arrival for Arriving {
    fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.0.state.lock().unwrap().0.saturating_sub(offset).min(length)
    }

    fn wait(&self, offset: u64, length: u64, within: Duration) -> io::Result<Waited> {
        let state = self.0.state.lock().unwrap();
        let waits = |state: &mut (u64, bool)| state.0 < offset + length && state.1;
        let (state, late) = self.0.changed.wait_timeout_while(state, within, waits).unwrap();
        if late.timed_out() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(if state.0 >= offset + length { Waited::Arrived } else { Waited::Changed })
    }
}

impl Memory {
    fn find(&self, path: &str) -> Result<(Arc<Version>, RemoteMeta), StoreError> {
        if let Some(why) = *self.fails.lock().unwrap() {
            return Err(StoreError::Unreachable { origin: "s3://b".into(), why: why.into() });
        }
        let found = self.files.lock().unwrap().get(path).cloned().ok_or(StoreError::NotFound)?;
        let (size, version) = (found.content.len() as u64, found.name.into());
        Ok((found, RemoteMeta { size, version, modified_unix_ms: 77 }))
    }

    fn put(&self, path: &str, version: &Arc<Version>) {
        self.files.lock().unwrap().insert(path.into(), Arc::clone(version));
    }
}

impl Origin for Memory {
    fn open(&self, path: &str, _: ClientKey, _: Reach) -> Result<Option<RemoteFile>, StoreError> {
        self.opened.fetch_add(1, SeqCst);
        let (found, meta) = self.find(path)?;
        let (file, content) = (Arc::clone(&found.cache), found.id);
        Ok(Some(RemoteFile { file, content, meta, arrival: Some(Arc::new(Arriving(found))), place: None }))
    }

    fn look_up(&self, path: &str, _: Reach) -> Result<Option<RemoteMeta>, StoreError> {
        Ok(Some(self.find(path)?.1))
    }

    fn store(&self, path: &str, content: &File, size: u64, overwrite: bool) -> Result<(), StoreError> {
        if let Some(why) = *self.fails.lock().unwrap() {
            return Err(StoreError::RefusedByOrigin { origin: "s3://b".into(), why: why.into() });
        }
        let mut bytes = vec![0; size as usize];
        content.read_exact_at(&mut bytes, 0).unwrap();
        self.stored.lock().unwrap().push((path.into(), bytes, overwrite));
        Ok(())
    }
}

struct Far {
    folder: TempDir,
    memory: Arc<Memory>,
    roots: Roots,
}

impl Far {
    fn new() -> Far {
        Far::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut RootSpec)) -> Far {
        let folder = tempfile::tempdir().unwrap();
        let memory = Arc::new(Memory::default());
        let mut spec = RootSpec {
            elsewhere: Some("s3://b".into()),
            writable: true,
            max_upload: 1000,
            ..RootSpec::read_only("far", folder.path())
        };
        change(&mut spec);
        let origins = Origins::from([("far".to_owned(), Arc::clone(&memory) as Arc<dyn Origin>)]);
        let roots = Roots::open_without(&[spec], &Disks::default(), &[], None, &origins).unwrap();
        Far { folder, memory, roots }
    }

    fn left_behind(&self) -> usize {
        fs::read_dir(self.folder.path()).unwrap().count()
    }
}

fn read_now(file: &OpenFile, offset: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let read = file.read_now(offset, &mut [IoSliceMut::new(&mut bytes)]).unwrap();
    bytes.truncate(read);
    bytes
}

#[test]
fn only_bytes_that_have_arrived_are_read() {
    let far = Far::new();
    let version = Version::new("1", b"0123456789");
    far.memory.put("a/b", &version);
    let file = Arc::new(far.roots.open_read(None, "a/b").unwrap());
    assert_eq!((file.size(), file.modified_unix_ms(), file.path()), (10, 77, "a/b"));
    assert!(file.unchanged().unwrap() && file.is_settled());
    assert_eq!(read_now(&file, 0, 10), b"");
    version.arrive(4);
    assert_eq!(read_now(&file, 0, 10), b"0123");
    assert_eq!(read_now(&file, 4, 6), b"");
    let (waits, its) = (Arc::clone(&file), Arc::clone(&version));
    let ahead = std::thread::spawn(move || waits.read_ahead(2, 8, None));
    its.arrive(10);
    let ahead = ahead.join().unwrap().unwrap().unwrap();
    assert_eq!(ahead.from(2), b"23456789");
    assert_eq!(file.read_whole().unwrap().unwrap(), b"0123456789");
}

/// Bytes that arrive at the moment of the question whether they have.
#[derive(Debug)]
struct JustNow(Arc<Version>);

impl Arrival for JustNow {
    fn arrived(&self, offset: u64, length: u64) -> u64 {
        self.0.arrive(self.0.content.len() as u64);
        (self.0.content.len() as u64).saturating_sub(offset).min(length)
    }

    fn wait(&self, _: u64, _: u64, _: Duration) -> io::Result<Waited> {
        Ok(Waited::Arrived)
    }
}

#[test]
fn bytes_are_read_after_they_are_known_to_have_arrived() {
    let far = Far::new();
    let version = Version::new("1", b"0123456789");
    // The path exists before its bytes have arrived.
    version.cache.set_len(10).unwrap();
    let meta = RemoteMeta { size: 10, version: "1".into(), modified_unix_ms: 0 };
    let arrival = Some(Arc::new(JustNow(Arc::clone(&version))) as Arc<dyn Arrival>);
    let (file, content) = (Arc::clone(&version.cache), version.id);
    let found = RemoteFile { file, content, meta, arrival, place: None };
    let disk = far.roots.disk("far").unwrap();
    let file = OpenFile::remote(found, disk, &"s3://b".into(), "a").unwrap();
    assert_eq!(read_now(&file, 0, 10), b"0123456789");
}

#[test]
fn a_version_that_will_not_arrive_is_a_changed_file() {
    let far = Far::new();
    let version = Version::new("1", b"0123456789");
    far.memory.put("a", &version);
    let file = far.roots.open_read(None, "a").unwrap();
    version.arrive(4);
    version.is_replaced();
    assert!(file.read_ahead(0, 10, None).unwrap().is_none());
    assert!(file.read_whole().unwrap().is_none());
    assert_eq!(read_now(&file, 0, 4), b"0123", "what has arrived stays");
}

/// Bytes for which the cache has no room.
#[derive(Debug)]
struct Elsewhere(&'static [u8]);

impl Arrival for Elsewhere {
    fn arrived(&self, _: u64, _: u64) -> u64 {
        0
    }

    fn wait(&self, _: u64, _: u64, _: Duration) -> io::Result<Waited> {
        Ok(Waited::NoRoom)
    }

    fn read_past(&self, offset: u64, length: u64, _: Duration) -> io::Result<Option<Vec<u8>>> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        Ok((!rest.is_empty()).then(|| rest[..rest.len().min(length as usize).min(7)].to_vec()))
    }
}

#[test]
fn a_file_without_room_bypasses_the_cache() {
    let far = Far::new();
    let file = Arc::new(tempfile::tempfile().unwrap());
    let meta = RemoteMeta { size: 12, version: "1".into(), modified_unix_ms: 0 };
    let arrival = Some(Arc::new(Elsewhere(b"0123456789")) as Arc<dyn Arrival>);
    let found = RemoteFile { file, content: ContentId::unused(), meta, arrival, place: None };
    let file = OpenFile::remote(found, far.roots.disk("far").unwrap(), &"s3://b".into(), "a").unwrap();
    let (mut one, mut other) = ([0; 3], [0; 3]);
    assert_eq!(file.read_at(1, &mut [IoSliceMut::new(&mut one), IoSliceMut::new(&mut other)]).unwrap(), 6);
    assert_eq!((&one, &other), (b"123", b"456"));
    assert_eq!(read_now(&file, 0, 10), b"", "a worker waits for nothing");
    assert_eq!(file.read_ahead(0, 10, None).unwrap().unwrap().from(0), b"0123456789");
    assert!(file.read_whole().unwrap().is_none(), "two bytes will never come");
}

#[test]
fn memory_keeps_versions_apart() {
    let far = Far::new();
    let cache = FileCache::new(1 << 20, Duration::from_secs(60));
    let content = |expected: &[u8]| {
        let file = Arc::new(far.roots.open_read(None, "a").unwrap());
        let bytes = cache.content(&file).unwrap().unwrap();
        assert_eq!(&*bytes, expected);
    };
    let first = Version::new("1", b"first");
    first.arrive(5);
    far.memory.put("a", &first);
    content(b"first");
    // Cached content is not read again.
    first.cache.write_all_at(b"XXXXX", 0).unwrap();
    content(b"first");
    assert_eq!(cache.usage().hits, 1);
    let second = Version::new("2", b"other");
    second.arrive(5);
    far.memory.put("a", &second);
    content(b"other");
}

/// A group of multicast clients reads what has one identity, from whichever root.
#[test]
fn stores_that_show_the_same_make_no_group() {
    let (one, other) = (Far::new(), Far::new());
    let same = Version::new("\"same\"", b"first");
    one.memory.put("boot/a", &same);
    other.memory.put("boot/a", &Version::new("\"same\"", b"other"));
    let open = |far: &Far| far.roots.open_read(None, "boot/a").unwrap();
    let (mine, foreign) = (open(&one), open(&other));
    let shown = |file: &OpenFile| {
        (file.root().to_owned(), file.path().to_owned(), file.size(), file.modified_unix_ms())
    };
    assert_eq!(shown(&mine), shown(&foreign), "and both are called \"same\"");
    assert_ne!(mine.identity(), foreign.identity());
    assert_eq!(mine.identity(), open(&one).identity(), "the second client of the file joins the first");
    // As after a reload: another root of the same store, with the same cache.
    other.memory.put("boot/a", &same);
    assert_eq!(mine.identity(), open(&other).identity());
}

#[test]
fn an_upload_is_stored_by_the_origin_and_leaves_nothing_here() {
    let far = Far::new();
    let upload = far.roots.create(None, "in/new.cfg").unwrap();
    upload.write_at(0, b"content").unwrap();
    assert_eq!(far.left_behind(), 0, "the temporary file has no name");
    assert!(matches!(upload.write_at(999, b"xx"), Err(StoreError::TooLarge { limit: 1000 })));
    assert_eq!(upload.seal().unwrap().bytes, 7);
    upload.commit().unwrap();
    let stored = far.memory.stored.lock().unwrap().clone();
    assert_eq!(stored, [("in/new.cfg".to_owned(), b"content".to_vec(), false)]);
    assert_eq!(far.left_behind(), 0);
}

#[test]
fn an_upload_goes_where_the_root_lets_it() {
    let far = Far::new();
    far.memory.put("taken", &Version::new("1", b"x"));
    assert!(matches!(far.roots.create(None, "taken"), Err(StoreError::Exists)));
    assert!(matches!(far.roots.judge("far", "taken"), Err(StoreError::Exists)));
    assert_eq!(far.roots.judge("far", "free").unwrap(), 1000);
    let mut upload = far.roots.create(None, "free").unwrap();
    assert!(matches!(far.roots.redirect(&mut upload, "taken"), Err(StoreError::Exists)));
    far.roots.redirect(&mut upload, "elsewhere").unwrap();
    upload.commit().unwrap();
    assert_eq!(far.memory.stored.lock().unwrap()[0].0, "elsewhere");
    let far = Far::with(|spec| spec.overwrite = true);
    far.memory.put("taken", &Version::new("1", b"x"));
    far.roots.create(None, "taken").unwrap().commit().unwrap();
    assert!(far.memory.stored.lock().unwrap()[0].2, "it may overwrite");
}

#[test]
fn an_upload_gets_a_free_name_beside_a_file_that_its_root_would_replace() {
    let far = Far::with(|spec| spec.overwrite = true);
    for taken in ["a", "a.1"] {
        far.memory.put(taken, &Version::new("1", b"x"));
    }
    let upload = far.roots.create(None, "new").unwrap();
    assert_eq!(
        far.roots.commit_as_free(upload, &Destination { path: "a".into(), next_free: true }).unwrap(),
        "a.2"
    );
    let stored = far.memory.stored.lock().unwrap().clone();
    assert_eq!(stored.len(), 1, "a taken name is found before anything is sent");
    assert_eq!((stored[0].0.as_str(), stored[0].2), ("a.2", false));
}

#[test]
fn a_refusal_of_an_origin_has_its_reason() {
    let far = Far::new();
    let upload = far.roots.create(None, "a").unwrap();
    *far.memory.fails.lock().unwrap() = Some("403 Forbidden");
    let error = upload.commit().unwrap_err();
    assert_eq!(error.code(), ErrorCode::AccessViolation);
    let reason = error.denial().reason;
    assert!(reason.contains("s3://b") && reason.contains("403"), "{reason}");
    let error = far.roots.create(None, "a").unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[test]
fn a_root_elsewhere_has_no_folder_to_wait_for() {
    let far = Far::new();
    far.roots.look_for_replaced();
    assert_eq!(far.roots.sweep(|_| true), []);
    assert!(matches!(far.roots.stored("far", "a", Sought::File, Reach::Cache), Ok(Some(Stored::Nowhere))));
    assert!(matches!(far.roots.open_read(None, "../a"), Err(StoreError::Denied(_) | StoreError::NotFound)));
    assert_eq!(far.roots.absence("far", "a", Sought::File), Absence::default());
    let disk = far.roots.disk("far").unwrap();
    let entered = disk.enter(Duration::from_secs(1), Box::new(|_| {}));
    assert!(entered.is_err(), "no thread that decides waits for a network");
    let (sender, receiver) = std::sync::mpsc::channel();
    disk.submit(
        Lane::Open,
        ClientKey::SERVER,
        Duration::from_secs(1),
        move || sender.send(()).unwrap(),
        |_| {},
    );
    receiver.recv().unwrap();
}
