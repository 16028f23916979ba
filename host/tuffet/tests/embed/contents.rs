//! What the program supplies: ranged and streamed contents, and their failures.

use crate::{builder, get, off, refused, start};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Sleep, sleep};
use tuffet::{
    Ask, Authorize, Bytes, Decided, ErrorCode, Failure, Folder, HookCall, Limits, OpenFolder, ReadAt,
    Request, Root, RootError, SessionProfile, Source, Verdict, Version, resolve_fn,
};
use tuffet_testing::{Client, Faults, Network};

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
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            // Short reads are good.
            let length = (self.end.saturating_sub(offset) as usize).min(length).min(10_000);
            self.read.fetch_add(length as u64, Relaxed);
            Ok((offset..offset + length as u64).map(byte).collect())
        })
    }
}

/// As [`Counted`], but each read takes this long.
struct Slow(Counted, Duration);

impl ReadAt for Slow {
    fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async move {
            sleep(self.1).await;
            self.0.read_at(offset, length).await
        })
    }
}

/// Text of this size, in which every other byte becomes two bytes of netascii.
fn lines(size: u64) -> Vec<u8> {
    b"a\n".iter().copied().cycle().take(size as usize).collect()
}

/// A stream that has a block's bytes at a time.
struct Trickle {
    left: usize,
    every: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Trickle {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let pause = self.every.get_or_insert_with(|| Box::pin(sleep(Duration::from_millis(900))));
        ready!(pause.as_mut().poll(context));
        self.every = None;
        let length = self.left.min(512).min(buffer.remaining());
        buffer.put_slice(&vec![7; length]);
        self.left -= length;
        Poll::Ready(Ok(()))
    }
}

/// Fails in this way.
struct Failing(io::ErrorKind);

impl ReadAt for Failing {
    fn read_at(&self, _: u64, _: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(async { Err(io::Error::new(self.0, "on purpose")) })
    }
}

struct Hanging;

impl ReadAt for Hanging {
    fn read_at(&self, _: u64, _: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(std::future::pending())
    }
}

struct Panicking;

