//! Requested names: normalises the bytes of a request to a path that cannot leave a root, and finds the MAC
//! address that some clients put into the name.
//!
//! TFTP leaves the form of a name to the server (RFC 1350 section 5: a netascii string). Clients send
//! backslashes, leading slashes, and bytes left over from DHCP option 67; hostile ones send `..`, drive
//! letters and control characters. This module normalises all of them once, so that policy and store see one
//! form. It decodes no escapes: `%2e` is three literal characters.
//!
//! A name that is not safe is refused, unless a rule makes a safe one of it. Policy gets the name as it was sent, and a
//! [stand-in](stand_in) for its path, which is as safe as any path: hooks rely on that.
//!
//! Names are UTF-8. A name that is not is read as Latin-1, one character for each byte: shim on some firmware requests
//! `grub/` followed by the byte 0xEA and `onboard`, and old clients send umlauts that way. Such a name passes the same
//! checks as all others, and none of its bytes turns into a slash or a dot.

mod mac;
mod optional;
mod requested;
mod stand_in;

use std::borrow::Cow;
use thiserror::Error;

use tuffet_core::ErrorCode;

pub use mac::mac_in_name;
pub use optional::is_optional;
pub use requested::RequestedName;
pub use stand_in::{UNSAFE, stand_in};

/// The longest normalised name, in bytes.
pub const MAX_NAME: usize = 1024;

/// The longest part of a name between two slashes, in bytes: the limit of common file systems.
pub const MAX_PART: usize = 255;

/// Reads the bytes of a name: as UTF-8, or as Latin-1 if they are not.
pub fn decode(raw: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(name) => name.into(),
        Err(_) => raw.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Returns the bytes of a name in hexadecimal digits if they are not UTF-8, because its text would not show them.
pub fn raw_name(raw: &[u8]) -> Option<String> {
    let hex = || raw.iter().map(|byte| format!("{byte:02x}")).collect();
    std::str::from_utf8(raw).is_err().then(hex)
}

/// Returns whether a name begins with a slash or a backslash.
pub fn is_absolute(raw: &[u8]) -> bool {
    matches!(raw, [b'/' | b'\\', ..])
}

/// Converts the name of a request to a path below the virtual root, as policy and store use it.
///
/// Drops trailing NUL and 0xFF bytes (both come from DHCP option 67), converts `\` to `/`, and removes empty
/// and `.` parts and all leading slashes: iPXE and Windows begin names with `/\`, `\\` and `\/`. Letter case is
/// kept.
///
/// # Errors
/// [`NameError`] gives the reason; see its variants.
pub fn normalise(raw: &[u8]) -> Result<String, NameError> {
    let raw = without_padding(raw);
    let name = &*decode(raw);
    match name.chars().find(|letter| letter.is_control()) {
        // Names of other encodings than UTF-8 and Latin-1 have such bytes.
        Some('\u{80}'..) if std::str::from_utf8(raw).is_err() => return Err(NameError::Encoding),
        Some(_) => return Err(NameError::ControlCharacter),
        None => {}
    }

    let mut path = String::with_capacity(name.len().min(MAX_NAME));
    for part in parts(name) {
        if part == ".." {
            return Err(NameError::ParentFolder);
        }
        if path.is_empty() && has_drive_letter(part) {
            return Err(NameError::DriveLetter);
        }
        if !path.is_empty() {
            path.push('/');
        }
        if part.len() > MAX_PART || path.len() + part.len() > MAX_NAME {
            return Err(NameError::TooLong);
        }
        path.push_str(part);
    }
    if path.is_empty() { Err(NameError::Empty) } else { Ok(path) }
}

/// Returns the beginning of a name that a boot ROM meant: all before the first byte below 0x20, or 0xFF. Old ROMs send
/// the rest of their buffer behind it, such as further options of DHCP.
pub fn without_tail(raw: &[u8]) -> &[u8] {
    let end = raw.iter().position(|&byte| byte < 0x20 || byte == 0xFF).unwrap_or(raw.len());
    &raw[..end]
}

fn without_padding(raw: &[u8]) -> &[u8] {
    let end = raw.iter().rposition(|&byte| byte != 0 && byte != 0xFF).map_or(0, |last| last + 1);
    &raw[..end]
}

/// Returns the parts of a name that say something.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

/// The reason for refusing a name. The display text is short and may be sent to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name was empty, or only slashes and dots.
    #[error("empty file name")]
    Empty,
    /// The name is longer than [`MAX_NAME`] bytes, or a part of it than [`MAX_PART`].
    #[error("file name too long")]
    TooLong,
    /// The name holds a control character, such as an embedded NUL or a line feed.
    #[error("file name holds a control character")]
    ControlCharacter,
    /// The name is not UTF-8, and holds bytes from 0x80 to 0x9F, which are control characters of Latin-1.
    #[error("file name is neither UTF-8 nor Latin-1")]
    Encoding,
    /// A part of the name is `..`.
    #[error("file name holds `..`")]
    ParentFolder,
    /// The name begins with a drive letter, as in `C:\boot`.
    #[error("file name holds a drive letter")]
    DriveLetter,
}

