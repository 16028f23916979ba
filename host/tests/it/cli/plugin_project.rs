//! `tuffet plugin new` and `build`, with the real compiler.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use super::plugin_dev::{CARGO, Dev};
use crate::harness::{Folder, Ran, Setup, compiled, run, run_for, skipped, tuffet};
use std::time::Duration;

/// How long a compiler may take on a busy machine.
pub(super) const COMPILING: Duration = Duration::from_secs(900);

/// Less for the compiler to do. The guides and examples are built as projects are.
const QUICKLY: [(&str, &str); 2] =
    [("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"), ("CARGO_PROFILE_RELEASE_LTO", "off")];

/// Runs `tuffet` in a folder.
pub(super) fn tuffet_in(folder: &Path, words: &[&str], environment: &[(&str, &str)]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    command.current_dir(folder).args(words).env("CACHE_DIRECTORY", compiled());
    // The build settings of this project must not affect another one.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_BUILD_DIR");
    command.envs(environment.iter().copied());
    run_for(&mut command, COMPILING)
}

pub(super) fn new(folder: &Folder, words: &[&str]) -> Ran {
    tuffet_in(&folder.0, &[&["plugin", "new"], words].concat(), &[])
}

/// Returns the build folder of a project below a target folder of several projects.
fn build_folder(target: &Path, project: &Path) -> PathBuf {
    let key = tuffet_wasm::digest(project.canonicalize().unwrap().as_os_str().as_bytes());
    target.join("tuffet-plugins").join(&key[..16])
}

/// Puts what plugins depend on, compiled, into the build folder of a project. It is compiled once, since that takes
/// longer than the rest of a build; the SDK and the plugin are the project's own.
fn copy_dependencies(to: &Path) {
    static COMPILED: Once = Once::new();
    let folder = Folder(concat!(env!("CARGO_TARGET_TMPDIR"), "/plugin-dependencies").into());
    let (project, target) = (folder.path("project"), folder.path("target"));
    COMPILED.call_once(|| {
        let _ = std::fs::remove_dir_all(&project);
        std::fs::create_dir_all(&folder.0).unwrap();
        new(&folder, &["project"]).assert_good();
        let target = target.display().to_string();
        tuffet_in(&project, &["plugin", "build"], &[("CARGO_TARGET_DIR", &target), QUICKLY[0], QUICKLY[1]])
            .assert_good();
    });
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    run(Command::new("cp").arg("-a").arg(build_folder(&target, &project)).arg(to)).assert_good();
}

#[test]
fn new_refuses_what_is_there_and_what_is_no_name() {
    let setup = Setup::new();
    let folder = setup.outside();
    new(&folder, &["firmware"]).assert_good();
    let made = folder.read("firmware/src/lib.rs");
    new(&folder, &["firmware", "--hook", "resolve"])
        .assert_fails(64, &["firmware", "already", "another name"]);
    assert_eq!(folder.read("firmware/src/lib.rs"), made, "nothing was changed");
    folder.write("file", b"");
    new(&folder, &["file"]).assert_fails(64, &["already"]);
    for bad in ["Firmware", "../x", "a_b", "", "2x", "serde"] {
        new(&folder, &[bad])
            .assert_fails(64, &["write another", "a name has"][usize::from(bad != "serde")..][..1]);
    }
    new(&folder, &["x", "--hook", "dance"]).assert_fails(64, &["authorize, resolve, accept-upload, observe"]);
    new(&folder, &["x", "--language", "cobol"]).assert_fails(64, &["rust", "python", "go"]);
    new(&folder, &["x", "--sdk", "/no/such"]).assert_fails(64, &["--sdk /no/such", "leave --sdk out"]);
    assert!(!folder.has("x"));
}

