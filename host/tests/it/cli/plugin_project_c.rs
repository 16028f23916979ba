//! Projects of plugins in C, with the real compiler.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::plugin_project::{COMPILING, new, tuffet_in};
use crate::harness::{Setup, run_for, skipped};

/// The same in C, where its compiler is installed.
#[test]
fn a_new_project_in_c_builds_and_passes_its_cases() {
    let guest = std::env::var("TUFFET_C_GUESTS").map(|folder| format!("{folder}/reference.wasm"));
    if !guest.is_ok_and(|guest| Path::new(&guest).is_file()) {
        return skipped("plugin build in C: clang and wasi-libc, which `make test SUITE=c` looks for");
    }
    let setup = Setup::new();
    let folder = setup.outside();
    let hooks = ["authorize", "resolve", "accept-upload", "observe"];
    let words: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    new(&folder, &[&["all-hooks", "--language", "c"], &words[..]].concat()).assert_good();
    let project = folder.path("all-hooks");
    let tuffet = |words: &[&str]| tuffet_in(&project, words, &[]);
    let mut tests = Command::new("sh");
    let natively =
        "cc -g -Wall -Wextra -Werror -Isdk/c *.c sdk/c/tuffet_test.c -o policy_test && ./policy_test";
    let ran = run_for(tests.current_dir(&project).args(["-c", natively]), COMPILING);
    ran.assert_good();
    assert_eq!(ran.stdout, b"all tests passed\n");

    let build = || tuffet(&["plugin", "build", "--time", "60s"]);
    let built = build();
    built.assert_good();
    assert_eq!(built.stderr, "", "the compiler has no complaint");
    let printed = String::from_utf8_lossy(&built.stdout);
    assert!(printed.ends_with(&format!("all-hooks.wasm: good ({})\n", hooks.join(", "))), "{printed}");
    let tested = tuffet(&["plugin", "test", "--time", "60s"]);
    assert!(tested.stdout.ends_with(b" passed, 0 failed\n"), "{tested:?}");
    // What it does not call, it does not import.
    let inspected = tuffet(&["plugin", "inspect", "all-hooks.wasm"]);
    let printed = String::from_utf8_lossy(&inspected.stdout);
    assert!(printed.contains("policy/sinks"), "{printed}");
    for absent in ["policy/kv", "policy/files", "wasi:http", "wasi:random"] {
        assert!(!printed.contains(absent), "{absent}: {printed}");
    }

    // Without a copy of the SDK, the server's is used.
    std::fs::remove_dir_all(project.join("sdk")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(project.join(name), text).unwrap();
    let read = |name: &str| std::fs::read_to_string(project.join(name)).unwrap();
    let (manifest, observe) = (read("tuffet.json"), read("observe.c"));
    write("tuffet.json", &manifest.replace(r#""observe""#, r#""observes""#));
    build().assert_fails(64, &["tuffet.json:", "`observes`"]);
    write("tuffet.json", &manifest.replace(r#", "observe""#, ""));
    build()
        .assert_fails(64, &["tuffet.json:", "the plugin defines tuffet_observe", "add observe to `hooks`"]);
    write("tuffet.json", &manifest.replace(r#""sinks""#, r#""kv""#));
    build().assert_fails(64, &["tuffet.json", "the plugin calls tuffet_sinks_", r#""grant": "sinks""#]);
    write("tuffet.json", &manifest.replace(r#""hooks""#, r#""sdk": "no/such", "hooks""#));
    build().assert_fails(64, &["tuffet.json:", "no/such/tuffet.h"]);
    write("tuffet.json", &manifest);
    write("observe.c", &observe.replace("void tuffet_observe(", "void tuffet_observed("));
    build().assert_fails(64, &["tuffet.json:", "lists observe", "does not define tuffet_observe"]);
    write("observe.c", "nonsense");
    let failed = tuffet(&["plugin", "build", ".", "--output", "other.wasm"]);
    failed.assert_fails(1, &["observe.c:1:", "the build failed"]);
    assert!(!project.join("other.wasm").exists());
}

/// Sources below `src`, the SDK in place, and no settings.
#[test]
fn a_project_in_c_that_somebody_wrote_by_hand() {
    let guest = std::env::var("TUFFET_C_GUESTS").map(|folder| format!("{folder}/reference.wasm"));
    if !guest.is_ok_and(|guest| Path::new(&guest).is_file()) {
        return skipped("plugin build in C: clang and wasi-libc, which `make test SUITE=c` looks for");
    }
    let setup = Setup::new();
    let folder = setup.outside();
    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/c");
    folder.write(
        "it/tuffet.json",
        format!(r#"{{ "name": "it", "sdk": "{sdk}", "hooks": ["authorize"] }}"#).as_bytes(),
    );
    let build = || tuffet_in(&folder.path("it"), &["plugin", "build", "--time", "60s"], &[]);
    build().assert_fails(64, &["there is no source in it"]);
    folder.write("it/plugin_test.c", b"this is not compiled");
    folder.write(
        "it/src/deep/plugin.c",
        br#"
#include "tuffet.h"
#include <string.h>
#include <unistd.h>

tuffet_verdict tuffet_authorize(const tuffet_request *request) {
    unsigned char some[8];
    if (getentropy(some, sizeof(some))) tuffet_fail("nothing is random");
    memset(tuffet_alloc(100000), 0xff, 100000);
    return request->client.port == 1 ? tuffet_verdict_drop("a test") : tuffet_verdict_abstain();
}
"#,
    );
    build().assert_good();
    let run = |words: &[&str]| {
        let all = [&["plugin", "run", "it.wasm", "--time", "60s", "--path", "x", "--json"], words].concat();
        tuffet_in(&folder.path("it"), &all, &[])
    };
    let ran = run(&[]);
    ran.assert_good();
    assert!(String::from_utf8_lossy(&ran.stdout).contains("abstain"), "{ran:?}");
    // One instance answers all calls of a kept one: memory of the first, which WASI keeps, is not released with it.
    tuffet_in(&folder.path("it"), &["plugin", "bench", "it.wasm", "--time", "60s", "--path", "x"], &[])
        .assert_good();
    folder.write("it/settings.yaml", b"speed: 3\n");
    let refused = run(&["--settings", "settings.yaml"]);
    refused.assert_fails(64, &["settings.yaml:1:", "unknown key `speed`; known here: none"]);
}

/// What is missing is named, with the packages; these compilers are scripts.
#[test]
fn build_says_which_part_of_a_c_compiler_is_missing() {
    let setup = Setup::new();
    let folder = setup.outside();
    new(&folder, &["firmware", "--language", "c"]).assert_good();
    let script = |name: &str, text: &str| {
        folder.write(name, format!("#!/bin/sh\n{text}\n").as_bytes());
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
        folder.path(name).display().to_string()
    };
    folder.write("sysroot/lib/wasm32-wasi/libc.a", b"");
    folder.write("there", b"");
    let sysroot = folder.path("sysroot").display().to_string();
    let there = folder.path("there").display().to_string();
    let build =
        |environment: &[(&str, &str)]| tuffet_in(&folder.0, &["plugin", "build", "firmware"], environment);
    let packages = "apt-get install clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32";
    let none = folder.path("none").display().to_string();
    build(&[("WASI_SYSROOT", &none)]).assert_fails(69, &["no wasi-libc below", packages, "WASI_SDK_PATH"]);
    build(&[("WASI_SYSROOT", &sysroot), ("PATH", &none)]).assert_fails(69, &["there is no clang", packages]);
    let bare = script("bare", "echo libclang_rt.builtins-wasm32.a");
    let with = |clang: &str| build(&[("WASI_SYSROOT", &sysroot), ("CLANG", clang)]);
    with(&bare).assert_fails(69, &["bare has no runtime for WebAssembly", packages]);
    let unlinked =
        script("unlinked", &format!("case $* in *libgcc*) echo {there} ;; *) echo /no/such/wasm-ld ;; esac"));
    with(&unlinked).assert_fails(69, &["unlinked has no linker for WebAssembly", packages]);
    let broken = script(
        "broken",
        &format!("case $* in *-print*) echo {there} ;; *) echo broken.c:1: oops >&2; exit 1 ;; esac"),
    );
    with(&broken).assert_fails(1, &["broken.c:1: oops", "firmware: the build failed"]);
}
