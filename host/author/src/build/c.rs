//! Projects in C: clang and wasi-libc build a module, and this program makes a component of it.

mod toolchain;

use parking_lot::Mutex;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use wasmparser::{ExternalKind, Parser, Payload};

use super::built::{BuildError, BuiltComponent};
use super::project::Project;
use super::scratch::Scratch;
use crate::export::Export;
use toolchain::Toolchain;
use tuffet_terminal::{pass_on, stderr_is_terminal};

/// The key of the manifest that names another copy of the SDK.
const SDK_KEY: &str = "sdk";

/// The copy of the SDK in a project.
const SDK: &str = "sdk/c";

/// Sources of tests, which are not part of the component.
const TEST_SUFFIX: &str = "_test.c";

/// Bytes of the stack. It lies before all data, so that an overflow is a trap.
const STACK: u32 = 1 << 20;

/// A source and its object.
struct Unit {
    source: PathBuf,
    object: PathBuf,
    flags: Vec<OsString>,
}

/// Builds the project in a folder. The compiler's messages go to standard error.
pub(super) fn build(folder: &Path) -> Result<BuiltComponent, BuildError> {
    let project = Project::read(folder, &[SDK_KEY])?;
    let sources = sources(folder)?;
    let toolchain = Toolchain::find()?;
    let scratch = Scratch::make()?;
    let sdk = sdk(folder, &project, &scratch)?;
    let units = units(&sources, &sdk, &project.exports, &scratch)?;
    compile(folder, &toolchain, &units)?;
    let module = link(folder, &toolchain, &units, &scratch)?;
    require_hooks(&project, &module)?;
    project.require_grants(&module, |missing| {
        // The functions are named after their interface.
        format!("calls tuffet_{}_…", missing.trim_start_matches("client-"))
    })?;
    project.component(folder, module, scratch)
}

/// Returns the sources of a project: those in its folder, and below `src`.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new(), PathBuf::from("src")];
    while let Some(within) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder.join(&within)) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (within.join(entry.file_name()), entry.file_name());
            let Some(name) = name.to_str() else { continue };
            let metadata = fs::metadata(folder.join(&path));
            if metadata.as_ref().is_ok_and(fs::Metadata::is_dir) && within.starts_with("src") {
                folders.push(path);
            } else if name.ends_with(".c") && !name.ends_with(TEST_SUFFIX) {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(BuildError::NoProject(format!(
            "{}: there is no source in it, such as plugin.c",
            folder.display()
        )));
    }
    found.sort();
    Ok(found)
}

/// Returns the folder of the SDK: the one that the manifest names, the project's copy, or this server's.
fn sdk(folder: &Path, project: &Project, scratch: &Scratch) -> Result<PathBuf, BuildError> {
    let named = project.more.get(SDK_KEY).and_then(|path| path.as_str());
    let path = folder.join(named.unwrap_or(SDK));
    match path.canonicalize() {
        Ok(path) if path.join("tuffet.h").is_file() => Ok(path),
        _ if named.is_some() => {
            let message = format!(
                "there is no {}: name the folder sdk/c of Tuffet's sources",
                path.join("tuffet.h").display()
            );
            Err(project.problem(SDK_KEY, message))
        }
        _ => scratch.sdk("c"),
    }
}

/// Lists the sources to compile: the project, and the parts of the SDK that its hooks need.
fn units(
    sources: &[PathBuf],
    sdk: &Path,
    exports: &[Export],
    scratch: &Scratch,
) -> Result<Vec<Unit>, BuildError> {
    let mut include = OsString::from("-I");
    include.push(sdk);
    let object = |number: usize| scratch.path(&format!("{number}.o"));
    let mut units: Vec<Unit> = Vec::new();
    for source in sources {
        let flags = vec!["-Wall".into(), "-Wextra".into(), include.clone()];
        units.push(Unit { source: source.clone(), object: object(units.len()), flags });
    }
    let parts = sdk.join("src");
    let unread = |error: io::Error| BuildError::NoProject(format!("{}: {error}", parts.display()));
    let mut parts: Vec<PathBuf> =
        fs::read_dir(&parts).map_err(unread)?.flatten().map(|entry| entry.path()).collect();
    parts.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    let without = |export: &Export| !exports.contains(export);
    let absent: Vec<&str> = Export::ALL.into_iter().filter(without).map(Export::word).collect();
    parts.retain(|path| path.file_stem().is_some_and(|stem| absent.iter().all(|export| stem != *export)));
    parts.sort();
    for source in parts {
        units.push(Unit { source, object: object(units.len()), flags: Vec::new() });
    }
    Ok(units)
}

