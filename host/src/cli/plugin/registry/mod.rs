//! `tuffet plugin pull | push`, and `inspect` of a component in a registry.

mod pull;
mod push;

pub(super) use pull::{PullArgs, pull};
pub(super) use push::{PushArgs, push};

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::super::complain;
use tuffet_config::{ArtifactReference, Config, EXIT_CONFIG, RegistrySpec, VerifyConfig, VerifyKey};
use tuffet_registry::{Pulled, Registries};

/// How a registry is reached, without a server.
#[derive(Debug, Args)]
pub(super) struct Reach {
    /// A server's configuration, to take `registries` from.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Reach the registry over HTTP, without TLS, as is usual at localhost.
    #[arg(long, conflicts_with = "ca")]
    plain_http: bool,
    /// A file with certificate authorities that are trusted besides those of the system, in PEM.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl Reach {
    /// Returns how the registry of this reference is reached: by the configuration, else with the login that
    /// `docker login` wrote.
    ///
    /// # Errors
    /// A file is invalid: that was printed, and this is the exit code.
    fn registries(&self, reference: &ArtifactReference) -> Result<Registries, ExitCode> {
        let refuse = |message: String| {
            complain(message);
            ExitCode::from(EXIT_CONFIG)
        };
        let host = &reference.registry;
        let configured = match &self.config {
            Some(file) => Config::load(file).map_err(super::wrong)?.registries,
            None => Vec::new(),
        };
        let known = configured.into_iter().find(|spec| spec.host == *host);
        let mut spec = known.unwrap_or_else(|| RegistrySpec::of(host));
        spec.plain_http |= self.plain_http;
        if let Some(file) = &self.ca {
            spec.plain_http = false;
            spec.ca = Some(read(file).map_err(refuse)?);
        }
        if let (None, Some(file)) = (&spec.login, docker_logins())
            && let Ok(text) = fs::read_to_string(&file)
        {
            match RegistrySpec::login_of(host, &text) {
                Ok(login) => spec.login = login,
                Err(complaint) => complain(format_args!("warning: {}: {complaint}", file.display())),
            }
        }
        Ok(Registries { specs: vec![spec], cache: None, online: true })
    }
}

/// Whose signature is required.
#[derive(Debug, Args)]
pub(super) struct Signed {
    /// Require a signature by a key in this file, as `verify.key` of the configuration.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Signed {
    fn verify(&self) -> Result<Option<VerifyConfig>, ExitCode> {
        let Some(file) = &self.key else { return Ok(None) };
        let keys = read(file).and_then(|pem| {
            VerifyKey::read(&pem).map_err(|complaint| format!("{}: {complaint}", file.display()))
        });
        match keys {
            Ok(keys) => Ok(Some(VerifyConfig { key: file.clone(), repository: None, keys })),
            Err(complaint) => {
                complain(complaint);
                Err(ExitCode::from(EXIT_CONFIG))
            }
        }
    }
}

/// Pulls a component into memory.
///
/// # Errors
/// It cannot be pulled: that was printed, and this is the exit code.
pub(super) fn get(reference: &ArtifactReference, reach: &Reach, signed: &Signed) -> Result<Pulled, ExitCode> {
    let (registries, verify) = (reach.registries(reference)?, signed.verify()?);
    let runtime = crate::server::control_runtime().map_err(super::wrong)?;
    runtime.block_on(registries.fetch(reference, verify.as_ref())).map_err(|message| {
        complain(message);
        ExitCode::FAILURE
    })
}

/// Formats what the manifest of a component says, for people.
pub(super) fn text(reference: &ArtifactReference, pulled: &Pulled) -> String {
    let [config, layer] = &pulled.media_types;
    let mut text = format!(
        "reference    {reference}\nmanifest     sha256:{}\nconfig       {}\nlayer        {}\nsignature    {}\n",
        pulled.manifest,
        config.escape_debug(),
        layer.escape_debug(),
        if pulled.verified { "verified" } else { "not asked for; --key FILE verifies it" },
    );
    for (index, (key, value)) in pulled.annotations.iter().enumerate() {
        let head = if index == 0 { "annotations" } else { "" };
        text += &format!("{head:<12} {}: {:.200}\n", key.escape_debug(), value.escape_debug().to_string());
    }
    text
}

/// The file that `docker login` and other tools write.
fn docker_logins() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = folder("DOCKER_CONFIG").or_else(|| folder("HOME").map(|home| home.join(".docker")))?;
    Some(folder.join("config.json"))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// Parses REF.
fn reference(text: &str) -> Result<ArtifactReference, String> {
    ArtifactReference::parse(text)
}
