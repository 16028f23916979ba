//! `tuffet plugin push`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;

use super::args::{RegistryArgs, parsed, reference};
use crate::driver;
use crate::error::fail;
use crate::lab::Lab;
use crate::program::ServerProgram;
use crate::stale;
use tuffet_config::{ArtifactReference, ComponentSource, EXIT_CONFIG};
use tuffet_registry::{Artifact, SignKey};
use tuffet_terminal::{print, print_stderr};
use tuffet_wasm::ComponentInfo;

#[derive(Debug, Args)]
pub struct PushArgs {
    /// The component.
    file: PathBuf,
    /// Where to: oci://REGISTRY/REPOSITORY:TAG.
    #[arg(value_name = "REF", value_parser = reference)]
    reference: ArtifactReference,
    /// An annotation of the manifest, such as org.opencontainers.image.source=https://… May be repeated.
    #[arg(long = "annotation", value_name = "KEY=VALUE", value_parser = annotation)]
    annotations: Vec<(String, String)>,
    /// Sign it with this private key, as cosign does: ECDSA P-256 or Ed25519, in PEM (PKCS #8, not encrypted).
    #[arg(long, value_name = "FILE")]
    sign_key: Option<PathBuf>,
    #[command(flatten)]
    registry: RegistryArgs,
}

pub(crate) fn push(args: &PushArgs, server: &dyn ServerProgram) -> ExitCode {
    let pushed = (|| {
        if let Some(message) = stale::explain(&ComponentSource::Path(args.file.clone())) {
            print_stderr(message);
            return Err(ExitCode::from(EXIT_CONFIG));
        }
        let artifact = artifact(args, server).map_err(|message| {
            print_stderr(format_args!("{}: {message}", args.file.display()));
            ExitCode::from(EXIT_CONFIG)
        })?;
        let key = args.sign_key.as_deref().map(|file| parsed(file, SignKey::read)).transpose();
        let key = key.map_err(|complaint| {
            print_stderr(complaint);
            ExitCode::from(EXIT_CONFIG)
        })?;
        let registries = args.registry.registries(&args.reference)?;
        let runtime = driver::start().map_err(fail)?;
        runtime.block_on(registries.push(&args.reference, artifact, key.as_ref())).map_err(|message| {
            print_stderr(message);
            ExitCode::FAILURE
        })
    })();
    match pushed {
        Ok(digest) => {
            let pinned = ArtifactReference { digest: Some(digest), ..args.reference.clone() };
            print(&format!("{pinned}\n"));
            ExitCode::SUCCESS
        }
        Err(code) => code,
    }
}

/// Reads the component, and describes it as its own manifest does.
fn artifact(args: &PushArgs, server: &dyn ServerProgram) -> Result<Artifact, String> {
    if args.reference.digest.is_some() {
        return Err("its digest follows from its content; name a tag alone".into());
    }
    let component = fs::read(&args.file).map_err(|error| format!("it cannot be read: {error}"))?;
    let lab = Lab::open(server).map_err(|error| error.to_string())?;
    let about = ComponentInfo::of_bytes(lab.runtime(), &component)?;
    let mut annotations = BTreeMap::new();
    for (key, value) in
        [("title", about.name), ("version", about.version), ("description", about.description)]
    {
        if !value.is_empty() {
            annotations.insert(format!("org.opencontainers.image.{key}"), value);
        }
    }
    annotations.extend(args.annotations.iter().cloned());
    let name = args.file.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Artifact {
        component: component.into(),
        file: name.unwrap_or_default(),
        imports: about.imports,
        exports: about.exports,
        created: created(&args.file),
        annotations,
    })
}

/// The time of reproducible builds, else that of the file: so the same file is the same artifact again.
fn created(file: &std::path::Path) -> SystemTime {
    let given = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let given = given.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    // The text of a time has four digits for the year.
    let latest = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let modified = || fs::metadata(file).and_then(|about| about.modified()).ok();
    given.or_else(modified).unwrap_or(SystemTime::UNIX_EPOCH).clamp(SystemTime::UNIX_EPOCH, latest)
}

fn annotation(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned())).ok_or_else(|| "write KEY=VALUE".into())
}
