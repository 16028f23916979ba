//! Reused instances: their memory, cost and end.

use std::time::{Duration, Instant};

use super::make_instance::ConfigureLimit;
use super::*;

/// A plugin that answers with the number of its instance's calls.
fn counting(calls: u32, idle: Duration) -> PluginConfig {
    let mut plugin = bad("count", "count");
    plugin.reuse = Some(ReuseConfig { calls, idle });
    plugin
}

async fn ask(policy: &Policy, path: &str) -> String {
    denial(policy.authorize(&read(path), policy.deadline()).await.answer).reason
}

#[tokio::test]
async fn without_reuse_every_call_is_the_first() {
    let policy = load(&authorizers(vec![bad("count", "count")])).await;
    assert_eq!([ask(&policy, "a").await, ask(&policy, "a").await], ["call 1", "call 1"]);
}

/// Calls take unused instances, and further ones are made in the background.
#[tokio::test]
async fn fresh_instances_are_made_ahead_and_each_serves_one_call() {
    let (policy, (plugin, _)) = loaded(&authorizers(vec![bad("ahead", "count")])).await;
    let prepared = plugin.prepared.as_ref().unwrap();
    assert_eq!(prepared.ready(), 1, "the one that was configured when the policy was loaded");
    for _ in 0..3 {
        assert_eq!(ask(&policy, "a").await, "call 1");
        let started = Instant::now();
        while prepared.ready() < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(started.elapsed() < Duration::from_secs(20), "no instance was made");
        }
    }
    // Calls that are faster than that make their own instances.
    let request = read("a");
    let calls = (0..20).map(|number| {
        let (policy, request) = (&policy, from(number, request.clone()));
        async move { denial(policy.authorize(&request, policy.deadline()).await.answer).reason }
    });
    assert_eq!(futures_util::future::join_all(calls).await, vec!["call 1"; 20]);
}

/// `configure` must read current data for each call.
#[tokio::test]
async fn instances_are_not_made_ahead_where_configure_may_read_something() {
    for (further, ahead) in
        [(None, true), (Some(Grant::Clock), false), (Some(Grant::Files("boot".into())), false)]
    {
        let component = ComponentSource::Builtin("mac-map".into());
        let settings = json!({ "root": "boot", "rules": [{ "templates": ["{mac}"] }] });
        let mut plugin = plugin("ahead-reads", component, settings);
        plugin.grants = [Grant::ClientMac].into_iter().chain(further.clone()).collect();
        plugin.reuse = Some(ReuseConfig { calls: 1, idle: LONG });
        let (_, (plugin, _)) = loaded(&resolvers(vec![plugin])).await;
        assert_eq!(plugin.prepared.is_some(), ahead, "{further:?}");
    }
}

#[tokio::test]
async fn an_instance_serves_as_many_calls_as_it_may() {
    let policy = load(&authorizers(vec![counting(4, LONG)])).await;
    let mut said = Vec::new();
    for _ in 0..8 {
        said.push(ask(&policy, "a").await);
    }
    let expected = ["call 1", "call 2", "call 3", "call 4", "call 1", "call 2", "call 3", "call 4"];
    assert_eq!(said, expected);
}

/// Two concurrent calls need two instances; later one is enough. The last one stays, with the state that `configure`
/// built.
#[tokio::test]
async fn all_but_the_last_instance_go_when_they_are_idle() {
    let spec = authorizers(vec![counting(1000, Duration::from_millis(20))]);
    let (policy, (plugin, _)) = loaded(&spec).await;
    let turns = &plugin.turns;
    assert_eq!(turns.idle(), 1, "the one that was configured when the policy was loaded");
    let another = plugin.code.configured(ConfigureLimit::Own, false).await.unwrap();
    turns.add(another, Duration::ZERO);
    assert_eq!(turns.idle(), 2);
    assert_eq!(ask(&policy, "a").await, "call 1");
    // It ends by itself, without a call.
    let started = Instant::now();
    while turns.idle() > 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(started.elapsed() < Duration::from_secs(20), "it is still there");
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(turns.idle(), 1);
}

/// While an instance is in use for long, another one is made.
#[tokio::test]
async fn calls_that_wait_get_instances_of_their_own() {
    let mut plugin = plugin("slow", misbehave(), json!({ "do": "sleep", "when": "slow" }));
    plugin.reuse = Some(ReuseConfig { calls: 1000, idle: LONG });
    let policy = load(&authorizers(vec![plugin])).await;
    let request = read("slow");
    let slow = futures_util::future::join_all((0..5).map(|_| policy.authorize(&request, policy.deadline())));
    tokio::select! {
        biased;
        _ = slow => unreachable!("they sleep until their time is over"),
        verdict = async { policy.authorize(&from(2, read("a")), policy.deadline()).await.answer } => {
            assert_eq!(verdict, Ok(Verdict::allow()));
        }
    }
}

#[tokio::test]
async fn an_instance_that_trapped_is_not_kept() {
    let policy = load(&authorizers(vec![counting(1000, LONG)])).await;
    assert_eq!([ask(&policy, "a").await, ask(&policy, "a").await], ["call 1", "call 2"]);
    let trapped = ask(&policy, "trap").await;
    assert!(trapped.contains("trap: ") && trapped.contains("trapped as asked"), "{trapped}");
    assert_eq!(ask(&policy, "a").await, "call 1");
}

#[tokio::test]
async fn an_instance_that_took_too_long_is_not_kept_and_each_call_has_its_own_time() {
    let mut plugin = counting(1_000_000, LONG);
    plugin.limits.cpu = Duration::from_millis(100);
    let policy = load(&authorizers(vec![plugin])).await;
    let looped = ask(&policy, "loop").await;
    assert!(looped.ends_with("time: it computed for more than 100ms (limits.time)"), "{looped}");
    // In total far more than one call may compute.
    let started = Instant::now();
    let mut last = String::new();
    let mut calls = 0;
    while started.elapsed() < Duration::from_millis(300) {
        last = ask(&policy, "a").await;
        calls += 1;
    }
    assert_eq!(last, format!("call {calls}"));
}

#[tokio::test]
async fn an_instance_that_grew_is_not_kept() {
    let policy = load(&authorizers(vec![counting(1000, LONG)])).await;
    assert_eq!(ask(&policy, "a").await, "call 1");
    assert_eq!(ask(&policy, "grow").await, "call 2", "40 of 64 MiB are allowed");
    assert_eq!(ask(&policy, "a").await, "call 1");
}

#[tokio::test]
async fn a_call_that_is_abandoned_takes_its_instance_along() {
    let policy = load(&authorizers(vec![counting(1000, LONG)])).await;
    assert_eq!(ask(&policy, "a").await, "call 1");
    let request = read("loop");
    tokio::select! {
        _ = policy.authorize(&request, policy.deadline()) => unreachable!("it loops for seconds"),
        () = tokio::time::sleep(Duration::from_millis(30)) => {}
    }
    assert_eq!(ask(&policy, "a").await, "call 1");
}
