//! Failures that plugins answer with, and labels: with the reference guest, which does what its settings say.

use super::*;
use tuffet_config::{DecisionCacheConfig, Fact};

fn reference(name: &str, rules: Value) -> PluginConfig {
    let component = ComponentSource::Path(PathBuf::from(tuffet_test_guests::component("reference")));
    plugin(name, component, json!({ "rules": rules }))
}

/// A plugin that gives each request a label, and has no opinion.
fn labels(name: &str, label: &str) -> PluginConfig {
    reference(name, json!([{ "hook": "authorize", "path": "*", "answer": "abstain", "label": label }]))
}

/// A plugin that denies, and whose reason is the request as it sees it.
fn tells(name: &str) -> PluginConfig {
    reference(name, json!([{ "hook": "authorize", "path": "*", "do": [["request"]], "answer": "tell" }]))
}

fn labels_in(told: &str) -> Value {
    let told: Value = serde_json::from_str(told).unwrap();
    told[0]["labels"].clone()
}

#[tokio::test]
async fn a_plugin_that_cannot_answer_keeps_its_instance_and_opens_no_breaker() {
    let mut plugin = reference(
        "cannot",
        json!([
            { "hook": "authorize", "path": "evil", "do": [["fail", "the inventory\nis away"]], "answer": { "allow": {} }, "label": "lost" },
            { "hook": "authorize", "path": "calls", "do": [["calls"]], "answer": "tell" },
        ]),
    );
    plugin.reuse = Some(ReuseConfig { calls: 1000, idle: LONG });
    plugin.breaker.failures = 2;
    let policy = load(&authorizers(vec![plugin])).await;
    for number in 1..=5 {
        let evil = from(number, read("evil"));
        let denied = denial(policy.authorize(&evil, policy.deadline()).await.answer);
        assert_eq!(denied.message, "policy failure");
        assert_eq!(denied.reason, "plugin cannot failed in authorize: error: the inventory is away");
        assert_eq!(evil.calls.labels(), []);
        assert_eq!(evil.calls.list()[0].failure, Some("error"));
    }
    let counted =
        runtime().records().counted().into_iter().find(|counted| &*counted.plugin == "cannot").unwrap();
    assert!(counted.failures.contains(&("error", 5)), "{counted:?}");
    assert_eq!(counted.opened, 0);
    let told = denial(policy.authorize(&read("calls"), policy.deadline()).await.answer).reason;
    assert_eq!(told, "[6]", "the same instance");
}

#[tokio::test]
async fn a_plugin_that_cannot_answer_may_count_as_abstaining() {
    let fails = |hook| json!([{ "hook": hook, "path": "a", "do": [["fail", "away"]], "answer": "abstain" }]);
    let mut plugin = reference("lenient", fails("resolve"));
    plugin.on_error = OnError::Abstain;
    let policy = load(&resolvers(vec![plugin])).await;
    assert_eq!(shown(&resolve(&policy, &read("a")).await.answer), "abstain");
}

#[tokio::test]
async fn labels_reach_plugins_that_are_called_later() {
    let mut monitored = labels("trial", "no-effect");
    monitored.mode = PluginMode::Monitor;
    let spec =
        authorizers(vec![monitored, labels("first", "canary"), labels("second", "v1.2"), tells("tells")]);
    let policy = load(&spec).await;
    let request =
        Request { received_at: std::time::SystemTime::UNIX_EPOCH + Duration::from_millis(1500), ..read("a") };
    let told = denial(policy.authorize(&request, policy.deadline()).await.answer).reason;
    assert_eq!(labels_in(&told), json!([["first", "canary"], ["second", "v1.2"]]), "{told}");
    assert!(told.contains(r#""unix-ms":1500"#), "{told}");
    let labels = request.calls.labels();
    let labels: Vec<_> = labels.iter().map(|(plugin, label)| (&**plugin, label.as_str())).collect();
    assert_eq!(labels, [("first", "canary"), ("second", "v1.2")]);
}

#[tokio::test]
async fn a_cached_decision_has_its_label_and_may_depend_on_those_of_others() {
    let cached = |plugin: PluginConfig, facts: &[Fact]| PluginConfig {
        cache: Some(DecisionCacheConfig { ttl: LONG, key: facts.to_vec(), entries: 100 }),
        ..plugin
    };
    // By path: what the first plugin says, and what the last one was told then.
    let rules = json!([
        { "hook": "authorize", "path": "new/*", "answer": "abstain", "label": "canary" },
        { "hook": "authorize", "path": "old/*", "answer": "abstain", "label": "stable" },
    ]);
    let first = cached(reference("cache-label", rules), &[Fact::Path]);
    let last = cached(tells("cache-tells"), &[Fact::Labels]);
    let policy = load(&authorizers(vec![first, last])).await;
    for (path, label) in [("new/a", "canary"), ("new/a", "canary"), ("old/a", "stable"), ("new/b", "canary")]
    {
        let request = read(path);
        let told = denial(policy.authorize(&request, policy.deadline()).await.answer).reason;
        assert_eq!(labels_in(&told), json!([["cache-label", label]]), "{path}");
        assert_eq!(request.calls.labels()[0].1.as_str(), label);
    }
    let hits = |name: &str| {
        let counted = runtime().records().counted();
        counted.into_iter().find(|counted| &*counted.plugin == name).unwrap().hits
    };
    assert_eq!((hits("cache-label"), hits("cache-tells")), (1, 2));
}

#[tokio::test]
async fn a_component_that_needs_what_is_not_here_is_refused_with_both_versions() {
    let folder = tempfile::TempDir::new().unwrap();
    let binary = std::fs::read(tuffet_test_guests::component("reference")).unwrap();
    for (needs, refused) in [("request/case", false), ("profile/dscp", true)] {
        let manifest = format!(r#"{{ "name": "it", "needs": ["{needs}"] }}"#);
        let path = folder.path().join("it.wasm");
        std::fs::write(&path, annotate(&binary, manifest.as_bytes()).unwrap()).unwrap();
        let spec = authorizers(vec![plugin("needs", ComponentSource::Path(path), json!({}))]);
        let found = runtime().load(&spec).await.err().unwrap_or_default();
        let said: Vec<&str> = found.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            said.iter()
                .any(|said| said.contains("needs the attribute `profile/dscp`, which tuffet:policy@1.0.0")),
            refused,
            "{said:?}"
        );
    }
}
