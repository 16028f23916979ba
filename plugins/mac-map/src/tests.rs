use serde_json::{Value, json};
use tuffet_sdk::testing::{self, put_file};
use tuffet_sdk::{
    Mac as MacFact, MacAddresses, Operation, Plugin, Request, Resolution, Resolve, Target, mac_source, parse,
};

use crate::MacMap;

fn map(settings: Value) -> MacMap {
    MacMap::configure(parse(&settings.to_string()).unwrap())
        .unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn problems(settings: Value) -> Vec<String> {
    let problems = parse(&settings.to_string()).and_then(MacMap::configure).err().unwrap();
    problems
        .into_vec()
        .into_iter()
        .map(|problem| format!("{}: {}", problem.pointer, problem.message))
        .collect()
}

pub(crate) fn request(path: &str) -> Request {
    from(path, &[])
}

fn from(path: &str, macs: &[(&str, &str)]) -> Request {
    let mut request = testing::request(path);
    let facts =
        macs.iter().map(|(address, source)| MacFact { address: (*address).into(), source: (*source).into() });
    let (claimed, network) = facts.partition(|fact| fact.source == mac_source::REQUESTED_NAME);
    request.client.macs = Some(MacAddresses { network, claimed });
    request
}

fn files(paths: &[&str]) -> Resolution {
    Resolution::files(paths.iter().map(|path| Target::new("boot", *path)))
}

const KITCHEN: (&str, &str) = ("02:00:5e:10:00:01", mac_source::NEIGHBOUR_TABLE);
const ATTIC: (&str, &str) = ("02:00:5e:10:00:02", mac_source::NEIGHBOUR_TABLE);
const STRANGER: (&str, &str) = ("02:00:5e:10:00:99", mac_source::NEIGHBOUR_TABLE);

fn house() -> MacMap {
    map(json!({
        "root": "boot",
        "rules": [
            {
                "match": "pxelinux.cfg/*",
                "devices": { "02:00:5e:10:00:01": "machines/kitchen.cfg", "02-00-5E-10-00-02": "machines/attic/" },
            },
            {
                "match": "*.cfg",
                "templates": ["phones/{mac}.cfg", "phones/{mac}/{name}"],
                "fallback": ["phones/default.cfg"],
            },
        ],
    }))
}

#[test]
fn a_device_gets_its_file() {
    assert_eq!(house().resolve(&from("pxelinux.cfg/default", &[KITCHEN])), files(&["machines/kitchen.cfg"]));
}

#[test]
fn a_device_with_a_folder_gets_the_asked_path_in_it() {
    let answer = house().resolve(&from("pxelinux.cfg/default", &[ATTIC]));
    assert_eq!(answer, files(&["machines/attic/pxelinux.cfg/default"]));
}

#[test]
fn templates_then_the_fallback() {
    let answer = house().resolve(&from("y000.cfg", &[STRANGER]));
    assert_eq!(
        answer,
        files(&["phones/02005e100099.cfg", "phones/02005e100099/y000.cfg", "phones/default.cfg"])
    );
    assert_eq!(house().resolve(&request("y000.cfg")), files(&["phones/default.cfg"]));
}

#[test]
fn a_rule_without_a_candidate_leaves_it_to_the_next() {
    assert_eq!(house().resolve(&from("pxelinux.cfg/default", &[STRANGER])), Resolution::Abstain);
    assert_eq!(house().resolve(&from("pxelinux.cfg/x.cfg", &[])), files(&["phones/default.cfg"]));
    assert_eq!(house().resolve(&from("kernel", &[KITCHEN])), Resolution::Abstain);
}

#[test]
fn device_templates_and_fallback_come_in_this_order_each_once() {
    let map = map(json!({ "root": "boot", "rules": [{
        "fallback": ["{path}", "default"], "templates": ["{mac}", "{path}"], "devices": { "02005e100001": "own" },
    }]}));
    assert_eq!(map.resolve(&from("a", &[KITCHEN])), files(&["own", "02005e100001", "a", "default"]));
}

#[test]
fn the_preferred_source_comes_first() {
    let named = ("02:00:5e:10:00:02", mac_source::REQUESTED_NAME);
    let rules = json!([{ "templates": ["{mac-dashes}"] }]);
    let neighbours_first = map(json!({ "root": "boot", "rules": rules }));
    assert_eq!(
        neighbours_first.resolve(&from("a", &[named, KITCHEN])),
        files(&["02-00-5e-10-00-01", "02-00-5e-10-00-02"])
    );
    let names_only = map(json!({ "root": "boot", "sources": ["requested-name"], "rules": rules }));
    assert_eq!(names_only.resolve(&from("a", &[KITCHEN, named])), files(&["02-00-5e-10-00-02"]));
    assert_eq!(names_only.resolve(&from("a", &[KITCHEN])), Resolution::Abstain);
}

fn leased() -> Value {
    json!({
        "root": "boot",
        "leases": [{ "root": "dhcp", "path": "leases", "format": "dnsmasq" }],
        "rules": [{ "match": "*.cfg", "templates": ["{mac-dashes}"] }],
    })
}

#[test]
fn a_lease_tells_the_address_where_the_neighbour_table_does_not() {
    put_file("dhcp", "leases", "0 02:00:5e:10:00:02 192.0.2.1 attic *\n");
    assert_eq!(map(leased()).resolve(&from("a.cfg", &[])), files(&["02-00-5e-10-00-02"]));
    assert_eq!(map(leased()).resolve(&from("a.cfg", &[KITCHEN])), files(&["02-00-5e-10-00-01"]));
    let named = ("02:00:5e:10:00:03", mac_source::REQUESTED_NAME);
    let both = files(&["02-00-5e-10-00-02", "02-00-5e-10-00-03"]);
    assert_eq!(map(leased()).resolve(&from("a.cfg", &[named])), both);
    let mut only = leased();
    only["sources"] = json!(["lease-file"]);
    assert_eq!(map(only).resolve(&from("a.cfg", &[KITCHEN])), files(&["02-00-5e-10-00-02"]));
    assert_eq!(map(leased()).resolve(&from("a.txt", &[])), Resolution::Abstain);
}

#[test]
fn a_lease_that_the_server_knows_needs_no_file() {
    let request = from("a.cfg", &[("02:00:5e:10:00:03", mac_source::LEASE_FILE)]);
    let mut settings = leased();
    settings.as_object_mut().unwrap().remove("leases");
    assert_eq!(map(settings).resolve(&request), files(&["02-00-5e-10-00-03"]));
    put_file("dhcp", "leases", "0 02:00:5e:10:00:02 192.0.2.1 attic *\n");
    assert_eq!(map(leased()).resolve(&request), files(&["02-00-5e-10-00-03"]), "the server's comes first");
}

#[test]
fn bad_leases_are_pointed_at() {
    let with = |sources: Value, leases: Value| {
        let mut settings = leased();
        (settings["sources"], settings["leases"]) = (sources, leases);
        problems(settings).concat()
    };
    let file = json!({ "root": "", "path": "../leases", "format": "kea" });
    let found = with(json!(["neighbour-table"]), json!([file]));
    for part in ["/leases: nobody looks", "/leases/0/root: write", "/leases/0/path: \"../leases\" leaves"] {
        assert!(found.contains(part), "{found:?} should have {part:?}");
    }
    assert!(with(json!(null), json!([])).starts_with("/leases: no file"));
    let other = json!([{ "root": "dhcp", "path": "leases", "format": "windows" }]);
    assert!(with(json!(null), other).starts_with("/leases/0/format: unknown variant `windows`"));
}

#[test]
fn a_rule_for_classes_and_names_in_any_case() {
    let settings = |case: &str| {
        json!({ "root": "boot", "case": case, "rules": [
            { "match": "SEP*", "templates": ["phones/{mac}.cfg"] },
            { "classes": ["u-boot"], "fallback": ["boards/{name}"] },
        ]})
    };
    let sep = from("sep02005e100001.cnf.xml", &[KITCHEN]);
    assert_eq!(map(settings("insensitive")).resolve(&sep), files(&["phones/02005e100001.cfg"]));
    assert_eq!(map(settings("sensitive")).resolve(&sep), Resolution::Abstain);
    let mut board = request("uImage");
    assert_eq!(map(settings("sensitive")).resolve(&board), Resolution::Abstain);
    board.client.class = "u-boot".into();
    assert_eq!(map(settings("sensitive")).resolve(&board), files(&["boards/uImage"]));
}

#[test]
fn a_rule_for_protocols() {
    let settings =
        json!({ "root": "boot", "rules": [{ "protocols": ["http"], "fallback": ["web/{name}"] }] });
    let mut asked = request("image");
    assert_eq!(map(settings.clone()).resolve(&asked), Resolution::Abstain);
    asked.attributes = vec![("protocol".into(), "http".into())];
    assert_eq!(map(settings).resolve(&asked), files(&["web/image"]));
}

#[test]
fn writes_only_where_a_rule_says_so() {
    let mut write = from("dump", &[KITCHEN]);
    write.operation = Operation::Write;
    let rule = |operations: Value| json!({ "operations": operations, "templates": ["dumps/{mac}/{name}"] });
    let reads = map(json!({ "root": "boot", "rules": [{ "templates": ["{name}"] }] }));
    assert_eq!(reads.resolve(&write), Resolution::Abstain);
    let writes = map(json!({ "root": "boot", "rules": [rule(json!(["write"]))] }));
    assert_eq!(writes.resolve(&write), files(&["dumps/02005e100001/dump"]));
}

#[test]
fn bad_settings_are_pointed_at_all_at_once() {
    let found = problems(json!({
        "root": "",
        "sources": ["neighbour-table", "neighbour-table"],
        "rules": [
            { "match": "a[", "devices": { "02:00:5e:10:00:0g": "x", "02:00:5e:10:00:01": "../x" } },
            { "devices": { "02:00:5e:10:00:01": "a", "02005E100001": "b" } },
            { "templates": ["{who}", "ok/{mac}", "/abs"], "fallback": ["fine", "{mac}.cfg"] },
            { "operations": ["read"] },
            { "templates": [], "operations": [], "devices": {}, "classes": [], "protocols": [] },
        ],
    }));
    let starts = [
        "/root: write",
        "/sources/1: neighbour-table is there already",
        "/rules/0/match: \"a[\" has",
        "/rules/0/devices/02:00:5e:10:00:01: \"../x\" leaves the root",
        "/rules/0/devices/02:00:5e:10:00:0g: \"02:00:5e:10:00:0g\" is not a MAC",
        "/rules/1/devices/02:00:5e:10:00:01: 02:00:5e:10:00:01 is there twice",
        "/rules/2/templates/0: there is no variable {who}: there are {mac}",
        "/rules/2/templates/2: paths are below the root: write \"abs\"",
        "/rules/2/fallback/1: a fallback is for clients",
        "/rules/3: the rule gives no file",
        "/rules/4/classes: an empty list",
        "/rules/4/protocols: an empty list",
        "/rules/4/operations: an empty list",
        "/rules/4/devices: no device",
        "/rules/4/templates: an empty list",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem:?} should start with {start:?}");
    }
}

#[test]
fn unknown_and_missing_keys_are_pointed_at() {
    let first = |settings| problems(settings).remove(0);
    assert!(first(json!({})).starts_with(": missing field `root`"));
    assert!(first(json!({ "root": "boot" })).starts_with(": missing field `rules`"));
    assert!(first(json!({ "root": "boot", "rules": [] })).starts_with("/rules: without a rule"));
    assert!(
        first(json!({ "root": "boot", "rules": [{ "device": {} }] })).starts_with("/rules/0/device: unknown")
    );
    let sources = first(json!({ "root": "boot", "sources": ["dhcp"], "rules": [] }));
    assert!(sources.starts_with("/sources/0: unknown variant `dhcp`"), "{sources}");
}
