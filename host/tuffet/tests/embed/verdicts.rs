//! The hooks `authorize`, `resolve` and `observe`.

use crate::{builder, get, is_answered, off, refused, start};
use async_trait::async_trait;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tokio::sync::Notify;
use tuffet::{
    Authorize, BuildError, Event, EventKind, Failure, Folder, HookCall, Observe, Outcome, Request,
    Resolution, Resolve, Server, Source, Verdict,
};
use tuffet_server::daemon::{BuilderParts, ServiceParts};

/// Decides by the requested name.
struct ByName;

#[async_trait]
impl Authorize for ByName {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(match &*request.path {
            "secret" => Verdict::deny("nobody gets it"),
            "silence" => Verdict::Drop("another server has it".into()),
            "panic" => panic!("on purpose"),
            "hang" => std::future::pending().await,
            _ => Verdict::allow(),
        })
    }
}

#[async_trait]
impl Resolve for ByName {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        Ok(match &*request.path {
            "hello" => Resolution::content(Source::bytes(&b"hello, "[..])),
            "name" => Resolution::content(Source::bytes(request.client.to_string().into_bytes())),
            _ => Resolution::not_found("only two names are known"),
        })
    }
}

/// Takes drive letters away, and denies a folder.
struct Drives;

#[async_trait]
impl Authorize for Drives {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let is_secret = request.path.starts_with("secret/");
        Ok(if is_secret { Verdict::deny("nobody gets it") } else { Verdict::Abstain })
    }
}

#[async_trait]
impl Resolve for Drives {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        // The path is a plain one, whatever the client sends.
        assert!(
            !request.path.is_empty() && !request.path.split('/').any(|part| matches!(part, "" | "." | ".."))
        );
        assert!(!request.path.contains(char::is_control), "{:?}", request.path);
        Ok(match request.requested.split_once(":") {
            Some(("C", rest)) if request.unsafe_name.is_some() => {
                Resolution::file("boot", rest.trim_start_matches('/'))
            }
            Some(("D", rest)) => Resolution::content(Source::bytes(rest.as_bytes().to_vec())),
            Some(("E", _)) => Resolution::file("boot", &*request.path),
            _ => Resolution::Abstain,
        })
    }
}

/// A name that is not safe is refused, unless a hook names a file whose name is safe, and that `authorize` allows.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_not_safe() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("secret")).unwrap();
    for (name, text) in [("hello", "hello, "), ("secret/plan", "the plan")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let hooks = builder().authorize("drives", Drives).resolve("drives", Drives);
    let (handle, server) = start(hooks.folder(Folder::new("boot", folder.path())));
    off(move || {
        assert_eq!(get(server, "C:/hello").unwrap(), b"hello, ");
        assert_eq!(get(server, "\\\\hello").unwrap(), b"hello, ");
        assert_eq!(get(server, "C:secret/plan"), Err(refused(2, "access denied")));
        assert_eq!(get(server, "C:none"), Err(refused(1, "file not found")));
        let drive = Err(refused(2, "file name holds a drive letter"));
        // No file of a safe name, content, the path as it is, and no opinion.
        for name in ["C:/../hello", "C:C:/hello", "D:hello", "E:hello", "F:hello"] {
            assert_eq!(get(server, name), drive, "{name}");
        }
        assert_eq!(get(server, "../hello"), Err(refused(2, "file name holds `..`")));
        assert_eq!(get(server, "hello\n"), Err(refused(2, "file name holds a control character")));
    })
    .await;
    handle.drain(Duration::ZERO).await;
}

/// Passes the outcome of each request on.
struct Outcomes(Sender<(String, Outcome, Option<String>)>);

impl Observe for Outcomes {
    fn observe(&self, event: &Event) {
        if let EventKind::Finished(summary) = &event.what {
            let ending = &summary.ending;
            let detail = ending.detail.as_deref().map(str::to_owned);
            self.0.send((summary.record.request.path.clone(), ending.outcome, detail)).unwrap();
        }
    }
}

/// Replaces a file in a call that waits until another request has opened it.
struct Replaces(Arc<Replacement>);

struct Replacement {
    folder: PathBuf,
    /// Whether the next call does so.
    armed: AtomicBool,
    waits: Notify,
    goes_on: Notify,
}

#[async_trait]
impl Authorize for Replaces {
    async fn authorize(&self, _: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let it = &self.0;
        if it.armed.swap(false, Ordering::SeqCst) {
            it.waits.notify_one();
            it.goes_on.notified().await;
            std::fs::rename(it.folder.join("new"), it.folder.join("f")).unwrap();
        }
        Ok(Verdict::allow())
    }
}

