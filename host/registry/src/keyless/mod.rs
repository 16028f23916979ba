//! Signatures without a key of the signer's own ("keyless"), verified without a network.
//!
//! The signer has a certificate that was valid for minutes; an authority (Fulcio) issued it for an identity, which an
//! issuer of tokens vouched for. So a signature counts if
//!
//! - the certificate names the configured identity and issuer (`certificate`),
//! - a log (Rekor) has the signature (`log`), and signed when, or a time-stamping authority did (`time_stamp`),
//! - the certificate was valid then, issued by an authority of the trusted root (`key`), and is in a log of
//!   certificates.
//!
//! The trusted root decides what is required: what it has no log for needs no entry in one. All comes from a registry
//! and is not trusted; its size is limited where it is fetched, and its lists where they are read (`material`). What an
//! authority did not issue is refused before its proofs are looked at, because those cost more.

mod certificate;
mod der;
mod key;
mod log;
mod material;
mod time_stamp;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tuffet_config::{KeylessConfig, TrustedAuthority, TrustedRoot};

use certificate::Certificate;
use key::Untrusted;
pub(crate) use material::Material;

/// The purpose of a signer's certificate (RFC 5280, section 4.2.1.12).
const CODE_SIGNING: &[u8] = &[0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x03];
const NO_AUTHORITY: &str = "its certificate is by no authority of the trusted root";

/// A signature, and what it is of.
pub(crate) struct Signed<'a> {
    /// The signer's certificate, in DER.
    pub certificate: &'a [u8],
    /// The signed bytes.
    pub message: &'a [u8],
    /// What the signer meant: the signed bytes, or the payload in them.
    pub payload: &'a [u8],
    /// The signature.
    pub signature: &'a [u8],
}

