//! Conditional requests for content, in the order of RFC 9110 section 13.2.2.

use bytes::Bytes;
use http::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE,
};
use httpdate::HttpDate;
use std::time::{Duration, SystemTime};

/// What names the bytes of a content.
#[derive(Debug, Clone, Default)]
pub(crate) struct Validators {
    /// The strong entity tag, with its quotes.
    pub(crate) etag: Option<HeaderValue>,
    /// When the content was changed, not later than now.
    pub(crate) modified: Option<SystemTime>,
}

/// What the conditions of a request make of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The content.
    Holds,
    /// 304: the client has it.
    NotModified,
    /// 412.
    Failed,
}

impl Validators {
    /// Makes the headers of a version and a time. A version that no entity tag can hold is left out.
    pub(crate) fn new(version: Option<&str>, modified: Option<SystemTime>, now: SystemTime) -> Validators {
        let is_tag = |version: &&str| version.bytes().all(is_tag_byte);
        let etag = version.filter(is_tag).map(|version| Bytes::from(format!("\"{version}\"")));
        let etag = etag.and_then(|etag| HeaderValue::from_maybe_shared(etag).ok());
        // RFC 9110 section 8.8.2.1: no time in the future; httpdate knows none before 1970.
        let modified = modified.map(|at| at.min(now)).filter(|at| *at >= SystemTime::UNIX_EPOCH);
        Validators { etag, modified }
    }

    /// Checks the conditions of GET and HEAD on content that exists.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Condition {
        if headers.contains_key(IF_MATCH) {
            if !self.is_listed(headers, IF_MATCH, Comparison::Strong) {
                return Condition::Failed;
            }
        } else if let (Some(at), Some(modified)) = (date(headers, IF_UNMODIFIED_SINCE), self.modified)
            && HttpDate::from(modified) > at
        {
            return Condition::Failed;
        }
        if headers.contains_key(IF_NONE_MATCH) {
            if self.is_listed(headers, IF_NONE_MATCH, Comparison::Weak) {
                return Condition::NotModified;
            }
        } else if let (Some(at), Some(modified)) = (date(headers, IF_MODIFIED_SINCE), self.modified)
            && HttpDate::from(modified) <= at
        {
            return Condition::NotModified;
        }
        Condition::Holds
    }

    /// Returns whether `Range` counts: there is no `If-Range`, or it names these bytes.
    pub(crate) fn allow_range(&self, headers: &HeaderMap, now: SystemTime) -> bool {
        let Some(value) = headers.get(IF_RANGE) else { return true };
        if value.as_bytes().contains(&b'"') {
            return self.etag.as_ref() == Some(value);
        }
        // RFC 9110 section 13.1.5: the same time, and one that names a single version (section 8.8.2.2).
        let is_strong = |modified: &SystemTime| {
            now.duration_since(*modified).is_ok_and(|age| age >= Duration::from_secs(2))
        };
        let modified = self.modified.filter(is_strong).map(HttpDate::from);
        modified.is_some() && modified == date(headers, IF_RANGE)
    }

    fn is_listed(&self, headers: &HeaderMap, name: HeaderName, comparison: Comparison) -> bool {
        let is_listed = |value: &HeaderValue| {
            let value = value.as_bytes().trim_ascii();
            value == b"*" || self.etag.as_ref().is_some_and(|etag| lists(value, etag.as_bytes(), comparison))
        };
        headers.get_all(name).iter().any(is_listed)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// A weak tag names nothing.
    Strong,
    /// RFC 9110 section 8.8.3.2: the same tag, weak or not.
    Weak,
}

/// Returns whether a list of entity tags holds this one. What follows an invalid tag is ignored.
fn lists(mut list: &[u8], etag: &[u8], comparison: Comparison) -> bool {
    loop {
        while let [b' ' | b'\t' | b',', rest @ ..] = list {
            list = rest;
        }
        let (is_weak, tag) = match list.strip_prefix(b"W/") {
            Some(tag) => (true, tag),
            None => (false, list),
        };
        let [b'"', inside @ ..] = tag else { return false };
        let Some(length) = inside.iter().position(|byte| *byte == b'"') else { return false };
        let (tag, rest) = tag.split_at(length + 2);
        if tag == etag && (comparison == Comparison::Weak || !is_weak) {
            return true;
        }
        list = rest;
    }
}

/// RFC 9110 section 8.8.3: `etagc`, of ASCII alone.
fn is_tag_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && byte != b'"'
}

