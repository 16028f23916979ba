//! What a datagram says, for people.

pub(crate) const READ: u8 = 1;
pub(crate) const WRITE: u8 = 2;
pub(crate) const DATA: u8 = 3;
pub(crate) const ACK: u8 = 4;
pub(crate) const ERROR: u8 = 5;
pub(crate) const OACK: u8 = 6;

/// The length of a name or a text in a description.
const LONGEST_TEXT: usize = 80;

/// Describes a datagram in a few words: `DATA 5, 512 bytes`, `OACK blksize=1428`.
pub(crate) fn describe(datagram: &[u8]) -> String {
    match datagram {
        [0, READ, rest @ ..] => format!("RRQ {}", request(rest)),
        [0, WRITE, rest @ ..] => format!("WRQ {}", request(rest)),
        [0, DATA, high, low, payload @ ..] => format!("DATA {}, {} bytes", block(*high, *low), payload.len()),
        [0, ACK, high, low, ..] => format!("ACK {}", block(*high, *low)),
        [0, ERROR, high, low, rest @ ..] => {
            format!("ERROR {}: {}", block(*high, *low), texts(rest).first().cloned().unwrap_or_default())
        }
        [0, OACK, rest @ ..] => format!("OACK {}", pairs(&texts(rest))).trim_end().to_owned(),
        [_, _, ..] => format!("opcode {}, {} bytes", block(datagram[0], datagram[1]), datagram.len()),
        _ => format!("{} bytes", datagram.len()),
    }
}

/// The options of a request or an OACK, with names in lower case.
pub(crate) fn options(datagram: &[u8]) -> Vec<(String, String)> {
    let (texts, first) = match datagram {
        [0, READ | WRITE, rest @ ..] => (texts(rest), 2),
        [0, OACK, rest @ ..] => (texts(rest), 0),
        _ => return Vec::new(),
    };
    let named = texts.get(first..).unwrap_or_default().chunks_exact(2);
    named.map(|pair| (pair[0].to_ascii_lowercase(), pair[1].clone())).collect()
}

/// Whether a datagram is a request.
pub(crate) fn is_request(datagram: &[u8]) -> bool {
    matches!(datagram, [0, READ | WRITE, ..])
}

/// Whether a datagram is an ERROR.
pub(crate) fn is_error(datagram: &[u8]) -> bool {
    matches!(datagram, [0, ERROR, ..])
}

fn request(rest: &[u8]) -> String {
    let texts = texts(rest);
    let name = texts.first().map(String::as_str).unwrap_or_default();
    let options = pairs(texts.get(2..).unwrap_or_default());
    format!("{name} {options}").trim_end().to_owned()
}

fn pairs(texts: &[String]) -> String {
    let pairs: Vec<String> = texts.chunks_exact(2).map(|pair| format!("{}={}", pair[0], pair[1])).collect();
    pairs.join(" ")
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let printable = |text: &[u8]| {
        let shown = String::from_utf8_lossy(&text[..text.len().min(LONGEST_TEXT)]).into_owned();
        shown.chars().map(|it| if it.is_control() { '?' } else { it }).collect()
    };
    bytes.split(|byte| *byte == 0).map(printable).collect()
}

fn block(high: u8, low: u8) -> u16 {
    u16::from_be_bytes([high, low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_described() {
        let cases: [(&[u8], &str); 8] = [
            (b"\0\x01boot.img\0octet\0blksize\x001428\0", "RRQ boot.img blksize=1428"),
            (b"\0\x02a\nb\0octet\0", "WRQ a?b"),
            (b"\0\x03\x01\x02abc", "DATA 258, 3 bytes"),
            (b"\0\x04\0\x07", "ACK 7"),
            (b"\0\x05\0\x01gone\0", "ERROR 1: gone"),
            (b"\0\x06tsize\x005\0", "OACK tsize=5"),
            (b"\0\x09xy", "opcode 9, 4 bytes"),
            (b"\0", "1 bytes"),
        ];
        for (datagram, text) in cases {
            assert_eq!(describe(datagram), text);
        }
        assert_eq!(options(b"\0\x01a\0octet\0BLKSIZE\x008\0"), [("blksize".to_owned(), "8".to_owned())]);
    }
}
