//! The guards of plugin calls: the time limit of a chain, instances and queue, the breaker, the mode `monitor`, the
//! decision cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::*;
use tuffet_config::{DecisionCacheConfig, Fact};
use tuffet_policy::PluginCounts;

/// Returns the counts of a plugin. Each test uses other names.
fn counted(name: &str) -> PluginCounts {
    runtime().records().counted().into_iter().find(|counted| &*counted.plugin == name).unwrap()
}

fn failures(name: &str, cause: &str) -> u64 {
    counted(name).failures.iter().find(|(its, _)| *its == cause).unwrap().1
}

async fn ask(policy: &Policy, path: &str) -> Result<Verdict, NoAnswer> {
    policy.authorize(&read(path), policy.deadline()).await.answer
}

#[tokio::test]
async fn the_chain_has_a_limit_of_its_own() {
    let mut first = bad("chain-first", "sleep");
    first.on_error = OnError::Abstain;
    first.breaker.failures = 1;
    let mut second = bad("chain-second", "count");
    second.breaker.failures = 1;
    let mut spec = authorizers(vec![first, second]);
    spec.config.time_limit = Duration::from_millis(1500);
    let policy = load(&spec).await;
    let started = Instant::now();
    let denied = denial(ask(&policy, "a").await);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(denied.reason.contains("plugin chain-second failed in authorize: chain: "), "{denied:?}");
    assert!(denied.reason.contains("before the chains had taken 1.5s (policy.time-limit)"), "{denied:?}");
    assert_eq!((failures("chain-first", "chain"), failures("chain-second", "chain")), (1, 1));
    // The plugin that took the time is blamed, and not called again; the other one gets its time again.
    assert_eq!((counted("chain-first").opened, counted("chain-second").opened), (1, 0));
    assert_eq!(denial(ask(&policy, "a").await).reason, "call 1");
    assert_eq!(failures("chain-first", "repeated"), 1);
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let mut plugin = bad("queue", "sleep");
    plugin.limits.instances = 1;
    plugin.limits.queue = 2;
    plugin.limits.wall = Duration::from_secs(1);
    let policy = load(&authorizers(vec![plugin])).await;
    let asked = join_all((0..5).map(|_| ask(&policy, "a"))).await;
    let reasons: Vec<String> = asked.into_iter().map(reason).collect();
    let count = |words: &str| reasons.iter().filter(|reason| reason.contains(words)).count();
    assert!(count("time: it gave no answer within 1s (limits.wall)") >= 1, "{reasons:?}");
    assert_eq!(count(" within 1s"), 3, "{reasons:?}");
    assert_eq!(count("overloaded in authorize: 2 calls wait for an instance"), 2, "{reasons:?}");
    assert!(denial(ask(&policy, "a").await).reason.contains("time: "), "the queue is empty again");
}

/// Two clients ask for the same file, the second one later. Returns its reason; the first one uses up its time.
async fn second_of_two(policy: &Policy, later: Duration) -> String {
    let (first, second) = (from(1, read("a")), from(2, read("a")));
    let second = async {
        tokio::time::sleep(later).await;
        policy.authorize(&second, policy.deadline()).await
    };
    let (first, second) = tokio::join!(policy.authorize(&first, policy.deadline()), second);
    assert!(reason(first.answer).contains("chain: it gave no answer before the chains had taken 2s"));
    reason(second.answer)
}

/// The instance became free so late that the call had little time left: that is overload, not a failure of the
/// plugin.
#[tokio::test]
async fn a_call_that_the_queue_left_no_time_is_dropped() {
    let mut plugin = bad("late", "sleep");
    plugin.limits.instances = 1;
    plugin.limits.wall = LONG;
    plugin.breaker.failures = 2;
    let mut spec = authorizers(vec![plugin]);
    let limit = Duration::from_secs(2);
    spec.config.time_limit = limit;
    let policy = load(&spec).await;
    let second = second_of_two(&policy, limit * 3 / 8).await;
    assert!(
        second.starts_with("plugin late is overloaded in authorize: it gave no answer before "),
        "{second}"
    );
    assert_eq!((failures("late", "chain"), failures("late", "busy"), counted("late").opened), (1, 1, 0));
}

/// As above, for a call that had to wait for the answer to an equal request.
#[tokio::test]
async fn a_call_that_an_equal_request_left_no_time_is_dropped() {
    let mut plugin = bad("cache-late", "sleep");
    plugin.limits.wall = LONG;
    plugin.breaker.failures = 2;
    plugin.cache = Some(DecisionCacheConfig { ttl: LONG, key: vec![Fact::Path], entries: 100 });
    let mut spec = authorizers(vec![plugin]);
    let limit = Duration::from_secs(2);
    spec.config.time_limit = limit;
    let policy = load(&spec).await;
    let second = second_of_two(&policy, limit / 8).await;
    assert!(second.starts_with("plugin cache-late is overloaded in authorize: "), "{second}");
    assert_eq!((failures("cache-late", "chain"), counted("cache-late").opened), (1, 0));
}

