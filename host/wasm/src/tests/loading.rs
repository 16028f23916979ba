//! Plugins that cannot be loaded, and their errors.

use std::io::Write;
use std::time::Duration;

use super::*;

/// Creates a file with these bytes, as the source of a component.
fn file(bytes: &[u8]) -> (tempfile::NamedTempFile, ComponentSource) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let source = ComponentSource::Path(file.path().to_path_buf());
    (file, source)
}

const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

/// `(component (import NAME (instance (export "f" (func)))))`
fn importing(name: &str) -> Vec<u8> {
    let types = [0x01, 0x42, 0x02, 0x01, 0x40, 0x00, 0x01, 0x00, 0x04, 0x00, 0x01, b'f', 0x01, 0x00];
    let imports = [&[0x01, 0x00, name.len() as u8], name.as_bytes(), &[0x05, 0x00]].concat();
    [HEADER, &section(7, &types), &section(10, &imports)].concat()
}

/// `(component (instance) (export NAME (instance 0)))`
fn exporting(name: &str) -> Vec<u8> {
    let exports = [&[0x01, 0x00, name.len() as u8], name.as_bytes(), &[0x05, 0x00, 0x00]].concat();
    [HEADER, &section(5, &[0x01, 0x01, 0x00]), &section(11, &exports)].concat()
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id, content.len() as u8], content].concat()
}

/// Returns the only problem of a plugin with these bytes.
async fn problem_with(bytes: &[u8]) -> LoadProblem {
    let (_file, source) = file(bytes);
    let mut problems = problems(&authorizers(vec![plugin("it", source, json!({}))])).await;
    assert_eq!(problems.len(), 1, "{problems:#?}");
    problems.remove(0)
}

#[tokio::test]
async fn a_file_that_is_not_there() {
    let source = ComponentSource::Path("no/such/plugin.wasm".into());
    let problems = problems(&authorizers(vec![plugin("it", source, json!({}))])).await;
    assert_eq!(problems[0].kind, LoadProblemKind::Unreadable);
    assert!(
        problems[0].to_string().starts_with("plugin \"it\": cannot read no/such/plugin.wasm: No such file")
    );
}

#[tokio::test]
async fn an_unknown_builtin() {
    let source = ComponentSource::Builtin("alc".into());
    let problems = problems(&authorizers(vec![plugin("it", source, json!({}))])).await;
    assert_eq!(problems[0].kind, LoadProblemKind::Unreadable);
    assert_eq!(
        problems[0].message,
        "there is no builtin:alc: there are builtin:acl, builtin:ask, builtin:audit, builtin:mac-map, builtin:publish, builtin:remap, builtin:template"
    );
}

#[tokio::test]
async fn a_file_that_is_not_a_component() {
    for (bytes, what) in [
        (b"#!/bin/sh\n".as_slice(), "it is not WebAssembly"),
        (b"", "it is not WebAssembly"),
        (b"\0asm\x01\0\0\0", "it is a core WebAssembly module, not a component"),
        (b"\0asm\x09\0\x01\0", "it is WebAssembly of a version"),
        (b"\0asm\x0d\0\x01\0garbage", "the component cannot be compiled"),
    ] {
        let problem = problem_with(bytes).await;
        assert_eq!(problem.kind, LoadProblemKind::NotAComponent);
        assert!(problem.message.starts_with(what), "{problem:?}");
    }
}

#[tokio::test]
async fn an_import_that_is_not_provided_is_named_with_the_remedy() {
    let problem = problem_with(&importing("acme:db/query@1.0.0")).await;
    assert_eq!(problem.kind, LoadProblemKind::Import);
    assert_eq!(
        problem.message,
        "it imports acme:db/query@1.0.0, and this server provides tuffet:policy@1.0.0 and WASI 0.2 \
         alone: rebuild it without, or link what it needs into it"
    );
    let problem = problem_with(&importing("tuffet:policy/log@0.2.0")).await;
    let another =
        "it was built for tuffet:policy@0.2.0, and this server has 1.0.0: build it again with the SDK";
    assert!(problem.message.starts_with(another), "{problem:?}");
    let problem = problem_with(&importing("wasi:clocks/monotonic-clock@0.3.0")).await;
    assert_eq!(
        problem.message,
        "it was built for WASI 0.3.0 (wasi:clocks/monotonic-clock@0.3.0) and this server provides WASI 0.2: build it \
         for wasm32-wasip2"
    );
    let problem = problem_with(&importing("wasi:http/outgoing-handler@0.2.0")).await;
    assert!(problem.message.contains("wasi:http/outgoing-handler"), "{problem:?}");
}

