//! `tuffet plugin inspect`.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::super::complain;
use super::lab::{self, Lab};
use super::registry::{self, Reach, Signed};
use tuffet_config::{ComponentSource, EXIT_CONFIG};
use tuffet_wasm::Inspected;

#[derive(Debug, Args)]
pub(in crate::cli) struct InspectArgs {
    /// The component: a file, builtin:NAME, or oci://… in a registry.
    #[arg(value_name = "COMPONENT", value_parser = lab::component)]
    component: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reach: Reach,
    #[command(flatten)]
    signed: Signed,
}

pub(super) fn inspect(args: &InspectArgs) -> ExitCode {
    let lab = match Lab::open() {
        Ok(lab) => lab,
        Err(error) => return super::wrong(error),
    };
    let source = lab::source(&args.component, Path::new(""));
    let artifact = match &source {
        ComponentSource::Registry(reference) => match registry::get(reference, &args.reach, &args.signed) {
            Ok(pulled) => Some((reference, pulled)),
            Err(code) => return code,
        },
        ComponentSource::Builtin(_) | ComponentSource::Path(_) => None,
    };
    let inspected = match &artifact {
        Some((_, pulled)) => Inspected::of_bytes(lab.runtime(), &pulled.component),
        None => Inspected::of(lab.runtime(), &source),
    };
    let inspected = match inspected {
        Ok(inspected) => inspected,
        Err(message) => {
            complain(format_args!("{}: {message}", args.component));
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
                "annotations": pulled.annotations,
            });
        }
        super::print_json(format_args!("{shown:#}"));
    } else {
        let above =
            artifact.map_or_else(String::new, |(reference, pulled)| registry::text(reference, &pulled));
        super::print(&(above + &inspected.text()));
    }
    ExitCode::SUCCESS
}
