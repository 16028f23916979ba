//! `/etc/hosts.allow` and `/etc/hosts.deny` of tcp-wrappers (hosts_access(5), hosts_options(5)), which in.tftpd and
//! atftpd ask for each request.
//!
//! The first rule of both files that matches decides; without one the client is served. A pattern that depends on the
//! name of a client cannot become a subnet. It is reported; a rule that allows does so for fewer clients without it.

use super::addresses::Addresses;
use crate::error::ImportError;
use crate::location::Location;
use crate::report::Report;
use std::net::{IpAddr, Ipv4Addr};

/// The name by which both servers ask.
const DAEMON: &str = "in.tftpd";

/// The longest line that the library reads whole, in bytes.
const MAX_LINE: usize = 2_046;

/// The result of both files.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) served: Addresses,
    /// The rules that count, each with its place.
    pub(super) rules: Vec<String>,
}

/// A file and the effect of its rules.
pub(super) struct Table<'a> {
    pub(super) location: Location,
    pub(super) text: &'a str,
    pub(super) allows: bool,
}

/// Reads the files. `asks_names`: whether the server looks up the names of its clients; atftpd does not.
pub(super) fn decide(
    tables: &[Table<'_>],
    asks_names: bool,
    report: &mut Report,
) -> Result<Decision, ImportError> {
    let mut reader = Reader { asks_names, report };
    let (mut served, mut rest) = (Addresses::default(), Addresses::all());
    let mut rules = Vec::new();
    for table in tables {
        for (number, line) in lines(table.text) {
            let location = table.location.line(number);
            if line.len() > MAX_LINE {
                return Err(ImportError::invalid(&location, "the line is longer than tcp-wrappers can read"));
            }
            let Some((allows, clients)) = reader.rule(&line, table.allows, &location) else { continue };
            rules.push(format!("{location}: {}", line.split_whitespace().collect::<Vec<_>>().join(" ")));
            let matched = rest.without(&rest.without(&clients));
            rest = rest.without(&clients);
            if allows {
                served = served.and(&matched);
            }
        }
    }
    Ok(Decision { served: served.and(&rest), rules })
}

/// Returns the lines with their numbers; a backslash at the end continues one.
fn lines(text: &str) -> Vec<(usize, String)> {
    let (mut lines, mut open) = (Vec::<(usize, String)>::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        let (line, continues) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut().filter(|_| open) {
            Some((_, before)) => before.push_str(line),
            None => lines.push((number, line.to_owned())),
        }
        open = continues;
    }
    lines.retain(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    lines
}

struct Reader<'a> {
    asks_names: bool,
    report: &'a mut Report,
}

impl Reader<'_> {
    /// Returns whether a rule allows, and its clients; `None` if it does not count.
    fn rule(&mut self, line: &str, allows: bool, location: &Location) -> Option<(bool, Addresses)> {
        let (daemons, rest) = split(line)?;
        let (clients, options) = split(rest).unwrap_or((rest, ""));
        let names = tokens(daemons);
        if !names_daemon(&names, DAEMON) {
            let like = ["atftpd", "tftpd", "tftpd-hpa", "in.tftpd.real"];
            if let Some(name) = names.iter().find(|name| like.contains(&&*name.to_lowercase())) {
                let text = format!(
                    "`{name}` is not the name that the server asks by ({DAEMON}): the rule has no effect"
                );
                self.report.missing(location, text);
            } else if let Some(name) = names.iter().find(|name| has_host(name)) {
                let text = format!("`{name}`: rules for an address of the server; write them for a listener");
                self.report.missing(location, text);
            }
            return None;
        }
        let allows = self.verdict(options, allows, location);
        Some((allows, self.clients(&tokens(clients), false, allows, location)))
    }

    /// Returns whether a rule with these options allows.
    fn verdict(&mut self, options: &str, by_file: bool, location: &Location) -> bool {
        let options: Vec<&str> =
            options.split(':').map(str::trim).filter(|option| !option.is_empty()).collect();
        let mut allows = by_file;
        for (number, option) in options.iter().enumerate() {
            let word = option.split(|it: char| it.is_whitespace() || it == '=').next().unwrap_or_default();
            let is_last = number + 1 == options.len();
            match word.to_lowercase().as_str() {
                "allow" if is_last => allows = true,
                "deny" if is_last => allows = false,
                "severity" => {
                    self.report.differs(location, format!("`{option}`: `--log` sets the level of the log"));
                }
                "spawn" => {
                    self.report.missing(location, format!("`{option}`: Tuffet starts no commands"));
                }
                // A command instead of the server, an error of the rule, or an option that may be one.
                _ => {
                    self.report
                        .missing(location, format!("`{option}`: clients of this rule are refused here"));
                    return false;
                }
            }
        }
        allows
    }

    /// Returns the clients that a list matches. A pattern that cannot be carried over matches all of them or none.
    fn clients(&mut self, tokens: &[&str], unknown: bool, allows: bool, location: &Location) -> Addresses {
        let except = tokens.iter().position(|token| token.eq_ignore_ascii_case("EXCEPT"));
        let (list, rest) = tokens.split_at(except.unwrap_or(tokens.len()));
        let mut matched = Addresses::default();
        for token in list {
            let found = self.client(token, location).unwrap_or_else(|| {
                let text = format!("`{token}`: Tuffet has rules for addresses, not for names of clients");
                self.report.missing(location, text);
                if unknown { Addresses::all() } else { Addresses::default() }
            });
            matched = matched.and(&found);
        }
        match rest {
            [_, exceptions @ ..] => {
                matched.without(&self.clients(exceptions, allows && !unknown, allows, location))
            }
            [] => matched,
        }
    }

    /// Returns the clients of one pattern; `None` if it is no set of addresses.
    fn client(&mut self, token: &str, location: &Location) -> Option<Addresses> {
        // Patterns that depend on a host name, which is never looked up.
        let by_name = |matches: Addresses| if self.asks_names { None } else { Some(matches) };
        let no_client = Addresses::default;
        match token.to_ascii_uppercase().as_str() {
            "ALL" | "*" => return Some(Addresses::all()),
            "UNKNOWN" => return by_name(Addresses::all()),
            "KNOWN" | "LOCAL" | "PARANOID" => return by_name(no_client()),
            _ => {}
        }
        if token.starts_with(['/', '@']) || has_host(token) {
            return None;
        }
        if let Some(inside) = token.strip_prefix('[') {
            return Some(ipv6(inside).unwrap_or_default());
        }
        if let Some((address, mask)) = token.split_once('/') {
            let found = ipv4(address, mask)?;
            if found.is_empty() {
                let text = format!("`{token}` matches no client: tcp-wrappers know no such network");
                self.report.differs(location, text);
            }
            return Some(found);
        }
        if let Ok(address) = token.parse::<Ipv4Addr>() {
            return Addresses::network(address.into(), 32);
        }
        let is_number = token.bytes().all(|byte| byte.is_ascii_digit() || b".*?".contains(&byte));
        if !is_number {
            let is_pattern = token.contains(['*', '?']);
            return if is_pattern { None } else { by_name(no_client()) };
        }
        let prefix = token.strip_suffix('*').unwrap_or(token);
        if prefix.ends_with('.') {
            return beginning(prefix);
        }
        if token.starts_with('.') || token.contains(['*', '?']) {
            return None;
        }
        let text = format!("`{token}` matches no client: the beginning of an address ends with a dot");
        self.report.differs(location, text);
        Some(no_client())
    }
}

