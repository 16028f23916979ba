//! Projects in Rust: `cargo build` for the target wasm32-wasip2, or, where rustup cannot fetch it, with
//! Debian's compiler and library sources, as in `plugins/build.sh`.
//!
//! Two projects never share a build folder. Cargo does not tell packages of the same name and version in two workspaces
//! apart, and considers artifacts newer than the sources fresh: the second project would get the component of the first.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, io};

use serde::Deserialize;
use serde_json::Value;

use super::built::{BuildError, BuiltComponent};
use tuffet_wasm::digest;

const TARGET: &str = "wasm32-wasip2";

/// Variables that an outer build may have set, not meant for WebAssembly.
const FOREIGN: [&str; 6] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// The parent of the build folders in a target folder that several projects share.
const KEYED: &str = "tuffet-plugins";

/// Builds the project in a folder. The compiler's messages go to standard error.
pub(super) fn build(folder: &Path) -> Result<BuiltComponent, BuildError> {
    let toolchain = Toolchain::find(folder)?;
    let mut command = cargo(folder);
    command.args(["build", "--release", "--target", TARGET, "--message-format=json-render-diagnostics"]);
    if let Some(own) = own_build_folder(folder)? {
        command.arg("--target-dir").arg(&own).env("CARGO_BUILD_BUILD_DIR", &own);
    }
    if let Toolchain::Debian { rustc, linkers } = &toolchain {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [linkers.join("gcc-ld"), linkers.clone()].into_iter().chain(env::split_paths(&path));
        let path = env::join_paths(folders).map_err(|error| BuildError::Unavailable(error.to_string()))?;
        command.env("PATH", path).env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
        command
            .env("CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS", "-Clink-self-contained=no -L/usr/lib/wasm32-wasi");
        command.env_remove("RUSTUP_TOOLCHAIN").arg("-Zbuild-std=std,panic_abort");
    }
    let output = run(&mut command, folder, "the build failed")?;
    component_in(&output).ok_or_else(|| {
        BuildError::NoProject(format!(
            "{}: cargo built no component: the library of a plugin has `crate-type = [\"cdylib\", \"rlib\"]` \
             below `[lib]` in Cargo.toml",
            folder.display()
        ))
    })
}

/// Returns a command that runs cargo in the project.
fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(program("CARGO", "cargo"));
    command.current_dir(folder).stdin(Stdio::null()).stderr(Stdio::inherit());
    FOREIGN.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
}

/// Runs cargo and returns its output.
fn run(command: &mut Command, folder: &Path, failed: &str) -> Result<String, BuildError> {
    let output = command.output().map_err(|error| no_cargo(&error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(BuildError::Failed(format!("{}: {failed} (cargo: {})", folder.display(), output.status)))
}

/// The folders that cargo would build in, by its configuration and the environment.
#[derive(Debug, Deserialize)]
struct BuildFolders {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    /// Cargo has it since version 1.91.
    build_directory: Option<PathBuf>,
}

/// Returns a build folder for this project alone, if cargo would take one outside of its workspace.
fn own_build_folder(folder: &Path) -> Result<Option<PathBuf>, BuildError> {
    let what = "the project cannot be read";
    let text = run(cargo(folder).args(["metadata", "--no-deps", "--format-version=1"]), folder, what)?;
    let shown = folder.display();
    let folders: BuildFolders = serde_json::from_str(&text)
        .map_err(|error| BuildError::Failed(format!("{shown}: {what} (cargo metadata: {error})")))?;
    let project =
        folder.canonicalize().map_err(|error| BuildError::NoProject(format!("{shown}: {error}")))?;
    Ok(folders.own(&project))
}

impl BuildFolders {
    /// `project`: its canonical path.
    fn own(&self, project: &Path) -> Option<PathBuf> {
        // It may be a link to a shared folder, unless it does not exist yet.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(&self.workspace_root);
        let within = |path: &PathBuf| real(path).starts_with(&root);
        if within(&self.target_directory) && self.build_directory.as_ref().is_none_or(within) {
            return None;
        }
        let key = digest(project.as_os_str().as_bytes());
        Some(self.target_directory.join(KEYED).join(&key[..16]))
    }
}

/// Finds the component in the messages of cargo. The project's own package is built last.
fn component_in(messages: &str) -> Option<BuiltComponent> {
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut components = artifacts.filter_map(|message| {
        let target = message.get("target")?;
        let library = target.get("kind")?.as_array()?.iter().any(|kind| kind == "cdylib");
        let mut files = message.get("filenames")?.as_array()?.iter().filter_map(Value::as_str);
        let component = files.find(|file| file.ends_with(".wasm"))?;
        // The name of a library has underscores for the hyphens of its package.
        let name = target.get("name")?.as_str()?.replace('_', "-");
        library.then(|| BuiltComponent { name, component: component.into(), scratch: None })
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
    fn find(folder: &Path) -> Result<Toolchain, BuildError> {
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
            BuildError::Unavailable(format!(
                "the target {TARGET} of Rust is not installed; run\n\n    rustup target add {TARGET}\n\nor, on \
                 Debian where rustup cannot fetch it,\n\n    apt-get install -y --no-install-recommends \
                 rustc-web rust-web-src wasi-libc\n"
            ))
        })
    }
}

fn no_cargo(error: &io::Error) -> BuildError {
    BuildError::Unavailable(format!(
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
    fn a_folder_of_several_projects_is_divided() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path.canonicalize().unwrap()
        };
        let (one, other, shared) = (path("one/firmware"), path("other/firmware"), path("shared"));
        let own = |project: &Path, target: &Path, build: Option<&Path>| {
            let (workspace_root, target_directory) = (project.to_owned(), target.to_owned());
            let build_directory = build.map(Path::to_owned);
            BuildFolders { workspace_root, target_directory, build_directory }.own(project)
        };
        // As cargo has it without a configuration.
        assert_eq!(own(&one, &one.join("target"), None), None);
        assert_eq!(own(&one, &one.join("target"), Some(&one.join("target"))), None);
        let keyed = own(&one, &shared, Some(&shared)).unwrap();
        assert!(keyed.starts_with(shared.join(KEYED)), "{}", keyed.display());
        assert_eq!(own(&one, &shared, None).as_ref(), Some(&keyed), "it is the same each time");
        assert_ne!(own(&other, &shared, None).unwrap(), keyed);
        assert!(own(&one, &one.join("target"), Some(&shared)).is_some(), "a build folder alone");
        std::os::unix::fs::symlink(&shared, one.join("target")).unwrap();
        assert!(own(&one, &one.join("target"), None).is_some(), "a link to a shared folder");
    }

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
