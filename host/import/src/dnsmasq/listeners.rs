//! The addresses and interfaces that dnsmasq listens on.

use super::conf::Setting;
use super::settings::Settings;
use crate::target::{Target, put_tid_ports};
use crate::yaml::{Map, Value};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

/// The port is fixed in dnsmasq.
const PORT: u16 = 69;

/// An address to listen on, perhaps of one interface only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListenAddress {
    pub(super) address: IpAddr,
    pub(super) interface: Option<String>,
    pub(super) comments: Vec<String>,
}

/// Returns the addresses to listen on.
pub(super) fn listen_addresses(
    settings: &Settings,
    target: &mut Target,
    present: &[String],
) -> Vec<ListenAddress> {
    let mut found = Collector { target, present, list: Vec::new() };
    if !settings.tftp_interfaces.is_empty() {
        found.interfaces(&settings.tftp_interfaces, &[]);
    } else if !settings.interfaces.is_empty() || !settings.addresses.is_empty() {
        found.interfaces(&settings.interfaces, &settings.except);
        if !settings.interfaces.is_empty() && !excludes(&settings.except, "lo") {
            found.interface("lo", vec!["dnsmasq adds the loopback interface.".to_owned()]);
        }
        for (address, setting) in &settings.addresses {
            found.address(*address, setting);
        }
    } else if let Some((_, first)) = settings.except.first() {
        found.all_but(&settings.except, first);
    } else if let Some((_, _, own)) = settings.roots.iter().find(|(_, interface, _)| interface.is_some()) {
        // Beside a listener for all interfaces there can be none for one of them.
        found.all_but(&[], own);
    } else {
        found.any(None, Vec::new());
    }
    found.list
}

fn excludes(except: &[(String, Setting)], name: &str) -> bool {
    except.iter().any(|(pattern, _)| matches(pattern, name))
}

struct Collector<'a> {
    target: &'a mut Target,
    present: &'a [String],
    list: Vec<ListenAddress>,
}

impl Collector<'_> {
    fn interfaces(&mut self, wanted: &[(String, Setting)], except: &[(String, Setting)]) {
        for (pattern, setting) in wanted {
            let origin = setting.origin();
            if pattern.contains(':') {
                let text =
                    format!("{}: Tuffet listens on interfaces or addresses, not on labels", setting.written);
                self.target.missing(&setting.location, text);
            } else if pattern.ends_with('*') {
                let text = format!(
                    "{}: Tuffet takes names of interfaces, not patterns: these are the ones that are here now, and dnsmasq \
                     also serves those that come later",
                    setting.written
                );
                let comment = self.target.report.missing(&setting.location, text);
                self.target.listening.push(comment);
                let names = self.present.iter().filter(|name| matches(pattern, name));
                for name in names.filter(|name| !excludes(except, name)) {
                    self.interface(name, vec![origin.clone()]);
                }
            } else if !excludes(except, pattern) {
                self.interface(pattern, vec![origin]);
            }
        }
    }

    fn interface(&mut self, name: &str, comments: Vec<String>) {
        self.any(Some(name), comments);
    }

    /// Adds each present interface, except the excluded ones.
    fn all_but(&mut self, except: &[(String, Setting)], why: &Setting) {
        let text = format!(
            "{}: Tuffet listens on the interfaces that are here now; dnsmasq also serves those that come later",
            why.written
        );
        let comment = self.target.report.missing(&why.location, text);
        self.target.listening.push(comment);
        for name in self.present.iter().filter(|name| !excludes(except, name)) {
            self.interface(name, Vec::new());
        }
    }

    /// Adds an address, unless there are listeners for interfaces: Tuffet cannot have both.
    fn address(&mut self, address: IpAddr, setting: &Setting) {
        let has = |name: &str| self.list.iter().any(|it| it.interface.as_deref() == Some(name));
        if self.list.iter().all(|it| it.interface.is_none()) {
            self.add(address, None, vec![setting.origin()]);
        } else if !(address.is_loopback() && has("lo")) {
            let text = format!(
                "{}: Tuffet does not listen on {address} beside whole interfaces; add a listener for the interface \
                 that has it",
                setting.written
            );
            self.target.missing(&setting.location, text);
        }
    }

    /// Adds both families.
    fn any(&mut self, interface: Option<&str>, comments: Vec<String>) {
        self.add(Ipv4Addr::UNSPECIFIED.into(), interface, comments);
        if Path::new("/proc/net/if_inet6").exists() {
            self.add(Ipv6Addr::UNSPECIFIED.into(), interface, Vec::new());
        }
    }

    fn add(&mut self, address: IpAddr, interface: Option<&str>, comments: Vec<String>) {
        let interface = interface.map(str::to_owned);
        let is_new = !self.list.iter().any(|it| it.address == address && it.interface == interface);
        if is_new {
            self.list.push(ListenAddress { address, interface, comments });
        }
    }
}

/// Returns the listener for an address, without its roots.
pub(super) fn listener(listen: &ListenAddress, settings: &Settings) -> Map {
    let mut listener = Map::default();
    let address = SocketAddr::new(listen.address, PORT).to_string();
    listener.put("address", Value::text(address), listen.comments.clone());
    if let Some(interface) = &listen.interface {
        let family = if listen.address.is_ipv4() { "ipv4" } else { "ipv6" };
        listener.put("name", Value::text(format!("{interface}-{family}")), []);
        listener.put("interface", Value::text(interface), []);
    }
    if let Some(setting) = &settings.single_port {
        listener.put("single-port", Value::plain(true), [setting.origin()]);
    } else if let Some((first, last, setting)) = &settings.ports {
        put_tid_ports(&mut listener, (*first, *last), setting.origin());
    }
    if let Some((mtu, setting)) = &settings.mtu {
        // Headers of IP and UDP, and four bytes of TFTP.
        let overhead = if listen.address.is_ipv4() { 32 } else { 52 };
        let size = mtu.saturating_sub(overhead).clamp(8, 65_464);
        listener.put("max-blksize", Value::plain(size), [setting.origin()]);
    }
    listener
}

/// Returns the names of the interfaces, sorted.
pub(super) fn present_interfaces() -> Vec<String> {
    let entries = Path::new("/sys/class/net").read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Whether a name matches; a `*` at the end matches any suffix.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("eth*", "eth0") && matches("*", "lo") && matches("eth0", "eth0"));
        assert!(!matches("eth0", "eth01") && !matches("eth*", "br0"));
        assert!(present_interfaces().iter().any(|name| name == "lo"), "{:?}", present_interfaces());
    }
}
