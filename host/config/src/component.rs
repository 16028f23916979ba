//! The source of a plugin's component: `component`, and the digest that pins it.

use std::fmt;
use std::net::Ipv6Addr;
use std::path::PathBuf;
use std::str::FromStr;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::resolver::Resolver;

/// The prefix of references to a registry.
const OCI: &str = "oci://";
/// The longest name of a repository in bytes, the same limit as in other clients.
const MAX_REPOSITORY: usize = 255;
/// The longest tag (OCI distribution specification).
const MAX_TAG: usize = 128;

/// The source of a plugin's component.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum ComponentSource {
    /// A component built into the server.
    Builtin(String),
    /// A file, with an absolute path once the configuration is checked.
    Path(PathBuf),
    /// An artifact in an OCI registry.
    Registry(ArtifactReference),
}

/// An artifact in an OCI registry: `registry.example:5000/repository:tag@sha256:…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactReference {
    /// The host, with its port unless that is the default.
    pub registry: String,
    /// The repository.
    pub repository: String,
    /// The tag; `None` if only a digest is given.
    pub tag: Option<String>,
    /// The digest of the manifest.
    pub digest: Option<Sha256Digest>,
}

/// A SHA-256 digest: 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256Digest(String);

impl ArtifactReference {
    /// Parses a reference, with or without `oci://` before it. The tag is `latest` if there is neither tag nor
    /// digest.
    ///
    /// # Errors
    /// The problem of the reference, and the expected form.
    pub fn parse(text: &str) -> Result<ArtifactReference, String> {
        let wrong = |what: &str| {
            format!(
                "{what}; write oci://REGISTRY/REPOSITORY:TAG, or oci://REGISTRY/REPOSITORY:TAG@sha256:DIGEST"
            )
        };
        let text = text.strip_prefix(OCI).unwrap_or(text);
        let (name, digest) = match text.split_once('@') {
            None => (text, None),
            Some((name, digest)) => {
                let digest =
                    digest.strip_prefix("sha256:").ok_or_else(|| wrong("its digest is no sha256 one"))?;
                (name, Some(digest.parse().map_err(|_| wrong("its digest has not 64 hexadecimal digits"))?))
            }
        };
        let (registry, path) = name.split_once('/').ok_or_else(|| wrong("it names no repository"))?;
        if !is_registry(registry) {
            return Err(wrong(&format!("`{registry}` is not the host of a registry")));
        }
        let (repository, tag) = match path.split_once(':') {
            None => (path, None),
            Some((repository, tag)) => (repository, Some(tag)),
        };
        if repository.len() > MAX_REPOSITORY || !repository.split('/').all(is_part) {
            return Err(wrong(&format!("`{repository}` is not the name of a repository")));
        }
        if let Some(tag) = tag.filter(|tag| !is_tag(tag)) {
            return Err(wrong(&format!("`{tag}` is not a tag")));
        }
        let tag = tag.or(digest.is_none().then_some("latest")).map(str::to_owned);
        Ok(ArtifactReference { registry: registry.into(), repository: repository.into(), tag, digest })
    }

    /// Returns registry and repository: `registry.example:5000/repository`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }
}

/// The form of the configuration: `oci://…`.
impl fmt::Display for ArtifactReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{OCI}{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@sha256:{digest}"),
            None => Ok(()),
        }
    }
}

impl Sha256Digest {
    /// Computes the digest of these bytes.
    pub fn of(bytes: &[u8]) -> Sha256Digest {
        Sha256Digest(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The 64 hexadecimal digits.
impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Sha256Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        let is_hex = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() == 64 && digits.bytes().all(is_hex) {
            Ok(Sha256Digest(digits.to_owned()))
        } else {
            Err("it is not a SHA-256 digest; write its 64 hexadecimal digits in lower case, as `sha256sum` does".into())
        }
    }
}

impl TryFrom<String> for Sha256Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Sha256Digest> for String {
    fn from(digest: Sha256Digest) -> Self {
        digest.0
    }
}

/// Returns whether this is a host with or without a port, such as `registry.example:5000` or `[::1]:5000`.
pub(crate) fn is_registry(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix('[') {
        let Some((host, port)) = rest.split_once(']') else { return false };
        let port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        return host.parse::<Ipv6Addr>().is_ok() && port;
    }
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    host.len() <= 253 && host.split('.').all(is_label) && port.is_none_or(is_port)
}

fn is_label(label: &str) -> bool {
    let plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=63).contains(&label.len()) && plain && !label.starts_with('-') && !label.ends_with('-')
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// Returns whether this is a part of a repository's name: words of lower-case letters and digits, with `.`, `_`,
/// `__` or dashes between them.
fn is_part(part: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut rest = part;
    loop {
        let word = rest.bytes().take_while(|byte| is_word(*byte)).count();
        if word == 0 {
            return false;
        }
        rest = &rest[word..];
        if rest.is_empty() {
            return true;
        }
        let between = rest.bytes().take_while(|byte| !is_word(*byte)).count();
        let separator = &rest[..between];
        if !matches!(separator, "." | "_" | "__") && !separator.bytes().all(|byte| byte == b'-') {
            return false;
        }
        rest = &rest[between..];
    }
}

fn is_tag(tag: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=MAX_TAG).contains(&tag.len()) && tag.bytes().all(plain) && !tag.starts_with(['.', '-'])
}

