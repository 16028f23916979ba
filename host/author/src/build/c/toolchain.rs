//! The C compiler for WebAssembly: clang with its linker and runtime, and wasi-libc.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::super::built::BuildError;

/// The packages of Debian.
const PACKAGES: &str = "clang-19 lld-19 wasi-libc libclang-rt-19-dev-wasm32";

/// The names of the target, of wasi-sdk and of Debian; each is a folder of the libraries.
const TARGETS: [&str; 2] = ["wasm32-wasip1", "wasm32-wasi"];

/// The versions that distributions install beside `clang`.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=29;

/// A compiler, and where its libraries are.
#[derive(Debug)]
pub(super) struct Toolchain {
    clang: OsString,
    sysroot: PathBuf,
    target: &'static str,
}

impl Toolchain {
    /// Finds a compiler that can link for WebAssembly: `CLANG`, the one of `WASI_SDK_PATH`, or one of the `PATH`.
    pub fn find() -> Result<Toolchain, BuildError> {
        let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let kit = of("WASI_SDK_PATH").map(PathBuf::from);
        let sysroot = of("WASI_SYSROOT").map_or_else(
            || kit.as_ref().map_or_else(|| "/usr".into(), |kit| kit.join("share/wasi-sysroot")),
            PathBuf::from,
        );
        let target =
            TARGETS.into_iter().find(|target| sysroot.join("lib").join(target).join("libc.a").is_file());
        let Some(target) = target else {
            return Err(unavailable(format!("there is no wasi-libc below {}", sysroot.display())));
        };
        let named = of("CLANG").or_else(|| kit.map(|kit| kit.join("bin/clang").into()));
        let candidates: Vec<OsString> = match named {
            Some(clang) => vec![clang],
            None => {
                let versions = VERSIONS.rev().map(|version| format!("clang-{version}").into());
                versions.chain(["clang".into()]).collect()
            }
        };
        let mut lack = "there is no clang".to_owned();
        for clang in candidates {
            let toolchain = Toolchain { clang, sysroot: sysroot.clone(), target };
            match toolchain.lack() {
                Ok(None) => return Ok(toolchain),
                // An older compiler may be complete.
                Ok(Some(part)) => {
                    lack = format!("{} has no {part} for WebAssembly", toolchain.clang.display())
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(toolchain.cannot_run(&error)),
            }
        }
        Err(unavailable(lack))
    }

    /// Returns the part that is missing, if any.
    fn lack(&self) -> io::Result<Option<&'static str>> {
        let ask = |argument: &str| {
            let output = self.command().arg(argument).stdin(Stdio::null()).output()?;
            Ok::<_, io::Error>(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
        };
        if !ask("-print-libgcc-file-name")?.is_file() {
            return Ok(Some("runtime"));
        }
        Ok((!is_program(&ask("-print-prog-name=wasm-ld")?)).then_some("linker"))
    }

    /// Returns a command that compiles for this target.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.clang);
        command.arg(format!("--target={}", self.target));
        let mut sysroot = OsString::from("--sysroot=");
        sysroot.push(&self.sysroot);
        command.arg(sysroot);
        command
    }

    pub fn cannot_run(&self, error: &io::Error) -> BuildError {
        unavailable(format!("{} cannot be run ({error})", self.clang.display()))
    }

    pub fn failed(&self, folder: &Path, status: ExitStatus) -> BuildError {
        BuildError::Failed(format!(
            "{}: the build failed ({}: {status})",
            folder.display(),
            self.clang.display()
        ))
    }
}

/// Returns whether a program is there: clang answers with a name alone for one that it has not found itself.
fn is_program(path: &Path) -> bool {
    let in_path = |name: &OsStr| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
    };
    if path.components().count() > 1 { path.is_file() } else { in_path(path.as_os_str()) }
}

fn unavailable(reason: String) -> BuildError {
    BuildError::Unavailable(format!(
        "{reason}; on Debian: apt-get install {PACKAGES}; elsewhere install wasi-sdk and name its folder in \
         WASI_SDK_PATH"
    ))
}