/// Only the files of the chosen hooks exist.
#[test]
fn new_has_the_hooks_that_were_chosen() {
    let setup = Setup::new();
    let folder = setup.outside();
    new(&folder, &["seer", "--hook", "observe"]).assert_good();
    let sources = Folder(folder.path("seer/src"));
    assert_eq!(sources.names(), ["lib.rs", "observe.rs"]);
    let text = |name: &str| String::from_utf8(folder.read(&format!("seer/{name}"))).unwrap();
    assert!(text("src/lib.rs").contains("tuffet_sdk::export!(Policy: observe);"));
    assert!(text("tuffet.yaml").contains("grants: [sinks/downloads]"));
    for name in ["src/lib.rs", "cases.yaml", "tuffet.yaml", "README.md", "Cargo.toml", "Cargo.lock"] {
        let text = text(name);
        for left in ["plugin-name", "plugin_name", "#% ", "//% ", "<!--%", "authorize"] {
            assert!(!text.contains(left), "{left:?} in {name}:\n{text}");
        }
    }
    assert!(text("sdk/wit/policy.wit").contains("package tuffet:policy@1."));
}

/// A copy of an example is a project of its own, and builds where it lies.
#[test]
fn new_begins_as_an_example() {
    let setup = Setup::new();
    let folder = setup.outside();
    new(&folder, &["--from", "ztp"]).assert_good();
    new(&folder, &["boards", "--from", "raspberry-pi", "--ci", "github"]).assert_good();
    let text = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    assert!(text("ztp/Cargo.toml").contains("tuffet-sdk = { path = \"sdk/rust\" }"));
    assert!(folder.has("ztp/sdk/rust/Cargo.toml") && folder.has("ztp/files/cisco/berlin.cfg"));
    assert!(text("boards/Cargo.toml").contains("name = \"boards\""));
    assert!(text("boards/cases.yaml").contains("component: ./boards.wasm"));
    assert!(text("boards/tuffet.yaml").contains("component: ./boards.wasm"));
    assert!(text("boards/.github/workflows/plugin.yml").contains("tuffet plugin push boards.wasm"));
    new(&folder, &["--from", "ztp"]).assert_fails(64, &["ztp: there is something of this name already"]);
    new(&folder, &["--from", "teapot"]).assert_fails(64, &["docsis", "raspberry-pi", "ztp"]);
    new(&folder, &["x", "--from", "ztp", "--language", "go"]).assert_fails(64, &["--from"]);
    new(&folder, &[]).assert_fails(64, &["NAME"]);
    new(&folder, &["quota", "--ci", "gitlab", "--language", "python"]).assert_good();
    assert!(text("quota/.gitlab-ci.yml").contains("image: python:"));
}

#[test]
fn build_says_what_is_missing() {
    let setup = Setup::new();
    let folder = setup.outside();
    let build = |words: &[&str], environment: &[(&str, &str)]| {
        tuffet_in(&folder.0, &[&["plugin", "build"], words].concat(), environment)
    };
    build(&["."], &[]).assert_fails(
        64,
        &["no Cargo.toml, pyproject.toml, package.json, go.mod or tuffet.json", "tuffet plugin new NAME"],
    );
    new(&folder, &["firmware"]).assert_good();
    let none = ("TUFFET_DEBIAN_RUSTC", "/no/such/rustc");
    // A compiler without any target.
    build(&["firmware"], &[("RUSTC", "true"), none])
        .assert_fails(69, &["rustup target add wasm32-wasip2", "apt-get install"]);
    build(&["firmware"], &[("RUSTC", "/no/such/rustc"), none]).assert_fails(69, &["https://rustup.rs"]);
}

