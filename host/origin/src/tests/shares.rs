//! What one client, or one name, may cost the others.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tuffet_request::ClientKey;
use tuffet_store::{Origin, Reach, RemoteFile, StoreError, Waited};

use super::server::{Server, Then, begin, respond};
use super::world::{LONG, MIB, World, content, error, get, read};
use crate::BreakerState;

fn client(number: u8) -> ClientKey {
    ClientKey::of(&([192, 0, 2, number], 2000).into(), 64)
}

#[test]
fn a_name_that_fails_shuts_no_other() {
    let world = World::new();
    let bad = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&bad);
    world.server.put("good", b"good".to_vec());
    world.server.trick(move |request, stream, _| match &*request.target {
        "/files/bad" => {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = respond(stream, 500, &[], b"", false);
            Then::Next
        }
        _ => Then::Serve,
    });
    let remote = world.remote();
    for _ in 0..50 {
        let error = error(&remote, "bad").to_string();
        assert!(error.contains("status 500"), "{error}");
    }
    assert_eq!(remote.state().breaker, BreakerState::Closed);
    assert!(remote.state().away.is_none(), "it answers");
    assert_eq!(get(&remote, "good").as_deref(), Ok(&b"good"[..]));
    // It rests for at least half a second after four attempts. On a machine that takes longer, it was asked again.
    assert!(bad.load(Ordering::SeqCst) < 50, "{bad:?}");
}

#[test]
fn a_name_that_hangs_shuts_no_other() {
    let world = World::with(|spec| spec.timeout = Duration::from_secs(1));
    world.server.put("good", b"good".to_vec());
    world.server.trick(|request, _, _| match &*request.target {
        "/files/bad" => {
            thread::sleep(LONG);
            Then::Close
        }
        _ => Then::Serve,
    });
    let remote = world.remote();
    for _ in 0..20 {
        let error = error(&remote, "bad").to_string();
        assert!(error.contains("no answer within 1s"), "{error}");
    }
    assert_eq!(remote.state().breaker, BreakerState::Closed);
    assert_eq!(get(&remote, "good").as_deref(), Ok(&b"good"[..]));
    assert!(remote.state().away.is_none(), "it answers");
}

#[test]
fn the_cache_answers_without_the_origin() {
    let world = World::new();
    let bytes = content(100_000, 1);
    world.server.put("file", bytes.clone());
    let remote = world.remote();
    assert_eq!(get(&remote, "file").as_deref(), Ok(&*bytes));
    error(&remote, "none");
    world.server.trick(|_, _, _| Then::Close);
    let asked = world.server.requests().len();
    let open = |path| remote.open(path, client(1), Reach::Cache);
    assert_eq!(read(&open("file").expect("an answer").expect("the file")).as_deref(), Ok(&*bytes));
    assert!(matches!(open("none"), Err(StoreError::NotFound)), "also that there is none");
    assert!(matches!(open("unknown"), Ok(None)));
    assert!(matches!(remote.look_up("file", Reach::Cache), Ok(Some(meta)) if meta.size == 100_000));
    assert!(matches!(remote.look_up("unknown", Reach::StaleCache), Ok(None)));
    assert_eq!(world.server.requests().len(), asked, "no request was made");
}

#[test]
fn where_look_ups_stand_in_line_a_file_is_served_and_validated_beside() {
    let world = World::with(|spec| spec.cache.revalidate = Duration::ZERO);
    world.server.put("file", b"old".to_vec());
    let remote = world.remote();
    assert_eq!(get(&remote, "file").as_deref(), Ok(&b"old"[..]));
    assert!(matches!(remote.open("file", client(1), Reach::Cache), Ok(None)), "it has to be validated");
    world.server.put("file", b"new".to_vec());
    let mut seen = Vec::new();
    while seen != b"new" {
        let stale = remote.open("file", client(1), Reach::StaleCache).expect("an answer");
        // It is not whole yet while the newer one arrives.
        seen = stale.map_or(seen, |file| read(&file).expect("its bytes"));
        thread::yield_now();
    }
    assert!(remote.state().counts.stale > 0);
}

