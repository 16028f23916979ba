//! Answers of plugins as values, for `tuffet plugin`: in the terms of `sdk/wit/policy.wit`, as YAML or JSON.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use tuffet_policy::{Fallback, PluginContent, Rendering, Resolution, UploadVerdict, Verdict};
use tuffet_request::{Denial, ErrorCode, SessionProfile, SessionValues};

const ABSTAIN: &str = "abstain";

pub(super) fn verdict(verdict: Verdict) -> Value {
    match verdict {
        Verdict::Abstain => ABSTAIN.into(),
        Verdict::Allow(its) => {
            let shown = profile(&its);
            if shown.is_empty() { "allow".into() } else { json!({ "allow": shown }) }
        }
        Verdict::Deny(denied) => denial(&denied),
        Verdict::Drop(reason) => drop_for(&reason),
    }
}

/// A resolution; `rendered` is the content that the plugin made for its key.
pub(super) fn resolution(found: Resolution, rendered: Option<Result<Rendering, Denial>>) -> Value {
    let (files, fallback, its) = match found {
        Resolution::Abstain => return ABSTAIN.into(),
        Resolution::Serve(selection) => selection.into_parts(),
        Resolution::Deny(denied) => return denial(&denied),
        Resolution::Drop(reason) => return drop_for(&reason),
    };
    let mut shown = Map::new();
    if !files.is_empty() {
        let files = files.iter().map(|file| format!("{}:{}", file.root, file.path));
        shown.insert("files".into(), files.collect::<Vec<_>>().into());
    }
    match fallback {
        // Plugins have no sources.
        Fallback::NotFound | Fallback::Source(_) => {}
        Fallback::Next => {
            shown.insert("else-next".into(), true.into());
        }
        Fallback::Content(made) => shown.extend(content(&made)),
        Fallback::Rendering(key) => match rendered {
            Some(Err(denied)) if files.is_empty() => return denial(&denied),
            Some(Err(denied)) => {
                shown.insert("rendered".into(), (&*key).into());
                shown.extend(denial(&denied).as_object().cloned().unwrap_or_default());
            }
            Some(Ok(Rendering { content: made, ttl })) => {
                shown.extend(content(&made));
                shown.insert("rendered".into(), (&*key).into());
                shown.extend(ttl.map(|ttl| ("ttl-seconds".to_owned(), ttl.as_secs().into())));
            }
            None => {
                shown.insert("rendered".into(), (&*key).into());
            }
        },
    }
    let its = its.as_ref().map(profile).filter(|its| !its.is_empty());
    shown.extend(its.map(|its| ("profile".to_owned(), its.into())));
    shown.into()
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

pub(super) fn acceptance(verdict: UploadVerdict) -> Value {
    match verdict {
        UploadVerdict::Abstain => ABSTAIN.into(),
        UploadVerdict::Accept => "accept".into(),
        UploadVerdict::Rename(to) if to.next_free => json!({ "rename": to.path, "next-free": true }),
        UploadVerdict::Rename(to) => json!({ "rename": to.path }),
        UploadVerdict::Deny(denied) => denial(&denied),
    }
}

/// The SHA-256 digest, as 64 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn profile(profile: &SessionProfile) -> Map<String, Value> {
    let values = |values: &SessionValues| -> Map<String, Value> {
        values.iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
    };
    let mut shown = Map::new();
    let mut show =
        |name: &str, value: Option<Value>| shown.extend(value.map(|value| (name.to_owned(), value)));
    for (name, its) in
        [("ceilings", &profile.ceilings), ("floors", &profile.floors), ("overrides", &profile.overrides)]
    {
        let its = values(its);
        show(name, (!its.is_empty()).then(|| its.into()));
    }
    show("max-size", profile.bytes.map(Value::from));
    show("burst", profile.burst.map(Value::from));
    show("rate", profile.rate.map(Value::from));
    let refused = (!profile.refused.is_empty()).then(|| profile.refused.names().collect::<Vec<_>>().into());
    show("refuse-options", refused);
    shown
}

/// An answer with its label, if it has one: a map, also of an answer of one word.
pub(super) fn labelled(answer: Value, label: Option<String>) -> Value {
    let Some(label) = label else { return answer };
    let mut shown = match answer {
        Value::Object(shown) => shown,
        Value::String(word) => Map::from_iter([(word, true.into())]),
        other => return other,
    };
    shown.insert("label".into(), label.into());
    shown.into()
}

/// A drop, with its reason if there is one.
fn drop_for(reason: &str) -> Value {
    if reason.is_empty() { "drop".into() } else { json!({ "drop": reason }) }
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
    use tuffet_policy::Selection;

    #[test]
    fn an_allow_shows_the_profile_that_it_has() {
        assert_eq!(verdict(Verdict::allow()), json!("allow"));
        let small = SessionValues { blksize: Some(512), ..SessionValues::default() };
        let mut profile = SessionProfile { ceilings: small, ..SessionProfile::default() };
        assert_eq!(verdict(Verdict::Allow(profile)), json!({ "allow": { "ceilings": { "blksize": 512 } } }));
        profile.floors.windowsize = Some(2);
        assert!(profile.refused.add("tsize"));
        let all = json!({ "ceilings": { "blksize": 512 }, "floors": { "windowsize": 2 }, "refuse-options": ["tsize"] });
        assert_eq!(verdict(Verdict::Allow(profile)), json!({ "allow": all }));
    }

    #[test]
    fn binary_content_is_shown_as_a_digest() {
        let content = |name, bytes: &[u8]| {
            let fallback = Fallback::Content(PluginContent::new(name, bytes.into()).into());
            resolution(Selection::of([]).or(fallback).into(), None)
        };
        let shown = content(None, &[0xff, 0]);
        assert_eq!(shown["content"]["bytes"], 2);
        assert_eq!(shown["content"]["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(content(None, b"text"), json!({ "content": "text" }));
        assert_eq!(content(Some("a.cfg"), b"text"), json!({ "content": "text", "name": "a.cfg" }));
    }
}