impl ReadAt for Panicking {
    fn read_at(&self, _: u64, _: usize) -> BoxFuture<'_, io::Result<Bytes>> {
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

#[async_trait]
impl Root for Contents {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        let counted = |size, end, version: &str| {
            let reader = Counted { end, read: Arc::clone(&self.read) };
            Ok(Source::ranged(size, Version::new(version), reader))
        };
        match path {
            "small" | "again" => counted(SMALL, SMALL, "small 1"),
            "large" => counted(LARGE, LARGE, "large 1"),
            "short" => counted(LARGE, LARGE / 2, "short 1"),
            "stream" => Ok(Source::stream(LARGE, io::Cursor::new(content(LARGE)))),
            "text" => Ok(Source::stream(LARGE, io::Cursor::new(lines(LARGE)))),
            "slow stream" => Ok(Source::stream(4 * 512, Trickle { left: 4 * 512, every: None })),
            "broken stream" => Ok(Source::stream(LARGE, io::Cursor::new(content(LARGE / 2)))),
            "slow" => {
                let counted = Counted { end: LARGE, read: Arc::clone(&self.read) };
                let slow = Slow(counted, Duration::from_millis(10));
                Ok(Source::ranged(LARGE, Version::new("slow"), slow))
            }
            "slow and small" => {
                let counted = Counted { end: SMALL, read: Arc::clone(&self.read) };
                let slow = Slow(counted, Duration::from_millis(400));
                Ok(Source::ranged(SMALL, Version::new("slow and small"), slow))
            }
            "failing" => Ok(Source::ranged(SMALL, Version::new("f"), Failing(io::ErrorKind::Other))),
            "failing later" => Ok(Source::ranged(LARGE, Version::new("fl"), Failing(io::ErrorKind::Other))),
            "removed" => Ok(Source::ranged(LARGE, Version::new("r"), Failing(io::ErrorKind::NotFound))),
            "locked" => {
                Ok(Source::ranged(LARGE, Version::new("l"), Failing(io::ErrorKind::PermissionDenied)))
            }
            "missing" => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            "hang" => std::future::pending().await,
            "hanging" => Ok(Source::ranged(LARGE, Version::new("h"), Hanging)),
            "panicking" => Ok(Source::ranged(LARGE, Version::new("p"), Panicking)),
            "panic" => panic!("on purpose"),
            "denied" => Err(RootError::Denied("not for you".into())),
            _ => Err(RootError::NotFound),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_arrive_whole_or_end_with_an_error() {
    let read = Arc::<AtomicU64>::default();
    let contents = Contents { read: Arc::clone(&read) };
    let patient = tuffet::Retransmit { give_up: Duration::from_secs(4), ..Default::default() };
    let (handle, server) = start(builder().root("store", contents).retransmit(patient));
    off(move || {
        assert_eq!(get(server, "small").unwrap(), content(SMALL));
        assert_eq!(read.load(Relaxed), SMALL);
        // Another path with the same version.
        assert_eq!(get(server, "again").unwrap(), content(SMALL));
        assert_eq!(read.load(Relaxed), SMALL, "equal versions are read once");
        // The first requests read by pieces, beside the task that loads it into memory.
        let mut before = 0;
        while before != read.load(Relaxed) {
            before = read.load(Relaxed);
            assert_eq!(Client::new(server).blksize(1400).get("large").unwrap(), content(LARGE));
        }
        assert!((SMALL + 2 * LARGE..=SMALL + 8 * LARGE).contains(&before), "{before}");
        assert_eq!(get(server, "stream").unwrap(), content(LARGE));
        // Without windows, so that the end of a piece is acknowledged block by block; and the blocks are those of the text.
        let text = Client::new(server).netascii().get("text").unwrap();
        let expected: Vec<u8> = lines(LARGE)
            .iter()
            .flat_map(|byte| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] })
            .collect();
        assert!(text == expected, "{} bytes of {}", text.len(), expected.len());
        // Longer than the server waits for a whole piece: each block is sent when it is there.
        assert_eq!(get(server, "slow stream").unwrap(), [7; 4 * 512]);
        for name in ["short", "broken stream"] {
            let ended = get(server, name).expect_err("less than promised");
            assert_eq!(ended.code(), Some(0), "{name}: {ended}");
        }
        assert_eq!(get(server, "missing"), Err(refused(1, "file not found")));
        // A later request finds the same failure: nothing waits for the whole content.
        for name in ["failing", "failing", "failing later", "failing later", "failing later"] {
            assert_eq!(get(server, name).unwrap_err().code(), Some(0), "{name}");
        }
        for (name, code) in [("removed", 1), ("locked", 2)] {
            assert_eq!(get(server, name).unwrap_err().code(), Some(code), "{name}");
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
    let (handle, server) =
        start(builder().root("store", contents).folder(Folder::new("boot", folder.path())).limits(Limits {
            cache: 0,
            open_time: Duration::from_secs(2),
            ..Limits::default()
        }));
    let open = OpenFolder::open(folder.path()).unwrap();
    assert_eq!(open.source("file").unwrap().size(), SMALL);
    let watch = tuffet_server::watch::Watch::of(&handle).clone();
    off(move || {
        for _ in 0..2 {
            assert_eq!(get(server, "large").unwrap(), content(LARGE));
            // Another transfer of the same content shares what a running one has read.
            while watch.totals().active > 0 {
                std::thread::yield_now();
            }
        }
        assert_eq!(read.load(Relaxed), 2 * LARGE);
        // The first root has no such file.
        assert_eq!(get(server, "file").unwrap(), content(SMALL));
    })
    .await;
    let client = "127.0.0.1:9".parse().unwrap();
    for (name, size) in [("file", SMALL), ("/large", LARGE), ("large", LARGE)] {
        let decided = handle.requests().read(Ask::http("test", client, name.as_bytes())).await.unwrap();
        let Decided::Granted(decided) = decided else { panic!("{name}: {decided:?}") };
        assert_eq!(decided.size(), size);
        assert_eq!(decided.read_at(size - 3, 10).await.unwrap(), &content(size)[size as usize - 3..]);
        assert!(decided.read_at(size + 3, 10).await.unwrap().is_empty());
    }
    for (name, code) in [("else", ErrorCode::FileNotFound), ("../file", ErrorCode::AccessViolation)] {
        let decided = handle.requests().read(Ask::http("test", client, name.as_bytes())).await.unwrap();
        assert!(matches!(&decided, Decided::Refused(denial) if denial.code == code), "{name}: {decided:?}");
    }
    // As a client of TFTP: another try will not help the first, and may help the second.
    let decided =
        async |name: &str| handle.requests().read(Ask::http("test", client, name.as_bytes())).await.unwrap();
    let panicked = decided("panic").await;
    assert!(matches!(&panicked, Decided::Refused(why) if why.reason.contains("panicked")), "{panicked:?}");
    let hung = decided("hang").await;
    assert!(
        matches!(&hung, Decided::Dropped(why) if why.contains("did not open the file within 2s")),
        "{hung:?}"
    );
    handle.drain(Duration::ZERO).await;
}

/// A store may be slower than `open_time`: its contents are read beside their transfers.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_store_is_served() {
    let read = Arc::<AtomicU64>::default();
    let contents = Contents { read: Arc::clone(&read) };
    let limits = Limits { open_time: Duration::from_millis(600), ..Limits::default() };
    let (handle, server) = start(builder().root("store", contents).limits(limits));
    off(move || {
        for _ in 0..3 {
            assert_eq!(get(server, "slow").unwrap(), content(LARGE));
        }
        assert_eq!(get(server, "slow and small").unwrap(), content(SMALL));
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

/// The names of a root of the program are those that it opens, so folders behind it are searched regardless of case.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_any_case_follows_a_root() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("File"), b"in the folder").unwrap();
    let behind = Folder::new("boot", folder.path()).any_case(true);
    let (handle, server) = start(builder().root("store", Contents::default()).folder(behind));
    off(move || {
        assert_eq!(get(server, "FILE").unwrap(), b"in the folder");
        assert_eq!(get(server, "small").unwrap(), content(SMALL));
        assert_eq!(get(server, "SMALL"), Err(refused(1, "file not found")));
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

/// A stream cannot be read again. What is lost on the way is repeated from memory, also when the memory for reading ahead
/// is used up by others.
#[tokio::test(flavor = "multi_thread")]
async fn streams_survive_losses_and_each_other() {
    let (handle, server) = start(builder().root("store", Contents::default()));
    // More than the 32 MiB for reading ahead of a root, since each of them may hold 512 KiB.
    let networks: Vec<Network> =
        (0..80).map(|seed| Network::start(server, Faults::seeded(seed).lose(0.02)).unwrap()).collect();
    let clients = networks.iter().map(|network| {
        let address = network.address();
        tokio::task::spawn_blocking(move || Client::new(address).blksize(1400).windowsize(64).get("stream"))
    });
    for client in clients.collect::<Vec<_>>() {
        assert!(client.await.unwrap().unwrap() == content(LARGE));
    }
    handle.drain(Duration::ZERO).await;
}

/// Allows files of up to 1,000 bytes.
struct Small;

#[async_trait]
impl Authorize for Small {
    async fn authorize(&self, _: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(Verdict::Allow(SessionProfile { bytes: Some(1000), ..SessionProfile::default() }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_largest_size_is_that_of_all_protocols_and_contents() {
    let large = resolve_fn(|_| Source::bytes(vec![0; 1001]));
    let (handle, server) = start(builder().authorize("small", Small).resolve("large", large));
    assert_eq!(off(move || get(server, "x")).await.unwrap_err().code(), Some(2));
    let client = "127.0.0.1:9".parse().unwrap();
    let decided = handle.requests().read(Ask::http("test", client, b"x")).await.unwrap();
    assert!(matches!(&decided, Decided::Refused(denial) if denial.reason.contains("1001")), "{decided:?}");
    handle.drain(Duration::MAX).await;
}
