//! Invariants of what this crate makes of any request: for the fuzz target `request` in `host/fuzz`, and for the test here,
//! which checks its seeds and mutations of them. Not part of the public interface.

#[cfg(test)]
mod tests;

use crate::conditions::{Condition, Validators};
use crate::media_type::media_type;
use crate::name;
use crate::range::{Part, part};
use http::Uri;
use http::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE, RANGE,
};
use std::time::{Duration, SystemTime};

/// Checks a request for a content.
///
/// The first line is the size of the content, its version and its time in seconds, with blanks between; the second the
/// URI; then come the headers. What is no URI and no header is left out, since it never reaches this crate.
///
/// # Errors
/// The violated invariant.
pub fn request(bytes: &[u8]) -> Result<(), String> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let content = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let uri = Uri::try_from(lines.next().unwrap_or_default());
    let headers = lines.filter_map(header).take(64).collect();
    if let Ok(uri) = uri {
        named(uri.path())?;
    }
    ranged(&headers, &content)?;
    conditional(&headers, &content)
}

fn header(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
    Some((HeaderName::from_bytes(name).ok()?, HeaderValue::from_bytes(value).ok()?))
}

/// Each byte of the name comes from one byte of the path, or from three; a path without escapes is its own name.
fn named(path: &str) -> Result<(), String> {
    let Some(name) = name::decode(path) else {
        return if path.contains('%') { Ok(()) } else { Err(format!("{path:?} has no escape, and no name")) };
    };
    let escapes = path.matches('%').count();
    if name.len() + 2 * escapes != path.len() {
        return Err(format!("{path:?} with {escapes} escapes has a name of {} bytes", name.len()));
    }
    if escapes == 0 && *name != *path.as_bytes() {
        return Err(format!("{path:?} has another name: {}", name.escape_ascii()));
    }
    let escaped: String = name.iter().map(|byte| format!("%{byte:02X}")).collect();
    if name::decode(&escaped).as_ref() != Some(&name) {
        return Err(format!("{escaped} is not decoded to what it encodes"));
    }
    let kind = media_type(path, &name);
    HeaderValue::from_str(kind).map(drop).map_err(|_| format!("{path:?} has the media type {kind:?}"))
}

/// A range is not empty, and lies within the content.
fn ranged(headers: &HeaderMap, content: &str) -> Result<(), String> {
    let stated = content.split(' ').next().and_then(|size| size.parse().ok()).unwrap_or_default();
    let Some(Ok(value)) = headers.get(RANGE).map(HeaderValue::to_str) else { return Ok(()) };
    for size in [stated, 0, 1, u64::MAX] {
        match part(value, size) {
            Part::Bytes(bytes) if bytes.start >= bytes.end || bytes.end > size => {
                return Err(format!("{value:?} selects {bytes:?} of {size} bytes"));
            }
            // RFC 9110 section 14.1.1: an unsatisfiable one begins behind the end, so it is a range of bytes.
            Part::Unsatisfiable if !value.trim_start().to_ascii_lowercase().starts_with("bytes") => {
                return Err(format!("{value:?} is no range of bytes, and unsatisfiable"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A condition that is not there does not count, and an entity tag is one.
fn conditional(headers: &HeaderMap, content: &str) -> Result<(), String> {
    let mut words = content.split(' ').skip(1);
    let (version, seconds) = (words.next(), words.next().and_then(|seconds| seconds.parse().ok()));
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let modified =
        seconds.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    let validators = Validators::new(version, modified, now);
    let has = |name: HeaderName| headers.contains_key(name);
    if let Some(etag) = validators.etag.as_ref().map(HeaderValue::as_bytes) {
        let inside = etag.strip_prefix(b"\"").and_then(|etag| etag.strip_suffix(b"\""));
        if inside.is_none_or(|inside| inside.contains(&b'"')) {
            return Err(format!("{} is no entity tag", etag.escape_ascii()));
        }
        // RFC 9110 section 13.1.2: the tag of an answer, sent back as it is.
        let known = HeaderMap::from_iter([(
            IF_NONE_MATCH,
            validators.etag.clone().unwrap_or(HeaderValue::from_static("")),
        )]);
        if validators.check(&known) != Condition::NotModified {
            return Err(format!("{} is not known again", etag.escape_ascii()));
        }
    }
    let has_unknown =
        |condition: Condition| Err(format!("{condition:?} without such a condition: {headers:?}"));
    match validators.check(headers) {
        Condition::NotModified if !has(IF_NONE_MATCH) && !has(IF_MODIFIED_SINCE) => {
            has_unknown(Condition::NotModified)?
        }
        Condition::Failed if !has(IF_MATCH) && !has(IF_UNMODIFIED_SINCE) => has_unknown(Condition::Failed)?,
        Condition::Holds if headers.get_all(IF_NONE_MATCH).iter().any(|value| value == "*") => {
            return Err(format!("a content exists, and is sent anyway: {headers:?}"));
        }
        _ => {}
    }
    let counts = validators.allow_range(headers, now);
    let names_nothing = validators.etag.is_none() && validators.modified.is_none();
    if counts == has(IF_RANGE) && (!counts || names_nothing) {
        return Err(format!("a range counts: {counts}, {headers:?}"));
    }
    Ok(())
}
