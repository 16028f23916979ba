//! The servers whose configurations can be imported.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    TftpdHpa,
    Atftpd,
    Dnsmasq,
}
