//! Reads and writes DER, as much of it as certificates and time stamps need. Nothing read is copied, and no length is
//! believed.

use std::time::SystemTime;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const UTF8_STRING: u8 = 0x0c;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// One element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
    /// With tag and length.
    pub whole: &'a [u8],
}

/// Reads elements one after another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn of(content: &'a [u8]) -> Reader<'a> {
        Reader { rest: content }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the content of the next element, which must have this tag.
    pub fn content(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|element| element.tag == tag).map(|element| element.content)
    }

    /// Returns the next element if it has this tag; another one stays.
    pub fn optional(&mut self, tag: u8) -> Option<Element<'a>> {
        let before = *self;
        let element = self.next().filter(|element| element.tag == tag);
        if element.is_none() {
            *self = before;
        }
        element
    }

    /// Returns the next element, which must be a time.
    pub fn time(&mut self) -> Option<SystemTime> {
        let element = self.next()?;
        let text = str::from_utf8(element.content).ok()?;
        match element.tag {
            GENERALIZED_TIME => time(text),
            // RFC 5280, section 4.1.2.5.1.
            UTC_TIME => {
                let century = if text.get(..2)?.parse::<u8>().ok()? < 50 { "20" } else { "19" };
                time(&format!("{century}{text}"))
            }
            _ => None,
        }
    }

    /// Returns a reader of the content of the next element, which must have this tag.
    pub fn enter(&mut self, tag: u8) -> Option<Reader<'a>> {
        self.content(tag).map(Reader::of)
    }
}

/// The elements up to the end, or to what is not DER.
impl<'a> Iterator for Reader<'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let (&tag, after_tag) = self.rest.split_first()?;
        let (&first, after_first) = after_tag.split_first()?;
        let (length, after_length) = match first {
            0..=0x7f => (usize::from(first), after_first),
            0x81..=0x84 => {
                let (bytes, after) = after_first.split_at_checked(usize::from(first & 0x7f))?;
                (
                    bytes
                        .iter()
                        .try_fold(0_usize, |sum, &byte| Some(sum.checked_mul(256)? + usize::from(byte)))?,
                    after,
                )
            }
            _ => return None,
        };
        let (content, rest) = after_length.split_at_checked(length)?;
        let whole = &self.rest[..self.rest.len() - rest.len()];
        self.rest = rest;
        Some(Element { tag, content, whole })
    }
}

/// Parses `20260131235959.5Z`.
fn time(text: &str) -> Option<SystemTime> {
    let text = Some(text).filter(|text| text.is_ascii() && text.len() >= 15)?;
    let ((date, time), (year, rest)) = (text.split_at(8), text.split_at(4));
    let (month, day) = (&rest[..2], &date[6..]);
    let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
    humantime::parse_rfc3339(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}")).ok()
}

/// Returns an element with these contents.
pub(super) fn element(tag: u8, contents: &[&[u8]]) -> Vec<u8> {
    let length: usize = contents.iter().map(|content| content.len()).sum();
    let bytes = length.to_be_bytes();
    let significant = &bytes[bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len())..];
    let mut element = vec![tag];
    match length {
        0..=0x7f => element.push(length as u8),
        _ => {
            element.push(0x80 | significant.len() as u8);
            element.extend_from_slice(significant);
        }
    }
    element.extend(contents.iter().copied().flatten());
    element
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_parsed() {
        let at = |millis| Some(SystemTime::UNIX_EPOCH + Duration::from_millis(millis));
        let read = |tag, text: &[u8]| Reader::of(&element(tag, &[text])).time();
        assert_eq!(read(GENERALIZED_TIME, b"20250613102030Z"), at(1_749_810_030_000));
        assert_eq!(read(GENERALIZED_TIME, b"20250613102030.5Z"), at(1_749_810_030_500));
        assert_eq!(read(UTC_TIME, b"250613102030Z"), at(1_749_810_030_000));
        assert_eq!(read(UTC_TIME, b"500613102030Z"), None, "before 1970");
        assert_eq!(read(INTEGER, b"20250613102030Z"), None);
        for text in [
            &b"20250613102030"[..],
            b"20251313102030Z",
            b"Z",
            b"2025061310203\xc3\xa9",
            b"20250613102030+0200",
            b"+50613102030Z",
        ] {
            assert_eq!(read(GENERALIZED_TIME, text), None, "{text:?}");
            assert_eq!(read(UTC_TIME, text), None, "{text:?}");
        }
    }

    #[test]
    fn elements_are_written_and_read() {
        for length in [0, 1, 127, 128, 255, 256, 70_000] {
            let content = vec![7; length];
            let written = element(SEQUENCE, &[&content[..length / 2], &content[length / 2..]]);
            let mut reader = Reader::of(&written);
            let read = reader.next().unwrap();
            assert_eq!((read.tag, read.content, read.whole), (SEQUENCE, &content[..], &written[..]));
            assert!(reader.next().is_none() && reader.rest().is_empty());
            // Cut anywhere.
            for end in [0, 1, written.len() / 2, written.len() - 1] {
                assert!(Reader::of(&written[..end]).next().is_none(), "{length} {end}");
            }
        }
    }

    #[test]
    fn lengths_are_not_believed() {
        for bytes in [
            &[SEQUENCE, 0x84, 0xff, 0xff, 0xff, 0xff, 0][..],
            &[SEQUENCE, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[SEQUENCE, 0x80, 0, 0],
            &[SEQUENCE, 0x81],
        ] {
            assert!(Reader::of(bytes).next().is_none(), "{bytes:?}");
        }
        let mut reader = Reader::of(&[INTEGER, 1, 5, SET, 0]);
        assert!(reader.optional(SET).is_none());
        assert_eq!(reader.content(INTEGER), Some(&[5][..]));
        assert!(reader.optional(SET).is_some() && reader.content(SET).is_none());
    }
}
