//! TLS roots and client identity for OTLP.

use opentelemetry_otlp::tonic_types::transport::{Certificate, ClientTlsConfig, Identity};
use std::fs;

/// The largest certificate file in bytes.
const MAX_FILE: u64 = 1 << 20;

/// Certificates in PEM; by default, those of the system are trusted.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Tls {
    /// The only trusted certificates.
    pub(super) authority: Option<Vec<u8>>,
    /// The client certificate and its key.
    pub(super) client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Tls {
    /// # Errors
    /// The file cannot be read, or is not PEM.
    pub(super) fn read(path: &str) -> Result<Vec<u8>, String> {
        let about = fs::metadata(path).map_err(|error| error.to_string())?;
        if !about.is_file() || about.len() > MAX_FILE {
            return Err(format!("it is not a file, or has more than {MAX_FILE} bytes"));
        }
        let pem = fs::read(path).map_err(|error| error.to_string())?;
        let begin = b"-----BEGIN ";
        if pem.windows(begin.len()).any(|part| part == begin) { Ok(pem) } else { Err("it is not PEM".into()) }
    }

    /// Returns the configuration for gRPC.
    pub(super) fn grpc(&self) -> ClientTlsConfig {
        let config = match &self.authority {
            Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
            None => ClientTlsConfig::new().with_enabled_roots(),
        };
        match &self.client {
            Some((certificate, key)) => config.identity(Identity::from_pem(certificate, key)),
            None => config,
        }
    }

    /// Returns a client for HTTP with these certificates.
    ///
    /// # Errors
    /// The certificates are invalid.
    pub(super) fn http(&self, timeout: std::time::Duration) -> Result<reqwest::blocking::Client, String> {
        let mut builder = reqwest::blocking::Client::builder().timeout(timeout);
        if let Some(pem) = &self.authority {
            let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(explain)?;
            builder = builder.tls_certs_only(certificates);
        }
        if let Some((certificate, key)) = &self.client {
            let pem = [key.as_slice(), b"\n", certificate].concat();
            builder = builder.identity(reqwest::Identity::from_pem(&pem).map_err(explain)?);
        }
        // The client contains a runtime, which must not be created within another.
        let made = std::thread::spawn(move || builder.build()).join();
        made.map_err(|_| "cannot create the HTTP client".to_owned())?.map_err(explain)
    }
}

fn explain(error: reqwest::Error) -> String {
    use std::error::Error;
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}
