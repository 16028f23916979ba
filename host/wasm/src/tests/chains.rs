use super::*;
use tuffet_policy::Authorization;
use tuffet_request::{ErrorCode, SessionProfile, SessionValues};

#[tokio::test]
async fn with_nothing_configured_the_default_decides() {
    let mut spec = authorizers(Vec::new());
    let policy = load(&spec).await;
    assert!(policy.is_empty("lan"));
    let allowed = Authorization { answer: Ok(Verdict::allow()), by: None, calls: 0 };
    assert_eq!(policy.authorize(&read("a"), policy.deadline()).await, allowed);
    let as_asked = resolve(&policy, &read("a")).await;
    assert_eq!((shown(&as_asked.answer), as_asked.by, as_asked.calls), ("abstain".into(), None, 0));

    spec.config.default = DefaultVerdict::Deny;
    let policy = load(&spec).await;
    assert!(!policy.is_empty("lan"), "a default that denies must be asked");
    let denied = denial(policy.authorize(&read("a"), policy.deadline()).await.answer);
    assert_eq!(denied.code, ErrorCode::AccessViolation);
    assert_eq!(denied.reason, "nothing allowed it, and the default is to deny");
}

#[tokio::test]
async fn a_deny_ends_the_chain_and_wins_over_an_allow() {
    let spec = authorizers(vec![
        acl("yes", json!({ "allow": [{}] })),
        acl("no", json!({ "deny": [{ "names": ["*.key"], "message": "not for you" }] })),
        bad("never", "trap"),
    ]);
    let policy = load(&spec).await;
    let authorization = policy.authorize(&read("server.key"), policy.deadline()).await;
    assert_eq!(authorization.by.as_deref(), Some("no"));
    assert_eq!(authorization.calls, 2);
    let denied = denial(authorization.answer);
    assert_eq!((denied.message.as_str(), denied.reason.as_str()), ("not for you", "deny rule 1"));
}

#[tokio::test]
async fn ceilings_combine_to_the_lowest() {
    let spec = authorizers(vec![
        acl("one", json!({ "allow": [{ "max-blksize": 1428, "max-windowsize": 16 }] })),
        acl("two", json!({ "allow": [{ "max-blksize": 512, "max-bytes": 1000 }] })),
        acl("three", json!({})),
    ]);
    let policy = load(&spec).await;
    let ceilings = SessionValues { blksize: Some(512), windowsize: Some(16), timeout: None };
    let lowest = SessionProfile { ceilings, bytes: Some(1000), ..SessionProfile::default() };
    let expected = Authorization { answer: Ok(Verdict::Allow(lowest)), by: Some("one".into()), calls: 3 };
    assert_eq!(policy.authorize(&read("a"), policy.deadline()).await, expected);
}

#[tokio::test]
async fn an_allow_stands_against_a_default_that_denies() {
    let mut spec = authorizers(vec![acl("acl", json!({ "allow": [{ "names": ["pub/**"] }] }))]);
    spec.config.default = DefaultVerdict::Deny;
    let policy = load(&spec).await;
    assert_eq!(policy.authorize(&read("pub/a"), policy.deadline()).await.answer, Ok(Verdict::allow()));
    denial(policy.authorize(&read("a"), policy.deadline()).await.answer);
}

#[tokio::test]
async fn a_drop_is_silent() {
    let policy = load(&authorizers(vec![bad("silent", "drop")])).await;
    let dropped = Authorization {
        answer: Ok(Verdict::Drop("dropped as asked".into())),
        by: Some("silent".into()),
        calls: 1,
    };
    assert_eq!(policy.authorize(&read("a"), policy.deadline()).await, dropped);
}

#[tokio::test]
async fn the_first_answer_of_the_resolve_chain_stands() {
    let map = |name, path: &str| {
        let settings = json!({ "root": "boot", "rules": [{ "match": "*.cfg", "fallback": [path] }] });
        let map = plugin(name, ComponentSource::Builtin("mac-map".into()), settings);
        PluginConfig { grants: vec![Grant::ClientMac], ..map }
    };
    let spec = resolvers(vec![bad_resolver("none", "allow"), map("one", "first"), map("two", "second")]);
    let policy = load(&spec).await;
    let first = resolve(&policy, &read("a.cfg")).await;
    assert_eq!(
        (&*shown(&first.answer), first.by.as_deref(), first.calls),
        ("files boot:first", Some("one"), 2)
    );
    let none = resolve(&policy, &read("a")).await;
    assert_eq!((&*shown(&none.answer), none.by.as_deref(), none.calls), ("abstain", None, 3));
}

#[tokio::test]
async fn content_is_for_reads() {
    let policy = load(&resolvers(vec![bad_resolver("content", "content")])).await;
    assert_eq!(shown(&resolve(&policy, &read("a")).await.answer), "content 10 bytes");
    let refused = refusal(resolve(&policy, &request(Operation::Write, "a")).await.answer);
    assert!(refused.reason.contains("bad answer: it answered a write request with content"), "{refused:?}");
}

#[tokio::test]
async fn mac_addresses_need_the_grant() {
    let mut granted = bad("granted", "deny");
    granted.grants = vec![Grant::ClientMac];
    for (spec, reason) in [(bad("plain", "deny"), "macs: []"), (granted, "macs: [02:00:5e:10:00:01]")] {
        let policy = load(&authorizers(vec![spec])).await;
        assert_eq!(denial(policy.authorize(&read("a"), policy.deadline()).await.answer).reason, reason);
    }
}

#[tokio::test]
async fn a_failed_plugin_abstains_where_it_is_configured_so() {
    let mut spec = authorizers(vec![bad("trap", "trap"), acl("acl", json!({ "deny": [{}] }))]);
    let policy = load(&spec).await;
    let authorization = policy.authorize(&read("a"), policy.deadline()).await;
    assert_eq!((authorization.by.as_deref(), authorization.calls), (Some("trap"), 1));

    spec.config.plugins[0].on_error = OnError::Abstain;
    let policy = load(&spec).await;
    let authorization = policy.authorize(&read("a"), policy.deadline()).await;
    assert_eq!((authorization.by.as_deref(), authorization.calls), (Some("acl"), 2));
    assert_eq!(denial(authorization.answer).reason, "deny rule 1");
}
