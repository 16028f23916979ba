//! Names that boot loaders and phones try although servers need not have them.

/// The lists of GRUB's modules, which it can do without.
const LISTS: [&str; 4] = ["command.lst", "fs.lst", "crypto.lst", "terminal.lst"];

/// Returns whether a client that misses this file goes on with its next name, in any letter case.
///
/// PXELINUX and U-Boot try `pxelinux.cfg/01-MAC`, then the address with one digit less each time; the last one,
/// `default`, must be there. GRUB does so with `grub.cfg-`. Shim's revocations and certificates, GRUB's lists and the
/// trust lists of Cisco phones are optional. docs/boot.md has what each stage requests.
pub fn is_optional(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    if folder.rsplit('/').next() == Some("pxelinux.cfg") {
        return name != "default";
    }
    name.starts_with("grub.cfg-")
        || LISTS.contains(&name)
        || (name.ends_with(".efi")
            && (name.starts_with("revocations") || name.starts_with("shim_certificate")))
        || (name.ends_with(".tlv") && (name.starts_with("ctlsep") || name.starts_with("itlsep")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_chain_can_do_without() {
        for path in [
            "pxelinux.cfg/01-52-54-00-1a-2b-21",
            "boot/pxelinux.cfg/C0A8",
            "pxelinux.cfg/default-arm",
            "grub/grub.cfg-01-00-11-22-33-44-55",
            "grub/x86_64-efi/command.lst",
            "revocations_sbat.efi",
            "shim_certificate_0.efi",
            "CTLSEP001122334455.tlv",
        ] {
            assert!(is_optional(path), "{path}");
        }
        for path in [
            "pxelinux.cfg/default",
            "PXELINUX.CFG/DEFAULT",
            "grub/grub.cfg",
            "grubx64.efi",
            "vmlinuz",
            "files.lst",
            "SEP001122334455.cnf.xml",
            "",
            "pxelinux.cfg",
        ] {
            assert!(!is_optional(path), "{path}");
        }
    }
}