/// Compiles the sources, as many at once as there are processors.
fn compile(folder: &Path, toolchain: &Toolchain, units: &[Unit]) -> Result<(), BuildError> {
    let own: Vec<String> =
        std::env::var("CFLAGS").unwrap_or_default().split_ascii_whitespace().map(str::to_owned).collect();
    let color = stderr_is_terminal().then_some("-fcolor-diagnostics");
    let run = |unit: &Unit| {
        let mut command = toolchain.command();
        command
            .current_dir(folder)
            .args(["-std=gnu17", "-O2", "-c"])
            .args(color)
            .args(&unit.flags)
            .args(&own);
        command.arg(&unit.source).arg("-o").arg(&unit.object).stdin(Stdio::null()).output()
    };
    let ran: Mutex<Vec<Option<io::Result<Output>>>> = Mutex::new(units.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let worker = || {
        while let Some((number, unit)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            units.get(number).map(|unit| (number, unit))
        } {
            let output = run(unit);
            ran.lock()[number] = Some(output);
        }
    };
    std::thread::scope(|scope| {
        let more = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 1..more {
            scope.spawn(worker);
        }
        worker();
    });
    let mut failed = None;
    for output in ran.into_inner().into_iter().flatten() {
        let output = output.map_err(|error| toolchain.cannot_run(&error))?;
        print(&output);
        if !output.status.success() {
            failed = Some(output.status);
        }
    }
    failed.map_or(Ok(()), |status| Err(toolchain.failed(folder, status)))
}

/// Links the objects to a module that exports the hooks of the plugin under their names in C, too.
fn link(
    folder: &Path,
    toolchain: &Toolchain,
    units: &[Unit],
    scratch: &Scratch,
) -> Result<Vec<u8>, BuildError> {
    let module = scratch.path("module.wasm");
    let mut command = toolchain.command();
    command.current_dir(folder).args(["-mexec-model=reactor", "-Wl,--stack-first", "-Wl,--strip-debug"]);
    command.arg(format!("-Wl,-z,stack-size={STACK}"));
    let functions = Export::ALL.into_iter().flat_map(functions);
    command.args(functions.map(|name| format!("-Wl,--export-if-defined={name}")));
    command.args(units.iter().map(|unit| &unit.object)).arg("-o").arg(&module).stdin(Stdio::null());
    let output = command.output().map_err(|error| toolchain.cannot_run(&error))?;
    print(&output);
    if !output.status.success() {
        return Err(toolchain.failed(folder, output.status));
    }
    fs::read(&module).map_err(|error| BuildError::Unwritten(format!("{}: {error}", module.display())))
}

/// Shows the messages of a compiler.
fn print(output: &Output) {
    [&output.stdout, &output.stderr].into_iter().for_each(|text| pass_on(text));
}

/// Compares the listed hooks with those that the plugin defines.
fn require_hooks(project: &Project, module: &[u8]) -> Result<(), BuildError> {
    let defined = exported_functions(module).map_err(BuildError::Failed)?;
    for export in Export::ALL {
        let word = export.word();
        for name in functions(export) {
            match (project.exports.contains(&export), defined.iter().any(|defined| defined == name)) {
                (true, false) => {
                    let message = format!("lists {word}, and the plugin does not define {name}");
                    return Err(project.problem("hooks", message));
                }
                (false, true) => {
                    let message = format!("the plugin defines {name}: add {word} to `hooks`");
                    return Err(project.problem("hooks", message));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Returns the functions in C that a plugin with this export defines.
fn functions(export: Export) -> &'static [&'static str] {
    match export {
        Export::Authorize => &["tuffet_authorize"],
        Export::Resolve => &["tuffet_resolve"],
        Export::Render => &["tuffet_render"],
        Export::RenderParts => &["tuffet_begin", "tuffet_render_part"],
        Export::AcceptUpload => &["tuffet_accept_upload"],
        Export::Observe => &["tuffet_observe"],
    }
}

/// Returns the names of the functions that a module exports.
fn exported_functions(module: &[u8]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ExportSection(exports) = payload.map_err(|error| error.to_string())? else { continue };
        for export in exports {
            let export = export.map_err(|error| error.to_string())?;
            if export.kind == ExternalKind::Func {
                names.push(export.name.to_owned());
            }
        }
    }
    Ok(names)
}