/// Splits at the first colon that is not in brackets.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_u32;
    let at = text.find(|letter| {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ':' && depth == 0
    })?;
    Some((&text[..at], &text[at + 1..]))
}

fn tokens(list: &str) -> Vec<&str> {
    list.split([' ', ',', '\t', '\r', '\n']).filter(|token| !token.is_empty()).collect()
}

/// Whether it is `NAME@HOST`.
fn has_host(token: &str) -> bool {
    token.find('@').is_some_and(|at| at > 0)
}

fn names_daemon(tokens: &[&str], daemon: &str) -> bool {
    let except = tokens.iter().position(|token| token.eq_ignore_ascii_case("EXCEPT"));
    let (list, rest) = tokens.split_at(except.unwrap_or(tokens.len()));
    let is_named = list.iter().any(|token| is_name(&token.to_lowercase(), daemon));
    is_named && !rest.get(1..).is_some_and(|rest| names_daemon(rest, daemon))
}

fn is_name(token: &str, daemon: &str) -> bool {
    if token.contains(['*', '?']) {
        return is_like(token.as_bytes(), daemon.as_bytes());
    }
    token == "all"
        || token == "known"
        || token == daemon
        || (token.starts_with('.') && daemon.ends_with(token))
        || (token.ends_with('.') && daemon.starts_with(token))
}

/// Compares with a pattern of `*` and `?`: when a byte does not match, the last `*` takes one more.
fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((begun, taken)) = star else { return false };
                star = Some((begun, taken + 1));
                (at, read) = (begun + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Reads `ADDRESS]` or `ADDRESS]/PREFIX`.
fn ipv6(inside: &str) -> Option<Addresses> {
    let (address, rest) = inside.split_once(']')?;
    let address = IpAddr::V6(address.parse().ok()?);
    let prefix = rest.strip_prefix('/').map_or(Some(128), |prefix| prefix.parse().ok())?;
    Addresses::network(address, prefix)
}

/// Reads a network with a mask, or a number of bits; `None` if it is neither. One whose address has bits outside of the
/// mask matches nothing; neither do `/0` and `/255.255.255.255`.
fn ipv4(address: &str, mask: &str) -> Option<Addresses> {
    let address: Ipv4Addr = address.parse().ok()?;
    let (prefix, odd) = match mask.parse::<Ipv4Addr>() {
        Ok(mask) => {
            let ones = mask.to_bits().leading_ones();
            (Some(ones).filter(|ones| mask.to_bits().count_ones() == *ones)?, ones == 32)
        }
        Err(_) => {
            let prefix = mask.parse().ok().filter(|prefix| *prefix <= 32)?;
            (prefix, prefix == 0)
        }
    };
    let host = u32::MAX.checked_shr(prefix).unwrap_or(0);
    if odd || address.to_bits() & host != 0 {
        return Some(Addresses::default());
    }
    Addresses::network(address.into(), prefix)
}

/// Reads the beginning of an address, such as `192.168.`; `None` if it is the beginning of a name.
fn beginning(prefix: &str) -> Option<Addresses> {
    let octets: Vec<&str> = prefix.strip_suffix('.')?.split('.').collect();
    let mut address = [0; 4];
    for (number, octet) in octets.iter().enumerate() {
        *address.get_mut(number)? = octet.parse().ok()?;
    }
    Addresses::network(Ipv4Addr::from(address).into(), octets.len() as u32 * 8)
}

#[cfg(test)]
mod tests;
