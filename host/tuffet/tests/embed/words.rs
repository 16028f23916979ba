//! Messages are for the reader who has this server: a program has no configuration, no plugins, and perhaps no disk.

use crate::{builder, off, start};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, pending};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tuffet::Retransmit;
use tuffet::{
    Bytes, DefaultVerdict, Destination, Event, EventKind, Limits, ReadAt, Resolution, Root, RootError, Sink,
    Source, Target, Verdict, Version, authorize_fn, observe_fn, resolve_fn,
};
use tuffet_testing::{Client, ClientError};

/// What only the daemon has. Its keys have a section in front of a dot.
const WORDS: [&str; 10] = [
    "plugin",
    "configuration",
    "operator",
    "reload",
    "disk",
    "policy.",
    "limits.",
    "transfer.",
    "write.",
    "[]",
];

/// A root that fails in the way that a name says.
struct Failing;

#[async_trait]
impl Root for Failing {
    async fn open(&self, path: &str) -> Result<Source, RootError> {
        match path {
            "hangs" => pending().await,
            "panics" => panic!("on purpose"),
            "away" => Err(RootError::Unavailable("no answer".into())),
            "hangs in a read" => Ok(Source::ranged(1 << 20, Version::new("1"), Failing)),
            _ => Err(RootError::NotFound),
        }
    }

    async fn create(&self, _: &str) -> Result<Box<dyn Sink>, RootError> {
        Ok(Box::new(Failing))
    }
}

impl ReadAt for Failing {
    fn read_at(&self, _: u64, _: usize) -> BoxFuture<'_, io::Result<Bytes>> {
        Box::pin(pending())
    }
}

impl Sink for Failing {
    fn write<'a>(&'a mut self, _: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(pending())
    }

    fn commit<'a>(&'a mut self, to: &'a Destination) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async { Ok(to.path.clone()) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_have_the_words_of_the_library() {
    let ends = Arc::<Mutex<Vec<(String, String)>>>::default();
    let noted = Arc::clone(&ends);
    let observer = observe_fn(move |event: &Event| {
        if let EventKind::Finished(summary) = &event.what {
            let detail = summary.ending.detail.as_deref().unwrap_or_default().to_owned();
            noted.lock().unwrap().push((summary.record.request.path.clone(), detail));
        }
    });
    let give_up = Duration::from_secs(2);
    let retransmit = Retransmit { cap: Duration::from_secs(1), give_up, ..Retransmit::default() };
    let (handle, server) = start(
        builder()
            .writable_root("failing", 1 << 20, Failing)
            .authorize(
                "gate",
                authorize_fn(|request| match &*request.path {
                    "nobody" => Verdict::Abstain,
                    "broken" => panic!("on purpose"),
                    _ => Verdict::allow(),
                }),
            )
            .resolve(
                "names",
                resolve_fn(|request| match &*request.path {
                    "nowhere" => Resolution::files([Target { root: "none".into(), path: "x".into() }]),
                    _ => Resolution::Abstain,
                }),
            )
            .default_verdict(DefaultVerdict::Deny)
            .observe("ends", observer)
            .limits(Limits {
                open_time: Duration::from_millis(300),
                uploads_per_name: 1,
                ..Limits::default()
            })
            .retransmit(retransmit),
    );
    let client = move || Client::new(server).patience(Duration::from_secs(30));
    let impatient = move || Client::new(server).patience(Duration::from_secs(1));
    let mut texts = Vec::new();
    for name in ["hangs", "away", "broken"] {
        // Dropped.
        off(move || impatient().get(name).unwrap_err()).await;
    }
    for name in ["panics", "hangs in a read", "nobody", "nowhere"] {
        texts.push(off(move || client().get(name).unwrap_err()).await);
    }
    let hanging = tokio::task::spawn_blocking(move || client().put("taken", b"x").unwrap_err());
    while handle.totals().active == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    // Dropped, while the first one has the place.
    off(move || impatient().put("taken", b"x").unwrap_err()).await;
    texts.push(hanging.await.unwrap());
    handle.drain(Duration::from_secs(10)).await;

    let texts: Vec<String> = texts
        .into_iter()
        .map(|error| match error {
            ClientError::Refused { message, .. } => message,
            other => panic!("{other:?}"),
        })
        .collect();
    let ends = ends.lock().unwrap();
    for text in texts.iter().chain(ends.iter().map(|(_, detail)| detail)) {
        assert!(!WORDS.iter().any(|word| text.contains(word)), "{text:?}");
    }
    for (path, detail) in [
        ("hangs", "root `failing` did not open the file within 300ms (`Limits::open_time`)"),
        ("away", "root `failing` cannot be reached: no answer"),
        ("broken", "hook gate failed in authorize: trap: it panicked: on purpose"),
        ("panics", "root `failing` failed: it panicked: on purpose"),
        ("nobody", "nothing allowed it, and the default is to deny"),
        ("nowhere", "there is no root named `none`; correct what names it"),
        ("taken", "root `failing` did not answer within 2s (`Retransmit::give_up`)"),
        ("taken", "1 uploads to this name are running, as many as `Limits::uploads_per_name` allows"),
    ] {
        assert!(ends.iter().any(|end| (&*end.0, &*end.1) == (path, detail)), "{path}: {detail}: {ends:?}");
    }
    assert!(texts.contains(&"the server's storage does not answer".to_owned()), "{texts:?}");
}
