//! Hooks that are functions, hooks behind pointers, and runtimes that lack something.

use crate::{builder, get, off, put, refused, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tuffet::{
    AcceptUpload, Authorize, Denial, ErrorCode, EventKind, Failure, HookCall, Observe, Operation, Outcome,
    ReceivedUpload, Request, Resolution, Resolve, Root, RootError, Server, Source, UploadVerdict, Verdict,
    accept_upload_fn, authorize_fn, observe_fn, resolve_fn,
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

#[async_trait]
impl Root for Void {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        Ok(Source::bytes(*b"void"))
    }

    async fn create(&self, _: &str) -> Result<Box<dyn tuffet::Sink>, RootError> {
        Ok(Box::new(Nowhere) as Box<dyn tuffet::Sink>)
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

/// Waits for what a program has of some type, in each hook.
struct Waits<F>(F);

impl<F: Fn() -> u8 + Send + Sync + 'static> Waits<F> {
    async fn value(&self) -> u8 {
        tokio::task::yield_now().await;
        (self.0)()
    }
}

#[async_trait]
impl<F: Fn() -> u8 + Send + Sync + 'static> Authorize for Waits<F> {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let value = self.value().await.to_string();
        Ok(if request.path == value { Verdict::deny("that number is secret") } else { Verdict::Abstain })
    }
}

#[async_trait]
impl<F: Fn() -> u8 + Send + Sync + 'static> Resolve for Waits<F> {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        let value = self.value().await;
        Ok((request.operation == Operation::Read).then(|| Source::bytes([value])).into())
    }
}

#[async_trait]
impl<F: Fn() -> u8 + Send + Sync + 'static> AcceptUpload for Waits<F> {
    async fn accept_upload(
        &self,
        _: &Request,
        upload: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        Ok(match upload.size == u64::from(self.value().await) {
            true => UploadVerdict::Accept,
            false => UploadVerdict::Deny(Denial {
                code: ErrorCode::DiskFull,
                message: "another size".into(),
                reason: String::new(),
            }),
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_may_be_async_functions_behind_pointers_of_several_servers() {
    let shared: Arc<dyn Resolve> = Arc::new(Waits(|| 7));
    let server = || {
        let own: Box<dyn Authorize> = Box::new(Waits(|| 8));
        let accept: Box<dyn AcceptUpload> = Box::new(Waits(|| 3));
        let hooks = builder().authorize("own", own).resolve("shared", shared.clone());
        start(hooks.accept_upload("accept", accept).writable_root("nowhere", 1000, Void))
    };
    for (handle, server) in [server(), server()] {
        off(move || {
            assert_eq!(get(server, "any").unwrap(), [7]);
            assert_eq!(get(server, "8"), Err(refused(2, "access denied")));
            put(server, "y", b"123").unwrap();
            assert_eq!(put(server, "y", b"1234"), Err(refused(3, "another size")));
        })
        .await;
        handle.drain(Duration::from_secs(60)).await;
    }
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
