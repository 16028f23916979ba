//! `tuffet plugin build`: builds a project into a component, and checks whether a server would load it.

mod c;
mod component;
mod go;
mod js;
mod project;
mod python;
mod renamed;
mod rust;
mod scratch;
pub(super) mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::Args;

use super::super::complain;
use super::check;
use super::subject::{Subject, Surroundings};
use tuffet_config::EXIT_CONFIG;
use tuffet_wasm::digest;

/// The exit code if a required program is missing (EX_UNAVAILABLE of sysexits.h).
const EXIT_UNAVAILABLE: u8 = 69;

/// The configuration of a project, with its settings and grants.
pub(super) const CONFIG: &str = "tuffet.yaml";

#[derive(Debug, Args)]
pub(in crate::cli) struct BuildArgs {
    /// The project's folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The component to write [default: FOLDER/NAME.wasm].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    given: Surroundings,
}

/// The reason why there is no component.
enum Unbuilt {
    /// There is no project that can be built.
    NoProject(String),
    /// A required program is missing.
    Unavailable(String),
    /// The compiler printed the reason.
    Failed(String),
    /// The component cannot be written to its place.
    Unwritten(String),
}

/// A component from its compiler.
struct Made {
    /// The name of the project.
    name: String,
    component: PathBuf,
    /// The folder that contains it, if it is temporary.
    scratch: Option<scratch::Scratch>,
}

pub(super) fn build(args: &BuildArgs) -> ExitCode {
    let output = match make(args) {
        Ok(output) => output,
        Err(unbuilt) => {
            let (message, code) = match unbuilt {
                Unbuilt::NoProject(message) => (message, EXIT_CONFIG),
                Unbuilt::Unavailable(message) => (message, EXIT_UNAVAILABLE),
                Unbuilt::Failed(message) => (message, 1),
                Unbuilt::Unwritten(message) => (message, super::new::EXIT_CANNOT_WRITE),
            };
            complain(message);
            renamed::explain(&args.folder, None).into_iter().for_each(complain);
            return ExitCode::from(code);
        }
    };
    // As `tuffet serve` in this folder would find it.
    let config = clean(&args.folder).join(CONFIG);
    let given = if args.given.is_empty() && config.is_file() && names(&config, &output) {
        args.given.with_config(config)
    } else {
        args.given.clone()
    };
    let checked = check::check_subject(&Subject::new(output.display().to_string(), given));
    if checked != ExitCode::SUCCESS
        && let Ok(component) = fs::read(&output)
    {
        renamed::explain(&args.folder, Some(&component)).into_iter().for_each(complain);
    }
    checked
}

/// Builds the project and reports the result.
fn make(args: &BuildArgs) -> Result<PathBuf, Unbuilt> {
    let folder = &args.folder;
    let made = if folder.join("Cargo.toml").is_file() {
        rust::build(folder)?
    } else if folder.join(python::MARKER).is_file() {
        python::build(folder)?
    } else if folder.join(js::MARKER).is_file() {
        js::build(folder)?
    } else if folder.join(go::MARKER).is_file() {
        go::build(folder)?
    } else if folder.join(project::MANIFEST).is_file() {
        c::build(folder)?
    } else {
        let shown = folder.display();
        return Err(Unbuilt::NoProject(format!(
            "{shown}: there is no project in it: no Cargo.toml, pyproject.toml, package.json, go.mod or \
             tuffet.json; name its folder, or make one with `tuffet plugin new NAME`"
        )));
    };
    let output = args.output.clone().unwrap_or_else(|| clean(folder).join(format!("{}.wasm", made.name)));
    let unwritten = |error: io::Error| {
        Unbuilt::Unwritten(format!(
            "{}: the component cannot be put there: {error}; make room, or name another place with --output",
            output.display()
        ))
    };
    let component = fs::read(&made.component).map_err(unwritten)?;
    put(&component, &output).map_err(unwritten)?;
    drop(made.scratch);
    super::print(&format!(
        "{}: {} bytes, sha256 {}\n",
        output.display(),
        component.len(),
        digest(&component)
    ));
    Ok(output)
}

/// Removes `.` from paths for display.
fn clean(folder: &Path) -> &Path {
    if folder == Path::new(".") { Path::new("") } else { folder }
}

/// Replaces a file atomically: a reloading server finds the old one or the new one, also where two builds write it at
/// once.
pub(super) fn put(component: &[u8], output: &Path) -> io::Result<()> {
    let mut temporary = output.as_os_str().to_owned();
    temporary.push(format!(".{:016x}.new", fastrand::u64(..)));
    let written = fs::write(&temporary, component).and_then(|()| fs::rename(&temporary, output));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Returns whether a configuration names this component. Its other errors are reported later.
fn names(config: &Path, output: &Path) -> bool {
    let Some(folder) = config.parent() else { return false };
    let (Ok(text), Ok(output)) = (fs::read_to_string(config), output.canonicalize()) else { return false };
    let value: serde_json::Value = serde_yaml::from_str(&text).unwrap_or_default();
    let plugins = value.get("plugins").and_then(|plugins| plugins.as_object());
    let components =
        plugins.into_iter().flatten().filter_map(|(_, plugin)| plugin.get("component")?.as_str());
    let mut paths = components.filter_map(|component| folder.join(component).canonicalize().ok());
    paths.any(|path| path == output)
}
