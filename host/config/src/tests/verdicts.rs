//! Warnings about policies that serve everybody or nobody.

use super::*;

const LISTENERS: &str = "listeners: [{ name: a, address: 127.0.0.1:6969 }";

/// Returns the warnings of a configuration with these listeners, this section `policy` and these settings of `acl`.
fn warnings(listeners: &str, policy: &str, acl: &str) -> Vec<(String, String)> {
    let plugins = if acl.is_empty() {
        String::new()
    } else {
        format!("plugins: {{ acl: {{ component: \"builtin:acl\", settings: {acl} }} }}\n")
    };
    let yaml =
        format!("{listeners}]\nroots: [{{ name: boot, path: files }}]\npolicy: {{ {policy} }}\n{plugins}");
    Scene::new().load(&yaml).expect("good").warnings
}

#[track_caller]
fn assert_warns(found: &[(String, String)], pointer: &str, part: &str) {
    let [(its, message)] = found else { panic!("{found:?}") };
    assert_eq!(its, pointer);
    assert!(message.contains(part), "{message}");
}

#[test]
fn rules_that_only_allow_let_everybody_in_where_the_default_allows() {
    let allow = "{ allow: [{ clients: [10.0.0.0/8] }] }";
    let of = |policy: &str, acl: &str| warnings(LISTENERS, policy, acl);
    for policy in ["authorize: [acl]", "default: allow, authorize: [acl]"] {
        assert_warns(&of(policy, allow), "/plugins/acl/settings/allow", "everybody is served");
    }
    assert!(of("default: deny, authorize: [acl]", allow).is_empty());
    let otherwise = "{ allow: [{ clients: [10.0.0.0/8] }], otherwise: deny }";
    assert!(of("authorize: [acl]", otherwise).is_empty());
    let limited = "{ allow: [{ clients: [10.0.0.0/8], max-bytes: 1000 }] }";
    assert!(of("authorize: [acl]", limited).is_empty(), "its limits have an effect");
    let denies = "{ allow: [{ clients: [10.0.0.0/8] }], deny: [{ names: [x] }] }";
    assert!(of("authorize: [acl]", denies).is_empty());
    let own = format!("{LISTENERS}, {{ name: b, address: 127.0.0.1:6970, policy: {{ authorize: [acl] }} }}");
    assert_warns(&warnings(&own, "", allow), "/plugins/acl/settings/allow", "everybody is served");
}

#[test]
fn a_chain_that_allows_nothing_is_named_where_the_default_denies() {
    assert_warns(&warnings(LISTENERS, "default: deny", ""), "/policy/default", "`acl` with a list `allow`");
    let denies = "{ deny: [{ names: [x] }] }";
    let all = warnings(LISTENERS, "default: deny, authorize: [acl]", denies);
    assert_warns(&all, "/policy/default", "add a list `allow` to the settings of `acl`");
    let own = format!("{LISTENERS}, {{ name: b, address: 127.0.0.1:6970, policy: {{ authorize: [] }} }}");
    let allow = "{ allow: [{ clients: [10.0.0.0/8] }] }";
    let one = warnings(&own, "default: deny, authorize: [acl]", allow);
    assert_warns(&one, "/listeners/1/policy/authorize", "nobody is served here");
}

#[test]
fn rules_that_never_count_are_named() {
    let of = |acl: &str| warnings(LISTENERS, "default: deny, authorize: [acl]", acl);
    let at = |list: &str| format!("/plugins/acl/settings/{list}");
    let shadowed = of("{ allow: [{ clients: [10.0.0.0/8] }, { clients: [10.1.0.0/16], names: [a] }] }");
    assert_warns(&shadowed, &at("allow/1"), "the rule 1 of `allow` allows every request");
    let denied = of("{ deny: [{ operations: [write] }], allow: [{}, { operations: [write] }] }");
    assert_warns(&denied, &at("allow/1"), "the rule 1 of `deny` denies every request");
    let twice = of("{ deny: [{ names: [a, b] }, { names: [b], clients: [192.0.2.1] }], allow: [{}] }");
    assert_warns(&twice, &at("deny/1"), "the rule 1 of `deny`");
    for good in [
        "[{ clients: [10.1.0.0/16] }, { clients: [10.0.0.0/8] }]",
        "[{ clients: [10.0.0.0/8], except-clients: [10.1.0.0/16] }, { clients: [10.1.2.0/24] }]",
        "[{ names: [a], operations: [read] }, { names: [a] }]",
        "[{ names: [\"*.cfg\"] }, { names: [\"a*\"] }]",
    ] {
        assert!(of(&format!("{{ allow: {good} }}")).is_empty(), "{good}");
    }
    let narrower = "[{ clients: [10.0.0.0/8], except-clients: [10.1.0.0/16] }, \
                    { clients: [10.2.0.0/16], except-clients: [10.0.0.0/8] }]";
    assert_warns(&of(&format!("{{ allow: {narrower} }}")), &at("allow/1"), "the rule 1 of `allow`");
}
