//! The certificates of OTLP.

use reqwest::ClientBuilder;
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// Certificates in PEM; by default, those of the system are trusted.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// The only trusted certificates.
    pub authority: Option<Vec<u8>>,
    /// The client certificate and its key.
    pub client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Tls {
    /// Returns the configuration for gRPC.
    pub(super) fn grpc(&self) -> ClientTlsConfig {
        let config = match &self.authority {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_native_roots(),
        };
        match &self.client {
            Some((certificate, key)) => config.identity(Identity::from_pem(certificate, key)),
            None => config,
        }
    }

    /// Adds these certificates to a client for HTTP.
    pub(super) fn http(&self, mut builder: ClientBuilder) -> reqwest::Result<ClientBuilder> {
        if let Some(pem) = &self.authority {
            builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(pem)?);
        }
        if let Some((certificate, key)) = &self.client {
            let pem = [key.as_slice(), b"\n", certificate].concat();
            builder = builder.identity(reqwest::Identity::from_pem(&pem)?);
        }
        Ok(builder)
    }
}
