//! The root on a store in memory, and on a real S3 server (`make test SUITE=origins` installs it).

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use embed_s3::Bucket;
use object_store::aws::AmazonS3Builder;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
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
