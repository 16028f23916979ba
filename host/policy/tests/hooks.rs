//! Hooks in Rust, without WebAssembly: their chains, and the guards of their calls.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tuffet_policy::{
    AnnouncedContent, Answer, Authorize, Breaker, BreakerLimits, Cause, ChainPosition, Chains, Counters,
    DecisionCache, DefaultVerdict, Deliver, Delivery, Fact, Failure, Fallback, HookCall, HookFuture, Hooks,
    LineRate, Member, NoAnswer, OnError, PluginContent, Policy, PolicyParts, Render, Rendered, Rendering,
    Renderings, Resolution, Resolve, Selection, Target, Verdict,
};
use tuffet_request::events::{Event, EventKind, Kinds};
use tuffet_request::{Denial, ErrorCode, Operation, Request};

const LONG: Duration = Duration::from_secs(600);

/// Denies `*.key`, allows `boot/*`, fails on `broken` and is overloaded on `busy`. Counts its calls.
#[derive(Default)]
struct Names {
    calls: AtomicU32,
}

impl Authorize for Names {
    fn authorize<'h, 'r, 'c, 'a>(
        &'h self,
        request: &'r Request,
        call: &'c HookCall,
    ) -> HookFuture<'a, Verdict>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        Box::pin(async move {
            self.calls.fetch_add(1, SeqCst);
            call.memo().with(|calls: &mut u32| *calls += 1);
            match &*request.path {
                "broken" => Err(Failure::new(Cause::Trap, "on purpose")),
                "busy" => Err(Failure::new(Cause::Busy, "too much to do")),
                path if path.ends_with(".key") => Ok(Verdict::Deny(denial("a key"))),
                path if path.starts_with("boot/") => Ok(Verdict::allow()),
                _ => Ok(Verdict::Abstain),
            }
        })
    }
}

/// Answers with a file; the fallback is content rendered for the name of the file.
struct Files;

impl Resolve for Files {
    fn resolve<'h, 'r, 'c, 'a>(&'h self, request: &'r Request, _: &'c HookCall) -> HookFuture<'a, Resolution>
    where
        'h: 'a,
        'r: 'a,
        'c: 'a,
    {
        let file = Target { root: "boot".into(), path: request.path.clone() };
        let fallback = Fallback::Rendering(request.path.as_str().into());
        Box::pin(async { Ok(Selection::of([file]).or(fallback).into()) })
    }
}

impl Render for Files {
    fn render<'a>(&'a self, key: &'a str, _: &'a HookCall) -> BoxFuture<'a, Rendered> {
        Box::pin(async move {
            let content = Arc::new(PluginContent::new(Some("made"), key.as_bytes().into()));
            Ok(Ok(Rendering { content, ttl: None }))
        })
    }

    fn begin<'a>(
        &'a self,
        _: &'a str,
        _: &'a HookCall,
    ) -> HookFuture<'a, Result<Option<AnnouncedContent>, Denial>> {
        Box::pin(async { Ok(Ok(None)) })
    }

    fn part<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: u32,
        _: &'a HookCall,
    ) -> HookFuture<'a, Result<Vec<u8>, Denial>> {
        Box::pin(async { unreachable!("it makes nothing in parts") })
    }

    fn largest(&self) -> u64 {
        1024
    }
}

/// Counts events, and fails on the first delivery.
#[derive(Default)]
struct Counts {
    deliveries: AtomicU32,
    events: AtomicU32,
}

impl Deliver for Counts {
    fn wants(&self) -> Kinds {
        Kinds::ALL
    }

    fn deliver<'a>(&'a self, events: &'a Delivery<'a>, _: &'a HookCall) -> HookFuture<'a, ()> {
        Box::pin(async {
            let numbers = events.batch().derived(|all| all.len()).copied();
            assert_eq!(numbers, Some(events.batch().events().len()));
            if self.deliveries.fetch_add(1, SeqCst) == 0 {
                return Err(Failure::new(Cause::Trap, "on purpose"));
            }
            self.events.fetch_add(u32::try_from(events.iter().count()).unwrap(), SeqCst);
            Ok(())
        })
    }
}

fn denial(reason: &str) -> Denial {
    Denial { code: ErrorCode::AccessViolation, message: "no".into(), reason: reason.into() }
}

fn member(name: &str, hooks: Hooks) -> Member {
    let name: Arc<str> = name.into();
    Member {
        hooks,
        on_error: OnError::Deny,
        monitors: false,
        wall: LONG,
        is_guarded: false,
        sources: None,
        ipv6_prefix: 64,
        wants_local: false,
        judges_paths: false,
        breaker: Arc::new(Breaker::new(BreakerLimits { failures: 2, back_off: LONG, cap: LONG })),
        turns: None,
        overload: Arc::default(),
        counters: Arc::new(Counters::default()),
        log_rate: Arc::new(LineRate::calls("plugin", &name)),
        noun: "plugin",
        verdicts: None,
        resolutions: None,
        renderings: Renderings::new(1 << 20, 1 << 20),
        name,
    }
}

fn policy(of_all: Chains) -> Policy {
    Policy::new(PolicyParts {
        default: DefaultVerdict::Allow,
        of_all,
        of_listeners: HashMap::new(),
        time_limit: LONG,
        warnings: Vec::new(),
        identities: Vec::new(),
    })
}

fn authorizers(members: Vec<Member>) -> Policy {
    policy(Chains { authorize: members.into_iter().map(Arc::new).collect(), ..Chains::default() })
}

fn names(hook: &Arc<Names>) -> Hooks {
    Hooks { authorize: Some(Arc::clone(hook) as _), ..Hooks::default() }
}

