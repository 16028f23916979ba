//! Contents of the program that fail or hang.

use crate::{image, ms};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::io;
use std::sync::Arc;
use tuffet::{Builder, Bytes, Outcome, ReadAt, Root, RootError, Server, Source, Version};
use tuffet_testing::ClientError;
use tuffet_testing::virtual_time::{Options, Path, World};

/// Bytes that can be read up to here.
#[derive(Clone)]
struct Broken {
    content: Arc<[u8]>,
    until: u64,
    /// Whether reads beyond hang rather than fail.
    hangs: bool,
}

impl ReadAt for Broken {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            if offset >= self.until {
                if self.hangs {
                    std::future::pending::<()>().await;
                }
                return Err(io::Error::other("the bucket is gone"));
            }
            let rest = &self.content[offset as usize..self.until as usize];
            Ok(Bytes::copy_from_slice(&rest[..length.min(rest.len())]))
        })
    }
}

struct BrokenRoot(Broken);

#[async_trait]
impl Root for BrokenRoot {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        match path {
            "image" => {
                let size = self.0.content.len() as u64;
                Ok(Source::ranged(size, Version::new("1"), self.0.clone()))
            }
            _ => Err(RootError::Io(io::Error::other("the bucket is gone"))),
        }
    }
}

fn broken(until: u64, hangs: bool) -> Builder {
    // Nothing is kept in memory: each transfer reads for itself.
    let limits = tuffet::Limits { cache: 0, ..Default::default() };
    let content = image(2 << 20);
    Server::builder().limits(limits).root("bucket", BrokenRoot(Broken { content, until, hangs }))
}

#[test]
fn a_reader_that_fails_ends_in_an_error_and_no_short_content() {
    for seed in 0..30 {
        let until = 700_000 + seed * 13;
        let path = Path { delay: ms(1), loss: 0.05, duplicate: 0.02, ..Path::default() };
        let mut world = World::new(broken(until, false), path, seed).unwrap();
        let error = world.get("image", Options::windows(1428, 16)).unwrap_err();
        // The ERROR may be lost. Then the client asks again, and hears that the transfer has ended (5), or nothing.
        assert!(matches!(error.code(), Some(0 | 5) | None), "seed {seed}: {error:?}");
        let last = world.last().unwrap();
        assert_eq!(last.outcome, Some(Outcome::Failed), "seed {seed}");
        assert!(last.detail.as_deref().is_some_and(|it| it.contains("the bucket is gone")), "seed {seed}");
        assert!(last.bytes.len() as u64 <= until, "seed {seed}");
    }
}

#[test]
fn a_root_that_fails_ends_in_an_error() {
    let mut world = World::new(broken(0, false), Path::default(), 0).unwrap();
    let error = world.get("another", Options::default()).unwrap_err();
    assert_eq!(error.code(), Some(0), "{error:?}");
    assert_eq!(world.last().unwrap().outcome, Some(Outcome::Failed));
}

#[test]
fn a_reader_that_hangs_ends_its_transfer_in_virtual_time() {
    let mut world = World::new(broken(700_000, true), Path::default(), 0).unwrap();
    world.set_patience(ms(20));
    let error = world.get("image", Options::windows(1428, 16)).unwrap_err();
    assert!(matches!(error, ClientError::Refused { code: 0, .. } | ClientError::NoAnswer), "{error:?}");
    let last = world.last().unwrap();
    assert_eq!(last.outcome, Some(Outcome::Failed));
    assert!(last.detail.as_deref().is_some_and(|it| it.contains("did not answer within")), "{last:?}");
    assert!(world.elapsed() >= ms(1_000), "{:?}", world.elapsed());
}
