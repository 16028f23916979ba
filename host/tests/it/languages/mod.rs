//! The interface in every language with an SDK: the same tests with a reference guest in each
//! (`sdk/conformance`).

mod c_memory;
mod conformance;
mod example;
mod go_memory;
mod limits;
mod parts;
mod serving;

use crate::harness::{compiled, skipped};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// Declares a test for each language: `each_language!(loops)` runs `fn loops(guest: &str)` with the component
/// of the reference guest, as `loops::rust`, `loops::python` and so on.
macro_rules! each_language {
    ($test:ident) => {
        mod $test {
            #[test]
            fn rust() {
                super::$test(&crate::languages::rust());
            }

            crate::languages::where_built!($test: python, js, go, c);
        }
    };
}

macro_rules! where_built {
    ($test:ident: $($language:ident),+) => {
        $(
            #[test]
            fn $language() {
                if let Some(guest) = crate::languages::$language() {
                    super::$test(guest);
                }
            }
        )+
    };
}
use {each_language, where_built};

fn rust() -> String {
    tuffet_test_guests::component("reference")
}

/// Returns the reference guest in Python, if the Makefile could build it.
fn python() -> Option<&'static str> {
    static REFERENCE: OnceLock<Option<String>> = OnceLock::new();
    REFERENCE.get_or_init(|| python_component("reference")).as_deref()
}

/// Returns the reference guest in TypeScript, if the Makefile could build it.
fn js() -> Option<&'static str> {
    static REFERENCE: OnceLock<Option<String>> = OnceLock::new();
    REFERENCE
        .get_or_init(|| {
            component("TUFFET_JS_GUESTS", "reference", "in JavaScript, which `make test SUITE=js` builds")
        })
        .as_deref()
}

/// Returns the reference guest in Go, if the Makefile could build it.
fn go() -> Option<&'static str> {
    static REFERENCE: OnceLock<Option<String>> = OnceLock::new();
    REFERENCE.get_or_init(|| go_component("reference")).as_deref()
}

/// Returns the reference guest in C, if the Makefile could build it.
fn c() -> Option<&'static str> {
    static REFERENCE: OnceLock<Option<String>> = OnceLock::new();
    REFERENCE
        .get_or_init(|| component("TUFFET_C_GUESTS", "reference", "in C, which `make test SUITE=c` builds"))
        .as_deref()
}

fn python_component(name: &str) -> Option<String> {
    component("TUFFET_PYTHON_GUESTS", name, "in Python, which `make test SUITE=python` builds")
}

fn go_component(name: &str) -> Option<String> {
    component("TUFFET_GO_GUESTS", name, "in Go, which `make test SUITE=go` builds")
}

/// Returns a component that a script built into the folder that a variable names. It contains the runtime of its
/// language, so it is compiled once, before several tests do that concurrently.
fn component(variable: &str, name: &str, which: &str) -> Option<String> {
    let component = std::env::var(variable).map(|folder| format!("{folder}/{name}.wasm"));
    let Some(component) = component.ok().filter(|component| Path::new(component).is_file()) else {
        skipped(&format!("the guest {name} {which}"));
        return None;
    };
    let ran = Command::new(env!("CARGO_BIN_EXE_tuffet"))
        .env("CACHE_DIRECTORY", compiled())
        // Not `inspect`, which caches no code. The tests check settings and grants.
        .args(["plugin", "check", &component, "--grant", "files/boot", "--time", "60s"])
        .output()
        .unwrap();
    assert!(matches!(ran.status.code(), Some(0 | 64)), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(component)
}
