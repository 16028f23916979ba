//! `tuffet plugin inspect`, and what no command takes for a plugin.

use super::{json, plugin, printed};
use crate::harness::{Setup, interface_version};
use crate::policy::probe;

#[test]
fn inspect_shows_what_a_plugin_asks_for() {
    let ran = plugin(&["inspect", &probe(), "--json"]);
    ran.assert_good();
    let shown = json(&ran);
    assert_eq!(shown["name"], "probe");
    assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(shown["interface"], interface_version());
    assert_eq!(shown["hooks"], serde_json::json!(["authorize", "resolve", "accept-upload", "observe"]));
    assert_eq!(
        shown["grants"][0],
        serde_json::json!({ "grant": "kv", "reason": "tries keys", "optional": false })
    );
    let size = std::fs::metadata(probe()).unwrap().len();
    assert_eq!(shown["bytes"], size);
    let sha256 = crate::harness::run(std::process::Command::new("sha256sum").arg(probe()));
    assert!(printed(&sha256).starts_with(shown["sha256"].as_str().unwrap()), "{shown:#}");
    assert!(
        shown["imports"]
            .as_array()
            .unwrap()
            .iter()
            .any(|name| *name == format!("tuffet:policy/kv@{}", interface_version()))
    );

    let ran = plugin(&["inspect", "builtin:acl"]);
    ran.assert_good();
    assert!(printed(&ran).contains("hooks        authorize\n"), "{}", printed(&ran));

    let ran = plugin(&["inspect", "builtin:audit"]);
    ran.assert_good();
    assert!(printed(&ran).contains("events       finished, and empty batches\n"), "{}", printed(&ran));
}

#[test]
fn inspect_refuses_what_is_no_plugin() {
    let setup = Setup::new();
    let module = setup.outside().path("module.wasm");
    std::fs::write(&module, b"\0asm\x01\0\0\0").unwrap();
    plugin(&["inspect", module.to_str().unwrap()])
        .assert_fails(64, &["module.wasm", "core WebAssembly module"]);
    plugin(&["inspect", "builtin:nothing"]).assert_fails(64, &["there are builtin:acl"]);
    plugin(&["inspect", "/no/such.wasm"]).assert_fails(64, &["cannot read /no/such.wasm"]);
}

/// What has no end, or never begins, is refused at once.
#[test]
fn what_cannot_be_a_component() {
    let setup = Setup::new();
    let folder = setup.outside();
    let [fifo, large] = ["fifo", "large.wasm"].map(|name| folder.path(name).display().to_string());
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let file = std::fs::File::create(&large).unwrap();
    std::io::Write::write_all(&mut &file, b"\0asm\x0d\0\x01\0").unwrap();
    file.set_len(200 << 20).unwrap();
    let folder = folder.path("").display().to_string();
    for (component, reason) in [
        (&*fifo, "is not a file"),
        ("/dev/zero", "is not a file"),
        (&folder, "is not a file"),
        (&large, "has 209715200 bytes, and a component has at most 134217728"),
    ] {
        for command in ["inspect", "check"] {
            plugin(&[command, component]).assert_fails(64, &[component, reason]);
        }
    }
}
