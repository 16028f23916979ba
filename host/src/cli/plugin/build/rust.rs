//! Projects in Rust: `cargo build` for the target wasm32-wasip2, or, where rustup cannot fetch it, with
//! Debian's compiler and library sources, as in `plugins/build.sh`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, io};

use serde_json::Value;

use super::{Made, Unbuilt};

const TARGET: &str = "wasm32-wasip2";

/// Variables that another build may have set, not meant for WebAssembly.
const FOREIGN: [&str; 6] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// Builds the project in a folder. The compiler's messages go to standard error.
pub(super) fn build(folder: &Path) -> Result<Made, Unbuilt> {
    let toolchain = Toolchain::find(folder)?;
    let mut command = Command::new(program("CARGO", "cargo"));
    command.current_dir(folder).args(["build", "--release", "--target", TARGET]);
    command.arg("--message-format=json-render-diagnostics").stdin(Stdio::null()).stderr(Stdio::inherit());
    FOREIGN.iter().for_each(|name| {
        command.env_remove(name);
    });
    if let Some(shared) = shared_build_folder() {
        command.env("CARGO_BUILD_BUILD_DIR", shared);
    }
    if let Toolchain::Debian { rustc, linkers } = &toolchain {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [linkers.join("gcc-ld"), linkers.clone()].into_iter().chain(env::split_paths(&path));
        let path = env::join_paths(folders).map_err(|error| Unbuilt::Unavailable(error.to_string()))?;
        command.env("PATH", path).env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
        command
            .env("CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS", "-Clink-self-contained=no -L/usr/lib/wasm32-wasi");
        command.env_remove("RUSTUP_TOOLCHAIN").arg("-Zbuild-std=std,panic_abort");
    }
    let output = command.output().map_err(|error| no_cargo(&error))?;
    if !output.status.success() {
        return Err(Unbuilt::Failed(format!(
            "{}: the build failed (cargo: {})",
            folder.display(),
            output.status
        )));
    }
    component_in(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| {
        Unbuilt::NoProject(format!(
            "{}: cargo built no component: the library of a plugin has `crate-type = [\"cdylib\", \"rlib\"]` \
             below `[lib]` in Cargo.toml",
            folder.display()
        ))
    })
}

/// Where all projects of a user keep what cargo compiles on the way, so that only the first one compiles the
/// dependencies. The component itself stays in the project's own `target`: two projects may have one name.
/// `None` if the user has chosen a folder, or has no home. Cargo before 1.91 does not know the variable.
fn shared_build_folder() -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"]
        .into_iter()
        .any(|name| given(name).is_some())
    {
        return None;
    }
    let cache = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")))?;
    cache.is_absolute().then(|| cache.join("tuffet/plugin-build"))
}

/// Finds the component in the messages of cargo. The project's own package is built last.
fn component_in(messages: &str) -> Option<Made> {
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut components = artifacts.filter_map(|message| {
        let target = message.get("target")?;
        let library = target.get("kind")?.as_array()?.iter().any(|kind| kind == "cdylib");
        let mut files = message.get("filenames")?.as_array()?.iter().filter_map(Value::as_str);
        let component = files.find(|file| file.ends_with(".wasm"))?;
        // The name of a library has underscores for the hyphens of its package.
        let name = target.get("name")?.as_str()?.replace('_', "-");
        library.then(|| Made { name, component: component.into(), scratch: None })
    });
    components.next_back()
}

/// The compiler.
enum Toolchain {
    /// The toolchain has the target.
    Own,
    /// Debian's compiler, which supports the target, with the sources of the library and the linkers of the
    /// other.
    Debian { rustc: PathBuf, linkers: PathBuf },
}

impl Toolchain {
    fn find(folder: &Path) -> Result<Toolchain, Unbuilt> {
        let rustc = program("RUSTC", "rustc");
        let libraries = ask(&rustc, folder, &["--print", "target-libdir", "--target", TARGET]);
        if libraries.is_some_and(|libraries| has_std(Path::new(&libraries))) {
            return Ok(Toolchain::Own);
        }
        let debian = program("TUFFET_DEBIAN_RUSTC", "/usr/bin/rustc");
        let found = (|| {
            let sysroot = ask(&rustc, folder, &["--print", "sysroot"])?;
            let version = ask(&rustc, folder, &["-vV"])?;
            let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
            let linkers = Path::new(&sysroot).join("lib/rustlib").join(host).join("bin");
            let debians = ask(&debian, folder, &["--print", "sysroot"])?;
            let sources = Path::new(&debians).join("lib/rustlib/src/rust/library/Cargo.lock");
            let there = Path::new("/usr/lib/wasm32-wasi").is_dir()
                && linkers.join("wasm-component-ld").is_file()
                && sources.is_file();
            there.then(|| Toolchain::Debian { rustc: debian.into(), linkers })
        })();
        found.ok_or_else(|| {
            if ask(&rustc, folder, &["--version"]).is_none() {
                return no_cargo(&io::Error::from(io::ErrorKind::NotFound));
            }
            Unbuilt::Unavailable(format!(
                "the target {TARGET} of Rust is not installed; run\n\n    rustup target add {TARGET}\n\nor, on \
                 Debian where rustup cannot fetch it,\n\n    apt-get install -y --no-install-recommends \
                 rustc-web rust-web-src wasi-libc\n"
            ))
        })
    }
}

fn no_cargo(error: &io::Error) -> Unbuilt {
    Unbuilt::Unavailable(format!(
        "Rust cannot be run ({error}); install it with rustup, https://rustup.rs, then run\n\n    rustup target \
         add {TARGET}\n"
    ))
}

/// Returns a program, or the one that an environment variable names instead.
fn program(variable: &str, default: &str) -> OsString {
    env::var_os(variable).filter(|program| !program.is_empty()).unwrap_or_else(|| default.into())
}

/// Runs the compiler chosen for this folder and returns its output.
fn ask(rustc: &OsString, folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new(rustc).current_dir(folder).args(words).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn has_std(libraries: &Path) -> bool {
    let names = std::fs::read_dir(libraries).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| {
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_is_found_among_the_messages() {
        let artifact = |name: &str, kind: &str, file: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"name":"{name}","kind":["{kind}"]}},"filenames":["{file}"]}}"#
            )
        };
        let messages = [
            artifact("serde", "lib", "/t/libserde.rlib"),
            artifact("x_y", "cdylib", "/t/x_y.wasm"),
            r#"{"reason":"build-finished","success":true}"#.into(),
            "no json".into(),
        ];
        let made = component_in(&messages.join("\n")).map(|made| (made.name, made.component));
        assert_eq!(made, Some(("x-y".into(), "/t/x_y.wasm".into())));
        assert!(component_in(&messages[0]).is_none());
    }
}
