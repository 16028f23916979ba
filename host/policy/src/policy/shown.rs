//! Answers of plugins as values, for `tuffet plugin`: in the words of `sdk/wit/policy.wit`, as YAML or JSON.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::convert::{Found, Opinion, UploadOpinion};
use super::decisions::Weighty;
use super::renderings::{PluginContent, Rendering};
use tuffet_request::{Denial, ErrorCode, SessionProfile, SessionValues};

const ABSTAIN: &str = "abstain";

pub(super) fn verdict(opinion: Option<Opinion>) -> Value {
    match opinion {
        None => ABSTAIN.into(),
        Some(Opinion::Allow(its)) => profile(its),
        Some(Opinion::Deny(denied)) => denial(&denied),
        Some(Opinion::Drop) => "drop".into(),
    }
}

pub(super) fn resolution(found: Option<Found>) -> Value {
    match found {
        None => ABSTAIN.into(),
        Some(ref found @ Found::Files { ref files, .. }) => {
            let files = files.iter().map(|file| format!("{}:{}", file.root, file.path));
            json!({ (found.word()): files.collect::<Vec<_>>() })
        }
        Some(Found::Content(made)) => content(&made).into(),
        Some(Found::Rendered(key)) => json!({ "rendered": &*key }),
        Some(Found::Deny(denied)) => denial(&denied),
    }
}

/// A key, and what the plugin rendered for it.
pub(super) fn rendering(key: &str, rendered: Result<Rendering, Denial>) -> Value {
    match rendered {
        Ok(Rendering { content: made, ttl }) => {
            let mut shown = content(&made);
            shown.insert("rendered".into(), key.into());
            shown.extend(ttl.map(|ttl| ("ttl-seconds".to_owned(), ttl.as_secs().into())));
            shown.into()
        }
        Err(denied) => denial(&denied),
    }
}

fn content(made: &PluginContent) -> Map<String, Value> {
    let bytes = made.bytes().map_or(&[][..], |bytes| bytes);
    let content = match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => json!({ "bytes": bytes.len(), "sha256": digest(bytes) }),
    };
    let name = made.name().map(|name| ("name".to_owned(), name.into()));
    [("content".to_owned(), content)].into_iter().chain(name).collect()
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

fn profile(profile: SessionProfile) -> Value {
    let values = |values: &SessionValues| -> Map<String, Value> {
        values.iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
    };
    let mut shown = values(&profile.ceilings);
    let mut show =
        |name: &str, value: Option<Value>| shown.extend(value.map(|value| (name.to_owned(), value)));
    show("bytes", profile.bytes.map(Value::from));
    for (name, its) in [("floors", &profile.floors), ("overrides", &profile.overrides)] {
        let its = values(its);
        show(name, (!its.is_empty()).then(|| its.into()));
    }
    show("burst", profile.burst.map(Value::from));
    show("rate", profile.rate.map(Value::from));
    let refused = (!profile.refused.is_empty()).then(|| profile.refused.names().collect::<Vec<_>>().into());
    show("refuse-options", refused);
    if shown.is_empty() { "allow".into() } else { json!({ "allow": shown }) }
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
    fn an_allow_shows_the_profile_that_it_has() {
        assert_eq!(verdict(Some(Opinion::Allow(SessionProfile::default()))), json!("allow"));
        let small = SessionValues { blksize: Some(512), ..SessionValues::default() };
        let mut profile = SessionProfile { ceilings: small, ..SessionProfile::default() };
        assert_eq!(verdict(Some(Opinion::Allow(profile))), json!({ "allow": { "blksize": 512 } }));
        profile.floors.windowsize = Some(2);
        assert!(profile.refused.add("tsize"));
        let all = json!({ "blksize": 512, "floors": { "windowsize": 2 }, "refuse-options": ["tsize"] });
        assert_eq!(verdict(Some(Opinion::Allow(profile))), json!({ "allow": all }));
    }

    #[test]
    fn content_that_is_no_text_is_a_digest() {
        let content = |name, bytes: &[u8]| {
            resolution(Some(Found::Content(PluginContent::new(name, bytes.into()).into())))
        };
        let shown = content(None, &[0xff, 0]);
        assert_eq!(shown["content"]["bytes"], 2);
        assert_eq!(shown["content"]["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(content(None, b"text"), json!({ "content": "text" }));
        assert_eq!(content(Some("a.cfg"), b"text"), json!({ "content": "text", "name": "a.cfg" }));
    }
}
