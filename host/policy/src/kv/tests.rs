//! Tests with a real file.
#![allow(clippy::unwrap_used)]

use super::*;

const PLENTY: Quota = Quota { keys: 100, bytes: 10_000 };

fn plugin(name: &str) -> Arc<str> {
    name.into()
}

async fn set(store: &KvStore, of: &str, quota: Quota, key: &str, value: &str) -> Result<(), KvError> {
    store.set(&plugin(of), quota, key.into(), value.into(), None).await
}

async fn get(store: &KvStore, of: &str, key: &str) -> Option<String> {
    let value = store.get(&plugin(of), key.into()).await.unwrap();
    value.map(|value| String::from_utf8(value).unwrap())
}

#[tokio::test]
async fn each_namespace_has_its_own_keys_and_they_outlive_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/on/the/way");
    let store = KvStore::open(&path).unwrap();
    set(&store, "a", PLENTY, "key", "of a").await.unwrap();
    set(&store, "b", PLENTY, "key", "of b").await.unwrap();
    set(&store, "b", PLENTY, "key", "of b again").await.unwrap();
    assert_eq!(get(&store, "a", "key").await.unwrap(), "of a");
    assert_eq!(get(&store, "c", "key").await, None);
    assert!(matches!(KvStore::open(&path), Err(KvOpenError::InUse(_))), "two at once");
    close(store);
    let store = KvStore::open(&path).unwrap();
    assert_eq!(get(&store, "b", "key").await.unwrap(), "of b again");
    store.delete(&plugin("b"), PLENTY, "key".into()).await.unwrap();
    store.delete(&plugin("b"), PLENTY, "key".into()).await.unwrap();
    assert_eq!(get(&store, "b", "key").await, None);
    assert_eq!(get(&store, "a", "key").await.unwrap(), "of a");
}

/// Waits until the writing thread has released the file.
fn close(store: KvStore) {
    let KvStore { database, jobs } = store;
    drop(jobs);
    while Arc::strong_count(&database) > 1 {
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn counters_count_each_increment_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = KvStore::open(folder.path()).unwrap();
    let its = plugin("a");
    let all = (0..200).map(|_| store.increment(&its, PLENTY, "n".into(), 2, None));
    let mut seen: Vec<i64> =
        futures_util::future::join_all(all).await.into_iter().map(Result::unwrap).collect();
    seen.sort_unstable();
    assert_eq!(seen, (1..=200).map(|n| 2 * n).collect::<Vec<i64>>());
    assert_eq!(store.increment(&its, PLENTY, "n".into(), i64::MAX, None).await, Ok(i64::MAX));
    set(&store, "a", PLENTY, "text", "x").await.unwrap();
    let refused = store.increment(&its, PLENTY, "text".into(), 1, None).await;
    assert_eq!(refused, Err(KvError::NotACounter));
}

#[tokio::test]
async fn a_time_that_is_over_makes_room_and_a_counter_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = KvStore::open(folder.path()).unwrap();
    let its = plugin("a");
    let one = Quota { keys: 1, bytes: 100 };
    store.set(&its, one, "over".into(), b"x".to_vec(), Some(0)).await.unwrap();
    assert_eq!(get(&store, "a", "over").await, None);
    set(&store, "a", one, "next", "x").await.unwrap();
    assert_eq!(set(&store, "a", one, "more", "x").await, Err(KvError::Quota));

    assert_eq!(store.increment(&plugin("b"), one, "n".into(), 5, Some(0)).await, Ok(5));
    assert_eq!(store.increment(&plugin("b"), one, "n".into(), 5, Some(3600)).await, Ok(5));
    assert_eq!(store.increment(&plugin("b"), one, "n".into(), 5, Some(0)).await, Ok(10), "not shortened");
    assert_eq!(store.increment(&plugin("b"), one, "n".into(), 5, None).await, Ok(15), "nor prolonged");
}

#[tokio::test]
async fn a_quota_holds_over_restarts_and_what_is_there_may_shrink() {
    let folder = tempfile::tempdir().unwrap();
    let quota = Quota { keys: 2, bytes: 10 };
    let store = KvStore::open(folder.path()).unwrap();
    set(&store, "a", quota, "k1", "123").await.unwrap();
    set(&store, "a", quota, "k2", "123").await.unwrap();
    close(store);
    let store = KvStore::open(folder.path()).unwrap();
    assert_eq!(set(&store, "a", quota, "k3", "").await, Err(KvError::Quota), "keys");
    assert_eq!(set(&store, "a", quota, "k2", "1234").await, Err(KvError::Quota), "bytes");
    set(&store, "a", quota, "k2", "321").await.unwrap();
    set(&store, "a", Quota { keys: 1, bytes: 1 }, "k2", "1").await.unwrap();
    set(&store, "b", quota, "k1", "123").await.unwrap();
    store.delete(&plugin("a"), quota, "k1".into()).await.unwrap();
    set(&store, "a", quota, "k3", "12345").await.unwrap();
    assert_eq!(get(&store, "a", "k2").await.unwrap(), "1");
}

#[test]
fn a_folder_that_cannot_be_written_says_how_to_mend_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = KvStore::open(&folder.path().join("file/below")).unwrap_err().to_string();
    assert!(error.contains("file/below cannot be made or written") && error.contains("`state:`"), "{error}");
    assert!(usable(&folder.path().join("file/below")).is_err());
    assert!(usable(&folder.path().join("to/be/made")).is_ok());
    assert!(!folder.path().join("to").exists(), "looking changes nothing");
    fs::write(folder.path().join(FILE), "this is no database").unwrap();
    let error = KvStore::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("cannot be opened") && error.contains("move the file away"), "{error}");
}
