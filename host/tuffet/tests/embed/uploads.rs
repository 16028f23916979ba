//! Uploads that the program takes.

use crate::{builder, get, off, put, refused, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tuffet::{
    AcceptUpload, Authorize, Destination, Failure, HookCall, ReceivedUpload, Request, Resolution, Resolve,
    Root, RootError, SessionProfile, SessionValues, Sink, Source, UploadVerdict, Verdict,
};
use tuffet_testing::Client;

/// Files in memory, and the number of aborted uploads.
#[derive(Clone, Default)]
struct Memory {
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    aborted: Arc<Mutex<u32>>,
}

struct Upload {
    to: Memory,
    bytes: Vec<u8>,
    fails: bool,
}

#[async_trait]
impl Root for Memory {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        let file = self.files.lock().unwrap().get(path).cloned();
        file.map(Source::bytes).ok_or(RootError::NotFound)
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, RootError> {
        if path == "taken" {
            return Err(RootError::Exists);
        }
        let (to, fails) = (self.clone(), path == "failing");
        Ok(Box::new(Upload { to, bytes: Vec::new(), fails }) as Box<dyn Sink>)
    }
}

impl Sink for Upload {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            if self.fails {
                return Err(io::Error::other("no room"));
            }
            self.bytes.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            assert_ne!(to.path, "broken", "on purpose");
            if to.path == "uncertain" {
                return Err(io::Error::other("no answer"));
            }
            let bytes = std::mem::take(&mut self.bytes);
            self.to.files.lock().unwrap().insert(to.path.clone(), bytes);
            Ok(to.path.clone())
        })
    }

    fn abort(self: Box<Self>) -> BoxFuture<'static, io::Result<()>> {
        Box::pin(async move {
            // As a request to a store.
            tokio::time::sleep(Duration::from_millis(20)).await;
            *self.to.aborted.lock().unwrap() += 1;
            Ok(())
        })
    }
}

struct Gate;

#[async_trait]
impl AcceptUpload for Gate {
    async fn accept_upload(
        &self,
        request: &Request,
        upload: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        assert_eq!(request.path, upload.path);
        Ok(match &*request.path {
            "refused" => UploadVerdict::Deny(tuffet::Denial {
                code: tuffet::ErrorCode::AccessViolation,
                message: "no".into(),
                reason: format!("{} bytes", upload.size),
            }),
            "renamed" => UploadVerdict::Rename(Destination { path: "elsewhere".into(), next_free: false }),
            _ => UploadVerdict::Abstain,
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_committed_when_it_is_whole_and_accepted() {
    let memory = Memory::default();
    let (handle, server) =
        start(builder().writable_root("memory", 100_000, memory.clone()).accept_upload("gate", Gate));
    let bytes: Vec<u8> = (0..70_000_u32).map(|n| n as u8).collect();
    let sent = bytes.clone();
    off(move || {
        put(server, "a", &sent).unwrap();
        // The last block was acknowledged after the commit.
        assert_eq!(get(server, "a").unwrap(), sent);
        put(server, "renamed", b"r").unwrap();
        assert_eq!(put(server, "refused", b"x"), Err(refused(2, "no")));
        assert_eq!(put(server, "taken", b"x").unwrap_err().code(), Some(6));
        assert_eq!(put(server, "failing", &sent).unwrap_err().code(), Some(0));
        assert_eq!(put(server, "large", &vec![0; 100_001]).unwrap_err().code(), Some(3));
        assert_eq!(put(server, "uncertain", b"x").unwrap_err().code(), Some(0));
        assert_eq!(put(server, "broken", b"x").unwrap_err().code(), Some(0));
    })
    .await;
    // Every sink is committed or aborted when the server has ended.
    assert_eq!(handle.drain(Duration::from_secs(10)).await.open_sinks, 0);
    let files = memory.files.lock().unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["a", "elsewhere"]);
    assert_eq!(files["a"], bytes);
    assert_eq!(*memory.aborted.lock().unwrap(), 5, "refused, failing, large, uncertain, broken");
}

/// A sink that hangs holds up its own transfer alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_sink_that_hangs_concerns_its_own_transfer() {
    struct Hanging;
    impl Sink for Hanging {
        fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
            Box::pin(std::future::pending())
        }

        fn commit<'a>(&'a mut self, _: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
            Box::pin(std::future::pending())
        }
    }
    struct Both;
    #[async_trait]
    impl Root for Both {
        async fn open(&self, _: &str) -> Result<Source, RootError> {
            Ok(Source::bytes(&b"good"[..]))
        }

