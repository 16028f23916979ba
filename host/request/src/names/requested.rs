//! The name of a request in all its forms.

use super::{NameError, decode, normalise, raw_name, stand_in, without_tail};

/// The name of a request: as sent, and as a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedName {
    /// As [`Request::requested`](crate::Request::requested).
    pub requested: String,
    /// As [`Request::raw_name`](crate::Request::raw_name).
    pub raw_name: Option<Box<str>>,
    /// As [`Request::path`](crate::Request::path).
    pub path: String,
    /// As [`Request::unsafe_name`](crate::Request::unsafe_name).
    pub unsafe_name: Option<NameError>,
}

impl RequestedName {
    /// Reads the bytes of a name. `cut_tail`: its path ends where [`without_tail`] ends the name, unless nothing would be
    /// left.
    pub fn read(raw: &[u8], cut_tail: bool) -> RequestedName {
        let meant = Some(without_tail(raw)).filter(|meant| cut_tail && !meant.is_empty()).unwrap_or(raw);
        let (path, unsafe_name) = match normalise(meant) {
            Ok(path) => (path, None),
            Err(error) => (stand_in(meant), Some(error)),
        };
        let (requested, raw_name) = (decode(raw).into_owned(), raw_name(raw).map(Into::into));
        RequestedName { requested, raw_name, path, unsafe_name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_name() {
        let read = |raw: &[u8], cut_tail| {
            let name = RequestedName::read(raw, cut_tail);
            (name.path, name.unsafe_name)
        };
        assert_eq!(read(b"\\Boot\\BCD", false), ("Boot/BCD".into(), None));
        assert_eq!(
            read(b"boot.bin\x01x", false),
            ("boot.bin\u{fffd}x".into(), Some(NameError::ControlCharacter))
        );
        assert_eq!(read(b"boot.bin\x01x", true), ("boot.bin".into(), None));
        assert_eq!(read(b"../x\x01", true), ("\u{fffd}/x".into(), Some(NameError::ParentFolder)));
        assert_eq!(read(b"\x01x", true), ("\u{fffd}x".into(), Some(NameError::ControlCharacter)));
        let name = RequestedName::read(b"boot.bin\xff\x01x", true);
        assert_eq!((&*name.requested, &*name.path), ("boot.bin\u{ff}\u{1}x", "boot.bin"));
        assert_eq!(name.raw_name.as_deref(), Some("626f6f742e62696eff0178"));
    }
}