/// A setting that the type has and the schema lacks: the build says how the schema is renewed.
#[test]
fn build_names_a_schema_that_is_older_than_the_settings() {
    let setup = Setup::new();
    let folder = Folder(setup.outside().path("watched"));
    folder.write("Cargo.toml", b"");
    folder.write("src/lib.rs", b"tuffet_reference");
    folder.write("files/a", b"");
    folder.write(
        "settings.schema.json",
        br#"{ "type": "object", "additionalProperties": false, "properties": {} }"#,
    );
    let config = "listeners: [{ address: 127.0.0.1:0 }]\nroots: [{ name: boot, path: ./files }]\npolicy: { resolve: \
                  [watched] }\nplugins:\n  watched: { component: ./watched.wasm, settings: { rules: [] } }\n";
    folder.write("tuffet.yaml", config.as_bytes());
    folder.write(".tools/cargo", CARGO.as_bytes());
    std::fs::set_permissions(folder.path(".tools/cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let cargo = folder.path(".tools/cargo").display().to_string();
    let build = || {
        tuffet_in(
            &folder.0,
            &["plugin", "build"],
            &[("CARGO", &*cargo), ("GUESTS", tuffet_test_guests::FOLDER)],
        )
    };
    let ran = build();
    if ran.code() == 69 {
        return skipped("plugin build: there is no compiler for WebAssembly");
    }
    ran.assert_fails(
        64,
        &["unknown key `rules`", "settings.schema.json: if these settings are right", "TUFFET_BLESS=1"],
    );
    let schema = br#"{ "type": "object", "additionalProperties": false, "properties": { "rules": {} } }"#;
    folder.write("settings.schema.json", schema);
    build().assert_good();
}

/// A component whose hooks no server knows: it would be loaded, and never called.
#[test]
fn a_component_without_a_hook_is_refused() {
    let setup = Setup::new();
    let folder = Folder(setup.outside().path("watched"));
    let mut component = std::fs::read(tuffet_test_guests::component("misbehave")).unwrap();
    for (hook, other) in [("/authorize@", "/authorise@"), ("/resolve@", "/absolve@")] {
        let is_it = |at: &usize| component[*at..].starts_with(hook.as_bytes());
        let places: Vec<usize> = (0..component.len()).filter(is_it).collect();
        assert!(!places.is_empty());
        places.into_iter().for_each(|at| component[at..at + hook.len()].copy_from_slice(other.as_bytes()));
    }
    const WHY: &[&str] = &["plugin `watched`", "it has no hook", "implement one of `authorize`, `resolve`"];

    folder.write("tuffet_hookless.wasm", &component);
    folder.write("Cargo.toml", b"");
    folder.write("src/lib.rs", b"tuffet_hookless");
    folder.write(".tools/cargo", CARGO.as_bytes());
    std::fs::set_permissions(folder.path(".tools/cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (cargo, guests) = (folder.path(".tools/cargo"), folder.path(""));
    let environment = [("CARGO", cargo.to_str().unwrap()), ("GUESTS", guests.to_str().unwrap())];
    let built = tuffet_in(&folder.0, &["plugin", "build"], &environment);
    if built.code() == 69 {
        skipped("plugin build: there is no compiler for WebAssembly");
        folder.write("watched.wasm", &component);
    } else {
        built.assert_fails(64, WHY);
    }
    let checked = ["plugin", "check", "watched.wasm", "--settings", "settings.yaml"];
    folder.write("settings.yaml", b"do: deny\n");
    tuffet_in(&folder.0, &checked, &[]).assert_fails(64, WHY);

    let user = self_id();
    folder.write("files/a", b"");
    let config = "listeners: [{ address: \"127.0.0.1:0\" }]\nroots: [{ name: boot, path: ./files }]\npolicy: { authorize: [watched] }\n\
                  plugins:\n  watched: { component: ./watched.wasm, settings: { do: deny } }\n";
    folder.write("tuffet.yaml", config.as_bytes());
    for words in [&["check", "tuffet.yaml"][..], &["serve", "--config", "tuffet.yaml"]] {
        let words = [words, &["--user", &user]].concat();
        tuffet_in(&folder.0, &words, &[]).assert_fails(64, WHY);
    }
}

/// Cargo chooses the build folder, unless that is outside of the project, where other projects may use it.
#[test]
fn build_shares_no_folder() {
    let setup = Setup::new();
    let folder = setup.outside();
    let cargo = b"#!/bin/sh
if [ $1 = metadata ]; then
    exec echo \"{\\\"workspace_root\\\":\\\"$PWD\\\",\\\"target_directory\\\":\\\"${CARGO_TARGET_DIR:-$PWD/target}\\\"}\"
fi
echo \"error: $* in $CARGO_BUILD_BUILD_DIR.\" >&2
exit 101
";
    folder.write("cargo", cargo);
    std::fs::set_permissions(folder.path("cargo"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (cargo, shared) =
        (folder.path("cargo").display().to_string(), folder.path("shared").display().to_string());
    // The arguments that name a folder.
    let build = |project: &str, environment: &[(&str, &str)]| {
        let all = [&[("CARGO", &*cargo)], environment].concat();
        folder.write(&format!("{project}/Cargo.toml"), b"");
        let ran = tuffet_in(&folder.0, &["plugin", "build", project], &all);
        let text = ran.stderr.clone();
        let said = text.split("json-render-diagnostics").nth(1).and_then(|rest| rest.split(".\n").next());
        said.map(str::to_owned).ok_or(ran)
    };
    match build("one/firmware", &[]) {
        Err(ran) if ran.code() == 69 => {
            return skipped("plugin build: there is no compiler for WebAssembly");
        }
        said => assert_eq!(said.unwrap(), " in "),
    }
    let [one, other] = ["one/firmware", "other/firmware"]
        .map(|project| build(project, &[("CARGO_TARGET_DIR", &shared)]).unwrap());
    assert!(one.starts_with(&format!(" --target-dir {shared}/tuffet-plugins/")), "{one}");
    let named = one.split(' ').nth(2).unwrap();
    assert!(one.ends_with(&format!(" in {named}")), "{one}");
    assert_ne!(one, other);
}

/// Two projects of one name and age, for which cargo is to use the same folder: what is built, tested and served of each
/// is its own.
#[test]
fn two_projects_of_one_name_are_two_plugins() {
    if !has_target() {
        return skipped("plugin build: the toolchain has no target wasm32-wasip2 of its own");
    }
    let setup = Setup::new();
    let folder = setup.outside();
    let shared = folder.path("shared").display().to_string();
    let environment = [("CARGO_TARGET_DIR", &*shared), QUICKLY[0], QUICKLY[1]];
    let projects = ["one", "other"].map(|place| {
        folder.write(&format!("{place}/none"), b"");
        let place = Folder(folder.path(place));
        new(&place, &["firmware"]).assert_good();
        Folder(place.path("firmware"))
    });
    let edit = |project: &Folder, file: &str, from: &str, to: &str| {
        let text = String::from_utf8(project.read(file)).unwrap();
        assert!(text.contains(from), "{from} in {file}");
        project.write(file, text.replace(from, to).as_bytes());
    };
    for (project, name) in projects.iter().zip(["one", "other"]) {
        edit(project, "src/authorize.rs", "take firmware/latest.bin", &format!("this is {name}"));
        edit(project, "cases.yaml", "code: access-violation", &format!("message: this is {name}"));
        edit(project, "tuffet.yaml", "127.0.0.1:6970", "127.0.0.1:0\n    name: lan");
        edit(project, "tuffet.yaml", "control:", "privileges: { user: root }\ncontrol:");
        // As sources are that were checked out before anything was built.
        let sources = [&project.0.join("src"), &project.0.join("sdk")];
        run(Command::new("find").args(sources).args(["-exec", "touch", "-d", "1 hour ago", "{}", "+"]))
            .assert_good();
    }
    let built = projects.each_ref().map(|project| {
        copy_dependencies(&build_folder(&folder.path("shared"), &project.0));
        tuffet_in(&project.0, &["plugin", "build"], &environment).assert_good();
        project.read("firmware.wasm")
    });
    assert!(built[0] != built[1], "the second is the first");
    let request = ["--path", "firmware/1.bin"];
    for (project, name) in projects.iter().zip(["one", "other"]) {
        let tested = tuffet_in(&project.0, &["plugin", "test"], &[]);
        assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");
        let words = ["plugin", "run", "firmware.wasm", "--config", "tuffet.yaml"];
        let ran = tuffet_in(&project.0, &[&words[..], &request].concat(), &[]);
        let printed = String::from_utf8_lossy(&ran.stdout);
        assert!(printed.contains(&format!("this is {name}")), "{printed}");
    }

    // Both are built once more.
    let devs = projects.each_ref().map(|project| Dev::of(project, &[], &environment));
    let urls = devs.each_ref().map(|dev| {
        dev.line(&["dev: serving as process"]);
        dev.url()
    });
    let denied = |url: &str| tuffet(["get", "-q", "-o", "-", &format!("{url}firmware/1.bin")]);
    denied(&urls[0]).assert_fails(1, &["this is one"]);
    denied(&urls[1]).assert_fails(1, &["this is other"]);
    edit(&projects[1], "src/authorize.rs", "this is other", "this is changed");
    devs[1].line(&["dev: reloaded: generation 2"]);
    denied(&urls[0]).assert_fails(1, &["this is one"]);
    denied(&urls[1]).assert_fails(1, &["this is changed"]);
}

/// Whether the toolchain itself can compile plugins.
fn has_target() -> bool {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let toolchain = run(Command::new("sh").arg(format!("{root}/plugins/build.sh")).arg("--toolchain"));
    toolchain.stdout == b"target\n"
}

/// From nothing to a valid configuration with every hook, and on to a change. Slow, because it compiles.
#[test]
fn a_new_project_builds_and_passes_its_cases() {
    if !has_target() {
        return skipped("plugin build: the toolchain has no target wasm32-wasip2 of its own");
    }
    let setup = Setup::new();
    let folder = setup.outside();
    let hooks = ["authorize", "resolve", "accept-upload", "observe"];
    let words: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    new(&folder, &[&["all-hooks"], &words[..]].concat()).assert_good();
    let project = folder.path("all-hooks");
    let tuffet = |words: &[&str]| tuffet_in(&project, words, &QUICKLY);
    copy_dependencies(&project.join("target"));

    let built = tuffet(&["plugin", "build"]);
    built.assert_good();
    let printed = String::from_utf8_lossy(&built.stdout);
    let digest = run(Command::new("sha256sum").arg(project.join("all-hooks.wasm")));
    let digest = String::from_utf8_lossy(&digest.stdout);
    assert!(printed.contains(digest.split(' ').next().unwrap()), "{printed}");
    assert!(printed.ends_with(&format!("all-hooks.wasm: good ({})\n", hooks.join(", "))), "{printed}");
    let tested = tuffet(&["plugin", "test"]);
    assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");
    tuffet(&["check", "tuffet.yaml", "--user", &self_id()]).assert_good();
    // The generated lock is the one that cargo would write.
    let locked = ["build", "--locked", "--offline", "--release", "--target", "wasm32-wasip2"];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&project).args(locked).env_remove("CARGO_TARGET_DIR").envs(QUICKLY);
    run_for(&mut cargo, COMPILING).assert_good();

    // Errors that the plugin finds refer to the configuration; the component is built all the same.
    let config = std::fs::read_to_string(project.join("tuffet.yaml")).unwrap();
    std::fs::write(project.join("tuffet.yaml"), config.replace("1.4.2", "1/4")).unwrap();
    tuffet(&["plugin", "build"]).assert_fails(64, &["tuffet.yaml:", "plugin `all-hooks`", "name a version"]);
    std::fs::write(project.join("src/lib.rs"), "nonsense").unwrap();
    let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"]);
    failed.assert_fails(1, &["error", "the build failed"]);
    assert!(!project.join("other.wasm").exists());
}

/// The same in Go, where its compiler is installed; nothing is fetched.
#[test]
fn a_new_project_in_go_builds_and_passes_its_cases() {
    let guest = std::env::var("TUFFET_GO_GUESTS").map(|folder| format!("{folder}/reference.wasm"));
    if !guest.is_ok_and(|guest| Path::new(&guest).is_file()) {
        return skipped("plugin build in Go: Go 1.24, which `make test SUITE=go` looks for");
    }
    let setup = Setup::new();
    let folder = setup.outside();
    let hooks = ["authorize", "resolve", "accept-upload", "observe"];
    let words: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    new(&folder, &[&["all-hooks", "--language", "go"], &words[..]].concat()).assert_good();
    let project = folder.path("all-hooks");
    let offline = [("GOPROXY", "off"), ("GOFLAGS", "")];
    let mut tests = Command::new("go");
    tests.current_dir(&project).args(["test", "./..."]).envs(offline);
    run_for(&mut tests, COMPILING).assert_good();

    let tuffet = |words: &[&str]| tuffet_in(&project, words, &offline);
    let built = tuffet(&["plugin", "build", "--time", "60s"]);
    built.assert_good();
    let printed = String::from_utf8_lossy(&built.stdout);
    assert!(printed.ends_with(&format!("all-hooks.wasm: good ({})\n", hooks.join(", "))), "{printed}");
    let tested = tuffet(&["plugin", "test", "--time", "60s"]);
    assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");

    // Without a copy of the SDK, the server's is used.
    std::fs::remove_dir_all(project.join("sdk")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(project.join(name), text).unwrap();
    let read = |name: &str| std::fs::read_to_string(project.join(name)).unwrap();
    let manifest = read("tuffet.json");
    write("tuffet.json", &manifest.replace(r#""observe""#, r#""observes""#));
    tuffet(&["plugin", "build"]).assert_fails(64, &["tuffet.json:", "`observes`"]);
    write("tuffet.json", &manifest.replace(r#", "observe""#, ""));
    tuffet(&["plugin", "build", "--time", "60s"])
        .assert_fails(64, &["implements the hook observe", "add it to `hooks`"]);
    write("tuffet.json", &manifest.replace(r#""sinks""#, r#""kv""#));
    tuffet(&["plugin", "build"])
        .assert_fails(64, &["tuffet.json", "the package tuffet/sinks", r#""grant": "sinks""#]);
    write("tuffet.json", &manifest);
    write("observe.go", "nonsense");
    let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"]);
    failed.assert_fails(1, &["observe.go", "the build failed"]);
    assert!(!project.join("other.wasm").exists());
    let none = tuffet_in(&project, &["plugin", "build"], &[("GO", "/no/such/go")]);
    none.assert_fails(69, &["install Go 1.24"]);
}

/// The same in Python, if the Makefile has fetched the tool that builds components.
#[test]
fn a_new_project_in_python_builds_and_passes_its_cases() {
    let tool =
        std::env::var("TUFFET_PYTHON_GUESTS").map(|folder| format!("{folder}/venv/bin/componentize-py"));
    let Some(tool) = tool.ok().filter(|tool| Path::new(tool).is_file()) else {
        return skipped("plugin build in Python: componentize-py, which `make test SUITE=python` fetches");
    };
    let setup = Setup::new();
    let folder = setup.outside();
    let hooks = ["authorize", "resolve", "accept-upload", "observe"];
    let words: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    new(&folder, &[&["all-hooks", "--language", "python"], &words[..]].concat()).assert_good();
    let project = folder.path("all-hooks");
    let mut tests = Command::new("python3");
    tests.current_dir(&project).args(["-B", "-m", "unittest"]).env("PYTHONPATH", "sdk/python");
    run_for(&mut tests, COMPILING).assert_good();

    let tuffet = |words: &[&str], tool: &str| tuffet_in(&project, words, &[("COMPONENTIZE_PY", tool)]);
    tuffet(&["plugin", "build"], "/no/such")
        .assert_fails(69, &["python3 -m venv .venv", "componentize-py=="]);
    let built = tuffet(&["plugin", "build"], &tool);
    built.assert_good();
    let printed = String::from_utf8_lossy(&built.stdout);
    assert!(printed.ends_with(&format!("all-hooks.wasm: good ({})\n", hooks.join(", "))), "{printed}");
    let tested = tuffet(&["plugin", "test"], "");
    assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");
    tuffet(&["check", "tuffet.yaml", "--user", &self_id()], "").assert_good();
    // Without a copy of the SDK, the server's is used.
    std::fs::remove_dir_all(project.join("sdk")).unwrap();
    std::fs::write(project.join("plugin.py"), "nonsense").unwrap();
    let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"], &tool);
    failed.assert_fails(64, &["nonsense", "the build failed"]);
    assert!(!project.join("other.wasm").exists());
}

/// The same in JavaScript and TypeScript, if the Makefile has fetched the packages. The component is made of the bundle
/// of a project, which takes a minute of CPU time: both languages have the same bundle, and one of them is built.
#[test]
fn a_new_project_in_javascript_builds_and_passes_its_cases() {
    let packages = std::env::var("TUFFET_JS_GUESTS").map(|folder| format!("{folder}/node_modules"));
    let Some(packages) = packages.ok().filter(|packages| Path::new(packages).is_dir()) else {
        return skipped("plugin build in JavaScript: the packages that `make test SUITE=js` fetches");
    };
    let setup = Setup::new();
    let folder = setup.outside();
    let hooks = ["authorize", "resolve", "accept-upload", "observe"];
    let words: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    let mut bundles = Vec::new();
    for language in ["js", "ts"] {
        folder.write(&format!("{language}/none"), b"");
        let place = Folder(folder.path(language));
        let ran = new(&place, &[&["all-hooks", "--language", language], &words[..]].concat());
        ran.assert_good();
        assert!(String::from_utf8_lossy(&ran.stdout).contains("npm install\n    tuffet plugin build\n"));
        let project = place.path("all-hooks");
        let tuffet = |words: &[&str], packages: &str| tuffet_in(&project, words, &[("NODE_PATH", packages)]);
        tuffet(&["plugin", "build"], "/no/such").assert_fails(69, &["esbuild is missing", "npm install"]);

        // As `npm install` does it.
        let modules = project.join("node_modules");
        std::fs::create_dir(&modules).unwrap();
        for package in
            ["esbuild", "typescript", "@bytecodealliance", "@esbuild", "@types", "@typescript", ".bin"]
        {
            std::os::unix::fs::symlink(format!("{packages}/{package}"), modules.join(package)).unwrap();
        }
        std::os::unix::fs::symlink("../sdk/js", modules.join("tuffet")).unwrap();
        let scripts: &[&str] = if language == "ts" { &["test", "check"] } else { &["test"] };
        for script in scripts {
            let mut npm = Command::new("npm");
            run_for(npm.current_dir(&project).args(["run", script]), COMPILING).assert_good();
        }

        let mut bundle = Command::new(format!("{packages}/.bin/esbuild"));
        let plugin = format!("plugin.{language}");
        bundle.current_dir(&project).args([&plugin, "--bundle", "--format=esm", "--platform=neutral"]);
        let bundled = run(bundle.args(["--external:tuffet:*", "--external:wasi:*", "--minify-whitespace"]));
        bundled.assert_good();
        bundles.push(bundled.stdout);
        if language == "ts" {
            // The server would refuse the request of each call.
            let code = std::fs::read(project.join("plugin.ts")).unwrap();
            let asks =
                [&code[..], b"\nexport const asks = () => fetch(\"http://inventory.example/\");\n"].concat();
            std::fs::write(project.join("plugin.ts"), asks).unwrap();
            tuffet(&["plugin", "build"], "")
                .assert_fails(64, &["plugin.ts:", "`fetch` needs the grant http"]);
            std::fs::write(project.join("plugin.ts"), code).unwrap();
            let built = tuffet(&["plugin", "build"], "");
            built.assert_good();
            let printed = String::from_utf8_lossy(&built.stdout);
            assert!(
                printed.ends_with(&format!("all-hooks.wasm: good ({})\n", hooks.join(", "))),
                "{printed}"
            );
            let tested = tuffet(&["plugin", "test"], "");
            assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");
            tuffet(&["check", "tuffet.yaml", "--user", &self_id()], "").assert_good();
            // What it does not request, it does not import.
            let inspected = tuffet(&["plugin", "inspect", "all-hooks.wasm"], "");
            let printed = String::from_utf8_lossy(&inspected.stdout);
            for absent in ["policy/kv", "policy/files", "wasi:http"] {
                assert!(!printed.contains(absent), "{printed}");
            }
        }
        // Without a copy of the SDK, the server's is used.
        std::fs::remove_dir_all(project.join("sdk")).unwrap();
        std::fs::write(project.join(format!("plugin.{language}")), "export const nothing = 1;").unwrap();
        let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"], "");
        failed.assert_fails(64, &["has no hook", "the build failed"]);
        std::fs::write(project.join(format!("plugin.{language}")), "non sense").unwrap();
        let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"], "");
        failed.assert_fails(1, &["Expected", "the build failed"]);
        assert!(!project.join("other.wasm").exists());
    }
    assert!(!bundles[0].is_empty() && bundles[0] == bundles[1], "the projects differ");
}

/// Returns the user of the tests, who owns the folders.
pub(super) fn self_id() -> String {
    rustix::process::geteuid().as_raw().to_string()
}
