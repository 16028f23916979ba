//! The hooks `authorize`, `resolve` and `observe`.

use crate::{builder, get, is_answered, off, refused, start};
use futures_util::future::BoxFuture;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tuffet::{
    Authorize, BuildError, Event, Happening, Observe, Outcome, Request, Resolution, Resolve, Server, Source,
    Verdict,
};

/// Decides by the requested name.
struct ByName;

impl Authorize for ByName {
    fn authorize<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Verdict> {
        Box::pin(async move {
            match &*request.path {
                "secret" => Verdict::deny("nobody gets it"),
                "silence" => Verdict::Drop("another server has it".into()),
                "panic" => panic!("on purpose"),
                "hang" => std::future::pending().await,
                _ => Verdict::allow(),
            }
        })
    }
}

impl Resolve for ByName {
    fn resolve<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Resolution> {
        Box::pin(async move {
            match &*request.path {
                "hello" => Resolution::Content(Source::bytes(&b"hello, "[..])),
                "name" => Resolution::Content(Source::bytes(request.client.to_string().into_bytes())),
                _ => Resolution::not_found("only two names are known"),
            }
        })
    }
}

/// Passes the outcome of each request on.
struct Outcomes(Sender<(String, Outcome, Option<String>)>);

impl Observe for Outcomes {
    fn observe(&self, event: &Event) {
        if let Happening::Finished(summary) = &event.what {
            let ending = &summary.ending;
            let detail = ending.detail.as_deref().map(str::to_owned);
            self.0.send((summary.record.request.path.clone(), ending.outcome, detail)).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_verdict_and_each_failure_concerns_its_own_request() {
    let (sender, outcomes) = channel();
    let (handle, server) = start(
        builder()
            .authorize("names", ByName)
            .resolve("contents", ByName)
            .observe("outcomes", Outcomes(sender))
            .time_limit(Duration::from_millis(200)),
    );
    let next = || outcomes.recv_timeout(Duration::from_secs(20)).unwrap();
    off(move || {
        assert_eq!(get(server, "hello").unwrap(), b"hello, ");
        assert!(String::from_utf8(get(server, "name").unwrap()).unwrap().starts_with("127.0.0.1:"));
        assert_eq!(get(server, "secret"), Err(refused(2, "access denied")));
        assert_eq!(get(server, "else"), Err(refused(1, "file not found")));
        for name in ["silence", "panic", "hang"] {
            assert!(!is_answered(server, name), "{name}");
        }
        assert_eq!(get(server, "hello").unwrap(), b"hello, ");
    })
    .await;
    let told: Vec<_> = (0..8).map(|_| next()).collect();
    let of = |name: &str| told.iter().find(|(path, ..)| path == name).unwrap();
    assert_eq!(of("hello").1, Outcome::Served);
    assert_eq!(of("secret").1, Outcome::Denied);
    assert_eq!(of("secret").2.as_deref(), Some("nobody gets it"));
    assert_eq!(of("else").1, Outcome::NotFound);
    assert_eq!(of("silence").1, Outcome::Denied);
    for (name, why) in [("panic", "it panicked: on purpose"), ("hang", "it did not answer within 200ms")] {
        let (_, outcome, detail) = of(name);
        assert_eq!(*outcome, Outcome::Failed, "{name}");
        assert!(detail.as_deref().is_some_and(|detail| detail.contains(why)), "{detail:?}");
    }
    let plugins = handle.totals().plugins;
    let named = |name: &str| plugins.iter().find(|its| its.plugin == name).unwrap();
    assert_eq!(named("names").calls, 8);
    handle.drain(Duration::ZERO).await;
}

#[tokio::test]
async fn a_contradiction_is_named() {
    let why = |built: Result<Server, BuildError>| match built {
        Err(BuildError::Usage(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was built"),
    };
    assert!(why(builder().bind()).contains("no content"));
    assert!(why(Server::builder().resolve("a", ByName).bind()).contains("no listener"));
    let twice = builder().listener(crate::listener()).resolve("a", ByName);
    assert!(why(twice.bind()).contains("two listeners have the name `test`"));
    assert!(why(builder().resolve("a", ByName).workers(0).bind()).contains("`workers`"));
    let missing = tuffet::Folder::new("boot", "/there/is/none");
    assert!(matches!(builder().folder(missing).bind(), Err(BuildError::Root(_))));
}
