use serde_json::{Value, json};
use tuffet_sdk::{
    Authorize, Denial, ErrorCode, Mac, MacAddresses, Operation, Plugin, Profile, Request, SessionValues,
    Verdict, mac_source, parse, testing,
};

use crate::Acl;

fn acl(settings: Value) -> Acl {
    Acl::configure(parse(&settings.to_string()).unwrap())
        .unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

/// The problems as `pointer: message`.
fn problems(settings: Value) -> Vec<String> {
    let problems = parse(&settings.to_string()).and_then(Acl::configure).err().unwrap();
    problems
        .into_vec()
        .into_iter()
        .map(|problem| format!("{}: {}", problem.pointer, problem.message))
        .collect()
}

fn request(operation: Operation, path: &str, client: &str) -> Request {
    let mut request = Request { listener: "lan".into(), operation, ..testing::request(path) };
    request.client.address = client.into();
    request
}

fn read(path: &str, client: &str) -> Request {
    request(Operation::Read, path, client)
}

fn denial(verdict: Verdict) -> Denial {
    match verdict {
        Verdict::Deny(denial) => denial,
        other => unreachable!("a deny was expected, not {other:?}"),
    }
}

#[test]
fn without_settings_it_has_no_opinion() {
    assert_eq!(acl(json!({})).authorize(&read("a", "192.0.2.1")), Verdict::Abstain);
}

#[test]
fn a_deny_rule_names_itself_and_speaks_to_the_client() {
    let acl = acl(json!({ "deny": [
        { "names": ["never"] },
        { "clients": ["192.0.2.0/24"], "message": "not for you" },
    ]}));
    let denial = denial(acl.authorize(&read("a", "192.0.2.77")));
    assert_eq!(denial.code, ErrorCode::AccessViolation);
    assert_eq!(denial.message, "not for you");
    assert_eq!(denial.reason, "deny rule 2");
    assert_eq!(acl.authorize(&read("a", "192.0.3.77")), Verdict::Abstain);
}

#[test]
fn every_condition_of_a_rule_must_hold() {
    let acl = acl(json!({ "deny": [{
        "clients": ["2001:db8::/32", "10.1.2.3"], "operations": ["write"], "names": ["in/**"], "listeners": ["lan"],
    }]}));
    let write = |path, client| request(Operation::Write, path, client);
    denial(acl.authorize(&write("in/a", "10.1.2.3")));
    denial(acl.authorize(&write("in/a/b", "2001:db8::1")));
    assert_eq!(acl.authorize(&read("in/a", "10.1.2.3")), Verdict::Abstain);
    assert_eq!(acl.authorize(&write("out/a", "10.1.2.3")), Verdict::Abstain);
    assert_eq!(acl.authorize(&write("in/a", "10.1.2.4")), Verdict::Abstain);
    let mut elsewhere = write("in/a", "10.1.2.3");
    elsewhere.listener = "wan".into();
    assert_eq!(acl.authorize(&elsewhere), Verdict::Abstain);
}

/// "Only from this subnet": whatever else is allowed elsewhere.
#[test]
fn a_rule_holds_for_all_but_some() {
    let acl = acl(json!({
        "deny": [{ "names": ["images/**"], "except-clients": ["10.1.0.0/16", "2001:db8::/32"] }],
        "allow": [{}],
    }));
    assert_eq!(acl.authorize(&read("images/a", "10.1.2.3")), Verdict::Allow(Profile::default()));
    assert_eq!(acl.authorize(&read("images/a", "2001:db8::1")), Verdict::Allow(Profile::default()));
    assert_eq!(denial(acl.authorize(&read("images/a", "10.2.0.1"))).reason, "deny rule 1");
    assert_eq!(acl.authorize(&read("other", "10.2.0.1")), Verdict::Allow(Profile::default()));
    let both =
        self::acl(json!({ "deny": [{ "clients": ["10.0.0.0/8"], "except-clients": ["10.1.0.0/16"] }] }));
    denial(both.authorize(&read("a", "10.2.0.1")));
    for client in ["10.1.2.3", "192.0.2.1"] {
        assert_eq!(both.authorize(&read("a", client)), Verdict::Abstain);
    }
}

#[test]
fn a_rule_for_classes_of_clients() {
    let acl = acl(json!({ "deny": [{ "classes": ["u-boot", "pxe"] }] }));
    let mut request = read("a", "10.1.2.3");
    assert_eq!(acl.authorize(&request), Verdict::Abstain);
    request.client.class = "u-boot".into();
    denial(acl.authorize(&request));
}

fn with(attributes: &[(&str, &str)]) -> Request {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Request { attributes: attributes.iter().map(own).collect(), ..read("a", "10.1.2.3") }
}

#[test]
fn a_rule_for_protocols() {
    let acl = acl(json!({ "deny": [{ "protocols": ["http"] }] }));
    assert_eq!(acl.authorize(&with(&[])), Verdict::Abstain);
    denial(acl.authorize(&with(&[("protocol", "http")])));
    let acl = self::acl(json!({ "deny": [{ "protocols": ["tftp"] }] }));
    denial(acl.authorize(&with(&[])));
    assert_eq!(acl.authorize(&with(&[("protocol", "http")])), Verdict::Abstain);
}

#[test]
fn a_rule_for_certificates_of_clients() {
    let digest = "0A:".repeat(31) + "0A";
    let one = &*"0a".repeat(32);
    let shown = |names| with(&[("certificate-sha256", one), ("certificate-names", names)]);
    let nameless = with(&[("certificate-sha256", one)]);
    let denies = |list: &[&str], request: &Request| {
        let acl = acl(json!({ "deny": [{ "certificates": list }] }));
        matches!(acl.authorize(request), Verdict::Deny(_))
    };
    let is_excepted = |list: &[&str], request: &Request| {
        let acl = acl(json!({ "deny": [{ "except-certificates": list }] }));
        acl.authorize(request) == Verdict::Abstain
    };
    for (list, request, matches) in [
        (&["*"][..], &shown("a.example.org"), true),
        (&["*"], &nameless, true),
        (&["*"], &with(&[]), false),
        (&["*.Example.org"], &shown("b.example.net a.example.org"), true),
        (&["*.example.org"], &shown("example.org"), false),
        (&["*.example.org"], &shown("a.example.org.evil"), false),
        (&["a.example.org"], &nameless, false),
        (&[&digest], &nameless, true),
        (&[&"0b".repeat(32)], &nameless, false),
        // Names alone prove nothing.
        (&["*.example.org"], &with(&[("certificate-names", "a.example.org")]), false),
    ] {
        assert_eq!(denies(list, request), matches, "{list:?} {request:?}");
        assert_eq!(is_excepted(list, request), matches, "{list:?} {request:?}");
    }
    let found =
        problems(json!({ "deny": [{ "certificates": [], "except-certificates": ["", "a b", "CN=a"] }] }));
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[0].starts_with("/deny/0/certificates: an empty list"), "{found:#?}");
    assert!(found[3].contains("SHA-256 digest"), "{found:#?}");
}

