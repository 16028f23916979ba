//! What is left at the end: the ends of requests reach their observers, and a drain is bounded, whatever hangs.

use crate::{builder, get, is_answered, off, start};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, pending};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tuffet::{
    AcceptUpload, AskError, Authorize, Builder, Capacity, Destination, Event, Failure, Handle, HookCall,
    Limits, Observe, ReceivedUpload, ReplaceError, Request, Root, RootError, ServerEnd, Service, Sink,
    Source, UploadVerdict, Verdict, resolve_fn,
};
use tuffet_testing::Client;

/// More than any drain of these tests may take on a slow machine, and less than what waits for a hanging part takes.
const BOUND: Duration = Duration::from_secs(10);

/// Longer than a test.
const LONG: Duration = Duration::from_secs(3600);

fn serving() -> Builder {
    builder().resolve("content", resolve_fn(|_| Source::bytes(&b"content"[..])))
}

fn room_for(events: usize) -> Capacity {
    Capacity { events, ..Capacity::default() }
}

fn ended(handle: &Handle) -> u64 {
    handle.totals().ended.iter().map(|its| its.count).sum()
}

fn total(end: &ServerEnd) -> usize {
    end.totals.ended.iter().map(|its| its.count as usize).sum()
}

async fn wait_until(what: &str, mut is_it: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_it() {
        assert!(Instant::now() < until, "{what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Counts ends.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Count {
    fn seen(&self) -> usize {
        self.0.load(SeqCst)
    }
}

impl Observe for Count {
    fn observe(&self, _: &Event) {
        self.0.fetch_add(1, SeqCst);
    }
}

/// Counts ends, while its gate is open.
#[derive(Clone, Default)]
struct Gated {
    count: Count,
    open: Arc<(Mutex<bool>, Condvar)>,
}

impl Gated {
    fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

impl Observe for Gated {
    fn observe(&self, event: &Event) {
        let open = self.open.0.lock().unwrap();
        drop(self.open.1.wait_while(open, |open| !*open).unwrap());
        self.count.observe(event);
    }
}

/// Opens the gate at the end of a test, also after a panic: the thread of the observer ends.
struct OpenAtLast(Gated);

impl Drop for OpenAtLast {
    fn drop(&mut self) {
        self.0.open();
    }
}

async fn get_many(server: SocketAddr, clients: usize, each: usize) {
    let clients: Vec<_> = (0..clients)
        .map(|_| {
            off(move || {
                for _ in 0..each {
                    assert_eq!(get(server, "x").unwrap(), b"content");
                }
            })
        })
        .collect();
    futures_util::future::join_all(clients).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_observer_gets_each_end_however_short_its_queue_is() {
    for events in [1, 8] {
        let count = Count::default();
        let (handle, server) = start(serving().observe("count", count.clone()).capacity(room_for(events)));
        get_many(server, 4, 250).await;
        let end = handle.drain(Duration::from_secs(20)).await;
        assert_eq!((count.seen(), end.unobserved_ends), (total(&end), 0), "{events}");
        assert!(total(&end) >= 1000 && end.took < BOUND, "{end:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_wait_for_a_slow_observer_and_no_end_is_lost() {
    let gated = Gated::default();
    let _open = OpenAtLast(gated.clone());
    let (handle, server) = start(serving().observe("gated", gated.clone()).capacity(room_for(8)));
    let getting = tokio::spawn(get_many(server, 1, 300));
    wait_until("eight ends wait", || ended(&handle) >= 8).await;
    let mut tries = 0;
    while off(move || is_answered(server, "y")).await {
        tries += 1;
        assert!(tries < 5, "the queue bounds nothing");
    }
    // Beyond the eight are those that had begun before the server knew of the eighth end.
    assert!(ended(&handle) < 150, "{} ends", ended(&handle));
    assert_eq!(gated.count.seen(), 0);
    gated.open();
    getting.await.unwrap();
    let end = handle.drain(Duration::from_secs(20)).await;
    assert_eq!((gated.count.seen(), end.unobserved_ends), (total(&end), 0));
    assert!(end.took < BOUND, "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_is_for_the_observers_of_its_time() {
    let (before, after) = (Gated::default(), Count::default());
    let _open = OpenAtLast(before.clone());
    let (handle, server) = start(serving().observe("before", before.clone()));
    get_many(server, 1, 5).await;
    wait_until("five have ended", || ended(&handle) == 5).await;
    let next = Service::new().resolve("content", resolve_fn(|_| Source::bytes(&b"content"[..])));
    handle.replace(next.observe("after", after.clone())).await.unwrap();
    get_many(server, 1, 3).await;
    wait_until("three more have ended", || ended(&handle) == 8).await;
    before.open();
    let end = handle.drain(Duration::from_secs(20)).await;
    assert_eq!((before.count.seen(), after.seen(), end.unobserved_ends), (5, 3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_observer_that_hangs_costs_its_own_ends_alone() {
    let (hanging, count) = (Gated::default(), Count::default());
    let _open = OpenAtLast(hanging.clone());
    let (handle, server) =
        start(serving().observe("hanging", hanging.clone()).observe("count", count.clone()));
    get_many(server, 1, 5).await;
    let end = handle.drain(Duration::from_secs(1)).await;
    assert!(end.took < BOUND, "{end:?}");
    assert_eq!((count.seen(), hanging.count.seen(), end.unobserved_ends), (5, 0, 5));
    assert_eq!((end.open_sinks, end.unanswered_calls, end.failure), (0, 0, None));
    hanging.open();
    // The observer had begun with one of them.
    wait_until("the call returns", || hanging.count.seen() == 1).await;
}

/// Where a part of the program hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Authorize,
    /// Instead of a future that waits, a call that does not return.
    Blocking,
    Open,
    Create,
    Accept,
    Write,
    Commit,
    Abort,
}

/// A hook and a root of which one part hangs.
#[derive(Clone)]
struct Hanging {
    at: At,
    /// What was called.
    called: Arc<Mutex<Vec<At>>>,
    /// Whether the call that does not return may return.
    over: Arc<AtomicBool>,
}

impl Hanging {
    fn new(at: At) -> Hanging {
        Hanging { at, called: Arc::default(), over: Arc::default() }
    }

    async fn pass(&self, at: At) {
        self.called.lock().unwrap().push(at);
        while at == At::Blocking && self.at == at && !self.over.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.at == at {
            pending().await
        }
    }

    fn has_called(&self, at: At) -> bool {
        self.called.lock().unwrap().contains(&at)
    }
}

#[async_trait]
impl Authorize for Hanging {
    async fn authorize(&self, _: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        self.pass(At::Blocking).await;
        self.pass(At::Authorize).await;
        Ok(Verdict::Abstain)
    }
}

#[async_trait]
impl AcceptUpload for Hanging {
    async fn accept_upload(
        &self,
        _: &Request,
        _: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        self.pass(At::Accept).await;
        Ok(UploadVerdict::Abstain)
    }
}

#[async_trait]
impl Root for Hanging {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        self.pass(At::Open).await;
        Ok(Source::bytes(&b"content"[..]))
    }

    async fn create(&self, _: &str) -> Result<Box<dyn Sink>, RootError> {
        self.pass(At::Create).await;
        Ok(Box::new(self.clone()) as Box<dyn Sink>)
    }
}

impl Sink for Hanging {
    fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async {
            self.pass(At::Write).await;
            Ok(())
        })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async {
            self.pass(At::Commit).await;
            Ok(to.path.clone())
        })
    }

    fn abort(self: Box<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            if self.at == At::Abort {
                self.pass(At::Abort).await;
            }
            // As a request to a store.
            tokio::time::sleep(Duration::from_millis(20)).await;
            self.pass(At::Abort).await;
            Ok(())
        })
    }
}

/// Starts a server of which a part hangs, with one request that reaches this part; drains it.
async fn drained(at: At) -> (Hanging, ServerEnd) {
    let hanging = Hanging::new(at);
    let limits = Limits { open_time: LONG, ..Limits::default() };
    let built = builder()
        .writable_root("hanging", 1 << 20, hanging.clone())
        .authorize("hanging", hanging.clone())
        .accept_upload("hanging", hanging.clone())
        .time_limit(LONG)
        .limits(limits);
    let (handle, server) = start(built);
    // Without the server, it gives up soon.
    let client = Client::new(server).patience(Duration::from_secs(5));
    let ask: Box<dyn FnOnce() + Send> = match at {
        At::Authorize | At::Blocking | At::Open => Box::new(move || drop(client.get("x"))),
        // Complete blocks, so that the upload goes on when the server ends.
        At::Abort => Box::new(move || begin_upload(server)),
        At::Create | At::Accept | At::Write | At::Commit => {
            Box::new(move || drop(client.put("x", &[0; 700])))
        }
    };
    let asking = tokio::task::spawn_blocking(ask);
    let reached = if at == At::Abort { At::Create } else { at };
    wait_until("the part is called", || hanging.has_called(reached)).await;
    let began = Instant::now();
    let end = handle.drain(Duration::from_secs(1)).await;
    assert!(began.elapsed() < BOUND, "{at:?}: {end:?}");
    assert_eq!((end.unobserved_ends, &end.failure), (0, &None), "{at:?}");
    hanging.over.store(true, SeqCst);
    drop(asking);
    (hanging, end)
}

/// Sends the first block of an upload, and no more.
fn begin_upload(server: SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    socket.send_to(b"\0\x02x\0octet\0", server).unwrap();
    let (_, peer) = socket.recv_from(&mut [0; 600]).unwrap();
    socket.send_to(&[&[0, 3, 0, 1][..], &[0; 512]].concat(), peer).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_leaves_hooks_and_roots_that_hang() {
    for at in [At::Authorize, At::Blocking, At::Open, At::Create, At::Accept] {
        let (hanging, end) = drained(at).await;
        assert_eq!((end.unanswered_calls, end.open_sinks), (1, 0), "{at:?}");
        assert_eq!(hanging.has_called(At::Abort), at == At::Accept, "{at:?}: the sink is aborted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_aborts_sinks_before_it_returns() {
    for at in [At::Write, At::Commit] {
        let (hanging, end) = drained(at).await;
        assert!(hanging.has_called(At::Abort), "{at:?}");
        assert_eq!((end.unanswered_calls, end.open_sinks), (0, 0), "{at:?}");
    }
    let (_, end) = drained(At::Abort).await;
    assert_eq!((end.unanswered_calls, end.open_sinks), (0, 1));
}

/// The last of its clones tells when it is dropped.
#[derive(Clone)]
struct Tells(#[expect(dead_code, reason = "it is dropped")] Arc<Told>);

struct Told(Sender<()>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

impl Observe for Tells {
    fn observe(&self, _: &Event) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_has_ended_says_so_and_keeps_no_hook() {
    let (sender, dropped): (Sender<()>, Receiver<()>) = channel();
    let (handle, server) = start(serving().observe("tells", Tells(Arc::new(Told(sender)))));
    get_many(server, 1, 1).await;
    handle.drain(Duration::from_secs(10)).await;
    let ask = tuffet::Ask::http("test", ([127, 0, 0, 1], 9).into(), b"x");
    assert!(matches!(handle.requests().read(ask).await, Err(AskError::Ended)));
    let next = || Service::new().resolve("content", resolve_fn(|_| None::<Source>));
    assert!(matches!(handle.replace(next()).await, Err(ReplaceError::Ended)));
    assert!(matches!(handle.replacer().replace(next()).await, Err(ReplaceError::Ended)));
    drop(handle);
    off(move || dropped.recv_timeout(Duration::from_secs(20)).unwrap()).await;
}
