//! The key `keyless` of `verify`: who must have signed a component, by a certificate instead of a key.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::path_schema;
use super::resolver::Resolver;
use super::tree::join;
use super::trusted_root::TrustedRoot;

/// What `*` in an identity does not stand for, so that `…/release.yml@refs/tags/*` matches no other file or branch.
const SEPARATORS: [char; 2] = ['/', '@'];

/// The required identity of a component's signer, as `cosign sign` without a key certifies it. It is verified without
/// a network: with the authorities and logs in the file `trusted-root`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KeylessConfig {
    /// The signer: an e-mail address, such as `release@acme.example`, or the URI of a workflow. `*` stands for any
    /// characters but `/` and `@`; not in the host of a URI, its first segment, or the domain of an address.
    pub identity: String,
    /// Who vouched for the identity, word for word: `https://token.actions.githubusercontent.com` for workflows of
    /// GitHub.
    pub issuer: String,
    /// The repository for which the signer worked, word for word: `https://github.com/acme/plugins`. A workflow that
    /// other repositories may call (`workflow_call`) signs for them by the same identity. Default: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_repository: Option<String>,
    /// The file with the authorities and logs of Sigstore, or of an instance of your own, as `cosign trusted-root
    /// create` writes it. If it has several, any of them counts.
    #[schemars(schema_with = "path_schema")]
    pub trusted_root: PathBuf,
    /// The roots in the file.
    #[serde(skip)]
    pub roots: Vec<TrustedRoot>,
}

impl KeylessConfig {
    /// Returns whether this is the identity.
    pub fn names(&self, identity: &str) -> bool {
        let pattern = &self.identity;
        pattern.matches(SEPARATORS).eq(identity.matches(SEPARATORS))
            && pattern
                .split(SEPARATORS)
                .zip(identity.split(SEPARATORS))
                .all(|(pattern, part)| matches_part(pattern, part))
    }

    /// Checks identity and issuer.
    ///
    /// # Errors
    /// The key that is wrong, and the complaint.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if !names_somebody(&self.identity) {
            let message = "it would let anybody sign; name a workflow (`https://github.com/OWNER/REPOSITORY/.github/\
                           workflows/FILE@refs/tags/*`) or an e-mail address, without `*` in host and OWNER, or in the \
                           domain";
            return Err(("identity", message.into()));
        }
        if !self.issuer.starts_with("https://") && !self.issuer.starts_with("http://") {
            let message = "it is not the URL of an issuer; GitHub's is https://token.actions.githubusercontent.com, and \
                           `cosign verify` shows that of a signature";
            return Err(("issuer", message.into()));
        }
        if self.source_repository.as_ref().is_some_and(|source| {
            !source.starts_with("https://") || source.contains('*') || source.ends_with('/')
        }) {
            let message = "it is not the URL of a repository, word for word; write `https://github.com/OWNER/REPOSITORY`";
            return Err(("source-repository", message.into()));
        }
        Ok(())
    }
}

/// Returns whether host and first segment of a URI, or the domain of an address, are free of `*`: what follows belongs
/// to one owner.
fn names_somebody(identity: &str) -> bool {
    let is_fixed = |part: &str| !part.is_empty() && !part.contains('*');
    match (identity.split_once("://"), identity.rsplit_once('@')) {
        _ if !identity.contains('*') => !identity.chars().all(|c| SEPARATORS.contains(&c)),
        (Some((scheme, rest)), _) => {
            let mut parts = rest.split('/');
            is_fixed(scheme) && [parts.next(), parts.next()].iter().all(|part| part.is_some_and(is_fixed))
        }
        (None, Some((_, domain))) => is_fixed(domain) && !identity.contains('/'),
        (None, None) => false,
    }
}

fn matches_part(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    text.ends_with(tail)
}