/// Requests for one file share an open, but not one from before a hook was called.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_hook_replaces_is_served_as_it_left_it() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["f", "new"] {
        std::fs::write(folder.path().join(name), name).unwrap();
    }
    let hook = Arc::new(Replacement {
        folder: folder.path().into(),
        armed: AtomicBool::new(false),
        waits: Notify::new(),
        goes_on: Notify::new(),
    });
    let folder = Folder::new("boot", folder.path());
    let (handle, server) = start(builder().authorize("replaces", Replaces(Arc::clone(&hook))).folder(folder));
    let read = || off(move || get(server, "f").unwrap());
    // A file that has just been written is not in memory yet.
    while handle.totals().file_cache.hits == 0 {
        assert_eq!(read().await, b"f");
    }
    hook.armed.store(true, Ordering::SeqCst);
    let first = tokio::spawn(read());
    hook.waits.notified().await;
    assert_eq!(read().await, b"f");
    hook.goes_on.notify_one();
    assert_eq!(first.await.unwrap(), b"new");
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
    assert!(why(builder().resolve("", ByName).bind()).contains("of a hook is empty"));
    assert!(why(builder().resolve("a\nb", ByName).bind()).contains("contains '\\n'"));
    assert!(why(builder().folder(Folder::new("a:b", "/")).bind()).contains("of a root contains ':'"));
    let opened = tuffet_store::Roots::open(&[]).unwrap();
    let both = builder().folder(Folder::new("boot", "/")).open_roots(opened);
    assert!(why(both.bind()).contains("`open_roots` supplies all roots"));
    let server = |set: fn(&mut tuffet_request::settings::Settings)| {
        let mut settings = tuffet_request::settings::Settings::default();
        set(&mut settings);
        Server::builder().settings(settings, Vec::new()).listener(crate::listener()).resolve("a", ByName)
    };
    let profile = tuffet::Profile {
        ceilings: tuffet::Ceilings { max_windowsize: Some(0), ..Default::default() },
        ..Default::default()
    };
    assert!(
        why(builder().resolve("a", ByName).profile(profile).bind())
            .contains("`profiles[0].ceilings.max_windowsize`")
    );
    let nameless = tuffet::Profile { total_rate: Some(1_000_000), ..Default::default() };
    assert!(why(builder().resolve("a", ByName).profile(nameless).bind()).contains("`profiles[0].name`"));
    let low = || tuffet::Profile { name: Some("a".into()), total_rate: Some(1_000), ..Default::default() };
    assert!(why(builder().resolve("a", ByName).profile(low()).bind()).contains("`profiles[0].total_rate`"));
    let same = || tuffet::Profile { total_rate: None, ..low() };
    let twice = builder().resolve("a", ByName).profile(same()).profile(same());
    assert!(why(twice.bind()).contains("`profiles[1].name`"));
    assert!(why(server(|its| its.busy_poll = Duration::from_millis(2)).bind()).contains("`busy_poll`"));
    assert!(
        why(server(|its| its.service.limits.per_client.ipv6_prefix = Some(129)).bind()).contains("1 to 128")
    );
    assert!(why(server(|its| its.service.limits.burst = Some(2)).bind()).contains("`limits.burst`"));
    assert!(
        why(server(|its| its.transfer.retransmit.give_up = Duration::from_secs(3601)).bind())
            .contains("give_up")
    );
    let missing = Folder::new("boot", "/there/is/none");
    assert!(matches!(builder().folder(missing).bind(), Err(BuildError::Root(_))));
}

/// Allows one address, as a program may write it.
struct OnlyLoopback;

#[async_trait]
impl Authorize for OnlyLoopback {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        Ok(match request.client.ip() == std::net::Ipv4Addr::LOCALHOST {
            true => Verdict::allow(),
            false => Verdict::deny("another address"),
        })
    }
}

/// Panics when it is asked what it wants.
struct Undecided;

impl Observe for Undecided {
    fn wants(&self) -> tuffet::Kinds {
        panic!("on purpose")
    }

    fn observe(&self, _: &Event) {}
}

/// A server of HTTP may know a client of IPv4 by its mapped address; hooks see it as IPv4. Times without a bound are no
/// error.
#[tokio::test(flavor = "multi_thread")]
async fn mapped_addresses_are_addresses_of_ipv4_and_no_limit_is_a_limit() {
    let both = std::net::UdpSocket::bind("[::]:0").unwrap();
    let both =
        Server::builder().listener(tuffet::Listener::from_socket(both).unwrap()).resolve("contents", ByName);
    let Err(BuildError::Usage(why)) = both.bind() else { panic!("a dual-stack socket was accepted") };
    assert!(why.contains("IPV6_V6ONLY"), "{why}");
    let built = builder()
        .authorize("loopback", OnlyLoopback)
        .resolve("contents", ByName)
        .observe("undecided", Undecided)
        .time_limit(Duration::MAX);
    let (handle, server) = start(built);
    off(move || assert_eq!(get(server, "hello").unwrap(), b"hello, ")).await;
    let client = "[::ffff:127.0.0.1]:9".parse().unwrap();
    let decided = handle.requests().read(tuffet::Ask::http("test", client, b"hello")).await.unwrap();
    assert!(matches!(decided, tuffet::Decided::Granted(_)), "{decided:?}");
    drop(decided);
    handle.drain(Duration::MAX).await;
}

