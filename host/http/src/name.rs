//! From the path of a URI to the name that policy gets, as that of a TFTP request.

use std::borrow::Cow;

/// Decodes the escapes of a path once. The server normalises the name: it knows `..`, control characters and slashes.
/// `None` if an escape is not complete.
pub(crate) fn decode(path: &str) -> Option<Cow<'_, [u8]>> {
    if !path.contains('%') {
        return Some(path.as_bytes().into());
    }
    let mut bytes = path.bytes();
    let mut name = Vec::with_capacity(path.len());
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'%' => digit(bytes.next()?)? << 4 | digit(bytes.next()?)?,
            byte => byte,
        });
    }
    Some(name.into())
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_once() {
        for (path, name) in [
            ("/boot/image", &b"/boot/image"[..]),
            ("/a%20b", b"/a b"),
            ("/%2e%2E/x", b"/../x"),
            ("/%252e", b"/%2e"),
            ("/a+b", b"/a+b"),
            ("/%00%fF", b"/\0\xff"),
            ("", b""),
        ] {
            assert_eq!(decode(path).as_deref(), Some(name), "{path}");
        }
        for path in ["/%", "/%2", "/%g0", "/%0g", "/%+1", "/%%20"] {
            assert_eq!(decode(path), None, "{path}");
        }
    }
}