async fn ask(policy: &Policy, request: &Request) -> Result<Verdict, NoAnswer> {
    policy.authorize(request, policy.deadline()).await.answer
}

#[tokio::test]
async fn the_first_denial_of_a_chain_decides() {
    let (first, second) = (Arc::new(Names::default()), Arc::new(Names::default()));
    let policy = authorizers(vec![member("first", names(&first)), member("second", names(&second))]);
    assert_eq!(ask(&policy, &Request::sample("a.key")).await, Ok(Verdict::Deny(denial("a key"))));
    assert_eq!((first.calls.load(SeqCst), second.calls.load(SeqCst)), (1, 0));
    assert_eq!(ask(&policy, &Request::sample("other")).await, Ok(Verdict::allow()));
    assert_eq!((first.calls.load(SeqCst), second.calls.load(SeqCst)), (2, 1));
    let authorization = policy.authorize(&Request::sample("boot/a"), policy.deadline()).await;
    assert_eq!((authorization.by.as_deref(), authorization.calls), (Some("first"), 2));
}

#[tokio::test]
async fn a_failure_denies_or_abstains_and_opens_the_breaker() {
    let hook = Arc::new(Names::default());
    let abstains = Member { on_error: OnError::Abstain, ..member("abstains", names(&hook)) };
    let policy = authorizers(vec![abstains, member("denies", names(&hook))]);
    for number in 1..=3 {
        let client = SocketAddr::from(([192, 0, 2, number], 2000));
        let request = Request { client, ..Request::sample("broken") };
        let Ok(Verdict::Deny(denied)) = ask(&policy, &request).await else { unreachable!("`denies` failed") };
        assert!(denied.reason.starts_with("plugin denies failed in authorize: "), "{denied:?}");
    }
    assert_eq!(hook.calls.load(SeqCst), 4, "neither is called after two clients");
    assert!(policy.plugin_states().all(|(_, now)| now.breaker_open));
}

#[tokio::test]
async fn overload_drops_the_request() {
    let hook = Arc::new(Names::default());
    let policy = authorizers(vec![member("busy", names(&hook))]);
    let verdict = ask(&policy, &Request::sample("busy")).await;
    let reason = "plugin busy is overloaded in authorize: too much to do".to_owned();
    assert_eq!(verdict, Err(NoAnswer::Overloaded(reason)));
}

#[tokio::test]
async fn decisions_are_cached_by_their_facts() {
    let hook = Arc::new(Names::default());
    let verdicts = Some(DecisionCache::declared(&[Fact::Path]));
    let policy = authorizers(vec![Member { verdicts, ..member("cached", names(&hook)) }]);
    for path in ["a", "a.key", "a", "a.key"] {
        assert!(ask(&policy, &Request::sample(path)).await.is_ok());
    }
    assert_eq!(hook.calls.load(SeqCst), 2);
}

#[tokio::test]
async fn content_follows_where_no_file_exists_and_is_made_once() {
    let hooks = Hooks { resolve: Some(Arc::new(Files)), render: Some(Arc::new(Files)), ..Hooks::default() };
    let resolve = vec![Arc::new(member("files", hooks))];
    let policy = policy(Chains { resolve, ..Chains::default() });
    let request = Request::sample("a.cfg");
    let mut contents = Vec::new();
    for _ in 0..2 {
        let first = policy.resolve_from(&request, ChainPosition::START, policy.deadline()).await;
        let file = Target { root: "boot".into(), path: "a.cfg".into() };
        let Ok(Resolution::Serve(selection)) = first.chain.answer else { unreachable!("{:?}", first.chain) };
        assert_eq!(selection.targets(), [file]);
        let next = policy.resolve_from(&request, first.next.unwrap(), policy.deadline()).await;
        let Ok(Resolution::Serve(selection)) = next.chain.answer else { unreachable!("{:?}", next.chain) };
        let Fallback::Content(content) = selection.fallback() else { unreachable!("{selection:?}") };
        assert_eq!((&**content.bytes().unwrap(), content.name()), (&b"a.cfg"[..], Some("made")));
        assert_eq!(Some(Ok::<_, Denial>(Arc::clone(content))).word(), "content");
        contents.push(Arc::clone(content));
    }
    assert!(Arc::ptr_eq(&contents[0], &contents[1]));
}

/// Its client learns why the file cannot be created, and not that a hook failed.
#[tokio::test]
async fn content_follows_no_upload() {
    let hooks = Hooks { resolve: Some(Arc::new(Files)), ..Hooks::default() };
    let policy = policy(Chains { resolve: vec![Arc::new(member("files", hooks))], ..Chains::default() });
    for (operation, follows) in [(Operation::Read, true), (Operation::Write, false)] {
        let request = Request { operation, ..Request::sample("a.cfg") };
        let resolved = policy.resolve_from(&request, ChainPosition::START, policy.deadline()).await;
        assert_eq!(resolved.next.is_some(), follows, "{operation:?}");
    }
}

#[tokio::test]
async fn observers_get_events_once_more_after_a_failure() {
    let hook = Arc::new(Counts::default());
    let hooks = Hooks { observe: Some(Arc::clone(&hook) as _), ..Hooks::default() };
    let policy = policy(Chains { observe: vec![Arc::new(member("counts", hooks))], ..Chains::default() });
    let what = EventKind::Progressed {
        id: tuffet_request::RequestId(1),
        listener: "lan".into(),
        bytes: 1,
        size: None,
    };
    let event = Event { sequence: 1, at: std::time::SystemTime::UNIX_EPOCH, what };
    policy.observe(&[event], &[]).await;
    assert_eq!((hook.deliveries.load(SeqCst), hook.events.load(SeqCst)), (2, 1));
}
