//! Requests by other protocols: they are counted, limited, observed and drained as those by TFTP.

use super::{builder, get, off, start};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use tuffet::{
    AcceptUpload, Ask, AskError, Authorize, Bytes, Decided, Denial, ErrorCode, Event, EventKind, Failure,
    Folder, HookCall, Limits, Observe, Outcome, PerClient, Protocol, ReadTransfer, ReceivedUpload, Request,
    Requests, SessionProfile, UploadVerdict, Verdict, WriteTransfer,
};

const CLIENT: ([u8; 4], u16) = ([192, 0, 2, 7], 9);

/// An end of a request: its protocol, path, outcome, detail and bytes.
type End = (Protocol, String, Outcome, String, u64);

struct Ends(Sender<End>);

impl Observe for Ends {
    fn observe(&self, event: &Event) {
        if let EventKind::Finished(summary) = &event.what {
            let (request, ending) = (&summary.record.request, &summary.ending);
            let detail = ending.detail.as_deref().unwrap_or_default().to_owned();
            let end = (request.protocol, request.path.clone(), ending.outcome, detail, summary.bytes);
            self.0.send(end).unwrap();
        }
    }
}

async fn read(requests: &Requests, name: &str) -> ReadTransfer {
    match requests.read(Ask::http("test", CLIENT.into(), name.as_bytes())).await.unwrap() {
        Decided::Granted(transfer) => transfer,
        other => panic!("{name}: {other:?}"),
    }
}

async fn write(requests: &Requests, name: &str, size: Option<u64>) -> Decided<WriteTransfer> {
    requests.write(Ask::http("test", CLIENT.into(), name.as_bytes()), size).await.unwrap()
}

async fn granted(requests: &Requests, name: &str) -> WriteTransfer {
    let Decided::Granted(transfer) = write(requests, name, None).await else {
        panic!("{name} is not granted")
    };
    transfer
}

#[tokio::test(flavor = "multi_thread")]
async fn each_read_ends_once_as_whoever_serves_it_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), vec![7; 100_000]).unwrap();
    let (sender, ends) = channel();
    let served = builder().folder(Folder::new("boot", folder.path())).observe("ends", Ends(sender));
    let (handle, address) = start(served);
    let requests = handle.requests();
    let whole = read(&requests, "/file").await;
    let (mut bytes, resolved) = (Vec::new(), whole.resolved().to_owned());
    while (bytes.len() as u64) < whole.size() {
        let piece = whole.read_at(bytes.len() as u64, 30_000).await.unwrap();
        whole.sent(piece.len() as u64);
        bytes.extend_from_slice(&piece);
    }
    assert!(whole.read_at(100_000, 9).await.unwrap().is_empty());
    assert_eq!((bytes, resolved.as_str()), (vec![7; 100_000], "boot:file"));
    let shown = serde_json::to_value(handle.snapshot()).unwrap();
    assert_eq!(shown["active"][0]["bytes"], 100_000);
    whole.served();
    read(&requests, "file").await.probed();
    read(&requests, "file").await.failed("the link is down");
    let left = read(&requests, "file").await;
    left.sent(5);
    drop(left);
    let missing = requests.read(Ask::http("test", CLIENT.into(), b"none")).await.unwrap();
    assert!(matches!(missing, Decided::Refused(denial) if denial.code == ErrorCode::FileNotFound));
    assert_eq!(off(move || get(address, "file")).await.unwrap(), vec![7; 100_000]);
    let end = handle.drain(Duration::from_secs(10)).await;
    assert!(matches!(requests.read(Ask::http("test", CLIENT.into(), b"file")).await, Err(AskError::Ended)));
    let got: Vec<End> = ends.try_iter().collect();
    let (http, tftp) = (Protocol::Http, Protocol::Tftp);
    let end_of = |protocol, path: &str, outcome, detail: &str, bytes| {
        (protocol, path.to_owned(), outcome, detail.to_owned(), bytes)
    };
    let expected = [
        end_of(http, "file", Outcome::Served, "", 100_000),
        end_of(http, "file", Outcome::Probed, "", 0),
        end_of(http, "file", Outcome::Failed, "the link is down", 0),
        end_of(http, "file", Outcome::Aborted, "the client closed the connection", 5),
        end_of(http, "none", Outcome::NotFound, "there is no such file", 0),
        end_of(tftp, "file", Outcome::Served, "", 100_000),
    ];
    let details: Vec<_> = got.iter().map(|end| (end.0, &*end.1, end.2, end.4)).collect();
    assert_eq!(details, expected.each_ref().map(|end| (end.0, &*end.1, end.2, end.4)));
    assert_eq!((&got[2].3, &got[3].3), (&expected[2].3, &expected[3].3));
    let counted = |protocol, outcome| {
        let all = end.totals.ended.iter();
        all.filter(|its| its.protocol == protocol && its.outcome == outcome).map(|its| its.count).sum::<u64>()
    };
    assert_eq!((counted(http, Outcome::Served), counted(tftp, Outcome::Served)), (1, 1));
    assert_eq!((end.totals.admitted, end.totals.bytes.read, end.totals.active), (6, 200_005, 0));
    assert_eq!((end.unobserved_ends, end.unanswered_calls, end.failure), (0, 0, None));
}

/// Takes no upload of more than three bytes.
struct Short;

