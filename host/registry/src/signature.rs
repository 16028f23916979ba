//! Signatures of manifests, made by cosign: found in the registry, verified offline.
//!
//! The older layout is a manifest with the tag `sha256-DIGEST.sig`. Its layers are payloads that name repository and
//! digest, each with its signature in an annotation. Such a manifest may also refer to the signed one (OCI 1.1),
//! without that tag. The newer layout is a Sigstore bundle that refers to the manifest: a signed statement about the
//! digest. By a configured key a signature counts without any proof; others need those of `keyless`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha512};
use tuffet_config::{Sha256Digest, VerifyConfig, VerifyKey};

use super::client::{Client, RegistryError};
use super::keyless::{self, Material};
use super::manifest::{ACCEPTED, INDEX, Manifest};

const SIMPLE_SIGNING: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIGNATURE_ANNOTATION: &str = "dev.cosignproject.cosign/signature";
/// Artifact types that refer to a manifest: payloads as below the tag, or a bundle.
const SIGNATURE_ARTIFACT: &str = "application/vnd.dev.cosign.artifact.sig.v1+json";
const BUNDLE: &str = "application/vnd.dev.sigstore.bundle";
/// The versions of bundles: as the name of their media type goes on.
const BUNDLE_VERSIONS: [&str; 4] =
    ["+json;version=0.1", "+json;version=0.2", "+json;version=0.3", ".v0.3+json"];
const STATEMENT: &str = "application/vnd.in-toto+json";
/// The predicate type of a signature; attestations have others.
const SIGNATURE_PREDICATE: &str = "https://sigstore.dev/cosign/sign/v1";

/// The maximum number of signatures tried.
const MAX_SIGNATURES: usize = 32;
const MAX_PAYLOAD: u64 = 64 << 10;
const MAX_MANIFEST: u64 = 1 << 20;

/// A signed payload, not verified yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Signature {
    form: Form,
    /// In Base64.
    payload: String,
    /// In Base64.
    signature: String,
    /// What proves it without a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    material: Option<Material>,
}

/// The signatures of a manifest in its registry.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub signatures: Vec<Signature>,
    /// Why some could not be read.
    unread: Option<String>,
}

/// A signature that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Valid {
    /// Its index.
    pub index: usize,
    /// The identity of its signer, if it is keyless.
    pub signer: Option<String>,
}

/// The format of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    /// A "simple signing" payload.
    Simple,
    /// A DSSE envelope with a statement of in-toto.
    Statement,
}

#[derive(Deserialize)]
struct Payload {
    critical: Critical,
}

