//! The embedded bundled plugins. Their logic is tested beside it; these tests call them through WebAssembly.

use std::time::Instant;

use super::*;
use tuffet_request::{SessionProfile, SessionValues};

fn map(settings: Value) -> PluginConfig {
    let mut map = plugin("map", ComponentSource::Builtin("mac-map".into()), settings);
    map.grants = vec![Grant::ClientMac];
    map
}

#[tokio::test]
async fn all_bundled_plugins_are_embedded() {
    assert_eq!(
        tuffet_bundled::names().collect::<Vec<_>>(),
        ["acl", "ask", "audit", "mac-map", "publish", "remap", "template"]
    );
}

#[tokio::test]
async fn acl_judges_by_every_fact_of_a_request() {
    let settings = json!({
        "deny": [
            { "clients": ["2001:db8::/32"], "listeners": ["lan"], "message": "not from there" },
            { "operations": ["write"] },
            { "names": ["secret/**"] },
        ],
        "allow": [{ "clients": ["192.0.2.1"], "max-blksize": 1024 }],
    });
    let policy = load(&authorizers(vec![acl("acl", settings)])).await;
    let ceilings = SessionValues { blksize: Some(1024), ..SessionValues::default() };
    let low = SessionProfile { ceilings, ..SessionProfile::default() };
    assert_eq!(policy.authorize(&read("a"), policy.deadline()).await.answer, Ok(Verdict::Allow(low)));
    assert_eq!(
        denial(policy.authorize(&read("secret/a"), policy.deadline()).await.answer).reason,
        "deny rule 3"
    );
    let write = policy.authorize(&request(Operation::Write, "a"), policy.deadline()).await;
    assert_eq!(denial(write.answer).reason, "deny rule 2");
    let mut v6 = read("a");
    v6.client = "[2001:db8::7]:9".parse().unwrap();
    let denied = denial(policy.authorize(&v6, policy.deadline()).await.answer);
    assert_eq!((denied.message.as_str(), denied.reason.as_str()), ("not from there", "deny rule 1"));
}

#[tokio::test]
async fn mac_map_gives_device_templates_and_fallback() {
    let settings = json!({ "root": "boot", "rules": [{
        "match": "*.cfg",
        "devices": { "02-00-5E-10-00-01": "machines/" },
        "templates": ["phones/{mac}.cfg"],
        "fallback": ["phones/default.cfg"],
    }]});
    let mut spec = resolvers(vec![map(settings)]);
    let policy = load(&spec).await;
    let all = "files boot:machines/y.cfg, boot:phones/02005e100001.cfg, boot:phones/default.cfg";
    assert_eq!(shown(&resolve(&policy, &read("y.cfg")).await.answer), all);
    assert_eq!(shown(&resolve(&policy, &read("kernel")).await.answer), "abstain");

    spec.config.plugins[0].grants.clear();
    let problems = problems(&spec).await;
    assert_eq!(problems[0].kind, LoadProblemKind::Grant);
    assert!(problems[0].message.contains("write `grants: [client-mac]`"), "{problems:?}");
}

/// A measurement, not a test:
#[tokio::test]
#[ignore = "measures"]
async fn latency() {
    let settings = json!({ "deny": [{ "names": ["*.key"] }] });
    let mut kept = acl("kept", settings.clone());
    kept.reuse = Some(ReuseConfig { calls: 1_000_000, idle: Duration::from_secs(600) });
    for plugin in [acl("fresh", settings), kept] {
        let compiling = Instant::now();
        let name = plugin.name.clone();
        let policy = load(&authorizers(vec![plugin])).await;
        println!("{name}: loaded in {:?}", compiling.elapsed());
        let request = read("a");
        for round in 0..3 {
            let started = Instant::now();
            for _ in 0..2000 {
                policy.authorize(&request, policy.deadline()).await;
            }
            println!("{name}, round {round}: {:?} a call", started.elapsed() / 2000);
        }
    }
}
