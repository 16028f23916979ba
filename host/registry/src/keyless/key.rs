//! Signatures by public keys and chains of certificates, by the verifier that TLS uses here (rustls-webpki, with ring).

use std::time::SystemTime;

use rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer, UnixTime};
use webpki::{
    ALL_VERIFICATION_ALGS, EndEntityCert, Error, KeyUsage, RawPublicKeyEntity, anchor_from_trusted_cert,
};

use super::certificate::Certificate;

/// Why a certificate does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Untrusted {
    /// It was not valid at that time.
    Time,
    /// Another reason, as text.
    Other(String),
}

/// Returns whether this key made the signature of the message. `key`: a `SubjectPublicKeyInfo` in DER.
pub(super) fn verify(key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key = SubjectPublicKeyInfoDer::from(key);
    RawPublicKeyEntity::try_from(&key).is_ok_and(|key| {
        ALL_VERIFICATION_ALGS
            .iter()
            .any(|algorithm| key.verify_signature(*algorithm, message, signature).is_ok())
    })
}

/// Verifies that the certificates lead from this one to the last of them, at this time. None may be for another purpose,
/// but authorities need not name one.
pub(super) fn verify_chain(
    certificate: &[u8],
    issuers: &[Vec<u8>],
    time: SystemTime,
    purpose: &'static [u8],
) -> Result<(), Untrusted> {
    let other = |error: Error| Untrusted::Other(error.to_string());
    let issuers: Vec<CertificateDer> = issuers.iter().map(|der| CertificateDer::from(&der[..])).collect();
    let Some((root, between)) = issuers.split_last() else {
        return Err(Untrusted::Other("no authority".into()));
    };
    let damaged =
        |error| Untrusted::Other(format!("a certificate of the trusted root cannot be read: {error}"));
    // Of an anchor, webpki uses name and key alone.
    let [from, until] = Certificate::parse(root)
        .ok_or_else(|| Untrusted::Other("a certificate of the trusted root cannot be read".into()))?
        .valid;
    if !(from..=until).contains(&time) {
        return Err(Untrusted::Time);
    }
    let anchors = [anchor_from_trusted_cert(root).map_err(damaged)?];
    let certificate = CertificateDer::from(certificate);
    let certificate = EndEntityCert::try_from(&certificate).map_err(other)?;
    let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH).map_err(|_| Untrusted::Time)?;
    let time = UnixTime::since_unix_epoch(since_epoch);
    let usage = KeyUsage::required_if_present(purpose);
    let verified =
        certificate.verify_for_usage(ALL_VERIFICATION_ALGS, &anchors, between, time, usage, None, None);
    match verified {
        Ok(_) => Ok(()),
        Err(Error::CertExpired { .. } | Error::CertNotValidYet { .. }) => Err(Untrusted::Time),
        Err(error) => Err(other(error)),
    }
}