impl NameError {
    /// Returns the code of the ERROR packet: access violation for all reasons.
    pub fn code(self) -> ErrorCode {
        ErrorCode::AccessViolation
    }
}

fn has_drive_letter(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_and_sloppy_names_become_one_form() {
        let cases: &[(&[u8], &str)] = &[
            (b"pxelinux.0", "pxelinux.0"),
            (b"/pxelinux.0", "pxelinux.0"),
            (b"//a///b", "a/b"),
            (b"./a/./b/.", "a/b"),
            (b"a/b/", "a/b"),
            (b"\\Boot\\x86\\wdsnbp.com", "Boot/x86/wdsnbp.com"),
            (b"boot\\\\BCD", "boot/BCD"),
            (b"a\\/b/\\c", "a/b/c"),
            (b"snponly.efi\xff", "snponly.efi"),
            (b"snponly.efi\0\xff\0", "snponly.efi"),
            (b"....//secret", "..../secret"),
            (b"...", "..."),
            (b"..a/b..", "..a/b.."),
            (b"%2e%2e/etc/passwd", "%2e%2e/etc/passwd"),
            (b"%n%s", "%n%s"),
            (b" spaced name ", " spaced name "),
            ("g\u{e4}nse.bin".as_bytes(), "g\u{e4}nse.bin"),
            (b"g\xe4nse.bin", "g\u{e4}nse.bin"),
            (b"grub/\xeaonboard", "grub/\u{ea}onboard"),
            (b"\\grub\\\xeaonboard\xff", "grub/\u{ea}onboard"),
            // An overlong slash and an overlong dot of UTF-8 are letters.
            (b"\xc0\xaf\xc0\xaf", "\u{c0}\u{af}\u{c0}\u{af}"),
            (b"\xc0\xae\xc0\xae/secret", "\u{c0}\u{ae}\u{c0}\u{ae}/secret"),
            (b"a\xffb", "a\u{ff}b"),
            (b"aa:bb:cc:dd:ee:ff", "aa:bb:cc:dd:ee:ff"),
            (b"images/c:boot", "images/c:boot"),
            (b"1:2", "1:2"),
            // As iPXE and Windows begin them.
            (b"/\\Boot\\BCD", "Boot/BCD"),
            (b"\\\\Boot\\BCD", "Boot/BCD"),
            (b"\\/Boot/BCD", "Boot/BCD"),
            (b"/\\\\Boot\\\\BCD", "Boot/BCD"),
            (b"//\\Boot\\BCD", "Boot/BCD"),
            (b"\\\\server\\share\\x", "server/share/x"),
            (b"\\\\\xe4\\x", "\u{e4}/x"),
        ];
        for (raw, path) in cases {
            assert_eq!(normalise(raw).as_deref(), Ok(*path), "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn dangerous_and_broken_names_are_refused() {
        use NameError::*;
        let cases: &[(&[u8], NameError)] = &[
            (b"", Empty),
            (b"\xff", Empty),
            (b"\0\0", Empty),
            (b"/", Empty),
            (b"././/", Empty),
            (b"..", ParentFolder),
            (b"../etc/passwd", ParentFolder),
            (b"/../etc/passwd", ParentFolder),
            (b"a/../b", ParentFolder),
            (b"a\\..\\..\\b", ParentFolder),
            (b"..\\/..\\x", ParentFolder),
            (b"a/..", ParentFolder),
            (b"C:\\Windows\\win.ini", DriveLetter),
            (b"c:", DriveLetter),
            (b"/z:/x", DriveLetter),
            (b"./d:x", DriveLetter),
            (b"a\0b", ControlCharacter),
            (b"a\nb", ControlCharacter),
            (b"a\x1b[2Jb", ControlCharacter),
            (b"a\x7f", ControlCharacter),
            ("a\u{85}b".as_bytes(), ControlCharacter),
            // Bytes that are not UTF-8 may be control characters of Latin-1.
            (b"\xe0\x80\xaf", Encoding),
            (b"\xed\xa0\x80", Encoding),
            (b"\xff\x9b2J", Encoding),
            (b"\xe4/..", ParentFolder),
            (b"..\\\xe4", ParentFolder),
            (b"c:\xe4", DriveLetter),
            (b"/\\c:\\x", DriveLetter),
            (b"\\\\../x", ParentFolder),
            (b"\xe4\0x", ControlCharacter),
        ];
        for (raw, error) in cases {
            assert_eq!(normalise(raw), Err(*error), "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn the_bytes_of_names_that_are_not_utf_8_are_kept() {
        assert_eq!(raw_name(b"grub/\xeaonboard").as_deref(), Some("677275622fea6f6e626f617264"));
        assert_eq!(raw_name("grub/\u{ea}onboard".as_bytes()), None);
        assert_eq!(decode(b"\xea\xff"), "\u{ea}\u{ff}");
        for (name, absolute) in [(&b"/x"[..], true), (b"\\x", true), (b"x/", false), (b"", false)] {
            assert_eq!(is_absolute(name), absolute);
        }
    }

    #[test]
    fn tails_of_roms_are_cut() {
        for (raw, name) in [
            (&b"boot.bin"[..], &b"boot.bin"[..]),
            (b"boot.bin\xff", b"boot.bin"),
            (b"boot.bin\xff\x03\x04junk", b"boot.bin"),
            (b"boot.bin\x01\x02/../etc", b"boot.bin"),
            (b"boot.bin\n", b"boot.bin"),
            (b"\x1fboot.bin", b""),
            (b"g\xe4nse\x7f", b"g\xe4nse\x7f"),
        ] {
            assert_eq!(without_tail(raw), name, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn lengths_are_bounded_after_normalising() {
        assert!(normalise(&[b'a'; MAX_PART]).is_ok());
        assert_eq!(normalise(&[b'a'; MAX_PART + 1]), Err(NameError::TooLong));

        let longest = [&b"a/".repeat(500)[..], &[b'b'; 24]].concat();
        assert_eq!(normalise(&longest).map(|path| path.len()), Ok(MAX_NAME));
        let padded = [b"//", &longest[..], b"/./\xff"].concat();
        assert_eq!(normalise(&padded).map(|path| path.len()), Ok(MAX_NAME));
        assert_eq!(normalise(&[&longest[..], b"b"].concat()), Err(NameError::TooLong));

        let padded = ["/".repeat(60_000).as_bytes(), b"a"].concat();
        assert_eq!(normalise(&padded).as_deref(), Ok("a"));
        assert_eq!(normalise(&[b'a'; 64_000]), Err(NameError::TooLong));
    }

    #[test]
    fn the_result_is_a_fixed_point() {
        for raw in [&b"\\a//b/./c\xff"[..], b"/x", b"....//y", b"\xe4/\xff.\xff"] {
            let once = normalise(raw).expect("an acceptable name");
            assert_eq!(normalise(once.as_bytes()).as_deref(), Ok(once.as_str()));
        }
    }
}
