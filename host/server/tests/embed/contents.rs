//! What the program supplies: ranged and streamed contents, and their failures.

use crate::{builder, get, off, refused, start};
use futures_util::future::BoxFuture;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tuffet::{
    Ask, Decided, ErrorCode, Folder, Limits, OpenFolder, ReadAt, Root, RootError, Source, Transfer, Version,
};
use tuffet_testing::Client;

/// Byte `n` of every content.
fn byte(n: u64) -> u8 {
    (n % 251) as u8
}

fn content(size: u64) -> Vec<u8> {
    (0..size).map(byte).collect()
}

/// A content that counts how many bytes were read of it, and ends at `end`.
struct Counted {
    end: u64,
    read: Arc<AtomicU64>,
}

impl ReadAt for Counted {
    fn read_at<'a>(&'a self, offset: u64, buffer: &'a mut [u8]) -> BoxFuture<'a, io::Result<usize>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            // Short reads are good.
            let length = (self.end.saturating_sub(offset) as usize).min(buffer.len()).min(10_000);
            for (n, byte_of) in buffer[..length].iter_mut().enumerate() {
                *byte_of = byte(offset + n as u64);
            }
            self.read.fetch_add(length as u64, Relaxed);
            Ok(length)
        })
    }
}

struct Hanging;

impl ReadAt for Hanging {
    fn read_at<'a>(&'a self, _: u64, _: &'a mut [u8]) -> BoxFuture<'a, io::Result<usize>> {
        Box::pin(std::future::pending())
    }
}

struct Panicking;

impl ReadAt for Panicking {
    fn read_at<'a>(&'a self, _: u64, _: &'a mut [u8]) -> BoxFuture<'a, io::Result<usize>> {
        panic!("on purpose")
    }
}

const SMALL: u64 = 20_000;
const LARGE: u64 = 700_000;

/// Contents by name.
#[derive(Default)]
struct Contents {
    read: Arc<AtomicU64>,
}

impl Root for Contents {
    fn open<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Source, RootError>> {
        Box::pin(async move {
            let counted = |size, end, version: &str| {
                let reader = Counted { end, read: Arc::clone(&self.read) };
                Ok(Source::ranged(size, Version::new(version), reader))
            };
            match path {
                "small" | "again" => counted(SMALL, SMALL, "small 1"),
                "large" => counted(LARGE, LARGE, "large 1"),
                "short" => counted(LARGE, LARGE / 2, "short 1"),
                "stream" => Ok(Source::stream(LARGE, io::Cursor::new(content(LARGE)))),
                "broken stream" => Ok(Source::stream(LARGE, io::Cursor::new(content(LARGE / 2)))),
                "hanging" => Ok(Source::ranged(LARGE, Version::new("h"), Hanging)),
                "panicking" => Ok(Source::ranged(LARGE, Version::new("p"), Panicking)),
                "panic" => panic!("on purpose"),
                "denied" => Err(RootError::Denied("not for you".into())),
                _ => Err(RootError::NotFound),
            }
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_arrive_whole_or_end_with_an_error() {
    let read = Arc::<AtomicU64>::default();
    let contents = Contents { read: Arc::clone(&read) };
    let patient = Transfer {
        retransmit: tuffet::settings::Retransmit { give_up: Duration::from_secs(4), ..Default::default() },
        ..Transfer::default()
    };
    let (handle, server) = start(builder().root("store", 0, contents).transfer(patient));
    off(move || {
        assert_eq!(get(server, "small").unwrap(), content(SMALL));
        assert_eq!(read.load(Relaxed), SMALL);
        // Another path with the same version.
        assert_eq!(get(server, "again").unwrap(), content(SMALL));
        assert_eq!(read.load(Relaxed), SMALL, "equal versions are read once");
        for _ in 0..3 {
            assert_eq!(Client::new(server).blksize(1400).get("large").unwrap(), content(LARGE));
        }
        // The first request reads by pieces, the second loads it into memory.
        assert_eq!(read.load(Relaxed), SMALL + 2 * LARGE);
        assert_eq!(get(server, "stream").unwrap(), content(LARGE));
        for name in ["short", "broken stream"] {
            let ended = get(server, name).expect_err("less than promised");
            assert_eq!(ended.code(), Some(0), "{name}: {ended}");
        }
        for name in ["hanging", "panicking"] {
            assert_eq!(get(server, name).unwrap_err().code(), Some(0), "{name}");
        }
        assert_eq!(get(server, "panic").unwrap_err().code(), Some(0));
        assert_eq!(get(server, "denied"), Err(refused(2, "access denied")));
        assert_eq!(get(server, "else"), Err(refused(1, "file not found")));
        assert_eq!(get(server, "small").unwrap(), content(SMALL), "others are unaffected");
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

/// Without memory for hot files, each transfer reads by itself, and no more than it sends.
#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_and_a_folder_follows_a_root() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), content(SMALL)).unwrap();
    let read = Arc::<AtomicU64>::default();
    let contents = Contents { read: Arc::clone(&read) };
    let (handle, server) = start(
        builder()
            .root("store", 0, contents)
            .folder(Folder::new("boot", folder.path()))
            .limits(Limits { cache: 0, ..Limits::default() }),
    );
    let open = OpenFolder::open(folder.path()).unwrap();
    assert_eq!(open.source("file").unwrap().size(), SMALL);
    off(move || {
        for _ in 0..2 {
            assert_eq!(get(server, "large").unwrap(), content(LARGE));
        }
        assert_eq!(read.load(Relaxed), 2 * LARGE);
        // The first root has no such file.
        assert_eq!(get(server, "file").unwrap(), content(SMALL));
    })
    .await;
    let client = "127.0.0.1:9".parse().unwrap();
    for (name, size) in [("file", SMALL), ("/large", LARGE), ("large", LARGE)] {
        let decided = handle.decide(Ask { listener: "test", client, name }).await;
        let Decided::Content(decided) = decided else { panic!("{name}: {decided:?}") };
        assert_eq!(decided.size(), size);
        assert_eq!(decided.read_at(size - 3, 10).await.unwrap(), &content(size)[size as usize - 3..]);
        assert!(decided.read_at(size + 3, 10).await.unwrap().is_empty());
    }
    for (name, code) in [("else", ErrorCode::FileNotFound), ("../file", ErrorCode::AccessViolation)] {
        let decided = handle.decide(Ask { listener: "test", client, name }).await;
        assert!(matches!(&decided, Decided::Refused(denial) if denial.code == code), "{name}: {decided:?}");
    }
    handle.drain(Duration::ZERO).await;
}
