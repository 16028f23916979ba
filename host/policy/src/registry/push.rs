//! Pushes a component in the layout of the CNCF's working group for WebAssembly.

use oci_client::client::{Certificate, CertificateEncoding, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference, RegistryOperation};
use serde_json::json;
use tuffet_config::{ArtifactReference, RegistrySpec, Sha256Digest};

use super::Artifact;
use super::manifest::{CONFIG, IMAGE, LAYER};
use crate::{causes, tls};

const END_OF_CERTIFICATE: &str = "-----END CERTIFICATE-----";

pub(super) async fn push(
    spec: &RegistrySpec,
    reference: &ArtifactReference,
    artifact: Artifact,
) -> Result<Sha256Digest, String> {
    let wrong = |error| format!("{reference} cannot be pushed: {}", explain(spec, error));
    let client = client(spec).map_err(wrong)?;
    let tag = reference.tag.clone().ok_or("a push needs a tag; write oci://REGISTRY/REPOSITORY:TAG")?;
    let image = Reference::with_tag(reference.registry.clone(), reference.repository.clone(), tag);
    let login = match &spec.login {
        Some((user, password)) => RegistryAuth::Basic(user.reveal().into(), password.reveal().into()),
        None => RegistryAuth::Anonymous,
    };
    client.auth(&image, &login, RegistryOperation::Push).await.map_err(wrong)?;
    let (config, manifest) = written(&artifact);
    for blob in [artifact.component.clone(), config.into()] {
        let digest = format!("sha256:{}", Sha256Digest::of(&blob));
        client.push_blob(&image, blob, &digest).await.map_err(wrong)?;
    }
    let digest = Sha256Digest::of(&manifest);
    let kind = IMAGE.parse().map_err(|_| "the media type of manifests is none")?;
    client.push_manifest_raw(&image, manifest, kind).await.map_err(wrong)?;
    Ok(digest)
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

fn client(spec: &RegistrySpec) -> Result<Client, OciDistributionError> {
    tls::choose_provider();
    let ca = spec.ca.as_deref().unwrap_or_default();
    let certificates = ca.split_inclusive(END_OF_CERTIFICATE).filter(|pem| pem.contains(END_OF_CERTIFICATE));
    let certificates = certificates
        .map(|pem| Certificate { encoding: CertificateEncoding::Pem, data: pem.as_bytes().to_vec() })
        .collect();
    Client::try_from(ClientConfig {
        protocol: if spec.plain_http { ClientProtocol::Http } else { ClientProtocol::Https },
        extra_root_certificates: certificates,
        read_timeout: Some(spec.timeout),
        connect_timeout: Some(spec.timeout),
        user_agent: concat!("tuffet/", env!("CARGO_PKG_VERSION")),
        ..ClientConfig::default()
    })
}

/// Without URLs, which may hold secrets.
fn explain(spec: &RegistrySpec, error: OciDistributionError) -> String {
    let host = &spec.host;
    match error {
        OciDistributionError::RequestError(error) => format!("{host}: {}", causes::of(error)),
        OciDistributionError::UnauthorizedError { .. }
        | OciDistributionError::ServerError { code: 401 | 403, .. } => {
            format!("{host} wants another login; `docker login {host}`, or configure one below `registries`")
        }
        OciDistributionError::ServerError { code, message, .. } => {
            format!("{host} answers with the status {code}: {message:.300}")
        }
        OciDistributionError::RegistryError { envelope, .. } => {
            format!("{host}: {:.300}", envelope.to_string())
        }
        other => format!("{host}: {:.300}", other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::manifest::Manifest;
    use bytes::Bytes;
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
