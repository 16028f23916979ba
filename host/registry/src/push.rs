//! Pushes a component in the layout of the CNCF's working group for WebAssembly.

use bytes::Bytes;
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest};

use super::Artifact;
use super::client::{Access, Client, RegistryError, Request};
use super::manifest::{CONFIG, IMAGE, LAYER};

/// The maximum number of bytes read from an error response.
const MAX_ERROR: usize = 16 << 10;

pub(super) async fn push(
    spec: &RegistrySpec,
    reference: &ArtifactReference,
    artifact: Artifact,
) -> Result<Sha256Digest, String> {
    let wrong = |error| format!("{reference} cannot be pushed: {}", explain(spec, error));
    let tag = reference.tag.as_ref().ok_or("a push needs a tag; write oci://REGISTRY/REPOSITORY:TAG")?;
    let client = Client::new(spec, reference, Access::Push).map_err(wrong)?;
    let (config, manifest) = encode(&artifact);
    for blob in [artifact.component.clone(), config.into()] {
        push_blob(&client, blob).await.map_err(wrong)?;
    }
    let digest = Sha256Digest::of(&manifest);
    let url = client.url(&format!("manifests/{tag}")).map_err(wrong)?;
    let response = client.send(Request::put(url, IMAGE, manifest.into())).await.map_err(wrong)?;
    expect(&client, response, StatusCode::CREATED).await.map_err(wrong)?;
    Ok(digest)
}

/// Pushes a blob in one piece, unless the registry has it.
pub(super) async fn push_blob(client: &Client, blob: Bytes) -> Result<(), RegistryError> {
    let digest = format!("sha256:{}", Sha256Digest::of(&blob));
    let existing = client.send(Request::new(Method::HEAD, client.url(&format!("blobs/{digest}"))?)).await?;
    if existing.status() == StatusCode::OK {
        return Ok(());
    }
    let uploads = client.url("blobs/uploads/")?;
    let session = client.send(Request::new(Method::POST, uploads.clone())).await?;
    let session = expect(client, session, StatusCode::ACCEPTED).await?;
    let url = client.location(&uploads, &session)?;
    let mut url = url.ok_or_else(|| RegistryError::Invalid("it names no URL for the upload".into()))?;
    url.query_pairs_mut().append_pair("digest", &digest);
    let response = client.send(Request::put(url, "application/octet-stream", blob)).await?;
    expect(client, response, StatusCode::CREATED).await.map(drop)
}

/// Returns the response if it has this status, otherwise an error with the registry's messages.
pub(super) async fn expect(
    client: &Client,
    mut response: Response,
    good: StatusCode,
) -> Result<Response, RegistryError> {
    let Err(error) = client.check(&response, good) else { return Ok(response) };
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MAX_ERROR {
            break;
        }
    }
    let Some(messages) = messages(&text) else { return Err(error) };
    Err(match error {
        RegistryError::Unavailable(why) => RegistryError::Unavailable(format!("{why}: {messages}")),
        RegistryError::Denied(why) => RegistryError::Denied(format!("{why}: {messages}")),
        RegistryError::Invalid(why) => RegistryError::Invalid(format!("{why}: {messages}")),
        RegistryError::Unsigned(why) => RegistryError::Unsigned(why),
        RegistryError::Missing => RegistryError::Invalid(messages),
    })
}

/// Parses the messages of an error response (OCI distribution specification).
fn messages(text: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Envelope {
        errors: Vec<Problem>,
    }
    #[derive(Deserialize)]
    struct Problem {
        code: String,
        #[serde(default)]
        message: String,
    }
    let envelope: Envelope = serde_json::from_slice(text).ok()?;
    let problems = envelope.errors.iter().map(|problem| format!("{} {}", problem.code, problem.message));
    let messages = problems.collect::<Vec<_>>().join("; ");
    let messages: String = messages.chars().filter(|character| !character.is_control()).take(300).collect();
    (!messages.is_empty()).then_some(messages)
}

/// Encodes the configuration and the manifest of an artifact.
fn encode(artifact: &Artifact) -> (Vec<u8>, Vec<u8>) {
    let layer = Sha256Digest::of(&artifact.component);
    let created = humantime::format_rfc3339_seconds(artifact.created).to_string();
    let config = json!({
        "created": created,
        "architecture": "wasm",
        "os": "wasip2",
        "layerDigests": [format!("sha256:{layer}")],
        "component": { "exports": artifact.exports, "imports": artifact.imports, "target": null },
    });
    let config = config.to_string().into_bytes();
    let mut annotations = artifact.annotations.clone();
    annotations.entry("org.opencontainers.image.created".into()).or_insert(created);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": IMAGE,
        "config": {
            "mediaType": CONFIG,
            "digest": format!("sha256:{}", Sha256Digest::of(&config)),
            "size": config.len(),
        },
        "layers": [{
            "mediaType": LAYER,
            "digest": format!("sha256:{layer}"),
            "size": artifact.component.len(),
            "annotations": { "org.opencontainers.image.title": artifact.file },
        }],
        "annotations": annotations,
    });
    (config, manifest.to_string().into_bytes())
}

pub(super) fn explain(spec: &RegistrySpec, error: RegistryError) -> String {
    match error {
        RegistryError::Unavailable(why)
        | RegistryError::Denied(why)
        | RegistryError::Invalid(why)
        | RegistryError::Unsigned(why) => why,
        RegistryError::Missing => format!("{} has no such repository, and does not create it", spec.host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;
    use std::collections::BTreeMap;
    use std::time::SystemTime;

    #[test]
    fn a_pushed_artifact_can_be_pulled_and_is_reproducible() {
        let artifact = Artifact {
            component: Bytes::from_static(b"\0asm"),
            file: "acl.wasm".into(),
            imports: vec!["wasi:io/poll@0.2.6".into()],
            exports: vec!["tuffet:policy/authorize@1.0.0".into()],
            created: SystemTime::UNIX_EPOCH,
            annotations: BTreeMap::from([("org.opencontainers.image.version".into(), "1.2".into())]),
        };
        let (config, manifest) = encode(&artifact);
        assert_eq!(encode(&artifact.clone()), (config.clone(), manifest.clone()));
        let read = Manifest::parse(&manifest).unwrap();
        assert!(read.chosen().unwrap().is_none());
        assert_eq!(read.component().unwrap().digest(), Ok(Sha256Digest::of(b"\0asm")));
        let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
        assert_eq!((&config["architecture"], &config["os"]), (&json!("wasm"), &json!("wasip2")));
        assert_eq!(config["created"], "1970-01-01T00:00:00Z");
        assert_eq!(config["component"]["exports"][0], "tuffet:policy/authorize@1.0.0");
    }
}
