//! A root of the program that takes uploads.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tuffet::{Builder, Destination, Outcome, Root, RootError, Server, Sink, Source};
use tuffet_testing::ClientError;
use tuffet_testing::virtual_time::{Options, Path, World};

/// Contents by name, in the order of their commits.
type Contents = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// Keeps uploads in memory.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    contents: Contents,
    dropped: Arc<AtomicUsize>,
    /// The write that fails.
    fails_at: Option<usize>,
}

struct MemorySink {
    root: Memory,
    bytes: Vec<u8>,
    writes: usize,
}

impl Memory {
    pub(crate) fn stored(&self) -> Vec<(String, Vec<u8>)> {
        self.contents.lock().clone()
    }
}

#[async_trait]
impl Root for Memory {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        Err(RootError::NotFound)
    }

    async fn create(&self, _: &str) -> Result<Box<dyn Sink>, RootError> {
        let sink = MemorySink { root: self.clone(), bytes: Vec::new(), writes: 0 };
        Ok(Box::new(sink) as Box<dyn Sink>)
    }
}

impl Sink for MemorySink {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.writes += 1;
            if self.root.fails_at == Some(self.writes) {
                return Err(io::Error::other("the bucket is gone"));
            }
            // Another task runs first, as with a real store.
            tokio::task::yield_now().await;
            self.bytes.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            let bytes = std::mem::take(&mut self.bytes);
            self.root.contents.lock().push((to.path.clone(), bytes));
            Ok(to.path.clone())
        })
    }
}

impl Drop for MemorySink {
    fn drop(&mut self) {
        self.root.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn writable(memory: &Memory) -> Builder {
    Server::builder().writable_root("disk", 1 << 30, memory.clone())
}

#[test]
fn a_sink_that_fails_is_dropped_once_and_never_committed() {
    for seed in 0..20 {
        let memory = Memory { fails_at: Some(3), ..Memory::default() };
        let path = Path { loss: 0.05, duplicate: 0.05, ..Path::default() };
        let mut world = World::new(writable(&memory), path, seed).unwrap();
        let error = world.put("upload", crate::image(400_000), Options::windows(1428, 8)).unwrap_err();
        // The second one if that ERROR was lost.
        assert!(matches!(error, ClientError::Refused { code: 0 | 5, .. }), "seed {seed}: {error:?}");
        assert_eq!(world.last().unwrap().outcome, Some(Outcome::Failed), "seed {seed}");
        world.settle();
        assert_eq!(memory.stored(), [], "seed {seed}");
        assert_eq!(memory.dropped.load(Ordering::SeqCst), world.summaries().len(), "seed {seed}");
    }
}

#[test]
fn a_client_that_falls_silent_commits_nothing() {
    let memory = Memory::default();
    let mut blocks = 0;
    let fate = move |_, datagram: &[u8]| {
        blocks += usize::from(datagram.starts_with(&[0, 3]));
        let bytes = datagram.to_vec();
        if blocks > 20 { Vec::new() } else { vec![tuffet_testing::Delivery { bytes, ..Default::default() }] }
    };
    let mut world = World::over(writable(&memory), fate).unwrap();
    let error = world.put("upload", crate::image(100_000), Options::default()).unwrap_err();
    assert_eq!(error, ClientError::NoAnswer);
    world.settle();
    assert_eq!(world.last().unwrap().outcome, Some(Outcome::TimedOut));
    assert_eq!((memory.stored().len(), memory.dropped.load(Ordering::SeqCst)), (0, 1));
}

#[test]
fn a_folder_is_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let content = crate::image(300_000);
    std::fs::write(folder.path().join("boot"), &content).unwrap();
    // A repeated request may arrive after the first blocks.
    for seed in 0..300 {
        let its = || tuffet::Folder::new("folder", folder.path()).writable(1 << 20).overwrite(true);
        let path = Path { loss: 0.05, reorder: 0.05, ..Path::default() };
        let mut world = World::new(Server::builder().folder(its()), path, seed).unwrap();
        assert!(world.get("boot", Options::windows(1428, 8)).unwrap().bytes == *content, "seed {seed}");
        let mut world = World::new(Server::builder().folder(its()), path, seed).unwrap();
        world.put("new", content[..90_000].to_vec(), Options::windows(1428, 8)).unwrap();
        assert!(std::fs::read(folder.path().join("new")).unwrap() == content[..90_000], "seed {seed}");
    }
}
