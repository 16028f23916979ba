//! The key `verify` of a plugin: the required signature of its component.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::path_schema;
use super::component::{ArtifactReference, ComponentSource};
use super::keyless::KeylessConfig;
use super::resolver::Resolver;
use super::tree::join;

/// The DER encoding of a P-256 key up to its point (RFC 5480).
const P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// The DER encoding of an Ed25519 key up to its 32 bytes (RFC 8410).
const ED25519: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";

/// The required signature of a component from a registry, as `cosign sign` makes it: by a `key`, or `keyless`. If both
/// are given, either counts. Nothing but the registry is contacted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VerifyConfig {
    /// The file with the public key, as `cosign public-key` prints it: ECDSA P-256 or Ed25519. If it has several keys,
    /// any of them counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub key: Option<PathBuf>,
    /// The identity of the signer, of a signature without a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyless: Option<KeylessConfig>,
    /// The repository that the signature must name, if the component is a copy in another one:
    /// `registry.example/plugins/acl`. Default: that of `component`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The keys in the file.
    #[serde(skip)]
    pub keys: Vec<VerifyKey>,
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyKey {
    /// ECDSA on the curve P-256, with SHA-256: the uncompressed point.
    P256(Vec<u8>),
    /// Ed25519.
    Ed25519(Vec<u8>),
}

impl VerifyKey {
    /// Reads all keys of a PEM file.
    ///
    /// # Errors
    /// There is none, or one of another kind.
    pub fn read(pem: &str) -> Result<Vec<VerifyKey>, String> {
        const ADVICE: &str = "let `cosign public-key --key …` or `openssl pkey -pubout` write one";
        let mut keys = Vec::new();
        let mut rest = pem;
        while let Some((_, begun)) = rest.split_once(BEGIN) {
            let (text, after) =
                begun.split_once(END).ok_or_else(|| format!("its PEM block has no end; {ADVICE}"))?;
            let text: String = text.split_whitespace().collect();
            let der = STANDARD
                .decode(text)
                .map_err(|error| format!("its PEM block is damaged: {error}; {ADVICE}"))?;
            keys.push(VerifyKey::of_der(&der).ok_or_else(|| {
                format!("it is a key of another kind than ECDSA P-256 and Ed25519; {ADVICE}")
            })?);
            rest = after;
        }
        match keys.is_empty() {
            true if pem.contains("PRIVATE KEY") => {
                Err(format!("it holds a private key, which has no place on a server; {ADVICE}"))
            }
            true => Err(format!("it holds no public key in PEM (`{BEGIN}`); {ADVICE}")),
            false => Ok(keys),
        }
    }

    fn of_der(der: &[u8]) -> Option<VerifyKey> {
        match (der.strip_prefix(&P256[..]), der.strip_prefix(&ED25519[..])) {
            (Some(point), _) if point.len() == 65 && point[0] == 4 => Some(VerifyKey::P256(point.to_vec())),
            (_, Some(key)) if key.len() == 32 => Some(VerifyKey::Ed25519(key.to_vec())),
            _ => None,
        }
    }
}

impl Resolver<'_> {
    pub(crate) fn verify(
        &mut self,
        pointer: &str,
        written: VerifyConfig,
        component: &ComponentSource,
    ) -> VerifyConfig {
        if !matches!(component, ComponentSource::Registry(_)) {
            let message = "only components from registries (`oci://…`) carry signatures; pin a file by `sha256`, or \
                           remove this";
            self.wrong_key(pointer, message);
        }
        if let Some(name) = &written.repository
            && !ArtifactReference::parse(name).is_ok_and(|read| read.name() == *name)
        {
            let message = "it is not a repository; write REGISTRY/REPOSITORY, without a tag";
            self.wrong(join(pointer, "repository"), message);
        }
        if written.key.is_none() && written.keyless.is_none() {
            let message = "it names nobody whose signature counts; give `key: FILE`, or `keyless` with `identity`, `issuer` \
                           and `trusted-root`";
            self.wrong(pointer, message);
        }
        let keyless = written.keyless.map(|keyless| self.keyless(&join(pointer, "keyless"), keyless));
        let (key, keys) = match written.key {
            Some(file) => self.verify_keys(&join(pointer, "key"), file),
            None => (None, Vec::new()),
        };
        VerifyConfig { key, keyless, keys, repository: written.repository }
    }

    fn verify_keys(&mut self, at: &str, file: PathBuf) -> (Option<PathBuf>, Vec<VerifyKey>) {
        let Some((file, pem)) = self.public_file(at, &file) else { return (Some(file), Vec::new()) };
        let keys = VerifyKey::read(&pem).unwrap_or_else(|complaint| {
            self.wrong(at, format!("{}: {complaint}", file.display()));
            Vec::new()
        });
        (Some(file), keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_others_refused() {
        let curve = STANDARD.encode([&P256[..], &[4], &[9; 64]].concat());
        let edwards = STANDARD.encode([&ED25519[..], &[7; 32]].concat());
        let block = |text: &str| format!("{BEGIN}\n{text}\n{END}\n");
        let read = VerifyKey::read(&(block(&curve) + &block(&edwards))).unwrap();
        assert!(matches!(&read[..], [VerifyKey::P256(_), VerifyKey::Ed25519(key)] if key == &[7; 32]));
        let other = STANDARD.encode([0x30, 0x03, 0x02, 0x01, 0x00]);
        for (pem, due) in [
            (String::new(), "no public key"),
            (block(&other), "another kind"),
            (block("not base64!"), "damaged"),
            (block(&curve).replace(END, ""), "no end"),
            ("-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----".into(), "a private key"),
        ] {
            let refused = VerifyKey::read(&pem).unwrap_err();
            assert!(refused.contains(due), "{pem}: {refused}");
        }
    }
}
