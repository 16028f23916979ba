//! `dhcp-boot` and `pxe-service` that name no server: dnsmasq names itself only while it serves files.

use super::conf::Setting;

/// Returns the setting with a place for the server's address, as a line of dnsmasq.conf; `None` if it names a server
/// already, or a client loads nothing by it.
pub(super) fn with_server(setting: &Setting) -> Option<String> {
    let is_tag = |part: &&String| ["tag:", "net:"].iter().any(|tag| part.starts_with(tag));
    let tags = setting.parts.iter().take_while(is_tag).count();
    let values = &setting.parts[tags..];
    let missing = match (setting.name.as_str(), values) {
        // FILE, NAME of the server, ADDRESS.
        ("dhcp-boot", [_]) => ",,ADDRESS",
        ("dhcp-boot", [_, _]) => ",ADDRESS",
        // ARCHITECTURE, TEXT, FILE, ADDRESS. A number is a type of boot server; 0 is the local disk.
        ("pxe-service", [_, _, file]) if file.parse::<u16>().is_err() => ",ADDRESS",
        _ => return None,
    };
    Some(format!("{}={}{missing}", setting.name, quoted(&setting.parts)))
}

/// Writes values as dnsmasq.conf has them: with quotes where there are blanks or commas.
fn quoted(parts: &[String]) -> String {
    let quoted = |part: &String| match part.contains([' ', ',', '"', '#']) {
        true => format!("\"{}\"", part.replace('\\', "\\\\").replace('"', "\\\"")),
        false => part.clone(),
    };
    parts.iter().map(quoted).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::Location;

    #[test]
    fn each_line_becomes_whole() {
        for (name, parts, line) in [
            ("dhcp-boot", &["pxelinux.0"][..], Some("dhcp-boot=pxelinux.0,,ADDRESS")),
            (
                "dhcp-boot",
                &["tag:efi", "tag:!ipxe", "grub.efi"],
                Some("dhcp-boot=tag:efi,tag:!ipxe,grub.efi,,ADDRESS"),
            ),
            ("dhcp-boot", &["pxelinux.0", "boot"], Some("dhcp-boot=pxelinux.0,boot,ADDRESS")),
            ("dhcp-boot", &["pxelinux.0", "", "192.0.2.1"], None),
            (
                "pxe-service",
                &["x86PC", "Install, now", "pxelinux"],
                Some("pxe-service=x86PC,\"Install, now\",pxelinux,ADDRESS"),
            ),
            ("pxe-service", &["x86PC", "Local", "0"], None),
            ("pxe-service", &["x86PC", "Local"], None),
            ("pxe-service", &["x86PC", "Install", "pxelinux", "192.0.2.1"], None),
        ] {
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            let (name, written) = (name.to_owned(), String::new());
            let setting = Setting { name, parts, location: Location::CommandLine, written };
            assert_eq!(with_server(&setting).as_deref(), line);
        }
    }
}
