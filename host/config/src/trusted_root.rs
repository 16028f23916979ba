//! The trusted root of a Sigstore instance, as `cosign trusted-root create` writes it: its authorities and logs.
//!
//! Only the form is checked here. Certificates and keys are parsed where signatures are verified.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

const MEDIA_TYPE: &str = "application/vnd.dev.sigstore.trustedroot";
const ADVICE: &str = "let `cosign trusted-root create --with-default-services --out FILE` write one, or `gh attestation \
                      trusted-root`";

/// What a Sigstore instance proves signatures with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedRoot {
    /// The authorities that certify identities (Fulcio); at least one.
    pub authorities: Vec<TrustedAuthority>,
    /// The transparency logs of signatures (Rekor). If there is one, each signature must be in one.
    pub logs: Vec<TrustedLog>,
    /// The logs of certificates (Certificate Transparency). If there is one, each certificate must be in one.
    pub certificate_logs: Vec<TrustedLog>,
    /// The authorities that time-stamp signatures (RFC 3161).
    pub time_stamps: Vec<TrustedAuthority>,
}

/// A certificate authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedAuthority {
    /// Its certificates in DER, each signed by the next. The last one is trusted.
    pub certificates: Vec<Vec<u8>>,
    /// When it is in use.
    pub period: Period,
}

/// A log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedLog {
    /// Its identifier.
    pub id: Vec<u8>,
    /// Its public key: a `SubjectPublicKeyInfo` in DER.
    pub key: Vec<u8>,
    /// When the key is in use.
    pub period: Period,
}

/// A period that includes both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Its begin.
    pub start: SystemTime,
    /// Its end; `None` if it has not ended.
    pub end: Option<SystemTime>,
}

impl Period {
    /// Returns whether the period includes this time.
    pub fn contains(&self, time: SystemTime) -> bool {
        self.start <= time && self.end.is_none_or(|end| time <= end)
    }
}

