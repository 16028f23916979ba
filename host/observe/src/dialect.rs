//! The forms of log lines that tools for other TFTP servers parse.

/// The field of a request's event that has its lines in this form, each with its end. Only such a log has it.
pub const COMPATIBLE: &str = "compatible";

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// tftpd-hpa.
    TftpHpa,
    /// dnsmasq.
    Dnsmasq,
}

impl Dialect {
    /// The name by which tools know the server.
    pub fn label(self) -> &'static str {
        match self {
            Dialect::TftpHpa => "in.tftpd",
            Dialect::Dnsmasq => "dnsmasq-tftp",
        }
    }
}