/// Verifies a signature, and returns the identity of its signer.
///
/// # Errors
/// It does not count; with the reason.
pub(crate) fn verify(
    material: &Material,
    (message, payload, signature): (&[u8], &[u8], &[u8]),
    required: &KeylessConfig,
) -> Result<String, String> {
    let der = material.certificate().ok_or("its signature has no certificate, so it was not made keyless")?;
    let certificate = Certificate::parse(&der).ok_or("its certificate cannot be read")?;
    let identity = required_identity(&certificate, required)?;
    if !certificate.is_for(CODE_SIGNING) {
        return Err("its certificate is not for signing".into());
    }
    if !key::verify(certificate.key, message, signature) {
        return Err("its signature is not by the key in its certificate".into());
    }
    let signed = Signed { certificate: &der, message, payload, signature };
    let mut why = format!("{NO_AUTHORITY} ({})", required.trusted_root.display());
    for root in &required.roots {
        let (authorities, others) = issuers(root, &der, &certificate);
        if authorities.is_empty() {
            why = others.map_or(why, |reason| format!("{NO_AUTHORITY}: {reason}"));
            continue;
        }
        match verify_with(root, &authorities, material, &signed, &certificate) {
            Ok(()) => return Ok(identity),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

/// Returns the identity in the certificate, if it is the required one.
fn required_identity(certificate: &Certificate, required: &KeylessConfig) -> Result<String, String> {
    let shown = |text: &str| format!("{:.300}", text.escape_debug().to_string());
    let names = certificate.names();
    let Some(identity) = names.iter().find(|name| required.names(name)) else {
        let found = names.first().map_or("nobody".to_owned(), |name| shown(name));
        return Err(format!("it is signed by {found}, not by {}", required.identity));
    };
    let issuer = certificate.token_issuer();
    if issuer != Some(&*required.issuer) {
        let found = issuer.map_or("nobody".to_owned(), shown);
        return Err(format!("{found} vouched for its signer, not {}", required.issuer));
    }
    let source = certificate.source_repository();
    match &required.source_repository {
        Some(due) if source != Some(&**due) => {
            let found = source.map_or("no repository".to_owned(), shown);
            Err(format!("its signer worked for {found}, not for {due}"))
        }
        _ => Ok((*identity).to_owned()),
    }
}

/// Returns the authorities that issued the certificate, and why one that it names did not.
fn issuers<'a>(
    root: &'a TrustedRoot,
    der: &[u8],
    certificate: &Certificate,
) -> (Vec<&'a TrustedAuthority>, Option<String>) {
    let (mut issuers, mut why) = (Vec::new(), None);
    for authority in &root.authorities {
        let own = authority.certificates.first().and_then(|der| Certificate::parse(der));
        if own.is_none_or(|own| own.subject != certificate.issuer) {
            continue;
        }
        match key::verify_chain(der, &authority.certificates, certificate.valid[0], CODE_SIGNING) {
            Ok(()) => issuers.push(authority),
            Err(Untrusted::Time) => why = Some("it was issued when its authority was not valid".into()),
            Err(Untrusted::Other(reason)) => why = Some(reason),
        }
    }
    (issuers, why)
}

/// Verifies everything besides identity and signature, with the means of one root.
fn verify_with(
    root: &TrustedRoot,
    authorities: &[&TrustedAuthority],
    material: &Material,
    signed: &Signed,
    certificate: &Certificate,
) -> Result<(), String> {
    let mut times = time_stamps(root, material, signed.signature);
    if !root.logs.is_empty() {
        times.extend(logged(root, material, signed, &times)?);
    }
    if times.is_empty() {
        return Err(
            "neither a log nor a time-stamping authority of the trusted root says when it was signed".into(),
        );
    }
    let mut issuer = None;
    for time in times {
        let judged: Vec<_> = authorities
            .iter()
            .map(|authority| verify_issued(signed.certificate, authority, time).map(|()| *authority))
            .collect();
        issuer = judged.iter().find_map(|judged| judged.as_ref().ok().copied());
        if issuer.is_none() {
            return Err(untrusted(&judged, time));
        }
    }
    let is_logged = |authority: &TrustedAuthority| {
        let own = authority.certificates.first().and_then(|der| Certificate::parse(der));
        own.is_some_and(|own| certificate.is_logged(&root.certificate_logs, own.key))
    };
    if !root.certificate_logs.is_empty() && !issuer.is_some_and(is_logged) {
        return Err("its certificate is in no log of certificates of the trusted root".into());
    }
    Ok(())
}

/// Verifies that an authority issued this certificate, at a time at which both are valid.
fn verify_issued(
    certificate: &[u8],
    authority: &TrustedAuthority,
    time: SystemTime,
) -> Result<(), Untrusted> {
    if !authority.period.contains(time) {
        return Err(Untrusted::Time);
    }
    key::verify_chain(certificate, &authority.certificates, time, CODE_SIGNING)
}

/// Returns the times at which time-stamping authorities saw the signature.
fn time_stamps(root: &TrustedRoot, material: &Material, signature: &[u8]) -> Vec<SystemTime> {
    let time = |stamp: Vec<u8>| {
        root.time_stamps.iter().find_map(|authority| time_stamp::verify(&stamp, signature, authority))
    };
    material.time_stamps().filter_map(time).collect()
}

/// Requires that a log has the signature. Returns the time that it signed; `None` if it signs none. `stamped`: the times
/// from elsewhere.
fn logged(
    root: &TrustedRoot,
    material: &Material,
    signed: &Signed,
    stamped: &[SystemTime],
) -> Result<Option<SystemTime>, String> {
    let mut why = "it is in no log of the trusted root".to_owned();
    for entry in &material.tlog_entries {
        let id = STANDARD.decode(&entry.log_id.key_id).unwrap_or_default();
        // A log that was replaced may have kept its identifier.
        for log in root.logs.iter().filter(|log| log.id == id) {
            match log::verify(entry, log, signed) {
                Ok(time) if time.iter().chain(stamped).all(|time| log.period.contains(*time)) => {
                    return Ok(time);
                }
                Ok(_) => why = "it was signed when its log was not in use".into(),
                Err(reason) => why = reason,
            }
        }
    }
    Err(why)
}

/// Why no authority counts.
fn untrusted(judged: &[Result<&TrustedAuthority, Untrusted>], time: SystemTime) -> String {
    let other = judged.iter().find_map(|judged| match judged {
        Err(Untrusted::Other(reason)) => Some(reason),
        _ => None,
    });
    match other {
        Some(reason) => format!("{NO_AUTHORITY}: {reason}"),
        None => format!(
            "its certificate was not valid when it was signed, {}",
            humantime::format_rfc3339_seconds(time)
        ),
    }
}
