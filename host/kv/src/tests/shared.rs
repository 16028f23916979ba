//! Two processes of a server use one file.

use super::*;

/// Two processes of a server during a restart; redb's locks belong to the open file, so two stores act like two processes.
#[tokio::test(flavor = "multi_thread")]
async fn two_processes_of_a_server_share_a_file() {
    let folder = TempDir::new().unwrap();
    let location = KvLocation::Folder(folder.path().to_owned());
    let namespace = of("a", PLENTY);
    let old = Arc::new(KvStore::open(&location).unwrap());
    assert_eq!(old.increment(&namespace, "n".into(), 1, None).await, Ok(1));
    let new = Arc::new(KvStore::open_shared(&location).unwrap());
    assert!(matches!(KvStore::open(&location), Err(KvOpenError::InUse(_))), "another server's");
    // The new process waits for the old one.
    let waits = tokio::spawn({
        let (new, namespace) = (Arc::clone(&new), namespace.clone());
        async move { new.increment(&namespace, "n".into(), 1, None).await }
    });
    old.share();
    assert_eq!(waits.await.unwrap(), Ok(2));
    assert!(matches!(KvStore::open(&location), Err(KvOpenError::InUse(_))), "another server's");
    assert!(!new.own() && !old.own(), "the other one lives");

    let mut tasks = Vec::new();
    for store in [&old, &new] {
        for _ in 0..4 {
            let (store, namespace) = (Arc::clone(store), namespace.clone());
            tasks.push(tokio::spawn(async move {
                let (mut sums, mut swapped) = (Vec::new(), 0);
                for _ in 0..25 {
                    sums.push(store.increment(&namespace, "n".into(), 1, None).await.unwrap());
                    // Appends to a list, as a chain of lines does.
                    while {
                        let found = store.get(&namespace, "list".into()).await.unwrap();
                        let revision = found.as_ref().map(|found| found.revision);
                        let mut list = found.map_or_else(Vec::new, |found| found.value);
                        list.push(b'x');
                        let done = store.swap(&namespace, "list".into(), revision, list, None).await.unwrap();
                        done.is_none()
                    } {}
                    swapped += 1;
                }
                (sums, swapped)
            }));
        }
    }
    let (mut sums, mut swapped) = (Vec::new(), 0);
    for task in tasks {
        let (of_task, its) = task.await.unwrap();
        sums.extend(of_task);
        swapped += its;
    }
    sums.sort_unstable();
    assert_eq!(sums, (3..=202).collect::<Vec<i64>>(), "each sum once");
    for store in [&old, &new] {
        let list = store.get(&namespace, "list".into()).await.unwrap().unwrap();
        assert_eq!(list.value.len(), swapped);
    }

    // The quota counts what the other process has written.
    let few = Quota { keys: 4, bytes: 10_000 };
    set(&old, "b", few, "1", "").await.unwrap();
    set(&new, "b", few, "2", "").await.unwrap();
    set(&old, "b", few, "3", "").await.unwrap();
    set(&new, "b", few, "4", "").await.unwrap();
    assert_eq!(set(&old, "b", few, "5", "").await, Err(KvError::Quota));
    new.delete(&of("b", few), "1".into()).await.unwrap();
    set(&old, "b", few, "5", "").await.unwrap();

    close(Arc::into_inner(old).unwrap());
    assert!(new.own());
    assert_eq!(set(&new, "b", few, "6", "").await, Err(KvError::Quota));
    assert_eq!(new.increment(&namespace, "n".into(), 1, None).await, Ok(203));
    assert!(matches!(KvStore::open(&location), Err(KvOpenError::InUse(_))));
}

/// Another program than the predecessor has the file, and keeps it.
#[tokio::test]
async fn a_process_that_waits_for_the_file_gives_up() {
    let folder = TempDir::new().unwrap();
    let location = KvLocation::Folder(folder.path().to_owned());
    let keeps_it = KvStore::open(&location).unwrap();
    let waits = KvStore::open_shared(&location).unwrap();
    let of_a = of("a", PLENTY);
    let got = waits.get(&of_a, "k".into()).await;
    assert!(matches!(&got, Err(KvError::Unavailable(why)) if why.contains("in use")), "{got:?}");
    // Others do not wait as long again.
    let set = waits.set(&of_a, "k".into(), Vec::new(), None).await;
    assert!(matches!(set, Err(KvError::Unavailable(_))), "{set:?}");
    close(keeps_it);
    let end = Instant::now() + Duration::from_secs(20);
    while waits.set(&of_a, "k".into(), Vec::new(), None).await.is_err() {
        assert!(Instant::now() < end);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
