//! Signs a pushed manifest in cosign's layout: a manifest with the tag `sha256-DIGEST.sig`, whose layers are payloads with
//! their signatures. Every registry takes it, and `verify.key` of a server and `cosign verify` read it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use serde_json::{Value, json};
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest};

use super::client::{Access, Client, RegistryError, Request};
use super::manifest::{ACCEPTED, IMAGE};
use super::push::{expect, explain, push_blob};
use super::signature::{MAX_MANIFEST, SIGNATURE_ANNOTATION, SIMPLE_SIGNING, optional};

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";
/// The media type of an image's configuration, which tools for images expect.
const IMAGE_CONFIG: &str = "application/vnd.oci.image.config.v1+json";

/// A private key that signs components.
#[derive(Debug)]
pub struct SignKey(Kind);

#[derive(Debug)]
enum Kind {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SignKey {
    /// Reads a key in PEM (PKCS #8, not encrypted): ECDSA P-256 or Ed25519.
    ///
    /// # Errors
    /// It is no such key; with the remedy.
    pub fn read(pem: &str) -> Result<SignKey, String> {
        const ADVICE: &str = "let `openssl genpkey -algorithm ed25519 -out sign.key` write one, or `openssl pkcs8 -topk8 \
                              -nocrypt` convert one";
        if pem.contains("ENCRYPTED SIGSTORE PRIVATE KEY") || pem.contains("ENCRYPTED COSIGN PRIVATE KEY") {
            return Err(format!(
                "cosign has encrypted it, and cosign alone can use it: push without this key, and let `cosign sign --key` sign \
                 what `push` prints, which servers take as well; or {ADVICE}"
            ));
        }
        if pem.contains("ENCRYPTED") {
            return Err("it is encrypted: let `openssl pkey -in FILE -out sign.key` decrypt it".into());
        }
        let text = pem.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map(|(text, _)| text);
        let Some(text) = text else {
            return Err(format!("it holds no private key in PKCS #8 (`{BEGIN}`); {ADVICE}"));
        };
        let text: String = text.split_whitespace().collect();
        let der =
            STANDARD.decode(text).map_err(|error| format!("its PEM block is damaged: {error}; {ADVICE}"))?;
        if let Ok(key) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der) {
            return Ok(SignKey(Kind::Ed25519(key)));
        }
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &der, &SystemRandom::new())
            .map(|key| SignKey(Kind::P256(key)))
            .map_err(|_| format!("it is a key of another kind than ECDSA P-256 and Ed25519; {ADVICE}"))
    }

    fn sign(&self, text: &[u8]) -> Result<String, RegistryError> {
        match &self.0 {
            Kind::Ed25519(key) => Ok(STANDARD.encode(key.sign(text))),
            Kind::P256(key) => {
                let signature = key.sign(&SystemRandom::new(), text);
                let signature = signature.map_err(|_| {
                    RegistryError::Invalid("the system has no random numbers to sign with".into())
                })?;
                Ok(STANDARD.encode(signature))
            }
        }
    }
}

/// Signs a pushed manifest, beside the signatures that it has.
///
/// # Errors
/// The registry does not take the signature; with the reason.
pub(super) async fn sign(
    spec: &RegistrySpec,
    reference: &ArtifactReference,
    manifest: &Sha256Digest,
    key: &SignKey,
) -> Result<(), String> {
    let signed = async {
        let client = Client::new(spec, reference, Access::Push)?;
        add(&client, reference, manifest, key).await
    };
    let unsigned =
        |error| format!("{reference} is pushed, and its signature is not: {}", explain(spec, error));
    signed.await.map_err(unsigned)
}

async fn add(
    client: &Client,
    reference: &ArtifactReference,
    manifest: &Sha256Digest,
    key: &SignKey,
) -> Result<(), RegistryError> {
    let payload = payload(&reference.name(), manifest).into_bytes();
    let signature = key.sign(&payload)?;
    let tag = format!("manifests/sha256-{manifest}.sig");
    let existing = optional(client.get(&tag, ACCEPTED, MAX_MANIFEST).await)?;
    let existing: Value = existing.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    let mut layers = existing["layers"].as_array().cloned().unwrap_or_default();
    // Ed25519 signs a text always alike.
    if layers.iter().any(|layer| layer["annotations"][SIGNATURE_ANNOTATION] == signature.as_str()) {
        return Ok(());
    }
    layers.push(json!({
        "mediaType": SIMPLE_SIGNING,
        "digest": format!("sha256:{}", Sha256Digest::of(&payload)),
        "size": payload.len(),
        "annotations": { SIGNATURE_ANNOTATION: signature },
    }));
    let config = config(&layers);
    let signed = json!({
        "schemaVersion": 2,
        "mediaType": IMAGE,
        "config": {
            "mediaType": IMAGE_CONFIG,
            "digest": format!("sha256:{}", Sha256Digest::of(&config)),
            "size": config.len(),
        },
        "layers": layers,
    });
    push_blob(client, payload.into()).await?;
    push_blob(client, config.into()).await?;
    let response = client.send(Request::put(client.url(&tag)?, IMAGE, signed.to_string().into())).await?;
    expect(client, response, reqwest::StatusCode::CREATED).await.map(drop)
}

/// Returns the signed text: the "simple signing" payload of cosign.
fn payload(name: &str, manifest: &Sha256Digest) -> String {
    json!({
        "critical": {
            "identity": { "docker-reference": name },
            "image": { "docker-manifest-digest": format!("sha256:{manifest}") },
            "type": "cosign container image signature",
        },
        "optional": null,
    })
    .to_string()
}

/// Returns the configuration of an image with these layers.
fn config(layers: &[Value]) -> Vec<u8> {
    let layers: Vec<&Value> = layers.iter().map(|layer| &layer["digest"]).collect();
    let config = json!({
        "architecture": "",
        "os": "",
        "created": "0001-01-01T00:00:00Z",
        "config": {},
        "rootfs": { "type": "layers", "diff_ids": layers },
    });
    config.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_both_kinds_are_read_and_others_are_refused_with_the_remedy() {
        let random = SystemRandom::new();
        let pem = |der: &[u8]| format!("{BEGIN}\n{}\n{END}\n", STANDARD.encode(der));
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        assert!(matches!(SignKey::read(&pem(p256.as_ref())), Ok(SignKey(Kind::P256(_)))));
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        assert!(matches!(SignKey::read(&pem(ed25519.as_ref())), Ok(SignKey(Kind::Ed25519(_)))));
        for (text, said, remedy) in [
            ("", "no private key in PKCS #8", "openssl genpkey"),
            (
                "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----",
                "cosign has encrypted it",
                "`cosign sign --key`",
            ),
            (
                "-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----",
                "cosign has encrypted it",
                "`cosign sign --key`",
            ),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----", "it is encrypted", "openssl pkey -in"),
            ("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED", "it is encrypted", "openssl pkey -in"),
            (&pem(b"other"), "of another kind", "openssl genpkey"),
            ("-----BEGIN PRIVATE KEY-----\n%\n-----END PRIVATE KEY-----", "is damaged", "openssl genpkey"),
        ] {
            let why = SignKey::read(text).unwrap_err();
            assert!(why.contains(said) && why.contains(remedy), "{why}");
        }
    }
}
