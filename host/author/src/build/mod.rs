//! `tuffet plugin build`: builds a project into a component, and checks whether a server would load it.

mod built;
mod c;
mod component;
mod go;
mod js;
mod project;
mod python;
mod rust;
mod scratch;
pub(crate) mod world;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::error::{EXIT_CANNOT_WRITE, EXIT_UNAVAILABLE};
use crate::plugin_args::{ContextArgs, PluginArgs};
use crate::program::ServerProgram;
use crate::{check, files, settings_schema};
use built::BuildError;
pub(crate) use project::ProjectFile;
use tuffet_config::EXIT_CONFIG;
use tuffet_terminal::{OTHER_OUTPUT, print, print_stderr, unwritten};
use tuffet_wasm::digest;

/// The configuration of a project, with its settings and grants.
pub(crate) const CONFIG: &str = "tuffet.yaml";

#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The project's folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
    /// The component to write; an existing file is replaced [default: FOLDER/NAME.wasm].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    context: ContextArgs,
}

pub(crate) fn build(args: &BuildArgs, server: &dyn ServerProgram) -> ExitCode {
    let output = match build_component(args) {
        Ok(output) => output,
        Err(unbuilt) => {
            let (message, code) = match unbuilt {
                BuildError::NoProject(message) => (message, EXIT_CONFIG),
                BuildError::Unavailable(message) => (message, EXIT_UNAVAILABLE),
                BuildError::Failed(message) => (message, 1),
                BuildError::Unwritten(message) => (message, EXIT_CANNOT_WRITE),
            };
            print_stderr(message);
            return ExitCode::from(code);
        }
    };
    // As `tuffet serve` in this folder would find it.
    let config = clean(&args.folder).join(CONFIG);
    let context = if args.context.is_empty() && config.is_file() && names_component(&config, &output) {
        args.context.with_config(config)
    } else {
        args.context.clone()
    };
    let checked = check::check_plugin(&PluginArgs::new(output.display().to_string(), context), server);
    match checked {
        Ok(()) => ExitCode::SUCCESS,
        Err(unloaded) => {
            if unloaded.settings {
                settings_schema::explain_difference(&args.folder).into_iter().for_each(print_stderr);
            }
            unloaded.into()
        }
    }
}

/// Builds the project and reports the result.
fn build_component(args: &BuildArgs) -> Result<PathBuf, BuildError> {
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
        return Err(BuildError::NoProject(format!(
            "{shown}: there is no project in it: no Cargo.toml, pyproject.toml, package.json, go.mod or \
             tuffet.json; name its folder, or make one with `tuffet plugin new NAME`"
        )));
    };
    let output = args.output.clone().unwrap_or_else(|| clean(folder).join(format!("{}.wasm", made.name)));
    let component = fs::read(&made.component)
        .map_err(|error| BuildError::Failed(format!("{}: {error}; build again", made.component.display())))?;
    let component = settings_schema::embed_of_project(folder, component).map_err(BuildError::NoProject)?;
    files::replace(&output, &component)
        .map_err(|error| BuildError::Unwritten(unwritten(&output, &error, OTHER_OUTPUT)))?;
    drop(made.scratch);
    print(&format!("{}: {} bytes, sha256 {}\n", output.display(), component.len(), digest(&component)));
    Ok(output)
}

/// Removes `.` from paths for display.
fn clean(folder: &Path) -> &Path {
    if folder == Path::new(".") { Path::new("") } else { folder }
}

/// Returns whether a configuration names this component. Its other errors are reported later.
fn names_component(config: &Path, output: &Path) -> bool {
    let Some(folder) = config.parent() else { return false };
    let (Ok(text), Ok(output)) = (fs::read_to_string(config), output.canonicalize()) else { return false };
    let value: serde_json::Value = serde_yaml::from_str(&text).unwrap_or_default();
    let plugins = value.get("plugins").and_then(|plugins| plugins.as_object());
    let components =
        plugins.into_iter().flatten().filter_map(|(_, plugin)| plugin.get("component")?.as_str());
    let mut paths = components.filter_map(|component| folder.join(component).canonicalize().ok());
    paths.any(|path| path == output)
}
