//! Where versions of contents count.

use crate::{builder, get, off, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tuffet::{
    Bytes, Failure, Folder, HookCall, ReadAt, Request, Resolution, Resolve, Root, RootError, Service, Source,
    Version,
};

/// One content, under every name.
#[derive(Clone)]
struct Row {
    version: Version,
    bytes: Arc<[u8]>,
    reads: Arc<AtomicUsize>,
}

impl Row {
    fn new(version: Version, bytes: &[u8]) -> Row {
        Row { version, bytes: bytes.into(), reads: Arc::default() }
    }

    fn source(&self) -> Source {
        Source::ranged(self.bytes.len() as u64, self.version.clone(), self.clone())
    }
}

impl ReadAt for Row {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        self.reads.fetch_add(1, Relaxed);
        let content = &self.bytes[offset as usize..];
        let bytes = Bytes::copy_from_slice(&content[..content.len().min(length)]);
        Box::pin(async move { Ok(bytes) })
    }
}

#[async_trait]
impl Root for Row {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        Ok(self.source())
    }
}

/// Answers with its row below this folder.
struct Below(&'static str, Row);

#[async_trait]
impl Resolve for Below {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        Ok(request.path.starts_with(self.0).then(|| self.1.source()).into())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_versions_of_two_hooks_are_two_contents() {
    let one = || Version::new("1");
    let (first, second) = (Row::new(one(), b"first hook"), Row::new(one(), b"other hook"));
    let root = Row::new(one(), b"third root");
    let (handle, server) = start(
        builder()
            .resolve("first", Below("a/", first))
            .resolve("second", Below("b/", second))
            .root("store", root),
    );
    off(move || {
        for _ in 0..2 {
            assert_eq!(get(server, "a/x").unwrap(), b"first hook");
            assert_eq!(get(server, "b/x").unwrap(), b"other hook");
            assert_eq!(get(server, "c/x").unwrap(), b"third root");
        }
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_counts_with_its_size_and_until_its_root_is_replaced() {
    let row = |bytes: &[u8]| Row::new(Version::new("1"), bytes);
    let (handle, server) = start(builder().root("store", row(b"before")));
    let ask = move |expected: &'static [u8]| off(move || assert_eq!(get(server, "x").unwrap(), expected));
    ask(b"before").await;
    for bytes in [&b"longer than before"[..], b"the same length as", b"x"] {
        handle.replace(Service::new().root("store", row(bytes))).await.unwrap();
        ask(bytes).await;
    }
    handle.drain(Duration::ZERO).await;
}

/// What has one digest is read once, by whichever root or hook.
#[tokio::test(flavor = "multi_thread")]
async fn global_versions_are_shared() {
    let row = Row::new(Version::global("sha256:1"), b"shared");
    let reads = row.reads.clone();
    let with_hook = |row: &Row| Service::new().resolve("hook", Below("a/", row.clone()));
    let (handle, server) =
        start(builder().resolve("hook", Below("a/", row.clone())).root("store", row.clone()));
    off(move || {
        assert_eq!(get(server, "a/x").unwrap(), b"shared");
        assert_eq!(get(server, "b/x").unwrap(), b"shared");
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    handle.replace(with_hook(&row).folder(Folder::new("boot", folder.path()))).await.unwrap();
    off(move || assert_eq!(get(server, "a/y").unwrap(), b"shared")).await;
    assert_eq!(reads.load(Relaxed), 1);
    handle.drain(Duration::ZERO).await;
}
