//! Fetches a component from a registry.

use std::process::ExitCode;

use super::args::{RegistryArgs, SignatureArgs};
use crate::driver;
use crate::error::fail;
use tuffet_config::ArtifactReference;
use tuffet_registry::Pulled;
use tuffet_terminal::print_stderr;

/// Pulls a component into memory.
///
/// # Errors
/// It cannot be pulled: that was printed, and this is the exit code.
pub(crate) fn fetch(
    reference: &ArtifactReference,
    registry: &RegistryArgs,
    signature: &SignatureArgs,
) -> Result<Pulled, ExitCode> {
    let (registries, verify) = (registry.registries(reference)?, signature.verify()?);
    let runtime = driver::start().map_err(fail)?;
    runtime.block_on(registries.fetch(reference, verify.as_ref())).map_err(|message| {
        print_stderr(message);
        ExitCode::FAILURE
    })
}

/// Formats the manifest of a component in a registry as text.
pub(crate) fn text(reference: &ArtifactReference, pulled: &Pulled) -> String {
    let [config, layer] = &pulled.media_types;
    let signature = match (&pulled.signer, pulled.verified) {
        (Some(signer), _) => format!("verified, by {}", signer.escape_debug()),
        (None, true) => "verified".to_owned(),
        (None, false) => {
            "not asked for; --key FILE verifies it, or --identity, --issuer and --trusted-root".to_owned()
        }
    };
    let mut text = format!(
        "reference    {reference}\nmanifest     sha256:{}\nconfig       {}\nlayer        {}\nsignature    {signature}\n",
        pulled.manifest,
        config.escape_debug(),
        layer.escape_debug(),
    );
    for (index, (key, value)) in pulled.annotations.iter().enumerate() {
        let head = if index == 0 { "annotations" } else { "" };
        text += &format!("{head:<12} {}: {:.200}\n", key.escape_debug(), value.escape_debug().to_string());
    }
    text
}
