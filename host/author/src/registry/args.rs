//! The options for access to a registry and for signatures.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::error::fail;
use tuffet_config::{
    ArtifactReference, Config, EXIT_CONFIG, KeylessConfig, RegistrySpec, TrustedRoot, VerifyConfig, VerifyKey,
};
use tuffet_registry::Registries;
use tuffet_terminal::print_stderr;

/// The options for access to a registry.
#[derive(Debug, Args)]
pub(crate) struct RegistryArgs {
    /// A server's configuration, to take `registries` from.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Reach the registry over HTTP, without TLS, as is usual at localhost.
    #[arg(long, conflicts_with = "ca")]
    plain_http: bool,
    /// A file with certificate authorities that are trusted besides those of the system, in PEM.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl RegistryArgs {
    /// Returns the access to the registry of this reference: that of the configuration, else with the login of
    /// `docker login`.
    ///
    /// # Errors
    /// A file is invalid: that was printed, and this is the exit code.
    pub(super) fn registries(&self, reference: &ArtifactReference) -> Result<Registries, ExitCode> {
        let refuse = |message: String| {
            print_stderr(message);
            ExitCode::from(EXIT_CONFIG)
        };
        let host = &reference.registry;
        let configured = match &self.config {
            Some(file) => Config::load(file).map_err(fail)?.registries,
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
                Err(complaint) => print_stderr(format_args!("warning: {}: {complaint}", file.display())),
            }
        }
        Ok(Registries { specs: vec![spec], cache: None, online: true })
    }
}

/// The options for signatures.
#[derive(Debug, Args)]
pub(crate) struct SignatureArgs {
    /// Require a signature by a key in this file, as `verify.key` of the configuration.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Require a signature without a key, by this identity, as `verify.keyless` of the configuration.
    #[arg(long, requires_all = ["issuer", "trusted_root"])]
    identity: Option<String>,
    /// Who vouches for the identity.
    #[arg(long, value_name = "URL", requires = "identity")]
    issuer: Option<String>,
    /// The repository for which the signer worked: https://github.com/OWNER/REPOSITORY.
    #[arg(long, value_name = "URL", requires = "identity")]
    source_repository: Option<String>,
    /// The file with the authorities and logs that are trusted, as `cosign trusted-root create` writes it.
    #[arg(long, value_name = "FILE", requires = "identity")]
    trusted_root: Option<PathBuf>,
}

impl SignatureArgs {
    pub(super) fn verify(&self) -> Result<Option<VerifyConfig>, ExitCode> {
        if self.key.is_none() && self.identity.is_none() {
            return Ok(None);
        }
        self.required().map(Some).map_err(|complaint| {
            print_stderr(complaint);
            ExitCode::from(EXIT_CONFIG)
        })
    }

    fn required(&self) -> Result<VerifyConfig, String> {
        let keys =
            self.key.as_ref().map(|file| parsed(file, VerifyKey::read)).transpose()?.unwrap_or_default();
        let keyless = match (&self.identity, &self.issuer, &self.trusted_root) {
            (Some(identity), Some(issuer), Some(file)) => {
                let roots = parsed(file, TrustedRoot::read)?;
                let (identity, issuer, trusted_root) = (identity.clone(), issuer.clone(), file.clone());
                let source_repository = self.source_repository.clone();
                let keyless = KeylessConfig { identity, issuer, source_repository, trusted_root, roots };
                keyless.check().map_err(|(key, complaint)| format!("--{key}: {complaint}"))?;
                Some(keyless)
            }
            // The parser of the command line asks for all of them.
            _ => None,
        };
        Ok(VerifyConfig { key: self.key.clone(), keyless, repository: None, keys })
    }
}

pub(super) fn parsed<T>(file: &Path, parse: fn(&str) -> Result<T, String>) -> Result<T, String> {
    parse(&read(file)?).map_err(|complaint| format!("{}: {complaint}", file.display()))
}

/// Returns the file with the logins of `docker login` and other tools.
fn docker_logins() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = folder("DOCKER_CONFIG").or_else(|| folder("HOME").map(|home| home.join(".docker")))?;
    Some(folder.join("config.json"))
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// Parses REF.
pub(super) fn reference(text: &str) -> Result<ArtifactReference, String> {
    ArtifactReference::parse(text)
}
