//! Sinks that hang, sinks that choose a free name, and hooks that do not decide about an upload.

use crate::{builder, off, put, refused, start};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, pending};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tuffet::Retransmit;
use tuffet::{
    AcceptUpload, BuildError, Builder, Denial, Destination, ErrorCode, Event, EventKind, Failure, HookCall,
    Limits, Outcome, ReceivedUpload, Request, Root, RootError, Sink, Source, UploadVerdict, accept_upload_fn,
    observe_fn,
};
use tuffet_testing::Client;

/// Longer than a test.
const LONG: Duration = Duration::from_secs(3600);

const SILENT: &str = "the server's storage does not answer";

/// An ended upload: its path, its outcome, where it is, who decided, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    path: String,
    outcome: Outcome,
    resolved: String,
    by: Option<String>,
    detail: String,
}

/// Collects the ends of requests.
#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<End>>>);

impl Ends {
    fn of(&self, builder: Builder) -> Builder {
        let ends = self.clone();
        let note = move |event: &Event| {
            let EventKind::Finished(summary) = &event.what else { return };
            let (record, ending) = (&summary.record, &summary.ending);
            let path = record.request.path.clone();
            let resolved = record.resolved.as_deref().unwrap_or_default().to_owned();
            let by = record.verdict_by.as_deref().map(str::to_owned);
            let detail = ending.detail.as_deref().unwrap_or_default().to_owned();
            let end = End { path, outcome: ending.outcome, resolved, by, detail };
            ends.0.lock().unwrap().push(end);
        };
        builder.observe("ends", observe_fn(note))
    }

    /// The ends so far, by path; all of them after a drain.
    fn sorted(&self) -> Vec<End> {
        let mut ends = self.0.lock().unwrap().clone();
        ends.sort_by(|one, other| one.path.cmp(&other.path));
        ends
    }
}

/// A store of files in memory, whose sinks may hang.
#[derive(Clone, Default)]
struct Memory {
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    aborted: Arc<AtomicU32>,
    /// How many sinks are being committed now, and how many were at most.
    committing: Arc<Mutex<(u32, u32)>>,
}

struct Upload {
    to: Memory,
    path: String,
    bytes: Vec<u8>,
}

#[async_trait]
impl Root for Memory {
    async fn open(&self, _: &str) -> Result<Source, RootError> {
        Err(RootError::NotFound)
    }

    async fn create(&self, path: &str) -> Result<Box<dyn Sink>, RootError> {
        Ok(Box::new(Upload { to: self.clone(), path: path.to_owned(), bytes: Vec::new() }))
    }
}

impl Sink for Upload {
    fn write<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            match &*self.path {
                "hangs in write" => pending().await,
                "slow" if self.bytes.is_empty() => tokio::time::sleep(Duration::from_secs(3)).await,
                _ => {}
            }
            self.bytes.extend_from_slice(bytes);
            Ok(())
        })
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            if self.path == "hangs in commit" {
                pending::<()>().await;
            }
            {
                let mut committing = self.to.committing.lock().unwrap();
                committing.0 += 1;
                committing.1 = committing.1.max(committing.0);
            }
            // As a store does that is asked whether a name is free, and then told to use it.
            let free =
                to.names().find(|name| !to.next_free || !self.to.files.lock().unwrap().contains_key(name));
            tokio::time::sleep(Duration::from_millis(20)).await;
            let name = free.ok_or(io::ErrorKind::AlreadyExists)?;
            self.to.files.lock().unwrap().insert(name.clone(), std::mem::take(&mut self.bytes));
            self.to.committing.lock().unwrap().0 -= 1;
            Ok(name)
        })
    }

    fn abort(self: Box<Self>) -> BoxFuture<'static, io::Result<()>> {
        self.to.aborted.fetch_add(1, SeqCst);
        Box::pin(async { Ok(()) })
    }
}

/// Clients may be silent for this time.
fn giving_up_after(give_up: Duration) -> Retransmit {
    let cap = give_up.min(Duration::from_secs(1));
    Retransmit { cap, give_up, ..Retransmit::default() }
}

