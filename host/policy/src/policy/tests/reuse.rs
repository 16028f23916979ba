//! Reused instances: their state, their cost, and their end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::instance::Instance;
use super::kept::Kept;
use super::*;

/// A plugin that says which call of its instance this is.
fn counting(calls: u32, idle: Duration) -> PluginSpec {
    let mut plugin = bad("count", "count");
    plugin.reuse = Some(Reuse { calls, idle });
    plugin
}

async fn ask(policy: &Policy, path: &str) -> String {
    denial(policy.authorize(&read(path), policy.patience()).await.verdict).reason
}

#[tokio::test]
async fn without_reuse_every_call_is_the_first() {
    let policy = load(&authorizers(vec![bad("count", "count")])).await;
    assert_eq!([ask(&policy, "a").await, ask(&policy, "a").await], ["call 1", "call 1"]);
}

#[tokio::test]
async fn an_instance_serves_as_many_calls_as_it_may() {
    // The configuration of it when the policy was loaded is its first call.
    let policy = load(&authorizers(vec![counting(4, LONG)])).await;
    let mut said = Vec::new();
    for _ in 0..8 {
        said.push(ask(&policy, "a").await);
    }
    let expected = ["call 1", "call 2", "call 3", "call 1", "call 2", "call 3", "call 4", "call 1"];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn an_instance_that_waited_too_long_is_not_used() {
    let policy = load(&authorizers(vec![counting(1000, Duration::from_millis(20))])).await;
    assert_eq!(ask(&policy, "a").await, "call 1");
    let kept = policy.first().kept.as_ref().unwrap();
    // It goes by itself, without a call.
    let started = Instant::now();
    while kept.count() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert!(started.elapsed() < Duration::from_secs(20), "it is still kept");
    }
    assert_eq!(ask(&policy, "a").await, "call 1");
    assert_eq!(kept.count(), 1);
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
    // Far more in all than one call may compute.
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
        _ = policy.authorize(&request, policy.patience()) => unreachable!("it loops for seconds"),
        () = tokio::time::sleep(Duration::from_millis(30)) => {}
    }
    assert_eq!(ask(&policy, "a").await, "call 1");
}

#[tokio::test]
async fn room_is_bounded() {
    let policy = load(&authorizers(vec![counting(1000, LONG)])).await;
    let room = Arc::new(Semaphore::new(2));
    let kept = Kept::new(Reuse { calls: 10, idle: LONG }, Arc::clone(&room));
    for _ in 0..3 {
        kept.put(Instance::new(policy.first()));
    }
    assert_eq!((kept.count(), room.available_permits()), (2, 0));
    drop(kept.take());
    assert_eq!((kept.count(), room.available_permits()), (1, 1));
    drop(kept);
    assert_eq!(room.available_permits(), 2, "a generation that is gone leaves its room");
}
