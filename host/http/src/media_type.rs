//! The header `Content-Type`, from the end of a name.

/// The type of bytes of which nothing is known.
const UNKNOWN: &str = "application/octet-stream";

/// UEFI decides by the first three whether an answer is a program or an image of a disk, and only without them by the end
/// of the name (UEFI 2.10 section 24.7). HTML is missing on purpose: no file of a client should run in a browser.
const TYPES: &[(&str, &[&str])] = &[
    ("application/efi", &["efi"]),
    ("application/vnd.efi-iso", &["iso"]),
    ("application/vnd.efi-img", &["img"]),
    ("text/plain; charset=utf-8", &["txt", "cfg", "conf", "ini", "ipxe", "ks", "log", "sh"]),
    ("application/json", &["ign", "json"]),
    ("application/xml", &["xml"]),
    ("application/yaml", &["yaml", "yml"]),
    ("application/gzip", &["gz", "tgz"]),
];

/// Returns the type of what was found, or of the name by which it was requested.
pub(crate) fn media_type(resolved: &str, requested: &[u8]) -> &'static str {
    let requested = String::from_utf8_lossy(requested);
    of_name(resolved).or_else(|| of_name(&requested)).unwrap_or(UNKNOWN)
}

fn of_name(name: &str) -> Option<&'static str> {
    let (_, file) = name.rsplit_once(['/', '\\', ':']).unwrap_or(("", name));
    let (_, ending) = file.rsplit_once('.')?;
    let is = |known: &&str| ending.eq_ignore_ascii_case(known);
    TYPES.iter().find(|(_, endings)| endings.iter().any(is)).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_name_decides() {
        for (resolved, requested, expected) in [
            ("boot:grubx64.efi", "/x", "application/efi"),
            ("boot:a/BOOTX64.EFI", "/x", "application/efi"),
            ("boot:install.iso", "/x", "application/vnd.efi-iso"),
            ("boot:disk.img", "/x", "application/vnd.efi-img"),
            ("boot:initrd.img.gz", "/x", "application/gzip"),
            ("content", "/hosts/7.cfg", "text/plain; charset=utf-8"),
            ("boot:fallback.cfg", "/x.efi", "text/plain; charset=utf-8"),
            ("boot:index.html", "/index.html", UNKNOWN),
            ("boot:vmlinuz", "/vmlinuz", UNKNOWN),
            ("boot:a.efi/vmlinuz", "/efi", UNKNOWN),
        ] {
            assert_eq!(media_type(resolved, requested.as_bytes()), expected, "{resolved} {requested}");
        }
    }
}