/// Uploads to names at which sinks hang: in the last write, in a write before, and in the commit.
async fn hang(memory: &Memory, limits: Limits, times: Retransmit) -> Vec<End> {
    let ends = Ends::default();
    let built = ends.of(builder().writable_root("memory", 1 << 20, memory.clone()));
    let (handle, server) = start(built.limits(limits).retransmit(times));
    let uploads = [("hangs in commit", 700), ("hangs in write", 700), ("hangs in write", 900_000)];
    let uploads = uploads.map(|(name, size)| {
        // Much less than the fixed limits would take.
        let client = Client::new(server).patience(Duration::from_secs(40));
        tokio::task::spawn_blocking(move || client.put(name, &vec![7; size]))
    });
    for upload in uploads {
        assert_eq!(upload.await.unwrap(), Err(refused(0, SILENT)));
    }
    // A store that works is not concerned.
    off(move || put(server, "good", b"good").unwrap()).await;
    let end = handle.drain(Duration::from_secs(10)).await;
    assert_eq!((end.open_sinks, memory.aborted.load(SeqCst)), (0, 3));
    ends.sorted()
}

fn assert_hung(ends: &[End], write: &str, commit: &str) {
    let expected = [
        ("good", Outcome::Stored, String::new()),
        ("hangs in commit", Outcome::Failed, format!("root `memory` did not store the upload {commit}")),
        ("hangs in write", Outcome::Failed, format!("root `memory` did not answer {write}")),
        ("hangs in write", Outcome::Failed, format!("root `memory` did not answer {write}")),
    ];
    let ends: Vec<_> = ends.iter().map(|end| (&*end.path, end.outcome, end.detail.clone())).collect();
    assert_eq!(ends, expected);
}

/// By default, a sink has as long as its client may be silent.
#[tokio::test(flavor = "multi_thread")]
async fn a_sink_that_hangs_is_aborted_when_its_client_would_be_given_up() {
    let give_up = giving_up_after(Duration::from_secs(2));
    let ends = hang(&Memory::default(), Limits::default(), give_up).await;
    let within = "within 2s (`Retransmit::give_up`)";
    assert_hung(&ends, within, within);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sink_that_hangs_is_aborted_after_its_time_limits() {
    let times = |write, commit| Limits {
        write_time: Some(Duration::from_millis(write)),
        commit_time: Some(Duration::from_millis(commit)),
        ..Limits::default()
    };
    let ends = hang(&Memory::default(), times(300, 400), giving_up_after(LONG)).await;
    assert_hung(&ends, "within 300ms (`Limits::write_time`)", "within 400ms (`Limits::commit_time`)");
    for (write, commit, name) in [(0, 400, "write_time"), (300, 3_600_001, "commit_time")] {
        let Err(BuildError::Usage(why)) =
            builder().writable_root("memory", 1000, Memory::default()).limits(times(write, commit)).bind()
        else {
            panic!("{name} is out of range")
        };
        assert!(why.contains(&format!("`limits.{name}`")) && why.contains("1 ms to 1 h"), "{why}");
    }
}

/// A store may be slower than clients may be silent, if the program says so. The client waits as long.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_sink_may_have_more_time_than_a_client() {
    let memory = Memory::default();
    let limits = Limits { write_time: Some(LONG), commit_time: Some(LONG), ..Limits::default() };
    let built = builder().writable_root("memory", 1 << 20, memory.clone()).limits(limits);
    let (handle, server) = start(built.retransmit(giving_up_after(Duration::from_secs(1))));
    let bytes: Vec<u8> = (0..900_000_u32).map(|n| n as u8).collect();
    let sent = bytes.clone();
    off(move || Client::new(server).blksize(1024).put("slow", &sent).unwrap()).await;
    handle.drain(Duration::ZERO).await;
    assert!(memory.files.lock().unwrap()["slow"] == bytes);
}

