use serde_json::{Value, json};
use tuffet_sdk::testing::{self, put_file};
use tuffet_sdk::{Candidate, Operation, Plugin, Request, Resolution, Resolve, parse};

use crate::Template;

const INVENTORY: &str = r#"
defaults: { ntp: 192.0.2.5, lines: [1] }
devices:
  kitchen:
    mac: 02-00-5E-10-00-01
    vars: { extension: 101, lines: [1, 2] }
  attic:
    names: [attic.cfg, deep/attic.xml]
    template: special.j2
    vars: { extension: "<102>" }
  hall:
    address: 2001:db8:0::17
"#;

fn template(inventory: &str) -> Template {
    put_file("boot", "inventory.yaml", inventory);
    let settings = json!({ "root": "boot", "inventory": "inventory.yaml", "rules": [
        { "match": "*.cfg", "template": "phone.cfg.j2" },
        { "match": "**/*.xml", "template": "phone.xml" },
    ]});
    parse(&settings.to_string())
        .and_then(Template::configure)
        .unwrap_or_else(|problems| unreachable!("{problems:?}"))
}

fn request(path: &str, address: &str, macs: &[&str]) -> Request {
    let mut request = testing::request(path);
    request.client.address = address.into();
    macs.iter().for_each(|mac| testing::add_mac(&mut request, mac));
    request
}

const KITCHEN: &[&str] = &["02:00:5e:10:00:99", "02:00:5e:10:00:01"];

fn content(resolution: Resolution) -> String {
    let Resolution::Serve(selection) = &resolution else { unreachable!("{resolution:?}") };
    let [Candidate::Content(content)] = &*selection.candidates else { unreachable!("{selection:?}") };
    String::from_utf8(content.data.clone()).unwrap()
}