/// Reads a date; one that is not valid is ignored.
fn date(headers: &HeaderMap, name: HeaderName) -> Option<HttpDate> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Condition::{Failed, Holds, NotModified};

    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const SAME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const AFTER: &str = "Sunday, 06-Nov-94 08:49:38 GMT";

    /// A content with both validators, whose time has a part of a second.
    fn content() -> Validators {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(784_111_777_900);
        Validators::new(Some("xyzzy"), Some(modified), SystemTime::now())
    }

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.clone(), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn conditions_hold_in_the_order_of_the_rfc() {
        let cases: &[(&[(HeaderName, &str)], Condition)] = &[
            (&[], Holds),
            (&[(IF_MATCH, "\"xyzzy\"")], Holds),
            (&[(IF_MATCH, "\"r2d2xxxx\", \"xyzzy\"")], Holds),
            (&[(IF_MATCH, "*")], Holds),
            (&[(IF_MATCH, "W/\"xyzzy\"")], Failed),
            (&[(IF_MATCH, "\"a,b\"")], Failed),
            (&[(IF_MATCH, "xyzzy")], Failed),
            (&[(IF_MATCH, "")], Failed),
            (&[(IF_NONE_MATCH, "\"xyzzy\"")], NotModified),
            (&[(IF_NONE_MATCH, "W/\"xyzzy\"")], NotModified),
            (&[(IF_NONE_MATCH, "\"a\" , W/\"b,\",, \"xyzzy\"")], NotModified),
            (&[(IF_NONE_MATCH, "*")], NotModified),
            (&[(IF_NONE_MATCH, "\"a\""), (IF_NONE_MATCH, "\"xyzzy\"")], NotModified),
            (&[(IF_NONE_MATCH, "\"a, \"xyzzy\"")], Holds),
            (&[(IF_NONE_MATCH, "\"XYZZY\"")], Holds),
            (&[(IF_UNMODIFIED_SINCE, BEFORE)], Failed),
            (&[(IF_UNMODIFIED_SINCE, SAME)], Holds),
            (&[(IF_UNMODIFIED_SINCE, "yesterday")], Holds),
            (&[(IF_MODIFIED_SINCE, BEFORE)], Holds),
            (&[(IF_MODIFIED_SINCE, SAME)], NotModified),
            (&[(IF_MODIFIED_SINCE, AFTER)], NotModified),
            (&[(IF_MODIFIED_SINCE, "Sun Nov  6 08:49:37 1994")], NotModified),
            (&[(IF_MODIFIED_SINCE, "tomorrow")], Holds),
            // Tags stand before times, and `If-Match` before `If-None-Match`.
            (&[(IF_MATCH, "\"xyzzy\""), (IF_UNMODIFIED_SINCE, BEFORE)], Holds),
            (&[(IF_NONE_MATCH, "\"a\""), (IF_MODIFIED_SINCE, AFTER)], Holds),
            (&[(IF_MATCH, "\"a\""), (IF_NONE_MATCH, "\"xyzzy\"")], Failed),
            (&[(IF_UNMODIFIED_SINCE, BEFORE), (IF_NONE_MATCH, "\"xyzzy\"")], Failed),
            (&[(IF_UNMODIFIED_SINCE, AFTER), (IF_MODIFIED_SINCE, SAME)], NotModified),
        ];
        for (lines, expected) in cases {
            assert_eq!(content().check(&headers(lines)), *expected, "{lines:?}");
        }
        // Without validators, only `*` names the content.
        let unknown = Validators::default();
        assert_eq!(unknown.check(&headers(&[(IF_MODIFIED_SINCE, AFTER), (IF_NONE_MATCH, "\"\"")])), Holds);
        assert_eq!(unknown.check(&headers(&[(IF_MATCH, "\"\"")])), Failed);
        assert_eq!(unknown.check(&headers(&[(IF_MATCH, "*")])), Holds);
    }

    #[test]
    fn a_range_counts_if_its_condition_names_these_bytes() {
        let now = SystemTime::now();
        for (value, expected) in [
            ("\"xyzzy\"", true),
            ("W/\"xyzzy\"", false),
            ("\"a\"", false),
            (SAME, true),
            (AFTER, false),
            ("x", false),
        ] {
            assert_eq!(content().allow_range(&headers(&[(IF_RANGE, value)]), now), expected, "{value}");
        }
        assert!(content().allow_range(&HeaderMap::new(), now));
        // Of this second there may be several versions.
        let new = Validators::new(None, Some(now), now);
        let value = HttpDate::from(now).to_string();
        assert!(!new.allow_range(&headers(&[(IF_RANGE, &value)]), now));
        assert!(new.allow_range(&headers(&[(IF_RANGE, &value)]), now + Duration::from_secs(3)));
    }

    #[test]
    fn validators_are_valid_headers() {
        let now = SystemTime::now();
        let tag = |version| Validators::new(Some(version), None, now).etag;
        assert_eq!(tag("1-2"), Some(HeaderValue::from_static("\"1-2\"")));
        for version in ["a\"b", "a b", "a\n", "\u{e4}"] {
            assert_eq!(tag(version), None, "{version}");
        }
        let later = Validators::new(None, Some(now + Duration::from_secs(9)), now);
        assert_eq!(later.modified, Some(now));
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(9);
        assert_eq!(Validators::new(None, Some(early), now).modified, None);
    }
}