/// Uploads that get the next free name wait for each other, and for one that asks for such a name itself. Others do not.
#[tokio::test(flavor = "multi_thread")]
async fn no_two_uploads_are_committed_under_one_name() {
    let (memory, ends) = (Memory::default(), Ends::default());
    let free = accept_upload_fn(|request, _| match request.path.strip_prefix("free/") {
        Some(_) => UploadVerdict::Rename(Destination { path: "sw1.cfg".into(), next_free: true }),
        None => UploadVerdict::Abstain,
    });
    let built = ends.of(builder().writable_root("memory", 1 << 20, memory.clone()));
    let (handle, server) = start(built.accept_upload("free", free));
    let numbers = 0..8;
    let names = numbers.clone().map(|n| format!("free/{n}")).chain(["sw1.cfg.3".to_owned()]);
    let uploads: Vec<_> =
        names.map(|name| tokio::task::spawn_blocking(move || put(server, &name, name.as_bytes()))).collect();
    for upload in uploads {
        upload.await.unwrap().unwrap();
    }
    assert_eq!(memory.committing.lock().unwrap().1, 1, "one after the other");
    // Numbers of addresses are no numbers of versions: these do not wait for each other.
    let uploads: Vec<_> = (1..9)
        .map(|n| tokio::task::spawn_blocking(move || put(server, &format!("192.0.2.{n}"), b"x")))
        .collect();
    for upload in uploads {
        upload.await.unwrap().unwrap();
    }
    assert_eq!(handle.drain(Duration::from_secs(10)).await.open_sinks, 0);
    let files = memory.files.lock().unwrap();
    // Each upload that asked for a free name has one, and reports it.
    for end in ends.sorted().iter().filter(|end| end.path.starts_with("free/")) {
        assert_eq!((end.outcome, end.by.as_deref()), (Outcome::Stored, Some("free")), "{end:?}");
        let name = end.resolved.strip_prefix("memory:").unwrap();
        let bytes = String::from_utf8_lossy(&files[name]);
        assert!(bytes == end.path || (name == "sw1.cfg.3" && bytes == name), "{end:?}: {bytes}");
    }
    let versions: Vec<&String> = files.keys().filter(|name| name.starts_with("sw1.cfg")).collect();
    // The upload to `sw1.cfg.3` itself comes before a free name is looked for there, or replaces what is there.
    assert!((8..=9).contains(&versions.len()), "{versions:?}");
    assert!(files.contains_key("sw1.cfg") && files.contains_key("sw1.cfg.7"), "{versions:?}");
}

/// The server does not know whether such an upload would be accepted: that is its failure, and no denial.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_no_hook_decides_about_fails() {
    let (memory, ends) = (Memory::default(), Ends::default());
    struct Undecided;
    #[async_trait]
    impl AcceptUpload for Undecided {
        async fn accept_upload(
            &self,
            request: &Request,
            _: &ReceivedUpload,
            _: &HookCall,
        ) -> Result<UploadVerdict, Failure> {
            Ok(match &*request.path {
                "hangs" => pending().await,
                "panics" => panic!("on purpose"),
                _ => UploadVerdict::Deny(Denial {
                    code: ErrorCode::AccessViolation,
                    message: "no".into(),
                    reason: "on purpose".into(),
                }),
            })
        }
    }
    let built = ends.of(builder().writable_root("memory", 1000, memory.clone()));
    let built = built.accept_upload("gate", Undecided).time_limit(Duration::from_millis(300));
    let (handle, server) = start(built);
    off(move || {
        for name in ["hangs", "panics"] {
            assert_eq!(put(server, name, b"x"), Err(refused(0, "policy failure")), "{name}");
        }
        assert_eq!(put(server, "denied", b"x"), Err(refused(2, "no")));
    })
    .await;
    let end = handle.drain(Duration::from_secs(10)).await;
    let count = |outcome| {
        let of = end.totals.ended.iter().filter(|its| its.outcome == outcome);
        of.map(|its| its.count).sum::<u64>()
    };
    assert_eq!([Outcome::Failed, Outcome::Denied].map(count), [2, 1]);
    assert_eq!(memory.aborted.load(SeqCst), 3);
    let ends = ends.sorted();
    let told: Vec<_> = ends.iter().map(|end| (&*end.path, end.outcome, end.by.as_deref())).collect();
    let expected = [("denied", Outcome::Denied), ("hangs", Outcome::Failed), ("panics", Outcome::Failed)];
    assert_eq!(told, expected.map(|(path, outcome)| (path, outcome, Some("gate"))));
    let late = "hook gate failed in accept-upload: time: it did not answer within 300ms";
    assert_eq!(ends[1].detail, late);
    assert_eq!(ends[2].detail, "hook gate failed in accept-upload: trap: it panicked: on purpose");
}
