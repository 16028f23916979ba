//! Formats of the lines about requests: for people, or for tools that parse those of other TFTP servers.

/// The field of a request's event with its lines in the dialect, each with a line feed. Absent in JSON. Formatting the
/// field makes the lines, so an output that does not write them must not format it.
pub const COMPATIBLE: &str = "compatible";

/// Who reads the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// People.
    People,
    /// Tools for tftpd-hpa.
    TftpHpa,
    /// Tools for dnsmasq.
    Dnsmasq,
}

impl Dialect {
    /// Returns the program name that tools expect; `None` for people.
    pub fn label(self) -> Option<&'static str> {
        match self {
            Dialect::People => None,
            Dialect::TftpHpa => Some("in.tftpd"),
            Dialect::Dnsmasq => Some("dnsmasq-tftp"),
        }
    }
}
