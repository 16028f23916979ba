//! Answers of plugins as values, for `tuffet plugin`: in the words of `sdk/wit/policy.wit`, as YAML or JSON.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::convert::{Found, Opinion, UploadOpinion};
use tuffet_request::{Ceilings, Denial, ErrorCode};

const ABSTAIN: &str = "abstain";

pub(super) fn verdict(opinion: Option<Opinion>) -> Value {
    match opinion {
        None => ABSTAIN.into(),
        Some(Opinion::Allow(limits)) => ceilings(limits),
        Some(Opinion::Deny(denied)) => denial(&denied),
        Some(Opinion::Drop) => "drop".into(),
    }
}

pub(super) fn resolution(found: Option<Found>) -> Value {
    match found {
        None => ABSTAIN.into(),
        Some(Found::Files(files)) => {
            let files = files.iter().map(|file| format!("{}:{}", file.root, file.path));
            json!({ "files": files.collect::<Vec<_>>() })
        }
        Some(Found::Content(content)) => match std::str::from_utf8(&content) {
            Ok(text) => json!({ "content": text }),
            Err(_) => json!({ "content": { "bytes": content.len(), "sha256": digest(&content) } }),
        },
        Some(Found::Deny(denied)) => denial(&denied),
    }
}

pub(super) fn acceptance(opinion: Option<UploadOpinion>) -> Value {
    match opinion {
        None => ABSTAIN.into(),
        Some(UploadOpinion::Accept) => "accept".into(),
        Some(UploadOpinion::Rename(path)) => json!({ "rename": path }),
        Some(UploadOpinion::Deny(denied)) => denial(&denied),
    }
}

/// The SHA-256 digest, as 64 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn ceilings(Ceilings { blksize, windowsize, bytes }: Ceilings) -> Value {
    let limits =
        [("blksize", blksize.map(u64::from)), ("windowsize", windowsize.map(u64::from)), ("bytes", bytes)];
    let limits = limits.into_iter().filter_map(|(name, limit)| Some((name.to_owned(), limit?.into())));
    let limits: Map<String, Value> = limits.collect();
    if limits.is_empty() { "allow".into() } else { json!({ "allow": limits }) }
}

fn denial(denial: &Denial) -> Value {
    let code = match denial.code {
        ErrorCode::FileNotFound => "file-not-found",
        ErrorCode::AccessViolation => "access-violation",
        ErrorCode::DiskFull => "disk-full",
        ErrorCode::FileExists => "file-exists",
        ErrorCode::OptionRefused => "option-refused",
        _ => "not-defined",
    };
    json!({ "deny": { "code": code, "message": denial.message, "reason": denial.reason } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allow_shows_the_ceilings_that_it_has() {
        assert_eq!(verdict(Some(Opinion::Allow(Ceilings::default()))), json!("allow"));
        let limits = Ceilings { blksize: Some(512), ..Ceilings::default() };
        assert_eq!(verdict(Some(Opinion::Allow(limits))), json!({ "allow": { "blksize": 512 } }));
    }

    #[test]
    fn content_that_is_no_text_is_a_digest() {
        let shown = resolution(Some(Found::Content([0xff, 0][..].into())));
        assert_eq!(shown["content"]["bytes"], 2);
        assert_eq!(shown["content"]["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(resolution(Some(Found::Content(b"text"[..].into()))), json!({ "content": "text" }));
    }
}