impl Resolver<'_> {
    pub(crate) fn keyless(&mut self, pointer: &str, written: KeylessConfig) -> KeylessConfig {
        if let Err((key, message)) = written.check() {
            self.wrong(join(pointer, key), message);
        }
        let at = join(pointer, "trusted-root");
        let Some((trusted_root, text)) = self.public_file(&at, &written.trusted_root) else { return written };
        let roots = TrustedRoot::read(&text).unwrap_or_else(|complaint| {
            self.wrong(&at, format!("{}: {complaint}", trusted_root.display()));
            Vec::new()
        });
        KeylessConfig { trusted_root, roots, ..written }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signer(identity: &str) -> KeylessConfig {
        let issuer = "https://issuer.example".to_owned();
        let (identity, trusted_root) = (identity.into(), PathBuf::new());
        KeylessConfig { identity, issuer, source_repository: None, trusted_root, roots: Vec::new() }
    }

    #[test]
    fn an_identity_is_matched_whole_and_part_by_part() {
        let workflow = "https://github.com/acme/plugins/.github/workflows/release.yml@refs/tags/";
        for (pattern, identity, due) in [
            (format!("{workflow}v1"), format!("{workflow}v1"), true),
            (format!("{workflow}v1"), format!("{workflow}v10"), false),
            (format!("{workflow}*"), format!("{workflow}v1.2"), true),
            (format!("{workflow}*"), workflow.into(), true),
            (format!("{workflow}*"), format!("{workflow}v1/x"), false),
            (format!("{workflow}*"), format!("{workflow}v1@x"), false),
            (format!("{workflow}*"), format!("x{workflow}v1"), false),
            (format!("{workflow}v*.*-rc"), format!("{workflow}v1.2-rc"), true),
            (format!("{workflow}v*.*-rc"), format!("{workflow}v1-rc"), false),
            // A branch may have the name of a workflow.
            (
                "https://github.com/acme/*/a.yml@refs/heads/main".into(),
                "https://github.com/acme/x/b.yml@refs/heads/x/a.yml@refs/heads/main".into(),
                false,
            ),
            ("*@acme.example".into(), "eve@acme.example".into(), true),
            ("*@acme.example".into(), "eve@evil.example@acme.example".into(), false),
            ("a*b*b".into(), "ab".into(), false),
            ("a*b*b".into(), "axbbb".into(), true),
            ("ab*b".into(), "ab".into(), false),
        ] {
            assert_eq!(signer(&pattern).names(&identity), due, "{pattern} {identity}");
        }
    }

    #[test]
    fn an_identity_names_somebody() {
        for identity in [
            "eve@acme.example",
            "*@acme.example",
            "https://github.com/acme/*/.github/workflows/release.yml@refs/tags/*",
            "https://github.com/acme/*",
            "https://acme.example",
            "spiffe://acme.example/ns/*",
        ] {
            assert_eq!(signer(identity).check(), Ok(()), "{identity}");
        }
        for identity in [
            "",
            "*",
            "**",
            "*@*",
            "*/*@*",
            "*@*.com",
            "*@acme.*",
            "*@",
            "eve*",
            "*/acme@acme.example",
            "https://*/acme/plugins",
            "https://github.com/*/*/.github/workflows/release.yml@refs/tags/*",
            "https://github.com/acme*/plugins",
            "https://github.com/*",
            "https://github.com*",
            "https://github.com//*",
            "https:///acme/*",
            "*://github.com/acme/x",
        ] {
            assert_eq!(signer(identity).check().unwrap_err().0, "identity", "{identity}");
        }
        let issuer = KeylessConfig { issuer: "token.actions".into(), ..signer("a") };
        assert_eq!(issuer.check().unwrap_err().0, "issuer");
        let source = |source: &str| {
            let source_repository = Some(source.to_owned());
            KeylessConfig { source_repository, ..signer("a") }.check().map_err(|(key, _)| key)
        };
        assert_eq!(source("https://github.com/acme/plugins"), Ok(()));
        for wrong in ["", "acme/plugins", "https://github.com/acme/*", "https://github.com/acme/plugins/"] {
            assert_eq!(source(wrong), Err("source-repository"), "{wrong}");
        }
    }
}