#[tokio::test]
async fn a_breaker_opens_probes_and_closes() {
    let mut plugin = plugin("breaker", misbehave(), json!({ "do": "trap", "when": "evil" }));
    let back_off = Duration::from_secs(2);
    plugin.breaker = BreakerLimits { failures: 3, back_off, cap: LONG };
    let policy = load(&authorizers(vec![plugin])).await;
    for number in [1, 1, 1, 1, 2, 3] {
        let evil = from(number, read("evil"));
        let verdict = policy.authorize(&evil, policy.deadline()).await.answer;
        assert!(denial(verdict).reason.contains("trap: "));
    }
    let shut = Instant::now();
    let reason = denial(ask(&policy, "good").await).reason;
    // On a slow machine the probe may have happened already.
    if shut.elapsed() < back_off / 2 {
        assert!(
            reason.contains("repeated: it failed for 3 clients in a row and is not called for another "),
            "{reason}"
        );
    }
    assert_eq!(counted("breaker").opened, 1);
    tokio::time::sleep(back_off).await;
    assert_eq!(ask(&policy, "good").await, Ok(Verdict::allow()));
    assert!(denial(ask(&policy, "evil").await).reason.contains("trap: "), "it is asked as before");
    assert_eq!((failures("breaker", "trap"), counted("breaker").opened), (7, 1));
}

#[tokio::test]
async fn a_breaker_answers_by_on_error() {
    let mut plugin = bad("breaker-abstains", "trap");
    plugin.breaker = BreakerLimits { failures: 1, back_off: LONG, cap: LONG };
    plugin.on_error = OnError::Abstain;
    let policy = load(&authorizers(vec![plugin])).await;
    for _ in 0..3 {
        assert_eq!(ask(&policy, "a").await, Ok(Verdict::allow()));
    }
    assert_eq!((failures("breaker-abstains", "trap"), failures("breaker-abstains", "repeated")), (1, 2));
}

#[tokio::test]
async fn a_monitored_plugin_is_asked_and_changes_nothing() {
    let mut denies = bad("monitor-denies", "deny");
    denies.mode = PluginMode::Monitor;
    let mut sleeps = bad("monitor-sleeps", "sleep");
    sleeps.mode = PluginMode::Monitor;
    let mut decides = bad("monitor-decides", "count");
    decides.limits.wall = LONG;
    let policy = load(&authorizers(vec![denies, sleeps, decides])).await;
    let started = Instant::now();
    let authorization = policy.authorize(&read("a"), policy.deadline()).await;
    assert_eq!(denial(authorization.answer).reason, "call 1");
    assert_eq!((authorization.by.as_deref(), authorization.calls), (Some("monitor-decides"), 1));
    assert!(started.elapsed() < Duration::from_secs(15), "no request waits for the one that sleeps");
    while counted("monitor-denies").monitored == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(started.elapsed() < Duration::from_secs(60), "it was never asked");
    }
}

fn remembering(name: &str, key: &[Fact], ttl: Duration, entries: usize) -> PluginConfig {
    let mut plugin = bad(name, "count");
    // Reused, so that it counts the calls that reach it.
    plugin.reuse = Some(ReuseConfig { calls: 1_000_000, idle: LONG });
    plugin.cache = Some(DecisionCacheConfig { ttl, key: key.into(), entries });
    plugin
}

#[tokio::test]
async fn decisions_are_remembered_by_their_facts() {
    let policy = load(&authorizers(vec![remembering("cache", &[Fact::Path], LONG, 100)])).await;
    let mut said = Vec::new();
    for path in ["a", "b", "a", "b", "c"] {
        said.push(denial(ask(&policy, path).await).reason);
    }
    assert_eq!(said, ["call 1", "call 2", "call 1", "call 2", "call 3"]);
    assert_eq!((counted("cache").hits, counted("cache").misses), (2, 3));
}

#[tokio::test]
async fn a_decision_is_forgotten_in_time_and_failures_at_once() {
    let ttl = Duration::from_millis(200);
    let policy = load(&authorizers(vec![remembering("cache-ttl", &[Fact::Path], ttl, 100)])).await;
    let started = Instant::now();
    assert_eq!(denial(ask(&policy, "a").await).reason, "call 1");
    let again = denial(ask(&policy, "a").await).reason;
    assert!(again == "call 1" || started.elapsed() >= ttl);
    tokio::time::sleep(ttl).await;
    assert_ne!(denial(ask(&policy, "a").await).reason, "call 1");
    for _ in 0..2 {
        assert!(denial(ask(&policy, "trap").await).reason.contains("trap: "));
    }
    assert_eq!(failures("cache-ttl", "trap"), 2);
}

