//! Each test exceeds a limit on purpose.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::*;
use tuffet_request::ErrorCode;

/// The denial for a plugin that fails in `authorize`.
async fn failure(plugin: PluginConfig) -> tuffet_request::Denial {
    let policy = load(&authorizers(vec![plugin])).await;
    let denied = denial(policy.authorize(&read("a"), policy.deadline()).await.answer);
    assert_eq!(denied.code, ErrorCode::NotDefined);
    assert_eq!(denied.message, "policy failure", "the client learns nothing of the plugin");
    denied
}

/// The denial for a plugin that fails in `resolve`.
async fn resolve_failure(misdeed: &str) -> tuffet_request::Denial {
    let policy = load(&resolvers(vec![bad_resolver("bad", misdeed)])).await;
    let refused = refusal(resolve(&policy, &read("a")).await.answer);
    assert_eq!(refused.message, "policy failure");
    refused
}

#[tokio::test]
async fn an_endless_loop_is_stopped_while_others_go_on() {
    let mut looping = bad("loop", "loop");
    looping.limits = PluginLimits { wall: LONG, ..PluginLimits::default() };
    let policy = load(&authorizers(vec![looping])).await;
    let beats = AtomicU32::new(0);
    // Both run on this one thread: if the guest did not yield, the other would not beat at all.
    let heart = async {
        loop {
            tokio::time::sleep(Duration::from_millis(1)).await;
            beats.fetch_add(1, Ordering::Relaxed);
        }
    };
    let request = read("a");
    let started = Instant::now();
    let authorization = tokio::select! {
        authorization = policy.authorize(&request, policy.deadline()) => authorization,
        () = heart => unreachable!("the heart never stops"),
    };
    let denied = denial(authorization.answer);
    assert!(denied.reason.starts_with("plugin loop failed in authorize: time: "), "{denied:?}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_ne!(beats.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn cpu_time_is_distinguished_from_wall_time() {
    let mut looping = bad("loop", "loop");
    looping.limits.cpu = Duration::from_millis(20);
    let denied = failure(looping).await;
    assert!(denied.reason.ends_with("time: it computed for more than 20ms (limits.time)"), "{denied:?}");

    let mut sleeping = bad("sleep", "sleep");
    sleeping.limits.wall = Duration::from_secs(2);
    let denied = failure(sleeping).await;
    assert!(
        denied
            .reason
            .ends_with("time: it gave no answer within 2s (limits.wall): it waited for its own timer"),
        "{denied:?}"
    );
}

#[tokio::test]
async fn a_memory_hog_is_stopped() {
    let denied = failure(bad("hog", "hog")).await;
    assert!(
        denied.reason.ends_with("memory: it wanted more than 67108864 bytes of memory (limits.memory)"),
        "{denied:?}"
    );
}

#[tokio::test]
async fn traps_say_what_happened() {
    let denied = failure(bad("trap", "trap")).await;
    assert!(denied.reason.starts_with("plugin trap failed in authorize: trap: panicked at "), "{denied:?}");
    assert!(denied.reason.contains("trapped as asked"), "the panic's own message: {denied:?}");
    let denied = failure(bad("recurse", "recurse")).await;
    // Rust's stack is at the start of the memory, so its end is out of bounds.
    assert!(denied.reason.contains("trap: the stack is exhausted: "), "{denied:?}");
    let denied = failure(bad("exit", "exit")).await;
    assert!(denied.reason.ends_with("trap: it ended itself with exit code 0"), "{denied:?}");
}

#[tokio::test]
async fn the_sandbox_is_empty() {
    let policy = load(&authorizers(vec![bad("escape", "escape")])).await;
    let authorization = policy.authorize(&read("a"), policy.deadline()).await;
    assert_eq!(authorization.answer, Ok(Verdict::allow()), "it found something and panicked");
}

#[tokio::test]
async fn every_call_starts_afresh() {
    let policy =
        load(&authorizers(vec![plugin("trap", misbehave(), json!({ "do": "trap", "when": "evil" }))])).await;
    denial(policy.authorize(&read("evil"), policy.deadline()).await.answer);
    assert_eq!(policy.authorize(&read("good"), policy.deadline()).await.answer, Ok(Verdict::allow()));
}

#[tokio::test]
async fn invalid_answers_are_failures() {
    for (misdeed, what) in [
        ("too-much-content", "it handed over more than it may"),
        ("unknown-root", "it answered with a file in the root \"no-such-root\", which is not configured"),
        ("traversal", "it answered with the path \"../../etc/passwd\", which is not a plain path"),
        ("no-files", "it answered with neither a candidate nor `else-next`"),
        ("many-files", "it handed over more than it may"),
    ] {
        let refused = resolve_failure(misdeed).await;
        assert!(refused.reason.contains(&format!("bad answer: {what}")), "{misdeed}: {refused:?}");
    }
    let denied = failure(bad("nonsense", "allow-nonsense")).await;
    assert!(denied.reason.contains("bad answer: it allowed a blksize of 1: 8 to 65464"), "{denied:?}");
}

#[tokio::test]
async fn content_has_its_own_limit() {
    let mut content = bad_resolver("content", "content");
    content.limits.content = 9;
    let policy = load(&resolvers(vec![content])).await;
    let refused = refusal(resolve(&policy, &read("a")).await.answer);
    assert!(
        refused.reason.contains("its content has 10 bytes: 9 are allowed (limits.content)"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_call_that_gets_no_turn_ends_in_time() {
    let mut sleeping = bad("sleep", "sleep");
    sleeping.limits.wall = Duration::from_millis(200);
    let policy = load(&authorizers(vec![sleeping])).await;
    let request = read("a");
    let started = Instant::now();
    let calls =
        futures_util::future::join_all((0..100).map(|_| policy.authorize(&request, policy.deadline()))).await;
    for call in calls {
        let reason = reason(call.answer);
        assert!(
            reason.contains("in authorize: time: it gave no answer within 200ms (limits.wall)")
                || reason.contains("overloaded in authorize: it gave no answer within 200ms (limits.wall)")
                || reason
                    .contains("overloaded in authorize: no instance was free within 200ms (limits.wall)"),
            "{reason}"
        );
    }
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_message_to_the_client_is_cleaned_and_cut() {
    let policy = load(&authorizers(vec![bad("long", "deny-at-length")])).await;
    let denied = denial(policy.authorize(&read("a"), policy.deadline()).await.answer);
    assert_eq!(denied.code, ErrorCode::FileNotFound);
    assert!(denied.message.len() <= 200 && denied.message.starts_with("a b  é"), "{:?}", denied.message);
    assert_eq!(denied.reason.len(), 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn more_calls_than_instances_wait_their_turn() {
    // More calls than the runtime has instances, on several threads.
    let names: Vec<String> = (0..6).map(|i| format!("acl{i}")).collect();
    let mut policies = Vec::new();
    for name in &names {
        policies.push(Arc::new(load(&authorizers(vec![acl(name, json!({ "deny": [{}] }))])).await));
    }
    let calls = policies.iter().cycle().take(1200).map(|policy| {
        let policy = Arc::clone(policy);
        tokio::spawn(async move { policy.authorize(&read("a"), policy.deadline()).await })
    });
    for call in futures_util::future::join_all(calls).await {
        assert_eq!(denial(call.unwrap().answer).reason, "deny rule 1");
    }
}

#[tokio::test]
async fn a_plugin_that_is_stuck_leaves_room_for_the_others() {
    let stuck = load(&authorizers(vec![bad("sleep", "sleep")])).await;
    let healthy = load(&authorizers(vec![acl("acl", json!({ "deny": [{}] }))])).await;
    let request = read("a");
    let sleepers =
        futures_util::future::join_all((0..300).map(|_| stuck.authorize(&request, stuck.deadline())));
    tokio::select! {
        biased;
        _ = sleepers => unreachable!("they sleep until their time is over"),
        authorization = healthy.authorize(&request, healthy.deadline()) => {
            assert_eq!(denial(authorization.answer).reason, "deny rule 1");
        }
    }
}
