//! The certificates of clients, by which they have authenticated themselves (HTTPS).

use tuffet_sdk::{Glob, Request};

/// Which certificates a rule means.
#[derive(Debug)]
pub(crate) enum CertificatePattern {
    /// Any.
    Any,
    /// The one with this SHA-256 digest, in lower-case hexadecimal digits.
    Digest(String),
    /// Those with a DNS name like this one, in lower case.
    Name(Glob),
}

impl CertificatePattern {
    /// Parses `*`, a digest with or without colons, or a DNS name, which may hold `*` and `?`.
    pub(crate) fn parse(text: &str) -> Result<CertificatePattern, String> {
        if text == "*" {
            return Ok(CertificatePattern::Any);
        }
        let digits = text.replace(':', "").to_ascii_lowercase();
        if digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(CertificatePattern::Digest(digits));
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*?".contains(&byte);
        match !text.is_empty() && text.bytes().all(is_name) {
            true => Glob::parse(&text.to_ascii_lowercase()).map(CertificatePattern::Name),
            false => Err(format!(
                "{text:?} is neither a DNS name such as node7.example.org or *.example.org, nor the SHA-256 digest of a \
                 certificate in 64 hexadecimal digits, nor `*` for any certificate"
            )),
        }
    }

    /// Returns whether the client has authenticated itself by such a certificate.
    pub(crate) fn matches(&self, request: &Request) -> bool {
        let Some(digest) = request.attribute("certificate-sha256") else { return false };
        match self {
            CertificatePattern::Any => true,
            CertificatePattern::Digest(its) => digest == its,
            CertificatePattern::Name(glob) => {
                let names = request.attribute("certificate-names").unwrap_or_default();
                names.split(' ').any(|name| glob.matches(name))
            }
        }
    }
}