fn reason(resolution: Resolution) -> String {
    match resolution {
        Resolution::Deny(denial) => denial.reason,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn variables_of_the_device_over_the_defaults() {
    put_file(
        "boot",
        "phone.cfg.j2",
        "{{ device.name }} {{ device.mac }} {{ ntp }} {{ extension }} {{ request.name }}@{{ request.address }}\n\
         {% for line in lines %}line {{ line }}\n{% endfor %}",
    );
    let made = template(INVENTORY).resolve(&request("a/y000.cfg", "192.0.2.9", KITCHEN));
    assert_eq!(content(made), "kitchen 02:00:5e:10:00:01 192.0.2.5 101 y000.cfg@192.0.2.9\nline 1\nline 2\n");
}

#[test]
fn by_mac_else_by_name_else_by_address() {
    for file in ["phone.cfg.j2", "special.j2", "phone.xml"] {
        put_file("boot", file, format!("{file} {{{{ device.name }}}}"));
    }
    let template = template(INVENTORY);
    for (path, address, macs, expected) in [
        ("attic.cfg", "2001:db8::17", KITCHEN, "phone.cfg.j2 kitchen"),
        ("x/attic.cfg", "2001:db8::17", &[], "special.j2 attic"),
        ("deep/attic.xml", "192.0.2.9", &[], "special.j2 attic"),
        ("any.cfg", "2001:db8::17", &["02:00:5e:10:00:99"], "phone.cfg.j2 hall"),
    ] {
        assert_eq!(content(template.resolve(&request(path, address, macs))), expected, "{path}");
    }
    for (path, address, macs) in
        [("any.cfg", "192.0.2.9", &[][..]), ("kernel", "2001:db8::17", KITCHEN), ("attic.xml", "::1", &[])]
    {
        assert_eq!(template.resolve(&request(path, address, macs)), Resolution::Abstain, "{path}");
    }
    let mut write = request("attic.cfg", "192.0.2.9", KITCHEN);
    write.operation = Operation::Write;
    assert_eq!(template.resolve(&write), Resolution::Abstain);
}

#[test]
fn markup_is_escaped_in_xml_alone() {
    put_file("boot", "phone.xml", "<x>{{ note }}</x>");
    put_file("boot", "phone.cfg.j2", "{{ note }}");
    let template = template("devices: { hall: { address: 192.0.2.1, vars: { note: '<&>' } } }");
    let ask = |path| content(template.resolve(&request(path, "192.0.2.1", &[])));
    assert_eq!((ask("a.xml").as_str(), ask("a.cfg").as_str()), ("<x>&lt;&amp;&gt;</x>", "<&>"));
}

#[test]
fn what_is_missing_is_named_with_template_line_and_device() {
    put_file("boot", "phone.cfg.j2", "ntp={{ ntp }}\n  sip={{ sip_server }}\n");
    put_file("boot", "special.j2", "one\n{% include 'inner.j2' %}\n");
    put_file("boot", "inner.j2", "{% if true %}\n{{ request.mac }}{% endif %}");
    let template = template(INVENTORY);
    assert_eq!(
        reason(template.resolve(&request("a.cfg", "192.0.2.9", KITCHEN))),
        "boot:phone.cfg.j2 line 2: undefined value in `sip={{ sip_server }}`, for device kitchen"
    );
    let inner = reason(template.resolve(&request("attic.cfg", "192.0.2.9", &[])));
    assert!(inner.starts_with("boot:inner.j2 line 2: undefined value"), "{inner}");
    assert!(inner.ends_with(", for device attic"), "{inner}");
}

#[test]
fn bad_templates_are_errors() {
    let template = template(INVENTORY);
    for (text, expected) in [
        ("a\n{{ 1 +", "boot:phone.cfg.j2 line 2: syntax error"),
        ("{% include 'none.j2' %}", "template not found"),
        ("{% include 'phone.cfg.j2' %}", "phone.cfg.j2"),
        ("{{ 'a' / 2 }}", "boot:phone.cfg.j2 line 1: "),
    ] {
        put_file("boot", "phone.cfg.j2", text);
        let reason = reason(template.resolve(&request("a.cfg", "192.0.2.9", KITCHEN)));
        assert!(reason.contains(expected), "{reason:?} should have {expected:?}");
        assert!(reason.ends_with("for device kitchen"), "{reason}");
    }
}

#[test]
fn bad_inventories_are_errors() {
    for (inventory, expected) in [
        ("devices: { a: { mac: 02:00 } }", "is not a MAC address"),
        ("devices: { a: { ip: 192.0.2.1 } }", "unknown field `ip`"),
        ("devices: [", "boot:inventory.yaml: "),
        ("defaults: {}", "missing field `devices`"),
        ("devices: { a: { template: ../b } }", "devices.a.template: \"../b\" has"),
        ("devices: { a: { names: [x] }, b: { names: [x] } }", "x is a and b"),
        (
            "devices: { a: { mac: 02005e100001 }, b: { mac: 02-00-5e-10-00-01 } }",
            "02:00:5e:10:00:01 is a and b",
        ),
    ] {
        let reason = reason(template(inventory).resolve(&request("a.cfg", "192.0.2.9", &[])));
        assert!(reason.contains(expected), "{reason:?} should have {expected:?}");
    }
}

#[test]
fn an_inventory_that_has_changed_is_read_again() {
    put_file("boot", "phone.cfg.j2", "{{ a }}");
    let kept = template("devices: { hall: { address: 192.0.2.1, vars: { a: 1 } } }");
    let ask = || content(kept.resolve(&request("a.cfg", "192.0.2.1", &[])));
    assert_eq!(ask(), "1");
    put_file("boot", "inventory.yaml", "devices: { hall: { address: 192.0.2.1, vars: { a: 23 } } }");
    assert_eq!(ask(), "23");
}

#[test]
fn bad_settings() {
    let problems = |settings: Value| {
        let problems = parse(&settings.to_string()).and_then(Template::configure).err().unwrap().into_vec();
        problems
            .into_iter()
            .map(|problem| format!("{}: {}", problem.pointer, problem.message))
            .collect::<Vec<String>>()
    };
    let found = problems(json!({ "root": "", "inventory": "/i.yaml", "rules": [
        { "match": "a[", "template": "../a" }, { "match": "a", "template": "" },
    ]}));
    let starts = [
        "/root: write",
        "/inventory: paths are below the root: write \"i.yaml\"",
        "/rules/0/template: \"../a\" has",
        "/rules/0/match: \"a[\" has",
        "/rules/1/template: write the path",
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (problem, start) in found.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem:?} should start with {start:?}");
    }
    let empty = problems(json!({ "root": "boot", "inventory": "i", "rules": [] }));
    assert!(empty[0].starts_with("/rules: without a rule"));
}
