//! Formats of log lines for tools that parse those of other TFTP servers.

/// The field of a request's event with its lines in the dialect, each with a line feed. Present only if the log has a
/// dialect.
pub const COMPATIBLE: &str = "compatible";

/// The TFTP server with this format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// tftpd-hpa.
    TftpHpa,
    /// dnsmasq.
    Dnsmasq,
}

impl Dialect {
    /// Returns the program name that tools expect.
    pub fn label(self) -> &'static str {
        match self {
            Dialect::TftpHpa => "in.tftpd",
            Dialect::Dnsmasq => "dnsmasq-tftp",
        }
    }
}