pub(crate) fn component_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "component", "minLength": 1 })
}

pub(crate) fn digest_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "sha256" })
}

/// Returns the problem of a value of `component`, if any.
pub(crate) fn complaint(text: &str) -> Option<String> {
    match text {
        "" | "builtin:" => Some(format!(
            "`{text}` names no component; write `builtin:NAME`, the path of a component, or `oci://…` for one in a \
             registry"
        )),
        _ => ComponentSource::parse(text).err(),
    }
}

impl ComponentSource {
    /// Parses `builtin:NAME`, `oci://…`, or a path.
    ///
    /// # Errors
    /// The reference to a registry is invalid.
    pub fn parse(text: &str) -> Result<ComponentSource, String> {
        if text.starts_with(OCI) {
            return ArtifactReference::parse(text).map(ComponentSource::Registry);
        }
        Ok(match text.strip_prefix("builtin:") {
            Some(name) => ComponentSource::Builtin(name.to_owned()),
            None => ComponentSource::Path(text.into()),
        })
    }
}

impl TryFrom<String> for ComponentSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        ComponentSource::parse(&text)
    }
}

impl From<ComponentSource> for String {
    fn from(source: ComponentSource) -> Self {
        source.to_string()
    }
}

/// As in the configuration.
impl fmt::Display for ComponentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComponentSource::Builtin(name) => write!(f, "builtin:{name}"),
            ComponentSource::Path(path) => write!(f, "{}", path.display()),
            ComponentSource::Registry(reference) => reference.fmt(f),
        }
    }
}

impl Resolver<'_> {
    pub(crate) fn component(&mut self, pointer: &str, written: ComponentSource) -> ComponentSource {
        let ComponentSource::Path(path) = written else { return written };
        let path = self.absolute(&path);
        let complaint = match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => None,
            Ok(_) => Some("is not a file".to_owned()),
            Err(error) => Some(format!("cannot be found: {error}")),
        };
        if let Some(complaint) = complaint {
            let message = format!(
                "the component {} {complaint}; correct the path, or write `builtin:NAME` for a bundled plugin",
                path.display()
            );
            self.wrong(pointer, message);
        }
        ComponentSource::Path(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn references_are_read_and_shown() {
        let pinned = format!("oci://[::1]:5000/a@sha256:{DIGITS}");
        let both = format!("oci://ghcr.io/org/team/acl_x__y.z--1:v1.2-3@sha256:{DIGITS}");
        for (text, registry, repository, tag, digest) in [
            ("oci://registry.example/acl", "registry.example", "acl", Some("latest"), false),
            ("oci://localhost:5000/a/b:1", "localhost:5000", "a/b", Some("1"), false),
            (&*pinned, "[::1]:5000", "a", None, true),
            (&*both, "ghcr.io", "org/team/acl_x__y.z--1", Some("v1.2-3"), true),
        ] {
            let read = ArtifactReference::parse(text).unwrap();
            assert_eq!((&*read.registry, &*read.repository), (registry, repository), "{text}");
            assert_eq!((read.tag.as_deref(), read.digest.is_some()), (tag, digest), "{text}");
            assert_eq!(ArtifactReference::parse(&read.to_string()), Ok(read), "{text}");
        }
    }

    #[test]
    fn an_invalid_reference_is_refused() {
        let long = "a".repeat(MAX_REPOSITORY + 1);
        let (short, upper) = (&DIGITS[1..], DIGITS.to_uppercase());
        for text in [
            "",
            "acl",
            "/acl",
            "host/",
            "host//a",
            "host/a//b",
            "host/Upper",
            "host/a..b",
            "host/a___b",
            "host/-a",
            "host/../b",
            "host/a:",
            "host/a:.x",
            "host/a:b/c",
            "host/a?x=y",
            "host/a#b",
            "user@host/a",
            "user:pass@host/a",
            "host:0/a",
            "host:99999/a",
            "host:+80/a",
            "-host/a",
            "a..b/c",
            "[::1/a",
            "[::1]x/a",
            "[nonsense]:1/a",
            "host/a@md5:00",
            "host/a@sha256:",
            "host/a b",
            "host/a\n",
            &format!("host/{long}"),
            &format!("host/a@sha256:{short}"),
            &format!("host/a@sha256:{upper}"),
            &format!("host/a:{}", "t".repeat(MAX_TAG + 1)),
        ] {
            let read = ArtifactReference::parse(text);
            assert!(read.is_err_and(|why| why.contains("oci://REGISTRY/REPOSITORY")), "{text:?}");
        }
    }
}
