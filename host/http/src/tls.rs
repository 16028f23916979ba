//! The certificates of an HTTPS server: read from files, checked, and replaced while it runs.

use parking_lot::RwLock;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{Error, InconsistentKeys, RootCertStore, ServerConfig};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_rustls::server::TlsStream;
use tuffet::Certificate;
use webpki::{ALL_VERIFICATION_ALGS, EndEntityCert, Error as WebPkiError, KeyUsage};

/// Certificate, key, and the authorities of clients. Cheap to clone; clones share them, so that
/// [`Certificates::replace`] reaches each server that has one.
#[derive(Clone)]
pub struct Certificates(Arc<RwLock<Loaded>>);

#[derive(Clone)]
struct Loaded {
    config: Arc<ServerConfig>,
    not_after: Option<SystemTime>,
}

/// A file from which the certificates cannot be taken.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {problem}", path.display())]
pub struct CertificateError {
    path: PathBuf,
    problem: String,
}

impl CertificateError {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Certificates {
    /// Reads PEM files: the certificate of the server, followed by those between it and its authority; its key, which is
    /// not encrypted; and authorities of clients. With these, a client is asked for a certificate, and one that has none
    /// may connect, but one with a certificate of another authority may not.
    ///
    /// # Errors
    /// A file cannot be read, does not hold what it should, or the key is not that of the certificate.
    pub fn load(
        certificate: &Path,
        key: &Path,
        client_authorities: Option<&Path>,
    ) -> Result<Certificates, CertificateError> {
        let provider = Arc::new(default_provider());
        let chain = certificates(certificate)?;
        let not_after = chain.first().and_then(not_after);
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .expect("ring has the suites of TLS 1.2 and 1.3");
        let builder = match client_authorities {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for authority in certificates(path)? {
                    roots
                        .add(authority)
                        .map_err(|error| wrong(path, format!("holds no valid authority: {error}")))?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                let verifier = verifier.allow_unauthenticated().build();
                builder.with_client_cert_verifier(verifier.map_err(|error| wrong(path, error.to_string()))?)
            }
        };
        let mut config = builder.with_single_cert(chain, private_key(key)?).map_err(|error| match error {
            Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
                wrong(key, format!("is not the key of the certificate in `{}`", certificate.display()))
            }
            Error::InvalidCertificate(error) => {
                wrong(certificate, format!("holds no valid certificate: {error}"))
            }
            error => wrong(key, format!("holds no key that can be used: {error}")),
        })?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Certificates(Arc::new(RwLock::new(Loaded { config: config.into(), not_after }))))
    }

    /// The end of the validity of the server's certificate, if it can be read.
    pub fn not_after(&self) -> Option<SystemTime> {
        self.0.read().not_after
    }

    /// Uses these from the next connection on, in each server that has a clone.
    pub fn replace(&self, other: &Certificates) {
        let loaded = other.0.read().clone();
        *self.0.write() = loaded;
    }

    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.0.read().config)
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificates").field("not_after", &self.not_after()).finish_non_exhaustive()
    }
}

fn wrong(path: &Path, problem: impl Into<String>) -> CertificateError {
    CertificateError { path: path.to_owned(), problem: problem.into() }
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateError> {
    fs::read(path).map_err(|error| wrong(path, format!("cannot be read: {error}")))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let found: Result<Vec<_>, PemError> = CertificateDer::pem_slice_iter(&read(path)?).collect();
    let found = found.map_err(|error| wrong(path, format!("is not valid PEM: {error}")))?;
    match found.is_empty() {
        true => Err(wrong(path, "holds no certificate: PEM with `BEGIN CERTIFICATE` is expected")),
        false => Ok(found),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, CertificateError> {
    let text = read(path)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        PemError::NoItemsFound if text.windows(9).any(|part| part == b"ENCRYPTED") => {
            wrong(path, "the key is encrypted: store it decrypted (`openssl pkey -in FILE -out NEW`)")
        }
        PemError::NoItemsFound => wrong(path, "holds no key: PEM with `BEGIN PRIVATE KEY` is expected"),
        error => wrong(path, format!("is not valid PEM: {error}")),
    })
}

/// Returns the end of the validity. webpki does not give it away, but names it in its complaint about a certificate that
/// has expired, as every one has at the end of time.
fn not_after(certificate: &CertificateDer<'_>) -> Option<SystemTime> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let time = UnixTime::since_unix_epoch(Duration::from_secs(u64::MAX));
    let usage = KeyUsage::server_auth();
    match certificate.verify_for_usage(ALL_VERIFICATION_ALGS, &[], &[], time, usage, None, None) {
        Err(WebPkiError::CertExpired { not_after, .. }) => {
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(not_after.as_secs()))
        }
        _ => None,
    }
}

/// The most names of a certificate that policy sees.
const MAX_NAMES: usize = 32;

/// The certificate that a client has shown, which the session has verified.
pub(crate) fn certificate_of<S>(stream: &TlsStream<S>) -> Option<Arc<Certificate>> {
    let der = stream.get_ref().1.peer_certificates()?.first()?;
    let sha256 = Sha256::digest(der).iter().map(|byte| format!("{byte:02x}")).collect();
    let certificate = EndEntityCert::try_from(der).ok()?;
    let names = certificate.valid_dns_names().take(MAX_NAMES).map(str::to_ascii_lowercase).collect();
    Some(Arc::new(Certificate { sha256, names }))
}