/// One client asks for as many slow files as there are permits, and for one that another client wants.
#[test]
fn slow_downloads_of_one_client_leave_permits_to_others() {
    let world = World::new();
    let bytes = content(200_000, 3);
    world.server.put("wanted", bytes.clone());
    world.server.trick(|request, stream, server| {
        if request.target.contains("slow") {
            let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], MIB);
            let _ = stream.write_all(&[0; 1000]);
            while server.page("/files/go-on").is_none() {
                thread::sleep(Duration::from_millis(20));
            }
            return Then::Close;
        }
        Then::Serve
    });
    let remote = world.remote();
    let open = |path: &str, number| remote.open(path, client(number), Reach::Origin);
    let slow: Vec<_> = (0..20).map(|number| open(&format!("slow-{number}"), 1).expect("an answer")).collect();
    let by_the_first = open("wanted", 1).expect("an answer").expect("the file");
    let by_another = open("wanted", 2).expect("an answer").expect("the file");
    thread::scope(|scope| {
        let first = scope.spawn(|| read(&by_the_first));
        assert_eq!(read(&by_another).as_deref(), Ok(&*bytes), "it waits for no turn of the first");
        assert_eq!(first.join().unwrap().as_deref(), Ok(&*bytes), "which has it now, too");
    });
    world.server.put("go-on", Vec::new());
    drop(slow);
}

#[test]
fn a_download_that_drips_ends() {
    let world = World::with(|spec| spec.timeout = Duration::from_millis(400));
    world.server.trick(|_, stream, _| {
        let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], MIB);
        while stream.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        Then::Close
    });
    // A busy machine may not even drip in time.
    let mut errors = (0..10).map(|name| get(&world.remote(), &name.to_string()).expect_err("it drips"));
    assert!(errors.any(|error| error.contains("less than 1024 bytes a second")));
}

#[test]
fn a_download_without_readers_ends() {
    let world = World::with(|spec| spec.timeout = Duration::from_secs(1));
    let (ended, has_ended) = mpsc::channel();
    let ended = Mutex::new(ended);
    world.server.trick(move |request, stream, _| {
        if request.header("range").is_some() {
            return Then::Serve;
        }
        let _ = begin(stream, 200, &[("ETag", "\"1\"".into())], 15 * MIB);
        // Faster than the least rate by far.
        while stream.write_all(&[7; 4096]).is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = ended.lock().unwrap().send(());
        Then::Close
    });
    let remote = world.remote();
    let file = remote.get("file").expect("the file");
    let arrival = file.arrival.as_ref().expect("it arrives");
    assert_eq!(arrival.wait(0, 100_000, LONG).expect("its beginning"), Waited::Arrived);
    assert!(has_ended.try_recv().is_err(), "it is read");
    drop(file);
    has_ended.recv_timeout(LONG).expect("the connection is closed");
    assert!(remote.state().away.is_none());
}

