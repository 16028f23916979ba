//! `--address`: a host name or address, a port or service name, both optional.

use crate::error::ImportError;
use crate::location::Location;
use crate::source;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::Path;

/// The families that the server uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Families {
    pub(super) ipv4: bool,
    pub(super) ipv6: bool,
}

/// The addresses that one `--address` means, and whether they come from a host name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    pub(super) list: Vec<SocketAddr>,
    pub(super) by_name: bool,
}

pub(super) fn parse(
    text: &str,
    default_port: u16,
    families: Families,
    location: &Location,
) -> Result<Addresses, ImportError> {
    let (host, port) = split(text);
    let port = match port {
        None | Some("") => default_port,
        Some(port) => service(port).map_err(|text| ImportError::invalid(location, text))?,
    };
    let wanted = |address: &IpAddr| if address.is_ipv4() { families.ipv4 } else { families.ipv6 };
    let literal: Option<IpAddr> = host.parse().ok();
    let hosts: Vec<IpAddr> = match (host, literal) {
        ("", _) => vec![Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()],
        (_, Some(address)) => vec![address],
        (name, None) => {
            let found = (name, port).to_socket_addrs().map_err(|error| {
                ImportError::invalid(location, format!("the host name {name} cannot be resolved: {error}"))
            })?;
            found.map(|address| address.ip()).collect()
        }
    };
    let mut list: Vec<SocketAddr> =
        hosts.into_iter().filter(wanted).map(|address| SocketAddr::new(address, port)).collect();
    list.sort();
    list.dedup();
    if list.is_empty() {
        return Err(ImportError::invalid(
            location,
            format!("--address {text}: no address of the wanted family"),
        ));
    }
    Ok(Addresses { list, by_name: !host.is_empty() && literal.is_none() })
}

/// Splits host and port; an IPv6 address is in brackets.
fn split(text: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (host, rest.strip_prefix(':'));
    }
    match text.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    }
}

/// Returns the port of a service, by number or name.
pub(super) fn service(text: &str) -> Result<u16, String> {
    if let Ok(port) = text.parse() {
        return Ok(port);
    }
    let services = source::read(Path::new("/etc/services")).unwrap_or_default();
    let found = services.lines().find_map(|line| port_of(line, text));
    found.or((text == "tftp").then_some(69)).ok_or_else(|| format!("unknown service {text}"))
}

/// Reads `NAME PORT/udp ALIAS… # comment`.
fn port_of(line: &str, service: &str) -> Option<u16> {
    let mut words = line.split('#').next()?.split_ascii_whitespace();
    let name = words.next()?;
    let port = words.next()?.strip_suffix("/udp")?;
    if name == service || words.any(|alias| alias == service) { port.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Families = Families { ipv4: true, ipv6: true };

    fn shown(text: &str, families: Families) -> Result<String, String> {
        let addresses =
            parse(text, 69, families, &Location::CommandLine).map_err(|error| error.to_string())?;
        let list: Vec<String> = addresses.list.iter().map(ToString::to_string).collect();
        Ok(list.join(" "))
    }

    #[test]
    fn addresses_in_every_form() {
        let cases = [
            (":69", "0.0.0.0:69 [::]:69"),
            ("", "0.0.0.0:69 [::]:69"),
            (":6969", "0.0.0.0:6969 [::]:6969"),
            ("0.0.0.0", "0.0.0.0:69"),
            ("0.0.0.0:tftp", "0.0.0.0:69"),
            ("192.0.2.1:1069", "192.0.2.1:1069"),
            ("[::]:69", "[::]:69"),
            ("[2001:db8::1]", "[2001:db8::1]:69"),
            ("192.0.2.1:", "192.0.2.1:69"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text, BOTH).as_deref(), Ok(expected), "{text}");
        }
        let only = |ipv4| Families { ipv4, ipv6: !ipv4 };
        assert_eq!(shown(":69", only(true)).as_deref(), Ok("0.0.0.0:69"));
        assert_eq!(shown(":69", only(false)).as_deref(), Ok("[::]:69"));
        assert!(shown("192.0.2.1", only(false)).unwrap_err().contains("no address of the wanted family"));
        assert!(shown(":no-such-service", BOTH).unwrap_err().ends_with("unknown service no-such-service"));
    }

    #[test]
    fn host_names_are_resolved() {
        let found = parse("localhost:1", 69, BOTH, &Location::CommandLine).unwrap();
        assert!(
            found.by_name && found.list.iter().all(|it| it.ip().is_loopback() && it.port() == 1),
            "{found:?}"
        );
    }

    #[test]
    fn lines_of_the_services_file() {
        assert_eq!(port_of("tftp\t\t69/udp", "tftp"), Some(69));
        assert_eq!(port_of("tftp 69/udp trivial # old", "trivial"), Some(69));
        assert_eq!(port_of("tftp 69/tcp", "tftp"), None);
        assert_eq!(port_of("# tftp 69/udp", "tftp"), None);
    }
}
