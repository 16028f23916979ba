//! Beside the server of this workspace, with a port for each transfer and with one port for all.

use super::bytes;
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tuffet::{Folder, Handle, Listener, Server};
use tuffet_client::{Client, ClientError, Interface, Progress, Url};
use tuffet_testing::{Faults, Network};

struct Running {
    handle: Handle,
    address: SocketAddr,
    root: TempDir,
}

impl Running {
    fn start(single_port: bool) -> Running {
        let root = TempDir::new().unwrap();
        let folder = Folder::new("root", root.path()).writable(1 << 30).create(true).overwrite(true);
        let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).single_port(single_port);
        let server = Server::builder().listener(listener).folder(folder).bind().unwrap();
        let handle = server.start().unwrap();
        let address = handle.addresses()[0].1;
        Running { handle, address, root }
    }

    fn url(&self, file: &str) -> Url {
        Url::new(self.address.ip().to_string(), self.address.port(), file)
    }
}

/// Runs a test with a server of each kind.
async fn with_both<F: Future<Output = ()>>(test: impl Fn(&'static Running) -> F) {
    for single_port in [false, true] {
        let running: &'static Running = Box::leak(Box::new(Running::start(single_port)));
        test(running).await;
        running.handle.drain(Duration::ZERO).await;
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const SIZES: [usize; 6] = [0, 1, 1_428, 1_428 * 16, 100_000, 3_000_000];

#[tokio::test(flavor = "multi_thread")]
async fn bytes_files_and_streams_there_and_back() {
    with_both(|server| async move {
        let (client, folder) = (Client::new(), TempDir::new().unwrap());
        for size in SIZES {
            let (content, name) = (bytes(size), format!("it/{size}"));
            std::fs::create_dir_all(server.root.path().join("it")).unwrap();
            let stored = server.root.path().join(&name);
            let local = folder.path().join("local");
            std::fs::write(&local, &content).unwrap();

            let report = client.put(server.url(&name)).bytes(&content).await.unwrap();
            assert_eq!((report.bytes, report.blksize, report.windowsize), (size as u64, 1_428, 16));
            assert!(std::fs::read(&stored).unwrap() == content, "{size}");
            std::fs::remove_file(&stored).unwrap();
            client.put(server.url(&name)).file(&local).await.unwrap();
            assert!(std::fs::read(&stored).unwrap() == content, "{size}");
            std::fs::remove_file(&stored).unwrap();
            client.put(server.url(&name)).reader(&mut &content[..], None).await.unwrap();
            assert!(std::fs::read(&stored).unwrap() == content, "{size}");

            assert!(client.get(server.url(&name)).bytes(3_000_000).await.unwrap() == content, "{size}");
            let got = folder.path().join("got");
            client.get(server.url(&name)).file(&got).await.unwrap();
            assert!(std::fs::read(&got).unwrap() == content, "{size}");
            let mut written = Vec::new();
            let report = client.get(server.url(&name)).writer(&mut written).await.unwrap();
            assert!(written == content && report.bytes == size as u64, "{size}");
            assert_eq!(names(folder.path()), ["got", "local"], "something was left behind");
        }
        client.wait_idle().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_options() {
    with_both(|server| async move {
        let content = bytes(200_000);
        std::fs::write(server.root.path().join("image"), &content).unwrap();
        for (blksize, windowsize, granted) in
            [(None, None, (512, 1)), (Some(8_192), None, (8_192, 1)), (Some(1_024), Some(64), (1_024, 64))]
        {
            let client =
                Client::builder().blksize(blksize).windowsize(windowsize).timeout(2).tsize(false).build();
            let mut got = Vec::new();
            let mut last = Progress::default();
            let get = client.get(server.url("image")).progress(|progress| last = progress);
            let report = get.writer(&mut got).await.unwrap();
            assert!(got == content);
            assert_eq!((report.blksize, report.windowsize), granted);
            assert_eq!((last.bytes, last.total), (200_000, None));
            client.put(server.url("up")).bytes(&content).await.unwrap();
            assert!(std::fs::read(server.root.path().join("up")).unwrap() == content);
        }
        let mut last = Progress::default();
        let get = Client::new().get(server.url("image")).progress(|progress| last = progress);
        get.bytes(1 << 20).await.unwrap();
        assert_eq!((last.bytes, last.total), (200_000, Some(200_000)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text() {
    with_both(|server| async move {
        let client = Client::new();
        let text: Vec<u8> = b"line\r of\ntext\n\r".repeat(3_000);
        let url = Url { mode: tuffet_client::Mode::Netascii, ..server.url("text") };
        let report = client.put(&url).bytes(&text).await.unwrap();
        assert_eq!(report.bytes, 4 * 3_000 + text.len() as u64);
        assert!(std::fs::read(server.root.path().join("text")).unwrap() == text);
        assert!(client.get(&url).bytes(1 << 20).await.unwrap() == text);
        client.put(&url).reader(&mut &text[..], Some(text.len() as u64)).await.unwrap();
        assert!(std::fs::read(server.root.path().join("text")).unwrap() == text);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures() {
    with_both(|server| async move {
        let (client, folder) = (Client::new(), TempDir::new().unwrap());
        let error = client.get(server.url("missing")).bytes(1).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { code: 1, .. }), "{error}");
        let error = client.get(server.url("missing")).file(folder.path().join("x")).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused { code: 1, .. }), "{error}");
        assert!(names(folder.path()).is_empty());
        std::fs::write(server.root.path().join("large"), bytes(5_000)).unwrap();
        let error = client.get(server.url("large")).bytes(4_999).await.unwrap_err();
        assert!(matches!(error, ClientError::TooLarge { limit: 4_999 }), "{error}");
        assert_eq!(client.get(server.url("large")).bytes(5_000).await.unwrap().len(), 5_000);
        let error = client.get(server.url("large")).file("/dev/full").await.unwrap_err();
        assert!(matches!(&error, ClientError::File { .. }), "{error}");
        let error = client.put(server.url("up")).reader(&mut &[7; 10][..], Some(11)).await.unwrap_err();
        assert!(matches!(&error, ClientError::Local(_)), "{error}");
        assert!(!server.root.path().join("up").exists());
        assert!(matches!(client.get("no URL").bytes(1).await, Err(ClientError::Url(_))));
        let nowhere = client.get("tftp://no-such-host.invalid/x").bytes(1).await;
        assert!(matches!(nowhere, Err(ClientError::Host { .. })));
    })
    .await;
}

/// Both directions, in windows and without, over networks that lose, double and reorder.
#[tokio::test(flavor = "multi_thread")]
async fn bad_networks() {
    with_both(|server| async move {
        let content = bytes(150_000);
        std::fs::write(server.root.path().join("image"), &content).unwrap();
        for (seed, windowsize) in [(1, None), (2, Some(4)), (3, Some(16)), (4, Some(64))] {
            let faults = Faults::seeded(seed).lose(0.02).double(0.02).reorder(0.02);
            let network = Network::start(server.address, faults).unwrap();
            let url = |file| Url::new("127.0.0.1", network.address().port(), file);
            let client = Client::builder().windowsize(windowsize).blksize(8_192).build();
            assert!(client.get(url("image")).bytes(1 << 20).await.unwrap() == content, "seed {seed}");
            let name = format!("up{seed}");
            client.put(url(&name)).bytes(&content).await.unwrap();
            assert!(std::fs::read(server.root.path().join(name)).unwrap() == content, "seed {seed}");
            client.wait_idle().await;
        }
    })
    .await;
}

/// A server without groups answers all the same.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_group_it_comes_by_unicast() {
    with_both(|server| async move {
        std::fs::write(server.root.path().join("image"), bytes(50_000)).unwrap();
        let client = Client::builder().multicast(Interface::OfRoute).build();
        let mut got = Vec::new();
        let report = client.get(server.url("image")).writer(&mut got).await.unwrap();
        assert!(report.group.is_none() && got == bytes(50_000));
    })
    .await;
}

/// Many transfers of one client at once, as tasks.
#[tokio::test(flavor = "multi_thread")]
async fn many_at_once() {
    with_both(|server| async move {
        std::fs::write(server.root.path().join("image"), bytes(50_000)).unwrap();
        let client = Client::new();
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let (client, url) = (client.clone(), server.url("image"));
                tokio::spawn(async move { client.get(&url).bytes(1 << 20).await })
            })
            .collect();
        for task in tasks {
            assert!(task.await.unwrap().unwrap() == bytes(50_000));
        }
        client.wait_idle().await;
    })
    .await;
}
