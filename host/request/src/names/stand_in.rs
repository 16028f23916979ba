//! The path that policy sees for a name that is not safe.

use super::{MAX_NAME, MAX_PART, decode, has_drive_letter, parts, without_padding};

/// Stands in a [`stand_in`] for each thing that is not safe.
pub const UNSAFE: char = char::REPLACEMENT_CHARACTER;

/// Returns a path for a name that [`normalise`](super::normalise) refuses, normalised as far as possible: [`UNSAFE`]
/// stands for each control character, each part `..`, a drive letter, what is too long, and an empty name.
///
/// Hooks may use it like any other path: it has no `..`, no leading slash, no control character, and is not empty. It is
/// no repair, though: a path with [`UNSAFE`] in it is never opened for such a name.
pub fn stand_in(raw: &[u8]) -> String {
    let name = decode(without_padding(raw));
    let mut path = String::with_capacity(name.len().min(MAX_NAME));
    for part in parts(&name) {
        let part = safe_part(part, path.is_empty());
        let slash = if path.is_empty() { "" } else { "/" };
        path.push_str(slash);
        if path.len() + part.len() > MAX_NAME - MARK {
            path.push(UNSAFE);
            return path;
        }
        path.push_str(&part);
    }
    if path.is_empty() {
        path.push(UNSAFE);
    }
    path
}

/// The room for a slash and an [`UNSAFE`] behind a path.
const MARK: usize = 1 + UNSAFE.len_utf8();

fn safe_part(part: &str, is_first: bool) -> String {
    if part == ".." {
        return UNSAFE.into();
    }
    let (drive, rest) = match part.get(2..).filter(|_| is_first && has_drive_letter(part)) {
        Some(rest) => (Some(UNSAFE), rest),
        None => (None, part),
    };
    let letters = rest.chars().map(|letter| if letter.is_control() { UNSAFE } else { letter });
    let mut safe: String = drive.into_iter().chain(letters).collect();
    if safe.len() > MAX_PART {
        safe.truncate(safe.floor_char_boundary(MAX_PART - UNSAFE.len_utf8()));
        safe.push(UNSAFE);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::super::normalise;
    use super::*;

    #[test]
    fn what_is_not_safe_is_marked() {
        for (raw, path) in [
            (&b"C:\\boot\\bcd"[..], "\u{fffd}/boot/bcd"),
            (b"/\\c:boot", "\u{fffd}boot"),
            (b"C:dump.bin", "\u{fffd}dump.bin"),
            (b"../x", "\u{fffd}/x"),
            (b"a\\..\\..\\x", "a/\u{fffd}/\u{fffd}/x"),
            (b"boot.bin\x01\x02", "boot.bin\u{fffd}\u{fffd}"),
            (b"a\0b/c\n", "a\u{fffd}b/c\u{fffd}"),
            (b"\xe4\x80", "\u{e4}\u{fffd}"),
            (b"", "\u{fffd}"),
            (b"//./\\", "\u{fffd}"),
            (b"\xff\0", "\u{fffd}"),
        ] {
            assert_eq!(stand_in(raw), path, "{}", raw.escape_ascii());
            assert!(normalise(raw).is_err(), "{}", raw.escape_ascii());
        }
    }

    /// Hooks rely on what holds of every path.
    #[test]
    fn a_stand_in_is_a_plain_path_and_is_marked() {
        let pieces: [&[u8]; 13] = [
            b"..",
            b"/",
            b"\\",
            b"C:",
            b"a",
            b"\0",
            b"\x01",
            b"\xff",
            b"\x80",
            b".",
            b"\xc3\xa4",
            b"\x7f",
            &[b'x'; 256],
        ];
        let mut state = 1_u64;
        let mut below = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % most
        };
        let mut refused = 0;
        for _ in 0..20_000 {
            let raw: Vec<u8> = (0..below(12)).flat_map(|_| pieces[below(pieces.len())].to_vec()).collect();
            let Err(_) = normalise(&raw) else { continue };
            refused += 1;
            let path = stand_in(&raw);
            assert_eq!(normalise(path.as_bytes()).as_deref(), Ok(&*path), "{}", raw.escape_ascii());
            assert!(path.contains(UNSAFE), "{}", raw.escape_ascii());
        }
        assert!(refused > 10_000, "{refused}");
        let long = "a/".repeat(2_000);
        assert!(stand_in(long.as_bytes()).ends_with(UNSAFE) && stand_in(long.as_bytes()).len() <= MAX_NAME);
    }
}