        async fn create(&self, _: &str) -> Result<Box<dyn Sink>, RootError> {
            Ok(Box::new(Hanging) as Box<dyn Sink>)
        }
    }
    let patient = tuffet::Retransmit { give_up: Duration::from_secs(4), ..Default::default() };
    let (handle, server) = start(builder().writable_root("both", 1 << 20, Both).retransmit(patient));
    let uploads: Vec<_> = (0..50)
        .map(|n| tokio::task::spawn_blocking(move || put(server, &format!("{n}"), &[7; 900_000])))
        .collect();
    off(move || {
        for _ in 0..20 {
            assert_eq!(get(server, "any").unwrap(), b"good");
        }
    })
    .await;
    for upload in uploads {
        assert_eq!(upload.await.unwrap().unwrap_err().code(), Some(0));
    }
    handle.drain(Duration::ZERO).await;
}

/// Takes everything; counts the sinks that it made, and those that were dropped outside a runtime.
#[derive(Clone, Default)]
struct Watched {
    made: Arc<Mutex<Vec<String>>>,
    dropped_outside: Arc<Mutex<u32>>,
}

struct WatchedSink(Watched, String);

#[async_trait]
impl Root for Watched {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        Ok(Source::bytes(path.as_bytes()))
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, RootError> {
        self.made.lock().unwrap().push(path.to_owned());
        Ok(Box::new(WatchedSink(self.clone(), path.to_owned())) as Box<dyn Sink>)
    }
}

impl Sink for WatchedSink {
    fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async { Ok(to.path.clone()) })
    }
}

impl Drop for WatchedSink {
    fn drop(&mut self) {
        if tokio::runtime::Handle::try_current().is_err() {
            *self.0.dropped_outside.lock().unwrap() += 1;
        }
        assert_ne!(self.1, "slow and broken", "on purpose");
    }
}

/// Requires a window that lockstep clients do not have, so that uploads are refused after their sink was made.
struct Fast;

#[async_trait]
impl Authorize for Fast {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let floors =
            SessionValues { windowsize: request.path.starts_with("slow").then_some(8), ..Default::default() };
        Ok(Verdict::Allow(SessionProfile { floors, ..SessionProfile::default() }))
    }
}

/// Names files of a root, and new names of uploads, as careless programs do.
#[derive(Clone, Default)]
struct Careless {
    asked: Arc<Mutex<u32>>,
}

#[async_trait]
impl Resolve for Careless {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        Ok(match &*request.path {
            "above" => Resolution::file("watched", "../etc/passwd"),
            "absolute" => Resolution::file("watched", "/etc/passwd"),
            "untidy" => Resolution::file("watched", ".//a//./b"),
            "read-only" => Resolution::file("other", "file"),
            _ => Resolution::Abstain,
        })
    }
}

#[async_trait]
impl AcceptUpload for Careless {
    async fn accept_upload(
        &self,
        request: &Request,
        _: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        Ok(match &*request.path {
            "fails" => {
                *self.asked.lock().unwrap() += 1;
                panic!("on purpose")
            }
            "renamed" => UploadVerdict::Rename(Destination { path: "../renamed".into(), next_free: false }),
            _ => UploadVerdict::Abstain,
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_gets_only_paths_below_it_and_uploads_within_its_rules() {
    let (watched, careless) = (Watched::default(), Careless::default());
    let other = Watched::default();
    let built = builder()
        .writable_root("watched", 1000, watched.clone())
        .root("other", other.clone())
        .authorize("fast", Fast)
        .resolve("careless", careless.clone())
        .accept_upload("careless", careless.clone());
    let (handle, server) = start(built);
    off(move || {
        for name in ["above", "absolute"] {
            assert_eq!(get(server, name).unwrap_err().code(), Some(2), "{name}");
            assert_eq!(put(server, name, b"x").unwrap_err().code(), Some(2), "{name}");
        }
        assert_eq!(get(server, "untidy").unwrap(), b"a/b");
        put(server, "untidy", b"x").unwrap();
        assert_eq!(put(server, "read-only", b"x").unwrap_err().code(), Some(2));
        assert_eq!(
            Client::new(server).option("tsize", 1001).put("announced", &[0; 1001]).unwrap_err().code(),
            Some(3)
        );
        assert_eq!(put(server, "renamed", b"x").unwrap_err().code(), Some(2));
        assert_eq!(put(server, "slow", b"x").unwrap_err().code(), Some(8));
        // The sink panics when it is aborted, which concerns nobody.
        assert_eq!(put(server, "slow and broken", b"x").unwrap_err().code(), Some(8));
        // Asked once: the client has sent everything, and learns that it was in vain.
        assert_eq!(put(server, "fails", b"x"), Err(refused(0, "policy failure")));
    })
    .await;
    handle.drain(Duration::from_secs(10)).await;
    assert_eq!(*watched.made.lock().unwrap(), ["a/b", "renamed", "slow", "slow and broken", "fails"]);
    assert!(other.made.lock().unwrap().is_empty());
    assert_eq!(*careless.asked.lock().unwrap(), 1);
    assert_eq!(*watched.dropped_outside.lock().unwrap(), 0);
}
