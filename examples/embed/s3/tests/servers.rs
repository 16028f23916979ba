//! The root on a store in memory, and on a real S3 server (`make test SUITE=origins` installs it).

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use async_trait::async_trait;
use embed_s3::Bucket;
use futures_util::stream::BoxStream;
use object_store::aws::AmazonS3Builder;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use std::fmt;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tuffet::{Listener, Server};
use tuffet_testing::Client;

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n % 253) as u8).collect()
}

/// Reads, writes, refuses and replaces.
async fn exercise(store: Arc<dyn ObjectStore>) {
    let large = content(6 << 20);
    store.put(&Path::from("boot/image"), large.clone().into()).await.unwrap();
    let server = Server::builder()
        .listener(Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))))
        .writable_root("bucket", 64 << 20, Bucket(Arc::clone(&store)))
        .bind()
        .unwrap();
    let handle = server.start().unwrap();
    let client = Client::new(handle.addresses()[0].1).blksize(8192);
    let sent = content(11 << 20);
    let expected = sent.clone();
    tokio::task::spawn_blocking(move || {
        assert!(client.get("boot/image").unwrap() == large, "the bytes differ");
        assert_eq!(client.get("boot/none").unwrap_err().code(), Some(1));
        client.put("new", &sent).unwrap();
        assert!(client.get("new").unwrap() == sent, "the bytes differ");
        client.put("new", b"replaced").unwrap();
        assert_eq!(client.get("new").unwrap(), b"replaced");
        assert_eq!(client.put("large", &content(65 << 20)).unwrap_err().code(), Some(3));
        client.put("again", &sent).unwrap();
    })
    .await
    .unwrap();
    let stored = store.get(&Path::from("again")).await.unwrap().bytes().await.unwrap();
    assert!(stored == expected, "the bytes differ");
    assert!(store.head(&Path::from("large")).await.is_err(), "an upload that ended early is not visible");
    handle.drain(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_in_memory() {
    exercise(Arc::new(InMemory::new())).await;
}

/// A store in memory that counts multipart uploads which were begun, and those which were aborted.
#[derive(Debug, Clone, Default)]
struct Counting {
    store: Arc<InMemory>,
    begun: Arc<AtomicUsize>,
    aborted: Arc<AtomicUsize>,
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.store.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.begun.fetch_add(1, SeqCst);
        let upload = self.store.put_multipart_opts(path, options).await?;
        Ok(Box::new(CountingUpload { upload, aborted: Arc::clone(&self.aborted) }))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.store.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.store.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

#[derive(Debug)]
struct CountingUpload {
    upload: Box<dyn MultipartUpload>,
    aborted: Arc<AtomicUsize>,
}

#[async_trait]
impl MultipartUpload for CountingUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        self.upload.put_part(data)
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.upload.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        // As a request to a server.
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.upload.abort().await?;
        self.aborted.fetch_add(1, SeqCst);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_the_end_of_the_server_cuts_off_is_aborted() {
    let store = Counting::default();
    let server = Server::builder()
        .listener(Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))))
        .writable_root("bucket", 1 << 30, Bucket(Arc::new(store.clone())))
        .bind()
        .unwrap();
    let handle = server.start().unwrap();
    let client = Client::new(handle.addresses()[0].1);
    let uploading = tokio::task::spawn_blocking(move || client.put("new", &content(64 << 20)));
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.begun.load(SeqCst) == 0 {
        assert!(Instant::now() < deadline, "the upload does not begin");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let end = handle.drain(Duration::ZERO).await;
    assert_eq!((store.aborted.load(SeqCst), end.open_sinks), (1, 0));
    assert!(uploading.await.unwrap().is_err());
    assert!(store.store.head(&Path::from("new")).await.is_err(), "nothing is visible");
}

/// A process that is killed at the end.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = Command::new("versitygw");
    command.args([
        "--access",
        "key",
        "--secret",
        "secret",
        "--port",
        &address.to_string(),
        "--quiet",
        "posix",
    ]);
    command.arg(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(child) = command.spawn() else {
        eprintln!("skipped: no versitygw; `make test SUITE=origins` installs it");
        return;
    };
    let _server = Killed(child);
    let deadline = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(address).is_err() {
        assert!(Instant::now() < deadline, "it does not listen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let store = AmazonS3Builder::new()
        .with_endpoint(format!("http://{address}"))
        .with_allow_http(true)
        .with_region("us-east-1")
        .with_bucket_name("bucket")
        .with_access_key_id("key")
        .with_secret_access_key("secret")
        .build()
        .unwrap();
    exercise(Arc::new(store)).await;
}
