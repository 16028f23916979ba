//! Pushes a component in the layout of the CNCF's working group for WebAssembly.

use bytes::Bytes;
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest};

use super::Artifact;
use super::client::{Access, Client, Outgoing, Trouble};
use super::manifest::{CONFIG, IMAGE, LAYER};

/// The most bytes of a registry's error that are read.
const MAX_ERROR: usize = 16 << 10;

pub(super) async fn push(
    spec: &RegistrySpec,
    reference: &ArtifactReference,
    artifact: Artifact,
) -> Result<Sha256Digest, String> {
    let wrong = |trouble| format!("{reference} cannot be pushed: {}", explain(spec, trouble));
    let tag = reference.tag.as_ref().ok_or("a push needs a tag; write oci://REGISTRY/REPOSITORY:TAG")?;
    let client = Client::new(spec, reference, Access::Push).map_err(wrong)?;
    let (config, manifest) = written(&artifact);
    for blob in [artifact.component.clone(), config.into()] {
        push_blob(&client, blob).await.map_err(wrong)?;
    }
    let digest = Sha256Digest::of(&manifest);
    let place = client.url(&format!("manifests/{tag}")).map_err(wrong)?;
    let answer = client.send(Outgoing::put(place, IMAGE, manifest.into())).await.map_err(wrong)?;
    expect(&client, answer, StatusCode::CREATED).await.map_err(wrong)?;
    Ok(digest)
}

/// Pushes a blob, unless the registry has it, in one piece.
async fn push_blob(client: &Client, blob: Bytes) -> Result<(), Trouble> {
    let digest = format!("sha256:{}", Sha256Digest::of(&blob));
    let there = client.send(Outgoing::new(Method::HEAD, client.url(&format!("blobs/{digest}"))?)).await?;
    if there.status() == StatusCode::OK {
        return Ok(());
    }
    let uploads = client.url("blobs/uploads/")?;
    let session = client.send(Outgoing::new(Method::POST, uploads.clone())).await?;
    let session = expect(client, session, StatusCode::ACCEPTED).await?;
    let place = client.location(&uploads, &session)?;
    let mut place = place.ok_or_else(|| Trouble::Wrong("it names no place for an upload".into()))?;
    place.query_pairs_mut().append_pair("digest", &digest);
    let answer = client.send(Outgoing::put(place, "application/octet-stream", blob)).await?;
    expect(client, answer, StatusCode::CREATED).await.map(drop)
}

/// Returns the answer if it has this status, otherwise what the registry says about the request.
async fn expect(client: &Client, mut answer: Response, good: StatusCode) -> Result<Response, Trouble> {
    let Err(trouble) = client.check(&answer, good) else { return Ok(answer) };
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MAX_ERROR {
            break;
        }
    }
    let Some(said) = messages(&text) else { return Err(trouble) };
    Err(match trouble {
        Trouble::Away(why) => Trouble::Away(format!("{why}: {said}")),
        Trouble::Denied(why) => Trouble::Denied(format!("{why}: {said}")),
        Trouble::Wrong(why) => Trouble::Wrong(format!("{why}: {said}")),
        Trouble::Unsigned(why) => Trouble::Unsigned(why),
        Trouble::Missing => Trouble::Wrong(said),
    })
}

/// The messages of an error as the specification has it.
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
    let said = problems.collect::<Vec<_>>().join("; ");
    let said: String = said.chars().filter(|character| !character.is_control()).take(300).collect();
    (!said.is_empty()).then_some(said)
}

/// Returns the artifact's configuration and its manifest, as they are pushed.
fn written(artifact: &Artifact) -> (Vec<u8>, Vec<u8>) {
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

fn explain(spec: &RegistrySpec, trouble: Trouble) -> String {
    match trouble {
        Trouble::Away(why) | Trouble::Denied(why) | Trouble::Wrong(why) | Trouble::Unsigned(why) => why,
        Trouble::Missing => format!("{} has no such repository, and does not make it", spec.host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;
    use std::collections::BTreeMap;
    use std::time::SystemTime;

    #[test]
    fn what_is_pushed_can_be_pulled_and_is_the_same_twice() {
        let artifact = Artifact {
            component: Bytes::from_static(b"\0asm"),
            file: "acl.wasm".into(),
            imports: vec!["wasi:io/poll@0.2.6".into()],
            exports: vec!["tuffet:policy/authorize@1.0.0".into()],
            created: SystemTime::UNIX_EPOCH,
            annotations: BTreeMap::from([("org.opencontainers.image.version".into(), "1.2".into())]),
        };
        let (config, manifest) = written(&artifact);
        assert_eq!(written(&artifact.clone()), (config.clone(), manifest.clone()));
        let read = Manifest::parse(&manifest).unwrap();
        assert!(read.chosen().unwrap().is_none());
        assert_eq!(read.component().unwrap().digest(), Ok(Sha256Digest::of(b"\0asm")));
        let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
        assert_eq!((&config["architecture"], &config["os"]), (&json!("wasm"), &json!("wasip2")));
        assert_eq!(config["created"], "1970-01-01T00:00:00Z");
        assert_eq!(config["component"]["exports"][0], "tuffet:policy/authorize@1.0.0");
    }
}
