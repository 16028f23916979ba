//! Signatures of manifests, made by cosign: found in the registry, verified offline.
//!
//! The older layout is a manifest with the tag `sha256-DIGEST.sig`. Its layers are payloads that name repository and
//! digest, each with its signature in an annotation. Such a manifest may also refer to the signed one (OCI 1.1),
//! without that tag. The newer layout is a Sigstore bundle that refers to the manifest: a signed statement about the
//! digest. By a configured key a signature counts without any proof; others need those of `keyless`.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha512};
use tuffet_config::{Sha256Digest, VerifyConfig, VerifyKey};

use super::client::{Client, RegistryError};
use super::keyless::{self, Material};
use super::manifest::{ACCEPTED, INDEX, Manifest};

pub(super) const SIMPLE_SIGNING: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
pub(super) const SIGNATURE_ANNOTATION: &str = "dev.cosignproject.cosign/signature";
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
pub(super) const MAX_SIGNATURES: usize = 32;
const MAX_PAYLOAD: u64 = 64 << 10;
/// The maximum size of a bundle. That of a signature has a few KiB; an attestation may have more, and is none.
const MAX_BUNDLE: u64 = 128 << 10;
/// The maximum size of a signature in an annotation.
const MAX_SIGNATURE: usize = 16 << 10;
pub(super) const MAX_MANIFEST: u64 = 1 << 20;

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
    /// Why it has none, although it has a certificate.
    #[serde(skip)]
    unproven: Option<String>,
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

/// Verifying took too long.
pub(super) const TOO_SLOW: &str = "its signatures could not be verified in time";

/// Why a signature does not count. That of the signature which came furthest is reported.
#[derive(Debug)]
enum Refusal {
    /// It is by no signer that is named.
    Other(String),
    /// Its certificate or its proofs do not count.
    Unproven(String),
    /// It is by the right signer, and not for this manifest.
    Elsewhere(String),
}

impl Refusal {
    fn rank(&self) -> u8 {
        match self {
            Refusal::Other(_) => 0,
            Refusal::Unproven(_) => 1,
            Refusal::Elsewhere(_) => 2,
        }
    }
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
    verification_material: Certified,
    dsse_envelope: Option<Envelope>,
}