#[tokio::test]
async fn an_export_that_is_missing_is_named() {
    let problem = problem_with(HEADER).await;
    assert_eq!(problem.kind, LoadProblemKind::Export);
    let missing = "it does not export tuffet:policy/lifecycle@1.0.0 but nothing";
    assert!(problem.message.starts_with(missing), "{problem:?}");
    let problem = problem_with(&exporting("tuffet:policy/lifecycle@0.1.0")).await;
    let another =
        "it was built for tuffet:policy@0.1.0, and this server has 1.0.0: build it again with the SDK";
    assert!(problem.message.starts_with(another), "{problem:?}");
}

/// The version is the same, but the WIT was changed.
#[tokio::test]
async fn a_type_that_differs_is_named() {
    let ComponentSource::Path(path) = misbehave() else { unreachable!("it is a file") };
    let component = std::fs::read(path).unwrap();
    for (name, ours, theirs) in
        [("error-code", b"disk-full", b"disk-fuln"), ("session-values", b"windowsiz", b"windowsis")]
    {
        let mut component = component.clone();
        let places: Vec<usize> = component
            .windows(ours.len())
            .enumerate()
            .filter(|(_, its)| its == ours)
            .map(|(at, _)| at)
            .collect();
        for at in places {
            component[at..at + ours.len()].copy_from_slice(theirs);
        }
        let problem = problem_with(&component).await;
        assert_eq!(problem.kind, LoadProblemKind::Export);
        let named = format!("its type `{name}` of tuffet:policy/types is not that of this server");
        assert!(problem.message.starts_with(&named), "{problem:?}");
    }
}

#[tokio::test]
async fn a_plugin_in_the_chain_of_a_hook_that_it_lacks() {
    let problems = problems(&resolvers(vec![acl("acl", json!({}))])).await;
    assert_eq!(problems[0].kind, LoadProblemKind::Hook("resolve"));
    let message = &problems[0].message;
    assert!(message.starts_with("it does not have the hook `resolve`, which the chain policy.resolve calls; its hooks: `authorize`"), "{message}");
    assert!(message.ends_with("Take it out of policy.resolve, or implement the hook"), "{message}");
}

#[tokio::test]
async fn a_chain_that_names_an_unknown_plugin() {
    let mut spec = authorizers(vec![acl("acl", json!({}))]);
    spec.config.authorize.push("alc".into());
    let problems = problems(&spec).await;
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].kind, problems[0].plugin.as_str()), (LoadProblemKind::UnknownPlugin, "alc"));
}

#[tokio::test]
async fn every_problem_of_every_plugin_is_reported_with_its_pointer() {
    let spec = authorizers(vec![
        acl("one", json!({ "deny": [{ "clients": ["x"], "names": ["["] }] })),
        acl("two", json!({ "denny": [] })),
        bad("three", "refuse-settings"),
        acl("fine", json!({})),
    ]);
    let problems = problems(&spec).await;
    let places: Vec<_> = problems
        .iter()
        .map(|problem| (problem.plugin.as_str(), problem.pointer.as_deref().unwrap()))
        .collect();
    assert_eq!(
        places,
        [
            ("one", "/deny/0/clients/0"),
            ("one", "/deny/0/names/0"),
            ("two", "/denny"),
            ("three", "/do"),
            ("three", ""),
        ]
    );
    let kinds: Vec<_> = problems.iter().map(|problem| problem.kind).collect();
    let settings = LoadProblemKind::Settings;
    // The schema of the bundled plugin knows its keys.
    assert_eq!(kinds, [settings, settings, LoadProblemKind::UnknownSetting, settings, settings]);
    let said = problems[2].to_string();
    assert!(said.starts_with("plugin \"two\", settings/denny: unknown key `denny`"), "{said}");
}

#[tokio::test]
async fn configure_has_limits_too() {
    let mut looping = bad("loop", "loop-in-configure");
    looping.limits.cpu = Duration::from_millis(20);
    let problems = problems(&authorizers(vec![looping, bad("trap", "trap-in-configure")])).await;
    assert_eq!(problems.len(), 2);
    assert!(problems.iter().all(|problem| problem.kind == LoadProblemKind::Failed));
    assert!(problems[0].message.starts_with("it failed while it was configured: time: "), "{problems:?}");
    assert!(problems[1].message.contains("trap: ") && problems[1].message.contains("trapped as asked"));
}