#[async_trait::async_trait]
impl AcceptUpload for Short {
    async fn accept_upload(
        &self,
        _: &Request,
        upload: &ReceivedUpload,
        _: &HookCall,
    ) -> Result<UploadVerdict, Failure> {
        Ok(if upload.size > 3 {
            UploadVerdict::Deny(Denial::new(ErrorCode::AccessViolation, "too long", "too long"))
        } else {
            UploadVerdict::Accept
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_stored_as_a_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("old"), "old").unwrap();
    let (sender, ends) = channel();
    let writable = Folder::new("in", folder.path()).writable(10).overwrite(true);
    let (handle, _) =
        start(builder().folder(writable).accept_upload("short", Short).observe("ends", Ends(sender)));
    let requests = handle.requests();
    for (name, replaced) in [("new", false), ("old", true)] {
        let mut transfer = granted(&requests, name).await;
        for piece in ["a", "", "bc"] {
            transfer.write(Bytes::from_static(piece.as_bytes())).await.unwrap();
        }
        let stored = transfer.store().await.unwrap();
        assert_eq!((stored.resolved, stored.replaced), (format!("in:{name}"), replaced));
        assert_eq!(std::fs::read(path(name)).unwrap(), b"abc");
    }
    let mut denied = granted(&requests, "old").await;
    denied.write(Bytes::from_static(b"four")).await.unwrap();
    assert_eq!(denied.store().await.unwrap_err().code, ErrorCode::AccessViolation);
    let mut long = granted(&requests, "long").await;
    assert_eq!(long.write(Bytes::from_static(b"eleven byte")).await.unwrap_err().code, ErrorCode::DiskFull);
    // Nothing comes after an error.
    assert!(long.write(Bytes::from_static(b"x")).await.is_err() && long.store().await.is_err());
    assert!(matches!(write(&requests, "long", Some(11)).await, Decided::Refused(_)));
    let mut left = granted(&requests, "left").await;
    left.write(Bytes::from_static(b"l")).await.unwrap();
    drop(left);
    granted(&requests, "failed").await.failed("another length than announced");
    handle.drain(Duration::from_secs(10)).await;
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|its| its.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["new", "old"]);
    assert_eq!(std::fs::read(path("old")).unwrap(), b"abc");
    let outcomes: Vec<_> = ends.try_iter().map(|end| end.2).collect();
    let (stored, denied) = (Outcome::Stored, Outcome::Denied);
    assert_eq!(
        outcomes,
        [stored, stored, denied, denied, denied, Outcome::Aborted, Outcome::Failed],
        "the third and the fourth are too large"
    );
}

/// The limits are those of the client, whatever protocols it speaks; a drain waits for its transfers as long as it may.
#[tokio::test(flavor = "multi_thread")]
async fn limits_and_drains_count_both_protocols() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "x").unwrap();
    let (sender, ends) = channel();
    let per_client = PerClient { transfers: Some(2), ..PerClient::default() };
    let limits = Limits { per_client, ..Limits::default() };
    let served = builder().folder(Folder::new("boot", folder.path())).limits(limits);
    let (handle, address) = start(served.observe("ends", Ends(sender)));
    let requests = handle.requests();
    let ask = |host: [u8; 4]| Ask::http("test", (host, 9).into(), b"file");
    let first = read(&requests, "file").await;
    let _second = read(&requests, "file").await;
    let third = requests.read(ask(CLIENT.0)).await.unwrap();
    assert!(matches!(&third, Decided::Dropped(why) if why.contains("transfers")), "{third:?}");
    let here = [127, 0, 0, 1];
    let held = [requests.read(ask(here)).await.unwrap(), requests.read(ask(here)).await.unwrap()];
    off(move || assert!(!super::is_answered(address, "file"))).await;
    drop(held);
    assert_eq!(off(move || get(address, "file")).await.unwrap(), b"x");
    let began = Instant::now();
    let draining = tokio::spawn(async move { handle.drain(Duration::from_secs(2)).await });
    first.served();
    let end = draining.await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(1), "it has waited for the second");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!((end.failure, end.totals.active), (None, 0));
    let last =
        ends.try_iter().filter(|end| end.0 == Protocol::Http).map(|end| (end.2, end.3)).last().unwrap();
    assert_eq!(last, (Outcome::Failed, "the server was shut down".to_owned()));
}

struct Slow;

#[async_trait::async_trait]
impl Authorize for Slow {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        if request.path == "never" {
            std::future::pending::<()>().await;
        }
        Ok(Verdict::Allow(SessionProfile { rate: Some(50_000), ..SessionProfile::default() }))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_undecided_is_reported_and_rates_hold() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), vec![1; 30_000]).unwrap();
    let (sender, ends) = channel();
    let served = builder().folder(Folder::new("boot", folder.path())).authorize("slow", Slow);
    let (handle, _) = start(served.observe("ends", Ends(sender)));
    let requests = handle.requests();
    let never = requests.read(Ask::http("test", CLIENT.into(), b"never"));
    assert!(tokio::time::timeout(Duration::from_millis(50), never).await.is_err());
    let (began, limited) = (Instant::now(), read(&requests, "file").await);
    let mut at = 0;
    while at < limited.size() {
        at += limited.read_at(at, 1 << 20).await.unwrap().len() as u64;
    }
    assert!(began.elapsed() >= Duration::from_millis(400), "30,000 bytes at 50,000 a second");
    limited.served();
    handle.drain(Duration::from_secs(10)).await;
    let first = ends.try_iter().next().unwrap();
    assert_eq!((first.1.as_str(), first.2), ("never", Outcome::Aborted));
}