/// Whether a bundle has a certificate.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Certified {
    certificate: Option<IgnoredAny>,
    x509_certificate_chain: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Proven {
    verification_material: Material,
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
/// repository; `until`: when to stop, between two signatures.
///
/// # Errors
/// None is valid; with the reason.
pub(super) fn verify(
    found: &Found,
    verify: &VerifyConfig,
    name: &str,
    manifest: &Sha256Digest,
    until: Instant,
) -> Result<Valid, String> {
    let name = verify.repository.as_deref().unwrap_or(name);
    let mut furthest: Option<Refusal> = None;
    for (index, signature) in found.signatures.iter().enumerate() {
        if Instant::now() >= until {
            return Err(TOO_SLOW.into());
        }
        match signature.verify(verify, name, manifest) {
            Ok(signer) => return Ok(Valid { index, signer }),
            Err(refusal) if furthest.as_ref().is_none_or(|other| other.rank() <= refusal.rank()) => {
                furthest = Some(refusal);
            }
            Err(_) => {}
        }
    }
    let why = match (furthest, &found.unread) {
        (Some(Refusal::Other(why) | Refusal::Unproven(why) | Refusal::Elsewhere(why)), _) => why,
        (None, Some(unread)) => unread.clone(),
        (None, None) => "it is not signed".into(),
    };
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
    /// Signatures that were found before: the first [`MAX_SIGNATURES`].
    pub fn kept(mut signatures: Vec<Signature>) -> Found {
        signatures.truncate(MAX_SIGNATURES);
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
    ) -> Result<Option<String>, Refusal> {
        let decoded = STANDARD.decode(&self.payload).ok().zip(STANDARD.decode(&self.signature).ok());
        let (payload, signature) =
            decoded.ok_or_else(|| Refusal::Other("its signature is not Base64".into()))?;
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
                let judged = keyless::verify(material, (&signed, &payload, &signature), keyless);
                Some(judged.map_err(Refusal::Unproven)?)
            }
            (Some(_), None) => {
                return Err(match (&self.unproven, &verify.key) {
                    (Some(why), _) => Refusal::Unproven(why.clone()),
                    (None, Some(_)) => Refusal::Other(
                        "none of its signatures is by this key, and this one has no certificate".into(),
                    ),
                    (None, None) => {
                        Refusal::Other("its signature has no certificate, so it was not made keyless".into())
                    }
                });
            }
            (None, _) => return Err(Refusal::Other("none of its signatures is by this key".into())),
        };
        self.names(&payload, name, manifest).map_err(Refusal::Elsewhere)?;
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
        let signature = layer.annotations.get(SIGNATURE_ANNOTATION);
        let Some(signature) = signature.filter(|text| text.len() <= MAX_SIGNATURE) else { continue };
        let payload =
            fetch_blob(client, &layer.digest().map_err(RegistryError::Invalid)?, MAX_PAYLOAD).await?;
        let payload = STANDARD.encode(payload);
        let (material, unproven) = match Material::of_annotations(&layer.annotations) {
            Ok(material) => (material, None),
            Err(why) => (None, Some(why)),
        };
        let (form, signature) = (Form::Simple, signature.clone());
        found.signatures.push(Signature { form, payload, signature, material, unproven });
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
    if layer.size > MAX_BUNDLE {
        found.unread = Some(format!(
            "its bundle has {} bytes, and that of a signature at most {MAX_BUNDLE}, so it was not read",
            layer.size
        ));
        return Ok(());
    }
    let bundle = fetch_blob(client, &layer.digest().map_err(RegistryError::Invalid)?, MAX_BUNDLE).await?;
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
        let read = serde_json::from_slice::<Bundle>(bundle);
        let read = read.map_err(|error| format!("its bundle cannot be read: {error}"))?;
        let envelope = read.dsse_envelope.filter(|envelope| envelope.payload_type == STATEMENT).ok_or(
            "its bundle holds no statement of in-toto, but another kind of signature; only what `cosign sign` makes is \
             understood",
        )?;
        let Certified { certificate, x509_certificate_chain } = read.verification_material;
        let is_certified = certificate.is_some() || x509_certificate_chain.is_some();
        // For a key, only the signature matters.
        let (material, unproven) = match is_certified.then(|| proven(bundle, &read.media_type)) {
            None => (None, None),
            Some(Ok(material)) => (Some(material), None),
            Some(Err(why)) => (None, Some(why)),
        };
        // With a certificate, a bundle has one signature.
        let signatures = envelope.signatures.into_iter().take(if is_certified { 1 } else { MAX_SIGNATURES });
        let signatures = signatures.map(|Sig { sig }| Signature {
            form: Form::Statement,
            payload: envelope.payload.clone(),
            signature: sig,
            material: material.clone(),
            unproven: unproven.clone(),
        });
        Ok(signatures.collect())
    }
}

/// Returns what proves the signature in a bundle with a certificate.
fn proven(bundle: &[u8], media_type: &str) -> Result<Material, String> {
    let version = media_type.strip_prefix(BUNDLE).unwrap_or_default();
    if !BUNDLE_VERSIONS.contains(&version) {
        let found = media_type.escape_debug().to_string();
        return Err(format!("its bundle is `{found:.100}`, and only versions 0.1 to 0.3 are understood"));
    }
    let read = serde_json::from_slice(bundle).map_err(|error| format!("its bundle cannot be read: {error}"));
    let Proven { verification_material: material } = read?;
    // The first version had promises alone.
    if version != BUNDLE_VERSIONS[0] && !material.is_proven() {
        return Err("its bundle lacks the proof that its log has it".into());
    }
    Ok(material)
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

pub(super) fn optional(got: Result<Vec<u8>, RegistryError>) -> Result<Option<Vec<u8>>, RegistryError> {
    match got {
        Ok(content) => Ok(Some(content)),
        Err(RegistryError::Missing) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