#[derive(Deserialize)]
struct Critical {
    identity: Identity,
    image: Image,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Identity {
    docker_reference: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Image {
    docker_manifest_digest: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bundle {
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    verification_material: Material,
    dsse_envelope: Option<Envelope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Sig>,
}

#[derive(Deserialize)]
struct Sig {
    sig: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Statement {
    subject: Vec<Subject>,
    predicate_type: String,
}

#[derive(Deserialize)]
struct Subject {
    digest: SubjectDigest,
}

#[derive(Deserialize)]
struct SubjectDigest {
    sha256: Option<String>,
}

/// Verifies that one of the keys, or the identity, made one of the signatures for this manifest. `name`: the
/// repository.
///
/// # Errors
/// None is valid; with the reason.
pub(super) fn verify(
    found: &Found,
    verify: &VerifyConfig,
    name: &str,
    manifest: &Sha256Digest,
) -> Result<Valid, String> {
    let name = verify.repository.as_deref().unwrap_or(name);
    let mut why = found.unread.clone().unwrap_or_else(|| "it is not signed".to_owned());
    for (index, signature) in found.signatures.iter().enumerate() {
        match signature.verify(verify, name, manifest) {
            Ok(signer) => return Ok(Valid { index, signer }),
            Err(reason) => why = reason,
        }
    }
    let mut advice = Vec::new();
    if let Some(key) = &verify.key {
        advice.push(format!("sign it by `cosign sign --key …` (the key is {})", key.display()));
    }
    if let Some(keyless) = &verify.keyless {
        advice.push(format!("let {} sign it by `cosign sign`", keyless.identity));
    }
    Err(format!("{why}: {}, or correct `verify`", advice.join(", ")))
}

impl Found {
    /// Signatures that were found before.
    pub fn kept(signatures: Vec<Signature>) -> Found {
        Found { signatures, unread: None }
    }

    /// How many more are looked at.
    fn room(&self) -> usize {
        MAX_SIGNATURES.saturating_sub(self.signatures.len())
    }
}

impl Signature {
    /// Returns the identity of the signer, if the signature is keyless.
    fn verify(
        &self,
        verify: &VerifyConfig,
        name: &str,
        manifest: &Sha256Digest,
    ) -> Result<Option<String>, String> {
        let decoded = STANDARD.decode(&self.payload).ok().zip(STANDARD.decode(&self.signature).ok());
        let (payload, signature) = decoded.ok_or("its signature is not Base64")?;
        let signed = match self.form {
            Form::Simple => payload.clone(),
            Form::Statement => pre_authentication_encoding(&payload),
        };
        let is_by = |key: &VerifyKey| match key {
            VerifyKey::P256(point) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(&signed, &signature)
            }
            VerifyKey::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key)
                .verify(&signed, &signature)
                .or_else(|refused| verify_prehashed(key, &signed, &signature).ok_or(refused)),
        };
        let signer = match (&verify.keyless, &self.material) {
            _ if verify.keys.iter().any(|key| is_by(key).is_ok()) => None,
            (Some(keyless), Some(material)) => {
                Some(keyless::verify(material, (&signed, &payload, &signature), keyless)?)
            }
            (Some(_), None) => {
                return Err("its signature has no certificate, so it was not made keyless".into());
            }
            (None, _) => return Err("none of its signatures is by this key".into()),
        };
        self.names(&payload, name, manifest)?;
        Ok(signer)
    }

    /// Verifies that the signed payload is about this manifest.
    fn names(&self, payload: &[u8], name: &str, manifest: &Sha256Digest) -> Result<(), String> {
        match self.form {
            Form::Simple => {
                let payload: Payload =
                    serde_json::from_slice(payload).map_err(|_| "the signed text is no payload of cosign")?;
                let Critical { identity, image } = payload.critical;
                if image.docker_manifest_digest != format!("sha256:{manifest}") {
                    return Err("its signature is for another digest".into());
                }
                let named = identity.docker_reference;
                // With a tag, if it was signed by tag.
                if named == name || named.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', '@']))
                {
                    Ok(())
                } else {
                    let named = named.escape_debug().to_string();
                    Err(format!(
                        "its signature is for {named:.300}, not for {name}; a copy needs `verify.repository`"
                    ))
                }
            }
            Form::Statement => {
                let statement: Statement = serde_json::from_slice(payload)
                    .map_err(|_| "the signed text is no statement of cosign")?;
                if statement.predicate_type != SIGNATURE_PREDICATE {
                    return Err("the signature is for an attestation, not the component".into());
                }
                let mut subjects = statement.subject.iter();
                if subjects.any(|subject| subject.digest.sha256.as_deref() == Some(manifest.as_str())) {
                    Ok(())
                } else {
                    Err("its signature is for another digest".into())
                }
            }
        }
    }
}

/// Verifies an Ed25519ph signature (RFC 8032, section 5.1). cosign makes these since its log supports such keys. The
/// two kinds cannot be confused.
fn verify_prehashed(key: &[u8], signed: &[u8], signature: &[u8]) -> Option<()> {
    let key = VerifyingKey::from_bytes(key.try_into().ok()?).ok()?;
    let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
    key.verify_prehashed_strict(Sha512::new_with_prefix(signed), None, &signature).ok()
}

/// The bytes that a DSSE signature covers.
fn pre_authentication_encoding(payload: &[u8]) -> Vec<u8> {
    let mut signed = format!("DSSEv1 {} {STATEMENT} {} ", STATEMENT.len(), payload.len()).into_bytes();
    signed.extend_from_slice(payload);
    signed
}

/// Gets the signatures of a manifest from its registry, in all layouts, up to [`MAX_SIGNATURES`].
pub(super) async fn find(client: &Client, manifest: &Sha256Digest) -> Result<Found, RegistryError> {
    let mut found = Found::default();
    add_tagged(client, manifest, &mut found).await?;
    add_referring(client, manifest, &mut found).await?;
    Ok(found)
}

async fn add_tagged(
    client: &Client,
    manifest: &Sha256Digest,
    found: &mut Found,
) -> Result<(), RegistryError> {
    let tag = format!("manifests/sha256-{manifest}.sig");
    match optional(client.get(&tag, ACCEPTED, MAX_MANIFEST).await)? {
        Some(manifest) => add_layers(client, &manifest, found).await,
        None => Ok(()),
    }
}

/// Adds the signatures in the layers of a manifest.
async fn add_layers(client: &Client, manifest: &[u8], found: &mut Found) -> Result<(), RegistryError> {
    let layers = Manifest::parse(manifest).map_err(RegistryError::Invalid)?.layers;
    let room = found.room();
    for layer in layers.iter().filter(|layer| layer.media_type == SIMPLE_SIGNING).take(room) {
        let Some(signature) = layer.annotations.get(SIGNATURE_ANNOTATION) else { continue };
        let payload =
            fetch_blob(client, &layer.digest().map_err(RegistryError::Invalid)?, MAX_PAYLOAD).await?;
        let payload = STANDARD.encode(payload);
        let material = Material::of_annotations(&layer.annotations);
        found.signatures.push(Signature {
            form: Form::Simple,
            payload,
            signature: signature.clone(),
            material,
        });
    }
    Ok(())
}

async fn add_referring(
    client: &Client,
    manifest: &Sha256Digest,
    found: &mut Found,
) -> Result<(), RegistryError> {
    let path = format!("referrers/sha256:{manifest}");
    let index = match optional(client.get(&path, INDEX, MAX_MANIFEST).await) {
        Ok(Some(index)) => Some(index),
        // Older registries answer 404 or another refusal, and keep a tag instead.
        Ok(None) | Err(RegistryError::Invalid(_)) => {
            optional(client.get(&format!("manifests/sha256-{manifest}"), ACCEPTED, MAX_MANIFEST).await)?
        }
        Err(error) => return Err(error),
    };
    let Some(index) = index else { return Ok(()) };
    let entries = Manifest::parse(&index).map_err(RegistryError::Invalid)?.manifests;
    let signs = |kind: &str| kind == SIGNATURE_ARTIFACT || kind.starts_with(BUNDLE);
    for entry in
        entries.iter().filter(|entry| entry.artifact_type.as_deref().is_some_and(signs)).take(MAX_SIGNATURES)
    {
        if found.room() == 0 {
            break;
        }
        let digest = entry.digest().map_err(RegistryError::Invalid)?;
        let path = format!("manifests/sha256:{digest}");
        let text = require_digest(client.get(&path, ACCEPTED, MAX_MANIFEST).await?, &digest)?;
        if entry.artifact_type.as_deref() == Some(SIGNATURE_ARTIFACT) {
            add_layers(client, &text, found).await?;
        } else {
            add_bundle(client, &text, found).await?;
        }
    }
    Ok(())
}

/// Adds the signatures in the bundle of a manifest.
async fn add_bundle(client: &Client, manifest: &[u8], found: &mut Found) -> Result<(), RegistryError> {
    let layers = Manifest::parse(manifest).map_err(RegistryError::Invalid)?.layers;
    let Some(layer) = layers.iter().find(|layer| layer.media_type.starts_with(BUNDLE)) else {
        return Ok(());
    };
    let bundle = fetch_blob(client, &layer.digest().map_err(RegistryError::Invalid)?, MAX_MANIFEST).await?;
    match Bundle::signatures(&bundle) {
        Ok(signatures) => {
            let room = found.room();
            found.signatures.extend(signatures.into_iter().take(room));
        }
        Err(reason) => found.unread = Some(reason),
    }
    Ok(())
}

impl Bundle {
    /// Returns the signatures in a bundle, at most [`MAX_SIGNATURES`].
    ///
    /// # Errors
    /// It is in another form than cosign's.
    fn signatures(bundle: &[u8]) -> Result<Vec<Signature>, String> {
        let Bundle { media_type, verification_material, dsse_envelope } =
            serde_json::from_slice(bundle).map_err(|error| format!("its bundle cannot be read: {error}"))?;
        // Without one, only its signature matters.
        let is_keyless = verification_material.certificate().is_some();
        let version = media_type.strip_prefix(BUNDLE).unwrap_or_default();
        if is_keyless && !BUNDLE_VERSIONS.contains(&version) {
            let found = media_type.escape_debug().to_string();
            return Err(format!("its bundle is `{found:.100}`, and only versions 0.1 to 0.3 are understood"));
        }
        // The first version had promises alone.
        if is_keyless && version != BUNDLE_VERSIONS[0] && !verification_material.is_proven() {
            return Err("its bundle lacks the proof that its log has it".into());
        }
        let envelope = dsse_envelope.filter(|envelope| envelope.payload_type == STATEMENT).ok_or(
            "its bundle holds no statement of in-toto, but another kind of signature; only what `cosign sign` makes is \
             understood",
        )?;
        // With a certificate, a bundle has one signature.
        let signatures = envelope.signatures.into_iter().take(if is_keyless { 1 } else { MAX_SIGNATURES });
        let signatures = signatures.map(|Sig { sig }| Signature {
            form: Form::Statement,
            payload: envelope.payload.clone(),
            signature: sig,
            material: is_keyless.then(|| verification_material.clone()),
        });
        Ok(signatures.collect())
    }
}

async fn fetch_blob(
    client: &Client,
    digest: &Sha256Digest,
    max_bytes: u64,
) -> Result<Vec<u8>, RegistryError> {
    require_digest(client.get(&format!("blobs/sha256:{digest}"), "*/*", max_bytes).await?, digest)
}

fn require_digest(content: Vec<u8>, digest: &Sha256Digest) -> Result<Vec<u8>, RegistryError> {
    if Sha256Digest::of(&content) == *digest {
        Ok(content)
    } else {
        Err(RegistryError::Invalid(
            "a part of its signature has another digest than its manifest says".into(),
        ))
    }
}

fn optional(got: Result<Vec<u8>, RegistryError>) -> Result<Option<Vec<u8>>, RegistryError> {
    match got {
        Ok(content) => Ok(Some(content)),
        Err(RegistryError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
