//! `tuffet plugin wit`: a world for one plugin.

use crate::harness::{Setup, tuffet};

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
    let expected = [
        "import tuffet:policy/log@0.2.0;",
        "export tuffet:policy/lifecycle@0.2.0;",
        "export tuffet:policy/authorize@0.2.0;",
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
    assert!(world.contains("import tuffet:policy/shared-kv@"), "{world}");
    wit(&["--grant", "upload", "--grant", "metrics", "--grant", "client-history"]).assert_good();
    for import in ["upload-content", "metrics", "history"] {
        assert!(text("world.wit").contains(&format!("import tuffet:policy/{import}@0.2.0;")), "{import}");
    }

    wit(&["--hook", "resolve", "--hook", "render-parts"]).assert_good();
    for export in ["resolve", "render-parts"] {
        assert!(text("world.wit").contains(&format!("export tuffet:policy/{export}@0.2.0;")), "{export}");
    }

    wit(&["--version", "0.1", "--grant", "kv"]).assert_good();
    assert!(text("world.wit").contains("export tuffet:policy/authorize@0.1.0;"), "{}", text("world.wit"));
    assert!(!text("world.wit").contains("shared-kv"), "{}", text("world.wit"));
    assert!(text("deps/policy/policy.wit").contains("package tuffet:policy@0.1.0;"));
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
    let later = ["--version", "0.1", "--grant", "client-history"];
    wit(&later).assert_fails(64, &["--grant client-history: version 0.1 of the interface does not have it"]);
    let later = ["--version", "0.1", "--hook", "resolve", "--hook", "render-parts"];
    wit(&later).assert_fails(64, &["--hook render-parts: version 0.1 of the interface does not have it"]);
    wit(&["--hook", "render-parts"]).assert_fails(64, &["add resolve"]);
    wit(&["--grant", "tape"]).assert_fails(64, &["there are client-history, client-mac, clock, files, http"]);
    folder.write("wit", b"");
    wit(&[]).assert_fails(73, &["cannot be written", "another folder"]);
}
