//! The forms in which a secret may appear in a text that a plugin writes: itself, its parts that are secrets on their own,
//! and its usual encodings.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Shorter texts are no secrets, and hiding them would damage other words.
const MIN_WHOLE: usize = 4;
/// The same for a part: other texts have short ones, too.
const MIN_PART: usize = 8;

/// Returns all forms of a secret.
pub(super) fn forms(value: &str) -> Vec<String> {
    let mut plain = Vec::new();
    if value.len() >= MIN_WHOLE {
        plain.push(value.to_owned());
    }
    plain.extend(parts(value).into_iter().filter(|part| part.len() >= MIN_PART));
    let encoded: Vec<String> = plain.iter().flat_map(|text| [in_json(text), in_url(text)]).collect();
    plain.extend(encoded);
    plain.sort_unstable();
    plain.dedup();
    plain
}

fn parts(value: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if value.contains('\n') {
        parts.extend(value.lines().map(|line| line.trim().to_owned()));
    }
    if let Some((_, rest)) = value.split_once("://") {
        let end = |text: &str| text.find(['?', '#']).unwrap_or(text.len());
        // Without the query, as in messages; and the query, and the target of the request.
        parts.push(value[..end(value)].to_owned());
        parts.extend(value.split_once('?').map(|(_, query)| query.to_owned()));
        parts.extend(rest.find('/').map(|path| rest[path..].to_owned()));
    } else if let Some((scheme, login)) = value.split_once(' ')
        && scheme.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !login.contains(' ')
    {
        // The value of a header `authorization`.
        parts.push(login.to_owned());
        let decoded = STANDARD.decode(login).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(decoded) = decoded.filter(|_| scheme.eq_ignore_ascii_case("basic")) {
            parts.extend(decoded.split_once(':').map(|(_, password)| password.to_owned()));
            parts.push(decoded);
        }
    }
    parts
}

/// As within a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Percent-encoded (RFC 3986, section 2.3).
fn in_url(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            _ => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(value: &str, expected: &[&str]) {
        let forms = forms(value);
        for form in expected {
            assert!(forms.iter().any(|its| its == form), "{form} is missing in {forms:?}");
        }
    }

    #[test]
    fn a_secret_is_known_in_its_forms() {
        assert_eq!(forms("abc"), [""; 0]);
        assert_eq!(forms("t0ken"), ["t0ken"]);
        has("a \"b\"/ü", &["a \\\"b\\\"/ü", "a%20%22b%22%2F%C3%BC"]);
        has("first line\r\n-\nthe other one", &["first line", "the other one"]);
        assert!(!forms("first line\n-\n").contains(&"-".to_owned()));
    }

    #[test]
    fn what_is_secret_in_a_part_of_it() {
        let url = "https://hooks.example/T01/s3cret?key=0123";
        has(url, &["https://hooks.example/T01/s3cret", "/T01/s3cret?key=0123", "key=0123"]);
        has("Bearer 0123456789", &["0123456789"]);
        has("Basic dXNlcjpwYXNzd29yZA==", &["dXNlcjpwYXNzd29yZA==", "user:password", "password"]);
        // Other texts have the short ones, too.
        assert_eq!(forms("Basic dTpw").len(), 2);
        assert!(!forms("http://a.example/boot").contains(&"/boot".to_owned()));
    }
}
