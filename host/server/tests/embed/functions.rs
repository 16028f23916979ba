//! Hooks that are functions, hooks behind pointers, and runtimes that lack something.

use crate::{builder, get, off, put, refused, start};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{
    AcceptUpload, Authorize, EventKind, Observe, Outcome, Resolution, Resolve, Root, RootError, Server,
    Source, UploadVerdict, Verdict, accept_upload_fn, authorize_fn, observe_fn, resolve_fn,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_function_without_a_content_leaves_the_request_to_the_next_hook() {
    let bytes = |text: &'static str| Source::bytes(text.as_bytes());
    let ended = Arc::<Mutex<Vec<Outcome>>>::default();
    let (handle, server) = start({
        let ended = ended.clone();
        builder()
            .authorize(
                "no keys",
                authorize_fn(|request| match request.path.ends_with(".key") {
                    true => Verdict::deny("keys stay here"),
                    false => Verdict::Abstain,
                }),
            )
            .resolve("first", resolve_fn(move |request| (request.path == "a").then(|| bytes("first"))))
            .resolve(
                "second",
                resolve_fn(move |request| {
                    let known = matches!(request.path.as_str(), "a" | "b").then(|| bytes("second"));
                    Resolution::content_or_not_found(known)
                }),
            )
            .resolve("never", resolve_fn(move |_| bytes("never")))
            .observe(
                "ends",
                observe_fn(move |event| {
                    if let EventKind::Finished(summary) = &event.what {
                        ended.lock().push(summary.ending.outcome);
                    }
                }),
            )
    });
    off(move || {
        assert_eq!(get(server, "a").unwrap(), b"first");
        assert_eq!(get(server, "b").unwrap(), b"second");
        assert_eq!(get(server, "c"), Err(refused(1, "file not found")));
        assert_eq!(get(server, "a.key"), Err(refused(2, "access denied")));
        // Content does not make it safe.
        assert_eq!(get(server, "../a").unwrap_err().code(), Some(2));
    })
    .await;
    handle.drain(Duration::from_secs(60)).await;
    let mut ended = std::mem::take(&mut *ended.lock());
    ended.sort_by_key(|outcome| outcome.as_str());
    let expected = [Outcome::Denied, Outcome::Denied, Outcome::NotFound, Outcome::Served, Outcome::Served];
    assert_eq!(ended, expected);
}

/// Takes uploads and forgets them.
struct Nowhere;

impl tuffet::Sink for Nowhere {
    fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, std::io::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn commit<'a>(&'a mut self, to: &'a tuffet::Destination) -> BoxFuture<'a, std::io::Result<String>> {
        Box::pin(async { Ok(to.path.clone()) })
    }
}

struct Void;

impl Root for Void {
    fn open<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Source, RootError>> {
        Box::pin(async { Ok(Source::bytes(*b"void")) })
    }

    fn create<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Box<dyn tuffet::Sink>, RootError>> {
        Box::pin(async { Ok(Box::new(Nowhere) as Box<dyn tuffet::Sink>) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_and_roots_may_be_behind_pointers() {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let note = |what: &'static str| {
        let seen = seen.clone();
        move || seen.lock().push(what.to_owned())
    };
    let (authorized, resolved, accepted, observed) =
        (note("authorize"), note("resolve"), note("accept"), note("observe"));
    let authorize: Box<dyn Authorize> = Box::new(authorize_fn(move |_| {
        authorized();
        Verdict::Abstain
    }));
    let resolve: Arc<dyn Resolve> = Arc::new(resolve_fn(move |_| {
        resolved();
        None::<Source>
    }));
    let accept: Box<dyn AcceptUpload> = Box::new(accept_upload_fn(move |_, _| {
        accepted();
        UploadVerdict::Abstain
    }));
    let observe: Arc<dyn Observe> = Arc::new(observe_fn(move |_| observed()));
    let root: Arc<dyn Root> = Arc::new(Void);
    let (handle, server) = start(
        builder()
            .authorize("a", authorize)
            .resolve("r", resolve)
            .accept_upload("u", accept)
            .observe("o", observe)
            .writable_root("void", 1000, root),
    );
    off(move || {
        assert_eq!(get(server, "x").unwrap(), b"void");
        put(server, "y", b"gone").unwrap();
    })
    .await;
    handle.drain(Duration::from_secs(60)).await;
    let mut seen = std::mem::take(&mut *seen.lock());
    seen.sort();
    assert_eq!(seen, ["accept", "authorize", "authorize", "observe", "observe", "resolve"]);
}

#[test]
fn a_runtime_without_a_timer_is_refused() {
    let bound = || builder().resolve("any", resolve_fn(|_| Source::bytes(*b"x"))).bind().unwrap();
    let why = |server: Server| server.start().err().expect("it cannot start").to_string();
    assert!(why(bound()).contains("tokio runtime"));
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let why = runtime.block_on(async { why(bound()) });
    assert!(why.contains("enable_time"), "{why}");
}
