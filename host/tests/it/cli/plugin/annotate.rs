//! `tuffet plugin annotate`: a manifest for a component that another tool built.

use super::{json, plugin, printed, write};
use crate::harness::Setup;
use crate::policy::probe;

#[test]
fn a_component_gets_the_manifest_of_a_file() {
    let setup = Setup::new();
    let folder = setup.outside();
    let output = folder.path("out.wasm").display().to_string();
    let first = write(
        &folder,
        "manifest.json",
        r#"{ "name": "other", "version": "2", "license": "MIT", "homepage": "https://example.org/other", "grants": [{ "grant": "kv", "reason": "counts" }] }"#,
    );
    plugin(&["annotate", &probe(), "--manifest", &first, "--output", &output]).assert_good();
    let shown = json(&plugin(&["inspect", &output, "--json"]));
    assert_eq!((&shown["name"], &shown["version"]), (&"other".into(), &"2".into()));
    assert_eq!(
        shown["grants"],
        serde_json::json!([{ "grant": "kv", "reason": "counts", "optional": false }])
    );

    assert_eq!((&shown["license"], &shown["homepage"]), (&"MIT".into(), &"https://example.org/other".into()));
    let text = printed(&plugin(&["inspect", &output]));
    assert!(text.contains("license      MIT\nhomepage     https://example.org/other\n"), "{text}");

    // As YAML, in place, and in place of the first one.
    let second = write(&folder, "manifest.yaml", "name: third\nevents: [finished]\nreuse: true\n");
    let before = folder.read("out.wasm").len();
    plugin(&["annotate", &output, "--manifest", &second]).assert_good();
    let shown = json(&plugin(&["inspect", &output, "--json"]));
    assert_eq!((&shown["name"], &shown["grants"]), (&"third".into(), &serde_json::json!([])));
    assert_eq!(shown["events"], serde_json::json!(["finished"]));
    assert!(folder.read("out.wasm").len() < before, "the first one is gone");
}

#[test]
fn a_wrong_manifest_is_refused_at_its_line() {
    let setup = Setup::new();
    let folder = setup.outside();
    let component = folder.path("out.wasm").display().to_string();
    std::fs::copy(probe(), &component).unwrap();
    let before = folder.read("out.wasm");
    for (text, said) in [
        ("name: a\nreuse: perhaps\n", &["m.yaml:2:8", "boolean"][..]),
        ("name: a\nresue: true\n", &["m.yaml:2:", "unknown key `resue`; did you mean `reuse`?"]),
        (
            "name: a\ngrants:\n  - { grant: tape, reason: x }\n",
            &["m.yaml:3:14", "\"tape\"", "there are client-history"],
        ),
        ("name: a\ngrants:\n  - { grant: kv, reason: \"\" }\n", &["m.yaml:3:26", "without a reason"]),
        (
            "name: a\ngrants:\n  - { grant: kv, why: x }\n",
            &["m.yaml:3:", "unknown key `why`; known here: grant, reason"],
        ),
        ("name: a\nevents: [ended]\n", &["m.yaml:2:10", "`started`, `progressed`, `finished`"]),
        ("version: \"1\"\n", &["m.yaml:1:1", "missing field `name`"]),
        ("name: \" \"\n", &["m.yaml:1:7", "it has no name"]),
        ("", &["m.yaml"]),
    ] {
        let manifest = write(&folder, "m.yaml", text);
        plugin(&["annotate", &component, "--manifest", &manifest]).assert_fails(64, said);
    }
    assert_eq!(folder.read("out.wasm"), before, "nothing was written");
    plugin(&["annotate", &component, "--manifest", "/no/such.json"]).assert_fails(64, &["/no/such.json"]);
    let good = write(&folder, "m.yaml", "name: a\n");
    plugin(&["annotate", &good, "--manifest", &good]).assert_fails(64, &["m.yaml: it is not WebAssembly"]);
    plugin(&["annotate", "/no/such.wasm", "--manifest", &good])
        .assert_fails(64, &["/no/such.wasm", "cannot be read"]);
    plugin(&["annotate", &component, "--manifest", &good, "-o", "/no/such/x.wasm"])
        .assert_fails(73, &["/no/such/x.wasm", "--output"]);
}