fn known(network: &[&str], claimed: &[&str]) -> Request {
    let of = |list: &[&str], source: &str| {
        list.iter().map(|address| Mac { address: (*address).into(), source: source.into() }).collect()
    };
    let mut request = read("a", "10.1.2.3");
    request.client.macs = Some(MacAddresses {
        network: of(network, mac_source::NEIGHBOUR_TABLE),
        claimed: of(claimed, mac_source::REQUESTED_NAME),
    });
    request
}

#[test]
fn a_rule_for_mac_addresses_believes_the_network_alone() {
    let rules = json!([{ "macs": ["00:0c:29", "02-00-5E-10-00-01"] }]);
    let acl = acl(json!({ "deny": rules }));
    for address in ["00:0c:29:01:02:03", "02:00:5e:10:00:01"] {
        denial(acl.authorize(&known(&["02:00:00:00:00:09", address], &[])));
        assert_eq!(acl.authorize(&known(&[], &[address])), Verdict::Abstain);
    }
    assert_eq!(acl.authorize(&known(&["02:00:5e:10:00:02"], &[])), Verdict::Abstain);
    assert_eq!(acl.authorize(&known(&[], &[])), Verdict::Abstain);
    let asked = self::acl(json!({ "deny": rules, "sources": ["requested-name"] }));
    denial(asked.authorize(&known(&[], &["00:0c:29:01:02:03"])));
    assert_eq!(asked.authorize(&known(&["00:0c:29:01:02:03"], &[])), Verdict::Abstain);
}

#[test]
fn a_rule_for_all_but_some_mac_addresses_holds_for_unknown_ones() {
    let acl = acl(json!({ "deny": [{ "except-macs": ["00:0c:29"] }] }));
    assert_eq!(acl.authorize(&known(&["00:0c:29:01:02:03"], &[])), Verdict::Abstain);
    denial(acl.authorize(&known(&["00:0c:2a:01:02:03"], &[])));
    denial(acl.authorize(&known(&[], &["00:0c:29:01:02:03"])));
}