/// Sends the requests to a bundled plugin. Returns the hits and misses of its cache.
async fn cached(spec: &PolicySpec, requests: &[Request]) -> (u64, u64) {
    let policy = load(spec).await;
    for request in requests {
        if spec.config.authorize.is_empty() {
            resolve(&policy, request).await;
        } else {
            policy.authorize(request, policy.deadline()).await;
        }
    }
    let counted = counted(&spec.config.plugins[0].name);
    (counted.hits, counted.misses)
}

#[tokio::test]
async fn decisions_that_depend_on_named_facts_alone_are_remembered() {
    let acl = |name| authorizers(vec![acl(name, json!({ "deny": [{ "names": ["*.key"] }] }))]);
    // Id, port and options do not matter to it.
    let same = Request { id: RequestId(8), options: Vec::new(), ..read("a") };
    let same = Request { client: SocketAddr::new(same.client.ip(), 9), ..same };
    assert_eq!(cached(&acl("depends"), &[read("a"), same, read("a.key"), read("a.key")]).await, (2, 2));
    let others = [read("a"), from(9, read("a")), request(Operation::Write, "a")];
    let listener = Request { listener: "other".into(), ..read("a") };
    assert_eq!(cached(&acl("depends-others"), &[&others[..], &[listener]].concat()).await, (0, 4));
    // Without reuse of instances, decisions are not reused either.
    let mut fresh = acl("depends-fresh");
    fresh.config.plugins[0].reuse = Some(ReuseConfig { calls: 1, idle: LONG });
    assert_eq!(cached(&fresh, &[read("a"), read("a")]).await, (0, 0));
}

#[tokio::test]
async fn a_remembered_verdict_is_the_same_verdict() {
    let rules = json!({ "deny": [{ "names": ["*.key"] }], "allow": [{ "max-blksize": 1000 }] });
    let policy = load(&authorizers(vec![acl("depends-same", rules)])).await;
    for path in ["a", "a.key"] {
        let first = policy.authorize(&read(path), policy.deadline()).await;
        assert_eq!(policy.authorize(&read(path), policy.deadline()).await, first);
    }
    assert_eq!(counted("depends-same").hits, 2);
}

/// Content is never an answer to a write request, whatever facts the operator names.
#[tokio::test]
async fn a_decision_on_a_read_is_none_on_a_write() {
    let mut plugin = bad_resolver("cache-write", "content");
    plugin.cache = Some(DecisionCacheConfig { ttl: LONG, key: vec![Fact::Path], entries: 10 });
    let policy = load(&resolvers(vec![plugin])).await;
    let answer = |operation| {
        let (policy, request) = (&policy, request(operation, "a"));
        async move { resolve(policy, &request).await.answer }
    };
    assert_eq!(shown(&answer(Operation::Read).await), "content 10 bytes");
    let refused = refusal(answer(Operation::Write).await);
    assert!(refused.reason.contains("it answered a write request with content"), "{refused:?}");
}

/// Data behind a grant may change.
#[tokio::test]
async fn decisions_that_may_depend_on_a_grant_are_not_remembered() {
    let maps = |name, grants| {
        let settings = json!({ "root": "boot", "rules": [{ "templates": ["{mac}"] }] });
        let mut plugin = plugin(name, ComponentSource::Builtin("mac-map".into()), settings);
        plugin.grants = grants;
        resolvers(vec![plugin])
    };
    let requests = [read("a"), read("a"), Request { macs: Vec::new(), ..read("a") }];
    assert_eq!(cached(&maps("depends-mac", vec![Grant::ClientMac]), &requests).await, (1, 2));
    let granted = vec![Grant::ClientMac, Grant::Clock];
    assert_eq!(cached(&maps("depends-clock", granted), &requests).await, (0, 0));
}

#[tokio::test]
async fn the_decision_cache_is_bounded() {
    let spec = authorizers(vec![remembering("cache-bound", &[Fact::Path], LONG, 10)]);
    let (policy, (_, member)) = loaded(&spec).await;
    for path in 0..200 {
        assert!(ask(&policy, &path.to_string()).await.is_ok());
    }
    let decisions = member.verdicts.as_ref().unwrap();
    assert!((1..=10).contains(&decisions.count()), "{}", decisions.count());
}

/// Of many equal requests at once, one calls the plugin.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn equal_questions_are_asked_once() {
    let policy = Arc::new(load(&authorizers(vec![remembering("single", &[Fact::Path], LONG, 100)])).await);
    let asks = (0..100).map(|_| {
        let policy = Arc::clone(&policy);
        tokio::spawn(async move { denial(ask(&policy, "same").await).reason })
    });
    for said in join_all(asks).await {
        assert_eq!(said.unwrap(), "call 1");
    }
    assert_eq!((counted("single").misses, counted("single").hits), (1, 99));
}
