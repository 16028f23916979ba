//! `tuffet plugin wit`: a world for one plugin.

use crate::harness::{Setup, interface_version, tuffet};

#[test]
fn the_world_imports_what_the_grants_allow_and_nothing_else() {
    let setup = Setup::new();
    let folder = setup.outside();
    let path = folder.path("wit").display().to_string();
    let wit = |words: &[&str]| tuffet([&["plugin", "wit", &path], words].concat());
    let text = |name: &str| String::from_utf8(folder.read(&format!("wit/{name}"))).unwrap();

    let plain = wit(&[]);
    plain.assert_good();
    let printed = format!("{path}/world.wit\n{path}/deps/policy/policy.wit\n");
    assert_eq!(String::from_utf8_lossy(&plain.stdout), printed);
    let world = text("world.wit");
    let lines: Vec<&str> = world.lines().filter(|line| line.starts_with("    ")).map(str::trim).collect();
    let its = interface_version();
    let expected = [
        format!("import tuffet:policy/log@{its};"),
        format!("export tuffet:policy/lifecycle@{its};"),
        format!("export tuffet:policy/authorize@{its};"),
    ];
    assert_eq!(lines, expected);
    assert!(!folder.has("wit/deps/wasi-http"));

    wit(&["--hook", "observe", "--grant", "http", "--grant", "kv", "--grant", "clock"]).assert_good();
    let world = text("world.wit");
    for line in
        ["import tuffet:policy/kv@", "import wasi:http/outgoing-handler@", "export tuffet:policy/observe@"]
    {
        assert!(world.contains(line), "{world}");
    }
    for other in ["files", "sinks", "authorize", "clock"] {
        assert!(!world.contains(other), "{world}");
    }
    wit(&["--grant", "upload", "--grant", "metrics", "--grant", "client-history"]).assert_good();
    for import in ["upload-content", "metrics", "history"] {
        assert!(text("world.wit").contains(&format!("import tuffet:policy/{import}@{its};")), "{import}");
    }

    wit(&["--hook", "resolve", "--hook", "render", "--hook", "render-parts"]).assert_good();
    for export in ["resolve", "render", "render-parts"] {
        assert!(text("world.wit").contains(&format!("export tuffet:policy/{export}@{its};")), "{export}");
    }

    assert!(text("deps/wasi-http/wasi-http.wit").starts_with("///"));
    assert!(text("deps/wasi-io/wasi-io.wit").contains("package wasi:io@"));
}

#[test]
fn mistakes_are_named() {
    let setup = Setup::new();
    let folder = setup.outside();
    let path = folder.path("wit").display().to_string();
    let wit = |words: &[&str]| tuffet([&["plugin", "wit", &path], words].concat());
    wit(&["--grant", "files/boot"]).assert_fails(64, &["write the kind alone, such as `files`"]);
    wit(&["--hook", "render-parts"]).assert_fails(64, &["add resolve"]);
    wit(&["--grant", "tape"]).assert_fails(64, &["there are client-history, client-mac, clock, files, http"]);
    folder.write("wit", b"");
    wit(&[]).assert_fails(73, &["remove it, or name another folder"]);
}
