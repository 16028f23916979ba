//! `tuffet plugin inspect`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use crate::component;
use crate::lab::Lab;
use crate::program::ServerProgram;
use crate::registry::{self, RegistryArgs, SignatureArgs};
use crate::starting_point;
use tuffet_config::{ArtifactReference, ComponentSource, EXIT_CONFIG};
use tuffet_terminal::{print, print_json, print_stderr};
use tuffet_wasm::ComponentInfo;

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The component: a file, builtin:NAME, or oci://… in a registry.
    #[arg(value_name = "COMPONENT", value_parser = component::checked)]
    component: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    registry: RegistryArgs,
    #[command(flatten)]
    signature: SignatureArgs,
}

pub(crate) fn inspect(args: &InspectArgs, server: &dyn ServerProgram) -> ExitCode {
    let lab = match Lab::open(server) {
        Ok(lab) => lab,
        Err(error) => return crate::error::fail(error),
    };
    let source = component::source(&args.component, Path::new(""));
    let artifact = match &source {
        ComponentSource::Registry(reference) => {
            match registry::fetch(reference, &args.registry, &args.signature) {
                Ok(pulled) => Some((reference, pulled)),
                Err(code) => return code,
            }
        }
        ComponentSource::Builtin(_) | ComponentSource::Path(_) => None,
    };
    let inspected = match &artifact {
        Some((_, pulled)) => ComponentInfo::of_bytes(lab.runtime(), &pulled.component),
        None => ComponentInfo::of(lab.runtime(), &source),
    };
    let inspected = match inspected {
        Ok(inspected) => inspected,
        Err(message) => {
            print_stderr(format_args!("{}: {message}", args.component));
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    if args.json {
        let mut shown = json!(inspected);
        if let Some((reference, pulled)) = &artifact {
            let [config, layer] = &pulled.media_types;
            shown["artifact"] = json!({
                "reference": reference.to_string(),
                "manifest": format!("sha256:{}", pulled.manifest),
                "config": config,
                "layer": layer,
                "verified": pulled.verified,
                "signer": pulled.signer,
                "annotations": pulled.annotations,
            });
        }
        print_json(format_args!("{shown:#}"));
    } else {
        // Pinned: the tag may lead to another component tomorrow.
        let artifact_name = artifact.as_ref().map(|(reference, pulled)| {
            let digest = Some(pulled.manifest.clone());
            ArtifactReference { digest, ..(*reference).clone() }.to_string()
        });
        let above =
            artifact.map_or_else(String::new, |(reference, pulled)| registry::text(reference, &pulled));
        let named = artifact_name.unwrap_or_else(|| args.component.clone());
        let begin = format!(
            "\nA configuration to begin with. Fill in what is empty or in capitals:\n\n{}",
            starting_point::configuration(&inspected, &named)
        );
        print(&(above + &inspected.text() + &begin));
    }
    ExitCode::SUCCESS
}
