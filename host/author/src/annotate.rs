//! `tuffet plugin annotate`: puts a manifest or the schema of the settings into a component that another tool built.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::error::{EXIT_CANNOT_WRITE, fail};
use crate::{files, manifest, settings_schema};
use clap::Args;
use tuffet_config::{ConfigError, EXIT_CONFIG};
use tuffet_terminal::{OTHER_OUTPUT, print, print_stderr, unwritten};
use tuffet_wasm::digest;

#[derive(Debug, Args)]
pub struct AnnotateArgs {
    /// The component.
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// The manifest, as JSON or YAML.
    #[arg(long, value_name = "FILE", required_unless_present = "settings_schema")]
    manifest: Option<PathBuf>,
    /// The JSON Schema of the settings, as JSON or YAML.
    #[arg(long, value_name = "FILE")]
    settings_schema: Option<PathBuf>,
    /// Where to write the result; an existing file is replaced [default: in place].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn annotate(args: &AnnotateArgs) -> ExitCode {
    let read = (|| -> Result<_, ConfigError> {
        let manifest = args.manifest.as_ref().map(|file| manifest::read(file, &[])).transpose()?;
        let schema = args.settings_schema.as_ref().map(|file| settings_schema::read(file)).transpose()?;
        Ok((manifest, schema))
    })();
    let (manifest, schema) = match read {
        Ok(read) => read,
        Err(error) => return fail(error),
    };
    let annotated = fs::read(&args.component)
        .map_err(|error| format!("it cannot be read: {error}"))
        .and_then(|component| match &manifest {
            Some(manifest) => manifest::embed(&component, manifest),
            None => Ok(component),
        })
        .and_then(|component| match &schema {
            Some(schema) => tuffet_wasm::annotate_settings(&component, schema),
            None => Ok(component),
        });
    let annotated = match annotated {
        Ok(annotated) => annotated,
        Err(message) => {
            print_stderr(format_args!("{}: {message}", args.component.display()));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let output = args.output.as_ref().unwrap_or(&args.component);
    if let Err(error) = files::replace(output, &annotated) {
        print_stderr(unwritten(output, &error, OTHER_OUTPUT));
        return ExitCode::from(EXIT_CANNOT_WRITE);
    }
    print(&format!("{}: {} bytes, sha256 {}\n", output.display(), annotated.len(), digest(&annotated)));
    ExitCode::SUCCESS
}
