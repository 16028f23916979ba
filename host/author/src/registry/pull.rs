//! `tuffet plugin pull`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::args::{RegistryArgs, SignatureArgs, reference};
use super::fetch::fetch;
use crate::driver;
use crate::error::{EXIT_CANNOT_WRITE, fail};
use crate::files;
use crate::program::ServerProgram;
use tuffet_config::{ArtifactReference, ComponentSource, Config, Overrides, Sha256Digest};
use tuffet_registry::Registries;
use tuffet_terminal::{OTHER_OUTPUT, print, print_stderr, unwritten};

#[derive(Debug, Args)]
pub struct PullArgs {
    /// The component: oci://REGISTRY/REPOSITORY:TAG, or with @sha256:DIGEST. Without it, all of the configuration.
    #[arg(value_name = "REF", value_parser = reference, required_unless_present = "config")]
    reference: Option<ArtifactReference>,
    /// The file to write; an existing file is replaced [default: the last word of the repository, with .wasm].
    #[arg(long, short, value_name = "FILE", requires = "reference")]
    output: Option<PathBuf>,
    /// The user of a server that root starts: as `tuffet serve --user`.
    #[arg(long, value_name = "USER", conflicts_with = "reference")]
    user: Option<String>,
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    signature: SignatureArgs,
}

pub(crate) fn pull(args: &PullArgs, server: &dyn ServerProgram) -> ExitCode {
    let done = match (&args.reference, &args.registry.config) {
        (Some(reference), _) => to_file(args, reference),
        (None, Some(config)) => for_server(config, args.user.clone(), server),
        // The parser of the command line refuses this.
        (None, None) => Ok(()),
    };
    done.map_or_else(|code| code, |()| ExitCode::SUCCESS)
}

fn to_file(args: &PullArgs, reference: &ArtifactReference) -> Result<(), ExitCode> {
    let pulled = fetch(reference, &args.registry, &args.signature)?;
    let name = reference.repository.rsplit('/').next().unwrap_or("plugin");
    let file = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.wasm")));
    files::replace(&file, &pulled.component).map_err(|error| {
        print_stderr(unwritten(&file, &error, OTHER_OUTPUT));
        ExitCode::from(EXIT_CANNOT_WRITE)
    })?;
    let pinned = ArtifactReference { digest: Some(pulled.manifest.clone()), ..reference.clone() };
    print(&format!(
        "{}: {} bytes, sha256 {}\n{pinned}\n",
        file.display(),
        pulled.component.len(),
        Sha256Digest::of(&pulled.component)
    ));
    Ok(())
}

/// Pulls all components of a configuration into the folder of its server, as the server's user.
fn for_server(file: &Path, user: Option<String>, server: &dyn ServerProgram) -> Result<(), ExitCode> {
    let overrides = Overrides { user, ..Overrides::default() };
    let config = Config::load_with(file, &overrides).map_err(fail)?;
    server.become_server(&config).map_err(fail)?;
    let registries = Registries::of(&config, true);
    let runtime = driver::start().map_err(fail)?;
    let mut done = Ok(());
    for plugin in &config.policy.plugins {
        let ComponentSource::Registry(reference) = &plugin.component else { continue };
        match runtime.block_on(registries.fetch(reference, plugin.verify.as_ref())) {
            Ok(pulled) => {
                for warning in &pulled.warnings {
                    print_stderr(format_args!("warning: plugin `{}`: {warning}", plugin.name));
                }
                let how = if pulled.cached { "was there" } else { "pulled" };
                print(&format!("{}: {reference} sha256:{} {how}\n", plugin.name, pulled.manifest));
            }
            Err(message) => {
                print_stderr(format_args!("plugin `{}`: {message}", plugin.name));
                done = Err(ExitCode::FAILURE);
            }
        }
    }
    done
}
