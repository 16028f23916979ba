//! The same tests on a real file, and on a bucket of a real NATS server.
#![allow(clippy::unwrap_used)]

mod shared;

use super::file::FILE_NAME;
use super::*;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tuffet_config::{NatsLogin, NatsServers};

const PLENTY: Quota = Quota { keys: 100, bytes: 10_000 };

/// A store that can be opened again.
enum TestLocation {
    File(TempDir),
    Nats(Nats),
}

/// A NATS server with JetStream, killed on drop.
struct Nats {
    child: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

static SERVERS: AtomicU8 = AtomicU8::new(1);

impl Nats {
    /// `None` if no server is installed. Debian installs it outside of the path of ordinary users.
    fn start() -> Option<Nats> {
        let program = ["nats-server", "/usr/sbin/nats-server"]
            .into_iter()
            .find(|program| Command::new(program).arg("--version").output().is_ok())?;
        for _ in 0..10 {
            let folder = TempDir::new().unwrap();
            // An address of its own: the port is free for others until the server has it.
            let number = SERVERS.fetch_add(1, Ordering::Relaxed);
            let host =
                if cfg!(target_os = "linux") { format!("127.0.1.{number}") } else { "127.0.0.1".into() };
            let address = TcpListener::bind((&*host, 0)).unwrap().local_addr().unwrap();
            let mut child = Command::new(program)
                .args(["-a", &host, "-p", &address.port().to_string(), "-js", "-sd"])
                .arg(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            while child.try_wait().unwrap().is_none() {
                if TcpStream::connect(address).is_ok() {
                    return Some(Nats { child, address, _folder: folder });
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        unreachable!("nats-server does not start")
    }

    fn bucket(&self) -> KvBucket {
        KvBucket {
            servers: NatsServers { urls: vec![format!("nats://{}", self.address)], login: NatsLogin::None },
            bucket: "keys".into(),
            when_away: WhenAway::Fail,
            timeout: Duration::from_secs(10),
        }
    }
}

/// The stores that can be tested here.
fn locations() -> Vec<TestLocation> {
    let mut locations = vec![TestLocation::File(TempDir::new().unwrap())];
    match Nats::start() {
        Some(nats) => locations.push(TestLocation::Nats(nats)),
        None => eprintln!("nats-server is not installed: keys in a bucket are not tested"),
    }
    locations
}

impl TestLocation {
    fn open(&self) -> KvStore {
        let location = match self {
            TestLocation::File(folder) => KvLocation::Folder(folder.path().join("made/on/the/way")),
            TestLocation::Nats(nats) => KvLocation::Bucket(nats.bucket()),
        };
        let store = KvStore::open(&location).unwrap();
        for namespace in ["a", "b", "c"] {
            store.join(&of(namespace, PLENTY));
        }
        store
    }
}

fn of(name: &str, quota: Quota) -> Namespace {
    Namespace { name: name.into(), quota, when_away: WhenAway::Fail }
}

async fn set(store: &KvStore, namespace: &str, quota: Quota, key: &str, value: &str) -> Result<(), KvError> {
    store.set(&of(namespace, quota), key.into(), value.into(), None).await
}

async fn get(store: &KvStore, namespace: &str, key: &str) -> Option<String> {
    let value = store.get(&of(namespace, PLENTY), key.into()).await.unwrap();
    value.map(|value| String::from_utf8(value.value).unwrap())
}

#[tokio::test]
async fn each_namespace_has_its_own_keys_and_they_outlive_the_process() {
    for location in locations() {
        let store = location.open();
        set(&store, "a", PLENTY, "key", "of a").await.unwrap();
        set(&store, "b", PLENTY, "key", "of b").await.unwrap();
        set(&store, "b", PLENTY, "key", "of b again").await.unwrap();
        set(&store, "b", PLENTY, "a strange. key*>\n", "too").await.unwrap();
        assert_eq!(get(&store, "a", "key").await.unwrap(), "of a");
        assert_eq!(get(&store, "c", "key").await, None);
        close(store);
        let store = location.open();
        assert_eq!(get(&store, "b", "key").await.unwrap(), "of b again");
        assert_eq!(get(&store, "b", "a strange. key*>\n").await.unwrap(), "too");
        store.delete(&of("b", PLENTY), "key".into()).await.unwrap();
        store.delete(&of("b", PLENTY), "key".into()).await.unwrap();
        assert_eq!(get(&store, "b", "key").await, None);
        assert_eq!(get(&store, "a", "key").await.unwrap(), "of a");
    }
}

#[test]
fn a_file_has_one_server() {
    let location = KvLocation::Folder(TempDir::new().unwrap().path().join("state"));
    let first = KvStore::open(&location).unwrap();
    assert!(matches!(KvStore::open(&location), Err(KvOpenError::InUse(_))), "two at once");
    drop(first);
}

/// Waits until the writing thread has released a file.
fn close(store: KvStore) {
    if let KvStore(Backend::File(FileStore { file, changes })) = store {
        drop(changes);
        while Arc::strong_count(&file) > 1 {
            std::thread::yield_now();
        }
    }
}

#[tokio::test]
async fn counters_count_each_increment_once() {
    for location in locations() {
        let store = location.open();
        let namespace = of("a", PLENTY);
        let all = (0..200).map(|_| store.increment(&namespace, "n".into(), 2, None));
        let mut seen: Vec<i64> =
            futures_util::future::join_all(all).await.into_iter().map(Result::unwrap).collect();
        seen.sort_unstable();
        assert_eq!(seen, (1..=200).map(|n| 2 * n).collect::<Vec<i64>>());
        assert_eq!(store.increment(&namespace, "n".into(), i64::MAX, None).await, Ok(i64::MAX));
        set(&store, "a", PLENTY, "text", "x").await.unwrap();
        let refused = store.increment(&namespace, "text".into(), 1, None).await;
        assert_eq!(refused, Err(KvError::NotACounter));
    }
}

#[tokio::test]
async fn expired_entries_make_room_and_counters_start_over() {
    for location in locations() {
        let store = location.open();
        let one = Quota { keys: 1, bytes: 100 };
        let (a, b) = (of("a", one), of("b", one));
        store.set(&a, "over".into(), b"x".to_vec(), Some(0)).await.unwrap();
        assert_eq!(get(&store, "a", "over").await, None);
        set(&store, "a", one, "next", "x").await.unwrap();
        assert_eq!(set(&store, "a", one, "more", "x").await, Err(KvError::Quota));

        assert_eq!(store.increment(&b, "n".into(), 5, Some(0)).await, Ok(5));
        assert_eq!(store.increment(&b, "n".into(), 5, Some(3600)).await, Ok(5));
        assert_eq!(store.increment(&b, "n".into(), 5, Some(0)).await, Ok(10), "not shortened");
        assert_eq!(store.increment(&b, "n".into(), 5, None).await, Ok(15), "nor prolonged");
    }
}

#[tokio::test]
async fn a_quota_holds_over_restarts_and_entries_may_shrink() {
    for location in locations() {
        let quota = Quota { keys: 2, bytes: 10 };
        let store = location.open();
        set(&store, "a", quota, "k1", "123").await.unwrap();
        set(&store, "a", quota, "k2", "123").await.unwrap();
        close(store);
        let store = location.open();
        assert_eq!(set(&store, "a", quota, "k3", "").await, Err(KvError::Quota), "keys");
        assert_eq!(set(&store, "a", quota, "k2", "1234").await, Err(KvError::Quota), "bytes");
        set(&store, "a", quota, "k2", "321").await.unwrap();
        set(&store, "a", Quota { keys: 1, bytes: 1 }, "k2", "1").await.unwrap();
        set(&store, "b", quota, "k1", "123").await.unwrap();
        store.delete(&of("a", quota), "k1".into()).await.unwrap();
        set(&store, "a", quota, "k3", "12345").await.unwrap();
        assert_eq!(get(&store, "a", "k2").await.unwrap(), "1");
    }
}

#[tokio::test]
async fn a_swap_succeeds_on_the_revision_that_was_read_and_on_no_other() {
    for location in locations() {
        let store = location.open();
        let namespace = of("a", Quota { keys: 2, bytes: 20 });
        let swap =
            |revision, value: &str, ttl| store.swap(&namespace, "k".into(), revision, value.into(), ttl);
        let revision = async || store.get(&namespace, "k".into()).await.unwrap().map(|found| found.revision);
        assert_eq!(swap(Some(1), "new", None).await, Ok(None), "there is no such key");
        let first = swap(None, "one", None).await.unwrap();
        assert!(first.is_some() && revision().await == first);
        assert_eq!(swap(None, "two", None).await, Ok(None), "it is there");
        let second = swap(first, "two", None).await.unwrap();
        assert!(second > first && revision().await == second);
        assert_eq!(swap(first, "three", None).await, Ok(None), "it was changed");
        assert_eq!(get(&store, "a", "k").await.as_deref(), Some("two"));
        // Every change counts, also one that restores the value or does not expect a revision.
        set(&store, "a", PLENTY, "k", "two").await.unwrap();
        assert_eq!(swap(second, "three", None).await, Ok(None), "it was set");
        store.delete(&namespace, "k".into()).await.unwrap();
        assert_eq!(swap(revision().await.or(second), "three", None).await, Ok(None), "it was deleted");
        let third = swap(None, "three", Some(0)).await.unwrap();
        assert!(third > second, "no revision comes twice: {third:?} after {second:?}");
        assert_eq!(swap(third, "four", None).await, Ok(None), "its time is over");
        let fourth = swap(None, "four", None).await.unwrap();
        assert!(fourth > third);
        let refused = store.swap(&namespace, "k".into(), fourth, vec![b'x'; 30], None).await;
        assert_eq!(refused, Err(KvError::Quota));
        store.increment(&namespace, "n".into(), 1, None).await.unwrap();
        let counted = store.get(&namespace, "n".into()).await.unwrap().unwrap().revision;
        store.increment(&namespace, "n".into(), 1, None).await.unwrap();
        let raced = store.swap(&namespace, "n".into(), Some(counted), b"0".to_vec(), None).await;
        assert_eq!(raced, Ok(None), "it was incremented");
        close(store);
        let store = location.open();
        assert_eq!(store.get(&namespace, "k".into()).await.unwrap().map(|found| found.revision), fourth);
        assert!(store.swap(&namespace, "k".into(), fourth, b"five".to_vec(), None).await.unwrap() > fourth);
    }
}

#[tokio::test]
async fn of_concurrent_swaps_one_succeeds() {
    for location in locations() {
        let store = location.open();
        let namespace = of("a", PLENTY);
        for round in 0..5 {
            let before = store.get(&namespace, "leader".into()).await.unwrap().map(|found| found.revision);
            let value = || format!("{round}").into_bytes();
            let all = (0..20).map(|_| store.swap(&namespace, "leader".into(), before, value(), None));
            let all = futures_util::future::join_all(all).await;
            assert_eq!(all.iter().filter(|done| matches!(done, Ok(Some(_)))).count(), 1, "{all:?}");
            assert_eq!(all.iter().filter(|done| matches!(done, Ok(None))).count(), 19, "{all:?}");
        }
    }
}

/// All keys with this prefix.
fn all(prefix: &str) -> Listing {
    Listing { prefix: prefix.into(), after: None, limit: 1000 }
}

fn names(listed: Vec<(String, Versioned)>) -> Vec<String> {
    listed.into_iter().map(|(key, _)| key).collect()
}

#[tokio::test]
async fn keys_are_listed_by_prefix_and_page_by_page() {
    for location in locations() {
        let store = location.open();
        let namespace = of("b", PLENTY);
        let list = async |prefix: &str, after: Option<&str>, limit| {
            let listing = Listing { prefix: prefix.into(), after: after.map(Into::into), limit };
            names(store.list(&namespace, listing).await.unwrap())
        };
        assert!(list("", None, 9).await.is_empty());
        for key in ["lease/3", "lease/1", "lease/2", "lease", "leasf", "k.*>", "l\u{e9}"] {
            set(&store, "b", PLENTY, key, "x").await.unwrap();
        }
        store.set(&namespace, "lease/0".into(), b"x".to_vec(), Some(0)).await.unwrap();
        set(&store, "a", PLENTY, "lease/9", "of another namespace").await.unwrap();
        set(&store, "c", PLENTY, "lease/9", "of another namespace").await.unwrap();
        assert_eq!(list("lease/", None, 9).await, ["lease/1", "lease/2", "lease/3"]);
        assert_eq!(list("", None, 2).await, ["k.*>", "lease"]);
        assert_eq!(list("", Some("lease"), 2).await, ["lease/1", "lease/2"]);
        assert_eq!(list("", Some("lease/2"), 9).await, ["lease/3", "leasf", "l\u{e9}"]);
        assert_eq!(list("lease/", Some("a"), 1).await, ["lease/1"], "before all of them");
        assert!(list("lease/", Some("lease/3"), 9).await.is_empty());
        assert!(list("lease/", Some("z"), 9).await.is_empty());
        store.delete(&namespace, "lease/2".into()).await.unwrap();
        assert_eq!(list("lease/", None, 9).await, ["lease/1", "lease/3"]);
    }
}

#[tokio::test]
async fn a_list_has_the_entries_and_ends_after_a_megabyte() {
    for location in locations() {
        let store = location.open();
        let namespace = of("b", Quota { keys: 100, bytes: 10 << 20 });
        store.join(&namespace);
        for number in 10..30 {
            let value = vec![number; MAX_VALUE];
            store.set(&namespace, format!("k{number}"), value, None).await.unwrap();
        }
        let mut pages = Vec::new();
        let mut after = None;
        loop {
            let listing = Listing { prefix: "k".into(), after: after.clone(), limit: 1000 };
            let page = store.list(&namespace, listing).await.unwrap();
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            for (key, listed) in &page {
                assert_eq!(store.get(&namespace, key.clone()).await.unwrap().as_ref(), Some(listed));
            }
            pages.push(page.len());
        }
        assert_eq!(pages, [16, 4]);
    }
}

#[tokio::test]
async fn keys_are_removed_by_prefix() {
    for location in locations() {
        let store = location.open();
        let namespace = of("b", Quota { keys: 1100, bytes: 100_000 });
        store.join(&namespace);
        for key in ["lease", "lease/1", "lease/2", "leasf"] {
            set(&store, "b", namespace.quota, key, "x").await.unwrap();
        }
        set(&store, "a", PLENTY, "lease/1", "of another namespace").await.unwrap();
        store.set(&namespace, "lease/over".into(), b"x".to_vec(), Some(0)).await.unwrap();
        assert_eq!(store.delete_prefix(&namespace, "lease/".into()).await, Ok(2));
        assert_eq!(store.delete_prefix(&namespace, "lease/".into()).await, Ok(0));
        assert_eq!(names(store.list(&namespace, all("")).await.unwrap()), ["lease", "leasf"]);
        assert_eq!(get(&store, "a", "lease/1").await.as_deref(), Some("of another namespace"));
        for number in 0..1050 {
            set(&store, "b", namespace.quota, &format!("n{number}"), "x").await.unwrap();
        }
        assert_eq!(store.delete_prefix(&namespace, "n".into()).await, Ok(1000), "a page");
        assert_eq!(store.delete_prefix(&namespace, "n".into()).await, Ok(50));
        // What was removed no longer counts.
        for number in 0..1050 {
            set(&store, "b", namespace.quota, &format!("m{number}"), "x").await.unwrap();
        }
    }
}

/// A file of an earlier version, without revisions.
#[tokio::test]
async fn a_key_without_a_revision_can_be_swapped() {
    let folder = TempDir::new().unwrap();
    let entry = entry::Entry { until: 0, value: b"old" }.bytes();
    {
        let database = redb::Database::create(folder.path().join(FILE_NAME)).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(tables::KEYS).unwrap().insert(("a", "k"), &*entry).unwrap();
        transaction.commit().unwrap();
    }
    let store = KvStore::open(&KvLocation::Folder(folder.path().to_owned())).unwrap();
    let namespace = of("a", PLENTY);
    let found = store.get(&namespace, "k".into()).await.unwrap();
    assert_eq!(found, Some(Versioned { value: b"old".to_vec(), revision: 0, expires_unix_ms: None }));
    let swapped = store.swap(&namespace, "k".into(), Some(0), b"new".to_vec(), None).await.unwrap();
    assert_eq!(swapped, Some(1));
    assert_eq!(store.swap(&namespace, "k".into(), Some(0), b"late".to_vec(), None).await, Ok(None));
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| KvStore::open(&KvLocation::Folder(path.to_owned())).unwrap_err().to_string();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = open(&folder.path().join("file/below"));
    assert!(
        error.contains("file/below cannot be created or written") && error.contains("`state:`"),
        "{error}"
    );
    assert!(check_folder(&folder.path().join("file/below")).is_err());
    assert!(check_folder(&folder.path().join("to/be/made")).is_ok());
    assert!(!folder.path().join("to").exists(), "looking changes nothing");
    fs::write(folder.path().join(FILE_NAME), "this is no database").unwrap();
    let error = open(folder.path());
    assert!(error.contains("cannot be opened") && error.contains("move the file away"), "{error}");
}

/// Servers share a bucket: each reads what another wrote, and no increment is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_count_together() {
    let Some(nats) = Nats::start() else { return };
    let servers: Vec<KvStore> = (0..4)
        .map(|_| KvStore::open(&KvLocation::Bucket(nats.bucket())).unwrap())
        .inspect(|store| store.join(&of("a", PLENTY)))
        .collect();
    let namespace = of("a", PLENTY);
    let all =
        servers.iter().flat_map(|store| (0..50).map(|_| store.increment(&namespace, "n".into(), 1, None)));
    let mut seen: Vec<i64> =
        futures_util::future::join_all(all).await.into_iter().map(Result::unwrap).collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=200).collect::<Vec<i64>>());
    set(&servers[0], "a", PLENTY, "word", "of the first").await.unwrap();
    assert_eq!(get(&servers[3], "a", "word").await.as_deref(), Some("of the first"));
    servers[3].delete(&namespace, "word".into()).await.unwrap();
    assert_eq!(get(&servers[0], "a", "word").await, None);
}

/// Forwards connections to `server`, and limits the rate of its answers.
async fn slow_line(server: SocketAddr, bytes_per_tick: usize, tick: Duration) -> SocketAddr {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) =
                tokio::net::TcpStream::connect(server).await.unwrap().into_split();
            tokio::spawn(async move { copy(&mut from_client, &mut to_server).await });
            tokio::spawn(async move {
                let mut part = vec![0; bytes_per_tick];
                let mut ticks = tokio::time::interval(tick);
                while let Ok(count @ 1..) = from_server.read(&mut part).await {
                    ticks.tick().await;
                    if to_client.write_all(&part[..count]).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

/// However long all keys take on a slow line, calls wait for them, and all arrive in the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_keys_come_over_a_slow_line() {
    let Some(nats) = Nats::start() else { return };
    let fast = KvStore::open(&KvLocation::Bucket(nats.bucket())).unwrap();
    let namespace = of("a", Quota { keys: 1000, bytes: 1 << 20 });
    fast.join(&namespace);
    let value = "v".repeat(2_000);
    for key in 0..300 {
        set(&fast, "a", namespace.quota, &format!("k{key}"), &value).await.unwrap();
    }
    let begun = Instant::now();
    let address = slow_line(nats.address, 12_000, Duration::from_millis(100)).await;
    let servers = NatsServers { urls: vec![format!("nats://{address}")], login: NatsLogin::None };
    let bucket = KvBucket { servers, timeout: Duration::from_secs(60), ..nats.bucket() };
    let slow = KvStore::open(&KvLocation::Bucket(bucket)).unwrap();
    slow.join(&namespace);
    assert_eq!(get(&slow, "a", "k7").await.as_deref(), Some(&*value));
    assert!(begun.elapsed() > Duration::from_secs(4), "the line is slow: {:?}", begun.elapsed());
    assert_eq!(slow.state().unwrap().keys, 300);
    assert_eq!(slow.state().unwrap().away_seconds, None);
}

/// An outage costs plugins one time-out; then they get an error or the last known value at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_hangs_costs_one_time_out() {
    let Some(nats) = Nats::start() else { return };
    let bucket = KvBucket { timeout: Duration::from_millis(500), ..nats.bucket() };
    let store = KvStore::open(&KvLocation::Bucket(bucket)).unwrap();
    let fails = of("a", PLENTY);
    let knows = Namespace { when_away: WhenAway::LastKnown, ..fails.clone() };
    store.join(&fails);
    // The server has just begun.
    let set = async |value: &str| {
        let waited = Instant::now();
        while store.set(&fails, "k".into(), value.into(), None).await.is_err() {
            assert!(waited.elapsed() < Duration::from_secs(20), "{:?}", store.state());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    set("known").await;
    let signal = |name: &str| {
        let id = nats.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    };
    signal("-STOP");
    let waited = Instant::now();
    while store.state().unwrap().away_seconds.is_none() {
        let _ = store.get(&fails, "k".into()).await;
        assert!(waited.elapsed() < Duration::from_secs(20), "{:?}", store.state());
    }
    let begun = Instant::now();
    for _ in 0..1000 {
        assert!(matches!(store.get(&fails, "k".into()).await, Err(KvError::Unavailable(_))));
        let known = store.get(&knows, "k".into()).await.unwrap();
        assert_eq!(known.map(|known| known.value).as_deref(), Some(&b"known"[..]));
        assert_eq!(store.list(&knows, all("")).await.map(names), Ok(vec!["k".to_owned()]));
        assert!(matches!(store.list(&fails, all("")).await, Err(KvError::Unavailable(_))));
        let swapped = store.swap(&knows, "k".into(), None, b"new".to_vec(), None).await;
        assert!(matches!(swapped, Err(KvError::Unavailable(_))), "{swapped:?}");
        assert_eq!(store.get(&knows, "none".into()).await, Ok(None));
        let written = store.set(&knows, "k".into(), b"new".to_vec(), None).await;
        assert!(matches!(written, Err(KvError::Unavailable(_))), "{written:?}");
    }
    // Each call would have taken half a second.
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(store.state().unwrap().last_known, 3000);
    signal("-CONT");
    set("new").await;
    let waited = Instant::now();
    let new = loop {
        match store.get(&fails, "k".into()).await {
            Ok(new) => break new,
            Err(error) => assert!(waited.elapsed() < Duration::from_secs(20), "{error:?}"),
        }
    };
    assert_eq!(new.map(|new| new.value).as_deref(), Some(&b"new"[..]));
    assert_eq!(store.state().unwrap().away_seconds, None);
}

/// After a purge, or when a bucket is created again with revisions from 1, servers forget its earlier keys.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_may_be_purged_or_created_again_under_its_servers() {
    let Some(nats) = Nats::start() else { return };
    let store = KvStore::open(&KvLocation::Bucket(nats.bucket())).unwrap();
    let namespace = of("a", Quota { keys: 2, bytes: 10_000 });
    store.join(&namespace);
    let lists = async |expected: &[&str]| {
        let waited = Instant::now();
        while store.list(&namespace, all("")).await.ok().is_none_or(|keys| names(keys) != expected) {
            assert!(waited.elapsed() < Duration::from_secs(20), "{expected:?}: {:?}", store.state());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let fill = async |keys: [&str; 2]| {
        for key in keys {
            store.set(&namespace, key.into(), b"value".to_vec(), None).await.unwrap();
        }
        lists(&keys).await;
    };
    let client = async_nats::connect(nats.address.to_string()).await.unwrap();
    let jetstream = async_nats::jetstream::new(client);
    fill(["one", "two"]).await;
    let stream = jetstream.get_stream("KV_keys").await.unwrap();
    stream.purge().await.unwrap();
    lists(&[]).await;
    // The quota fits two keys: the removed ones no longer count.
    fill(["four", "three"]).await;

    let config = stream.cached_info().config.clone();
    jetstream.delete_stream("KV_keys").await.unwrap();
    jetstream.create_stream(config).await.unwrap();
    lists(&[]).await;
    fill(["five", "six"]).await;
    assert_eq!(get(&store, "a", "one").await, None);
    let counted = store.increment(&namespace, "five".into(), 1, None).await;
    assert!(counted.is_err(), "it is no number: {counted:?}");
}

/// Another program with a login writes into the bucket, before and after a server opens it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_another_program_take_no_more_than_twice_the_quota() {
    let Some(nats) = Nats::start() else { return };
    let namespace = of("a", Quota { keys: 100, bytes: 100_000 });
    let open = || {
        let store = KvStore::open(&KvLocation::Bucket(nats.bucket())).unwrap();
        store.join(&namespace);
        store
    };
    let before = open();
    before.set(&namespace, "k".into(), b"v".to_vec(), None).await.unwrap();
    let client = async_nats::connect(nats.address.to_string()).await.unwrap();
    let bucket = async_nats::jetstream::new(client).get_key_value("keys").await.unwrap();
    let foreign = |value: usize| [vec![0; 8], vec![b'x'; value]].concat();
    for (key, value) in (0..300).map(|key| (format!("a.x{key}"), 1)).chain([
        ("a.large".into(), 90_000),
        ("a.l1".into(), 60_000),
        ("a.l2".into(), 60_000),
        ("a.l3".into(), 60_000),
        (format!("a.{}", "k".repeat(257)), 1),
    ]) {
        bucket.put(key, foreign(value).into()).await.unwrap();
    }
    for store in [before, open()] {
        let waited = Instant::now();
        while store.list(&namespace, all("")).await != Err(KvError::Quota) {
            assert!(waited.elapsed() < Duration::from_secs(20), "{:?}", store.state());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let state = store.state().unwrap();
        assert!(state.keys <= 200 && state.bytes <= 200_000, "{state:?}");
        assert_eq!(store.set(&namespace, "more".into(), b"v".to_vec(), None).await, Err(KvError::Quota));
        // Keys in the bucket can be read, except those that no plugin could have written.
        assert_eq!(get(&store, "a", "x299").await.as_deref(), Some("x"));
        assert_eq!(get(&store, "a", "l3").await.map(|value| value.len()), Some(60_000));
        assert_eq!(get(&store, "a", "large").await, None);
    }
}