impl TrustedRoot {
    /// Reads the roots of a file: one or several JSON objects, as `gh attestation trusted-root` has one a line.
    ///
    /// # Errors
    /// There is none, or one cannot be used; with the remedy.
    pub fn read(text: &str) -> Result<Vec<TrustedRoot>, String> {
        let mut roots = Vec::new();
        for root in serde_json::Deserializer::from_str(text).into_iter::<WrittenRoot>() {
            let root = root.map_err(|error| format!("it is no trusted root in JSON: {error}; {ADVICE}"))?;
            roots.push(root.resolve().map_err(|complaint| format!("{complaint}; {ADVICE}"))?);
        }
        if roots.is_empty() { Err(format!("it is empty; {ADVICE}")) } else { Ok(roots) }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenRoot {
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    tlogs: Vec<WrittenLog>,
    #[serde(default)]
    certificate_authorities: Vec<WrittenAuthority>,
    #[serde(default)]
    ctlogs: Vec<WrittenLog>,
    #[serde(default)]
    timestamp_authorities: Vec<WrittenAuthority>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenAuthority {
    cert_chain: WrittenChain,
    valid_for: WrittenPeriod,
}

#[derive(Deserialize)]
struct WrittenChain {
    certificates: Vec<WrittenBytes>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenBytes {
    raw_bytes: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenLog {
    public_key: WrittenKey,
    log_id: WrittenLogId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenKey {
    raw_bytes: String,
    valid_for: WrittenPeriod,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenLogId {
    key_id: String,
}

#[derive(Deserialize)]
struct WrittenPeriod {
    start: String,
    end: Option<String>,
}

impl WrittenRoot {
    fn resolve(self) -> Result<TrustedRoot, String> {
        if !self.media_type.starts_with(MEDIA_TYPE) {
            let found = self.media_type.escape_debug().to_string();
            return Err(format!(
                "it is no trusted root: its `mediaType` is `{found:.100}`, not `{MEDIA_TYPE}…`"
            ));
        }
        let root = TrustedRoot {
            authorities: authorities("certificateAuthorities", self.certificate_authorities)?,
            logs: logs("tlogs", self.tlogs)?,
            certificate_logs: logs("ctlogs", self.ctlogs)?,
            time_stamps: authorities("timestampAuthorities", self.timestamp_authorities)?,
        };
        if root.authorities.is_empty() {
            return Err("it has no certificate authority (`certificateAuthorities`)".into());
        }
        if root.logs.is_empty() && root.time_stamps.is_empty() {
            return Err(
                "it has neither a log (`tlogs`) nor a time-stamping authority (`timestampAuthorities`), so \
                        nothing could prove when a signature was made"
                    .into(),
            );
        }
        Ok(root)
    }
}

fn authorities(key: &str, written: Vec<WrittenAuthority>) -> Result<Vec<TrustedAuthority>, String> {
    let mut authorities = Vec::new();
    for WrittenAuthority { cert_chain, valid_for } in written {
        let certificates: Result<Vec<_>, _> =
            cert_chain.certificates.iter().map(|certificate| decode(key, &certificate.raw_bytes)).collect();
        let certificates = certificates?;
        if certificates.is_empty() {
            return Err(format!("an authority of `{key}` has no certificate"));
        }
        authorities.push(TrustedAuthority { certificates, period: valid_for.resolve(key)? });
    }
    Ok(authorities)
}

fn logs(key: &str, written: Vec<WrittenLog>) -> Result<Vec<TrustedLog>, String> {
    let resolve = |WrittenLog { public_key, log_id }| {
        Ok(TrustedLog {
            id: decode(key, &log_id.key_id)?,
            key: decode(key, &public_key.raw_bytes)?,
            period: public_key.valid_for.resolve(key)?,
        })
    };
    written.into_iter().map(resolve).collect()
}

impl WrittenPeriod {
    fn resolve(&self, key: &str) -> Result<Period, String> {
        let time = |text: &str| {
            humantime::parse_rfc3339(text).map_err(|error| {
                let text = text.escape_debug().to_string();
                format!("a time in `{key}` is `{text:.40}`: {error}")
            })
        };
        Ok(Period { start: time(&self.start)?, end: self.end.as_deref().map(time).transpose()? })
    }
}

fn decode(key: &str, text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("a value in `{key}` is not Base64: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn root() -> Value {
        json!({
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [{
                "baseUrl": "https://rekor.example", "hashAlgorithm": "SHA2_256",
                "publicKey": { "rawBytes": "a2V5", "validFor": { "start": "1970-01-01T00:00:10.000Z" } },
                "logId": { "keyId": "aWQ=" },
            }],
            "certificateAuthorities": [{
                "subject": {}, "uri": "https://fulcio.example",
                "certChain": { "certificates": [{ "rawBytes": "Y2E=" }] },
                "validFor": { "start": "1970-01-01T00:00:10Z", "end": "1970-01-01T00:00:20Z" },
            }],
        })
    }

    #[test]
    fn roots_are_read_and_others_refused() {
        let good = root();
        // As `gh attestation trusted-root` prints them.
        let read = TrustedRoot::read(&format!("{good}\n{good}\n")).unwrap();
        assert_eq!(read.len(), 2);
        let [authority] = &read[0].authorities[..] else { unreachable!("one authority") };
        assert_eq!(authority.certificates, [b"ca"]);
        let [log] = &read[0].logs[..] else { unreachable!("one log") };
        assert_eq!((&log.id[..], &log.key[..]), (&b"id"[..], &b"key"[..]));
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let within = |period: Period| [9, 10, 20, 21].map(|seconds| period.contains(at(seconds)));
        assert_eq!(within(authority.period), [false, true, true, false]);
        assert_eq!(within(log.period), [false, true, true, true]);

        let with = |pointer: &str, value: Value| {
            let mut root = root();
            *root.pointer_mut(pointer).unwrap() = value;
            root.to_string()
        };
        for (text, due) in [
            (String::new(), "it is empty"),
            (" \n".into(), "it is empty"),
            ("-----BEGIN CERTIFICATE-----".into(), "no trusted root in JSON"),
            ("{}".into(), "its `mediaType` is ``"),
            ("[".repeat(10_000), "no trusted root in JSON"),
            (format!("{good} x"), "no trusted root in JSON"),
            (with("/certificateAuthorities", json!([])), "no certificate authority"),
            (with("/certificateAuthorities/0/certChain/certificates", json!([])), "has no certificate"),
            (with("/tlogs", json!([])), "neither a log"),
            (with("/tlogs/0/logId/keyId", json!("?")), "`tlogs` is not Base64"),
            (with("/tlogs/0/publicKey/validFor", json!({})), "missing field `start`"),
            (with("/tlogs/0/publicKey/validFor/start", json!("soon")), "a time in `tlogs` is `soon`"),
        ] {
            let refused = TrustedRoot::read(&text).unwrap_err();
            assert!(refused.contains(due) && refused.contains("cosign trusted-root create"), "{refused}");
        }
    }
}