/// Answers as plugins may not, either.
struct Impossible;

#[async_trait]
impl Authorize for Impossible {
    async fn authorize(&self, request: &Request, _: &HookCall) -> Result<Verdict, Failure> {
        let overrides = tuffet::SessionValues {
            timeout: (request.path == "at once").then_some(0),
            ..tuffet::SessionValues::default()
        };
        Ok(Verdict::Allow(tuffet::SessionProfile { overrides, ..Default::default() }))
    }
}

#[async_trait]
impl Resolve for Impossible {
    async fn resolve(&self, _: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        let target = |n| tuffet::Target { root: "none".into(), path: format!("{n}") };
        Ok(Resolution::files((0..100_000).map(target)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn impossible_answers_are_failures_of_their_hook() {
    let (sender, outcomes) = channel();
    let built = builder().authorize("a", Impossible).resolve("r", Impossible);
    let (handle, server) = start(built.observe("outcomes", Outcomes(sender)));
    off(move || {
        for name in ["at once", "everywhere"] {
            assert!(!is_answered(server, name), "{name}");
        }
    })
    .await;
    for why in ["it allowed a timeout of 0", "100000 candidates: 64 are allowed"] {
        let (_, outcome, detail) = outcomes.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(outcome, Outcome::Failed);
        assert!(detail.as_deref().is_some_and(|detail| detail.contains(why)), "{detail:?}");
    }
    handle.drain(Duration::ZERO).await;
}

/// Its inventory answers nonsense about one name. Has a content for what no folder has.
struct Inventory;

#[async_trait]
impl Authorize for Inventory {
    async fn authorize(&self, request: &Request, call: &HookCall) -> Result<Verdict, Failure> {
        call.note(format!("{} is looked up", request.path));
        match &*request.path {
            "nonsense" => Err(std::io::Error::other("the inventory answered nonsense"))?,
            path => assert!(path != "asked only" || call.is_rehearsal(), "it has an effect"),
        }
        Ok(Verdict::Abstain)
    }
}

#[async_trait]
impl Resolve for Inventory {
    async fn resolve(&self, request: &Request, _: &HookCall) -> Result<Resolution, Failure> {
        let file = tuffet::Target { root: "boot".into(), path: request.path.clone() };
        let made = tuffet::Selection::of([file]).or_content(Source::bytes(&b"made"[..]));
        Ok(if request.path.starts_with("none/") { Resolution::Abstain } else { made.into() })
    }
}

/// The search of an explanation and of another protocol is that of a transfer.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_fail_have_content_for_missing_files_and_learn_of_rehearsals() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("there"), "file").unwrap();
    let (sender, outcomes) = channel();
    let inventory = || {
        let netboot = tuffet::Netboot { empty_lists: true, ..tuffet::Netboot::default() };
        let hooks = builder().authorize("inventory", Inventory).resolve("inventory", Inventory);
        hooks.folder(Folder::new("boot", folder.path())).netboot(netboot)
    };
    let (handle, server) = start(inventory().observe("outcomes", Outcomes(sender)));
    let generation = inventory().unbound().unwrap();
    for (name, expected) in [("there", "file"), ("elsewhere", "made"), ("none/command.lst", "")] {
        off(move || assert_eq!(get(server, name).unwrap(), expected.as_bytes(), "{name}")).await;
        let client = "127.0.0.1:9".parse().unwrap();
        let decided =
            handle.requests().read(tuffet::Ask::http("test", client, name.as_bytes())).await.unwrap();
        let tuffet::Decided::Granted(content) = decided else { panic!("{name}: {decided:?}") };
        assert_eq!(content.read_at(0, 100).await.unwrap(), expected.as_bytes(), "{name}");
        let explained = crate::names::explained(&generation, name).await;
        let outcome = &explained.outcome;
        let size = Some(expected.len() as u64);
        assert_eq!((&*outcome.decision, outcome.size), ("granted", size), "{name}: {explained:?}");
        assert_eq!(outcome.resolved.as_deref(), Some(content.resolved()), "{name}");
    }
    off(move || assert!(!is_answered(server, "nonsense"))).await;
    let failed = outcomes.iter().find(|(name, ..)| name == "nonsense").unwrap();
    assert_eq!(failed.1, Outcome::Failed);
    let why = "hook inventory failed in authorize: error: the inventory answered nonsense";
    assert_eq!(failed.2.as_deref(), Some(why));
    let rehearsed = crate::names::explained(&generation, "asked only").await;
    assert_eq!(rehearsed.policy[0].log, ["asked only is looked up"]);
    handle.drain(Duration::ZERO).await;
}
