//! Addresses, names and paths in a configuration, and the advice for bad ones.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use schemars::{Schema, SchemaGenerator, json_schema};

/// The longest name of a listener, root or plugin, in bytes.
const MAX_NAME: usize = 64;

/// The longest name of a network interface, in bytes (IFNAMSIZ without its NUL).
const MAX_INTERFACE: usize = 15;

/// Parses `IP:PORT` or `[IPv6]:PORT`. The error names the problem and the remedy.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| complaint(text))?;
    let plain = SocketAddr::new(address.ip().to_canonical(), address.port());
    if address.is_ipv6() && plain.is_ipv4() {
        return Err(format!("`{text}` is an IPv4 address in the form of IPv6; write `{plain}`"));
    }
    Ok(address)
}

fn complaint(text: &str) -> String {
    // `::1:69` is also a valid address, but hardly what the user meant.
    if let Some((ip, port)) = text.rsplit_once(':')
        && ip.contains("::")
        && let (Ok(ip), Ok(port)) = (ip.parse::<Ipv6Addr>(), port.parse::<u16>())
    {
        return format!(
            "`{text}` lacks the brackets of an IPv6 address; write \"{}\", in quotes",
            SocketAddr::new(ip.into(), port)
        );
    }
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse::<IpAddr>() {
        return format!("`{text}` has no port; write `{}`", SocketAddr::new(ip, 69));
    }
    if let Some((host, port)) = text.rsplit_once(':') {
        if host.is_empty() {
            return format!("`{text}` has no address; write `0.0.0.0:{port}` or `[::]:{port}`");
        }
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let number = port.parse::<u32>();
        match (ip, number) {
            (Ok(_), Ok(port)) if port > u32::from(u16::MAX) => {
                return format!("port {port} is out of range; a port is 0 to 65535, 0 for any free one");
            }
            (Ok(_), Err(_)) => {
                return format!("`{port}` is not a port; a port is a number, 0 to 65535, 0 for any free one");
            }
            (Err(_), _) if host.contains(|c: char| c.is_ascii_alphabetic()) && !host.contains(':') => {
                return format!(
                    "`{host}` is not an IP address, and host names are not resolved; write IP:PORT, such as `127.0.0.1:{port}`"
                );
            }
            _ => {}
        }
    }
    format!("`{text}` is not an address; write IP:PORT, such as `0.0.0.0:69` or `[::]:69`")
}

/// Checks the name of a listener, root or plugin. The error names the problem and the remedy.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.:[]".contains(c);
    if name.is_empty() {
        return Err("the name is empty; give it one".into());
    }
    if name.len() > MAX_NAME {
        return Err(format!("the name has {} bytes; shorten it to at most {MAX_NAME}", name.len()));
    }
    match name.chars().find(|&c| !allowed(c)) {
        Some(bad) => Err(format!(
            "the name `{name}` contains {bad:?}; use letters, digits, `-`, `_`, `.`, `:`, `[` and `]`"
        )),
        None => Ok(()),
    }
}

/// Checks the name of a root: `ROOT:PATH` names a file, in logs and for plugins.
pub(super) fn check_root_name(name: &str) -> Result<(), String> {
    check_name(name)?;
    if name.contains(':') {
        return Err(format!(
            "the name `{name}` contains `:`, which stands between a root and a path; use `-`"
        ));
    }
    Ok(())
}

pub(super) fn address_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "address" })
}

pub(super) fn name_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "name", "pattern": "^[A-Za-z0-9_.:\\[\\]-]{1,64}$" })
}

/// Checks the name of a network interface, as the kernel does. The error names the problem and the remedy.
pub(super) fn check_interface(name: &str) -> Result<(), String> {
    let advice = "`ip -brief link` shows the interfaces";
    if name.is_empty() || matches!(name, "." | "..") {
        return Err(format!("`{name}` is no interface; {advice}"));
    }
    if name.len() > MAX_INTERFACE {
        return Err(format!(
            "`{name}` has {} bytes, and the name of an interface has at most {MAX_INTERFACE}; {advice}",
            name.len()
        ));
    }
    match name.chars().find(|c| matches!(c, '/' | ':') || c.is_whitespace() || c.is_control()) {
        Some(bad) => Err(format!("the interface `{name}` contains {bad:?}; {advice}")),
        None => Ok(()),
    }
}

pub(super) fn interface_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "interface", "pattern": "^[^/:\\s]{1,15}$" })
}

pub(super) fn path_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "path", "minLength": 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_address_gets_its_own_advice() {
        for (text, advice) in [
            ("127.0.0.1", "has no port; write `127.0.0.1:69`"),
            ("::1", "has no port; write `[::1]:69`"),
            ("[::1]", "has no port; write `[::1]:69`"),
            ("::1:69", "write \"[::1]:69\", in quotes"),
            ("fe80::2:6969", "write \"[fe80::2]:6969\", in quotes"),
            ("fe80::2:abcd", "has no port; write `[fe80::2:abcd]:69`"),
            (":69", "write `0.0.0.0:69` or `[::]:69`"),
            ("127.0.0.1:70000", "port 70000 is out of range"),
            ("[::1]:99999", "port 99999 is out of range"),
            ("127.0.0.1:tftp", "`tftp` is not a port"),
            ("127.0.0.1:-1", "`-1` is not a port"),
            ("localhost:69", "`localhost` is not an IP address"),
            ("256.0.0.1:69", "`256.0.0.1:69` is not an address"),
            ("", "`` is not an address"),
            ("[::ffff:192.0.2.1]:69", "write `192.0.2.1:69`"),
        ] {
            let error = parse_address(text).expect_err(text);
            assert!(error.contains(advice), "{text}: {error}");
        }
        for text in ["0.0.0.0:0", "127.0.0.1:6969", "[::1]:69", "[fe80::1%2]:69"] {
            assert!(parse_address(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn interfaces_are_named_as_the_kernel_names_them() {
        for name in ["eth0", "br-lan.7", "enx02005e100001"] {
            assert_eq!(check_interface(name), Ok(()));
        }
        for (name, advice) in [
            ("", "is no interface"),
            ("..", "is no interface"),
            ("eth0:1", "contains ':'"),
            ("a b", "contains ' '"),
            ("../x", "contains '/'"),
            ("enx02005e1000010", "has 16 bytes"),
        ] {
            let error = check_interface(name).expect_err(name);
            assert!(error.contains(advice) && error.contains("ip -brief link"), "{name}: {error}");
        }
    }

    #[test]
    fn names_are_plain() {
        for name in ["boot", "127.0.0.1:69", "[::1]:69", "mac-map_2"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "a b", "a/b", "a\n", "\u{e4}", &"n".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert!(check_root_name("boot.2").is_ok() && check_root_name("a:b").is_err());
    }
}