/// A part that the origin refuses, while another reader waits for one behind it.
#[test]
fn a_part_that_keeps_failing_ends_its_own_readers_alone() {
    const PART: u64 = 4 * MIB as u64;
    let world = World::with(|spec| spec.cache.whole = MIB as u64);
    let bytes = content(16 * MIB, 5);
    world.server.put("image", bytes.clone());
    let (come, has_come) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    let gates = Mutex::new((come, may_go));
    world.server.trick(move |request, stream, _| match request.header("range") {
        Some(range) if range.starts_with(&format!("bytes={PART}-")) => {
            let _ = respond(stream, 500, &[], b"", false);
            Then::Next
        }
        Some(range) if range.starts_with(&format!("bytes={}-", 3 * PART)) => {
            let gates = gates.lock().unwrap();
            let _ = gates.0.send(());
            let _ = gates.1.recv_timeout(LONG);
            Then::Serve
        }
        _ => Then::Serve,
    });
    let remote = world.remote();
    let open = |number| remote.open("image", client(number), Reach::Origin).expect("the file").expect("it");
    let (failing, healthy) = (open(1), open(2));
    let wait = |file: &RemoteFile, at| file.arrival.as_ref().expect("it arrives").wait(at, 1000, LONG);
    thread::scope(|scope| {
        let last = scope.spawn(|| wait(&healthy, 3 * PART));
        has_come.recv_timeout(LONG).expect("it is asked for");
        let error = wait(&failing, PART).expect_err("it keeps failing").to_string();
        assert!(error.contains("status 500"), "{error}");
        assert!(!last.is_finished(), "its part has not failed");
        go.send(()).expect("the server waits");
        assert_eq!(last.join().unwrap().expect("its part"), Waited::Arrived);
    });
    let mut piece = [0; 1000];
    healthy.file.read_exact_at(&mut piece, 3 * PART).expect("its bytes");
    assert_eq!(piece, bytes[3 * PART as usize..][..1000]);
    assert_eq!(remote.state().breaker, BreakerState::Closed);
}

/// The breaker does not gate parts: each is asked for once while it is open, and gives its place back.
#[test]
fn parts_of_running_transfers_hold_no_permits_of_a_dead_origin() {
    const PART: u64 = 4 * MIB as u64;
    let world = World::with(|spec| {
        spec.cache.whole = MIB as u64;
        spec.timeout = Duration::from_secs(1);
    });
    world.server.put("image", content(40 * MIB, 6));
    let remote = world.remote();
    let file = remote.get("image").expect("the file");
    let arrival = file.arrival.as_ref().expect("it arrives");
    assert_eq!(arrival.wait(0, PART, LONG).expect("the first part"), Waited::Arrived);
    // It takes connections, and says nothing.
    world.server.trick(|_, _, _| {
        thread::sleep(LONG);
        Then::Close
    });
    let deadline = Instant::now() + LONG;
    let other = AtomicU64::new(0);
    let opens_it = || {
        while remote.state().breaker == BreakerState::Closed {
            assert!(Instant::now() < deadline, "it stays closed");
            error(&remote, &format!("other-{}", other.fetch_add(1, Ordering::Relaxed)));
        }
    };
    thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(opens_it))));
    let before = remote.state().counts.fetches;
    let failed = arrival.wait(5 * PART, 1000, LONG).expect_err("the origin is dead").to_string();
    assert!(failed.contains("no answer within 1s"), "{failed}");
    while remote.state().running > 0 || remote.permits_held() > 0 {
        assert!(Instant::now() < deadline, "{} permits are held", remote.permits_held());
        thread::sleep(Duration::from_millis(5));
    }
    // The part, and the one behind it.
    let asked = remote.state().counts.fetches - before;
    assert!((1..=2).contains(&asked), "it was asked {asked} times");
}

/// Each name leads to another server, which is away.
#[test]
fn redirects_to_a_dead_server_shut_nothing_else() {
    let mut world = World::new();
    let dead = Server::start();
    dead.stop();
    world.spec.redirect_hosts = vec![dead.address.to_string().parse().expect("a host")];
    world.server.put("good", b"good".to_vec());
    let to = dead.url();
    world.server.trick(move |request, stream, _| match request.target.strip_prefix("/files/moved") {
        Some(name) => {
            let _ = respond(stream, 302, &[("Location", format!("{to}/{name}"))], b"", false);
            Then::Next
        }
        None => Then::Serve,
    });
    let remote = world.remote();
    thread::scope(|scope| {
        for number in 0..10 {
            let remote = &remote;
            scope.spawn(move || {
                let error = error(remote, &format!("moved-{number}")).to_string();
                assert!(error.contains("redirects to"), "{error}");
            });
        }
    });
    assert_eq!(remote.state().breaker, BreakerState::Closed);
    assert!(remote.state().away.is_none(), "it answers");
    assert_eq!(get(&remote, "good").as_deref(), Ok(&b"good"[..]));
}
