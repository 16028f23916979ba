//! Panics of the program whose payloads panic, too, when they are dropped.

use crate::{builder, get, off, put, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::io;
use std::panic::panic_any;
use std::time::Duration;
use tuffet::{
    Ask, Bytes, Decided, Destination, ReadAt, Resolution, Root, RootError, Sink, Source, Version,
    authorize_fn, resolve_fn,
};

/// Panics when it is dropped, also with its like.
struct Bomb(u8);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 > 0 {
            panic_any(Bomb(self.0 - 1));
        }
    }
}

fn explode() -> ! {
    panic_any(Bomb(3))
}

struct Explosive;

impl ReadAt for Explosive {
    fn read_at(&self, _: u64, _: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        explode()
    }
}

/// A sink that panics here.
enum ExplosiveSink {
    Write,
    Commit,
    Drop,
}

impl Sink for ExplosiveSink {
    fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async {
            match self {
                ExplosiveSink::Write => explode(),
                ExplosiveSink::Commit => Ok(()),
                ExplosiveSink::Drop => Err(io::ErrorKind::StorageFull.into()),
            }
        })
    }

    fn commit<'a>(&'a mut self, _: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        explode()
    }
}

impl Drop for ExplosiveSink {
    fn drop(&mut self) {
        if matches!(self, ExplosiveSink::Drop) {
            explode();
        }
    }
}

#[async_trait]
impl Root for Explosive {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        match path {
            "open" => explode(),
            _ => Ok(Source::ranged(1_000_000, Version::new("1"), Explosive)),
        }
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, RootError> {
        let sink: Box<dyn Sink> = match path {
            "write" => Box::new(ExplosiveSink::Write),
            "commit" => Box::new(ExplosiveSink::Commit),
            "drop" => Box::new(ExplosiveSink::Drop),
            _ => explode(),
        };
        Ok(sink)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_whose_payload_panics_ends_one_request() {
    let (handle, server) = start(
        builder()
            .authorize(
                "a",
                authorize_fn(|request| match request.path.as_str() {
                    "authorize" => explode(),
                    _ => tuffet::Verdict::Abstain,
                }),
            )
            .resolve(
                "r",
                resolve_fn(|request| match request.path.as_str() {
                    "resolve" => explode(),
                    "good" => Resolution::from(Source::bytes(*b"good")),
                    _ => Resolution::Abstain,
                }),
            )
            .writable_root("explosive", 10_000, Explosive),
    );
    off(move || {
        for name in ["open", "read"] {
            assert_eq!(get(server, name).unwrap_err().code(), Some(0), "{name}");
        }
        for name in ["create", "write", "commit"] {
            assert_eq!(put(server, name, b"some bytes").unwrap_err().code(), Some(0), "{name}");
        }
        assert_eq!(put(server, "drop", b"some bytes").unwrap_err().code(), Some(3));
        for name in ["authorize", "resolve"] {
            assert!(!crate::is_answered(server, name), "{name}");
        }
        assert_eq!(get(server, "good").unwrap(), b"good");
    })
    .await;
    let client = "127.0.0.1:9".parse().unwrap();
    let decided = handle.requests().read(Ask::http("test", client, b"read")).await;
    let Ok(Decided::Granted(content)) = decided else { panic!("{decided:?}") };
    assert!(content.read_at(0, 100).await.unwrap_err().to_string().contains("panicked"));
    let end = handle.drain(Duration::from_secs(60)).await;
    assert_eq!(end.failure, None);
}