#[test]
fn names_in_any_case_if_asked() {
    let rule = |case: &str| acl(json!({ "case": case, "deny": [{ "names": ["SEP*"] }] }));
    denial(rule("insensitive").authorize(&read("sep001122334455.cnf.xml", "10.1.2.3")));
    assert_eq!(rule("sensitive").authorize(&read("sep00", "10.1.2.3")), Verdict::Abstain);
}

#[test]
fn deny_wins_over_every_allow() {
    let acl = acl(json!({ "allow": [{}], "deny": [{ "names": ["*.key"] }] }));
    denial(acl.authorize(&read("certs/server.key", "192.0.2.1")));
    assert_eq!(acl.authorize(&read("kernel", "192.0.2.1")), Verdict::Allow(Profile::default()));
}

#[test]
fn the_first_allow_that_matches_sets_the_ceilings() {
    let acl = acl(json!({ "allow": [
        { "clients": ["10.0.0.0/8"], "max-blksize": 1428, "max-windowsize": 16, "max-bytes": 104857600 },
        { "max-blksize": 512 },
    ]}));
    let ceilings = SessionValues { blksize: Some(1428), windowsize: Some(16), timeout: None };
    let profile = Profile { ceilings, max_size: Some(104857600), ..Profile::default() };
    assert_eq!(acl.authorize(&read("a", "10.9.9.9")), Verdict::Allow(profile));
    let ceilings = SessionValues { blksize: Some(512), ..SessionValues::default() };
    let profile = Profile { ceilings, ..Profile::default() };
    assert_eq!(acl.authorize(&read("a", "192.0.2.1")), Verdict::Allow(profile));
}

#[test]
fn otherwise_deny() {
    let acl = acl(json!({ "allow": [{ "names": ["pub/**"] }], "otherwise": "deny" }));
    assert_eq!(acl.authorize(&read("pub/a", "192.0.2.1")), Verdict::Allow(Profile::default()));
    assert_eq!(denial(acl.authorize(&read("a", "192.0.2.1"))).reason, "no rule matches, otherwise: deny");
}

#[test]
fn an_address_that_is_none_is_denied() {
    denial(acl(json!({})).authorize(&read("a", "nonsense")));
}

#[test]
fn bad_settings_are_pointed_at_all_at_once() {
    let found = problems(json!({
        "deny": [
            { "clients": ["192.0.2.0/24", "192.0.2.1/24", "here"], "names": ["a", "b["], "listeners": [] },
            { "message": "x".repeat(201) },
            { "clients": ["::ffff:10.0.0.1"], "message": "two\nlines" },
            { "except-clients": [], "classes": [""], "macs": ["00:0c"] },
        ],
        "sources": [],
        "allow": [{ "max-blksize": 7, "max-windowsize": 65536, "max-bytes": 0, "operations": [] }],
    }));
    let starts = [
        "/sources: without a source",
        "/deny/0/clients/1: 192.0.2.1/24 has address bits behind the prefix: write 192.0.2.0/24",
        "/deny/0/clients/2: \"here\" is neither",
        "/deny/0/names/1: \"b[\" has \"[\" without",
        "/deny/0/listeners: an empty list",
        "/deny/1/message: the message has 201 bytes",
        "/deny/2/clients/0: IPv4 clients",
        "/deny/2/message: write one line",
        "/deny/3/except-clients: an empty list",
        "/deny/3/macs/0: \"00:0c\" is neither a MAC address",
        "/deny/3/classes/0: write the name of a class",
        "/allow/0/operations: an empty list",
        "/allow/0/max-blksize: 7 is out of range: write 8 to 65464",
        "/allow/0/max-windowsize: 65536 is out of range: write 1 to 65535",
        "/allow/0/max-bytes: 0 would refuse",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem:?} should start with {start:?}");
    }
}

#[test]
fn unknown_keys_and_wrong_types_are_pointed_at() {
    let first = |settings| problems(settings).remove(0);
    assert!(first(json!({ "denny": [] })).starts_with("/denny: unknown field `denny`, expected one of"));
    assert!(first(json!({ "deny": [{ "client": [] }] })).starts_with("/deny/0/client: unknown field"));
    assert!(
        first(json!({ "deny": [{ "clients": "10.0.0.0/8" }] })).starts_with("/deny/0/clients: invalid type")
    );
    assert!(first(json!({ "deny": [{ "max-bytes": 1 }] })).starts_with("/deny/0/max-bytes: unknown field"));
    assert!(first(json!({ "otherwise": "allow" })).starts_with("/otherwise: unknown variant `allow`"));
    let bad_operation = first(json!({ "deny": [{ "operations": ["read", "wrte"] }] }));
    assert!(bad_operation.starts_with("/deny/0/operations/1: unknown variant `wrte`"), "{bad_operation}");
}
