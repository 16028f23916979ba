//! The servers whose configurations can be imported.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    TftpdHpa,
    Atftpd,
    Dnsmasq,
}

/// The version of a server, where versions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Version {
    #[value(name = "5.2")]
    Hpa5_2,
    /// Reads maps in another way.
    #[value(name = "5.4", aliases = ["5.5"])]
    Hpa5_4,
    /// Knows more flags, and has windows.
    #[value(name = "6.0", aliases = ["6.1", "7.0", "7.1", "7.2", "7.3"])]
    Hpa6,
    #[value(name = "2.90", aliases = ["2.85", "2.86", "2.87", "2.88", "2.89", "2.91"])]
    Dnsmasq2_90,
    /// Has time-outs and windows.
    #[value(name = "2.92", aliases = ["2.93"])]
    Dnsmasq2_92,
}

impl Version {
    /// The server that has this version.
    pub(crate) fn server(self) -> Server {
        match self {
            Version::Hpa5_2 | Version::Hpa5_4 | Version::Hpa6 => Server::TftpdHpa,
            Version::Dnsmasq2_90 | Version::Dnsmasq2_92 => Server::Dnsmasq,
        }
    }
}
