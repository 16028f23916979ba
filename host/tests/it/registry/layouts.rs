//! What earlier tools pushed, and what is no plugin.

use super::scripted::{CONFIG, LAYER, Reply, Scripted, artifact};
use super::{Kept, acl, another_acl, assert_denies};
use serde_json::json;

#[test]
fn earlier_layouts_are_read() {
    let component = std::fs::read(acl()).unwrap();
    for (config, layer) in [
        ("application/vnd.wasm.config.v1+json", "application/vnd.wasm.content.layer.v1+wasm"),
        (
            "application/vnd.oci.empty.v1+json",
            "application/vnd.bytecodealliance.wasm.component.layer.v0+wasm",
        ),
        ("application/vnd.module.wasm.config.v1+json", "application/vnd.module.wasm.content.layer.v1+wasm"),
        ("application/vnd.oci.image.config.v1+json", "application/octet-stream"),
    ] {
        let (kept, registry) = (Kept::new(), Scripted::new());
        registry.hold(&component, config, layer);
        let yaml = kept.yaml(&format!("oci://{}/acl:1", registry.host()), "", "");
        assert_denies(&kept.setup(&yaml).start());
    }
}

#[test]
fn an_index_leads_to_the_manifest_for_webassembly() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    let component = std::fs::read(acl()).unwrap();
    let (manifest, _) = registry.hold(&component, CONFIG, LAYER);
    let entry = |digest: &str, architecture: &str| {
        json!({
            "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": format!("sha256:{digest}"), "size": 1,
            "platform": { "os": "wasip2", "architecture": architecture },
        })
    };
    let index = |entries: &[_]| json!({ "schemaVersion": 2, "manifests": entries });
    let other = "0".repeat(64);
    let top = registry.hold_manifest(&index(&[entry(&other, "amd64"), entry(&manifest, "wasm")]));
    let reference = format!("oci://{}/acl@sha256:{top}", registry.host());
    let server = kept.setup(&kept.yaml(&reference, "", "")).start();
    assert_denies(&server);
    assert_eq!(server.status()["plugins"][0]["manifest"], top);
    // It could be either.
    let top = registry.hold_manifest(&index(&[entry(&other, "wasm"), entry(&manifest, "wasm")]));
    server.rewrite(&kept.yaml(&format!("oci://{}/acl@sha256:{top}", registry.host()), "", ""));
    server.ask("reload").assert_fails(1, &["index of 2 artifacts", "name the digest"]);
}

#[test]
fn what_is_no_plugin_is_refused_with_what_it_is() {
    let (kept, registry) = (Kept::new(), Scripted::new());
    let yaml = kept.yaml(&format!("oci://{}/acl:1", registry.host()), "", &kept.open());
    let server = kept.setup(&kept.yaml("builtin:acl", "", &kept.open())).start();
    server.rewrite(&yaml);
    let refused = |due: &[&str]| server.ask("reload").assert_fails(1, due);
    registry.hold(b"layer", CONFIG, "application/vnd.oci.image.layer.v1.tar+gzip");
    refused(&["holds no component", "tar+gzip", "tuffet plugin push"]);
    registry.hold(b"\0asm\x01\0\0\0", CONFIG, LAYER);
    refused(&["core WebAssembly module, not a component"]);
    let (_, mut two) = artifact(&another_acl("two"), CONFIG, LAYER);
    let layer = two["layers"][0].clone();
    two["layers"] = json!([layer, layer]);
    registry.hold_manifest(&two);
    refused(&["several layers"]);
    registry.reply("manifests/1", Reply::Status(404, String::new()));
    refused(&["does not have it"]);
    assert_denies(&server);
}
