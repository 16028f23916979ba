//! Help for boot chains.

use super::{OptionRule, OptionRules};

/// Help for boot chains. Each part changes the answers to some other clients, so all are off by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Netboot {
    /// Whether shim's files are also looked for in the folder of the client's last `.efi` file.
    pub shim_folder: bool,
    /// Whether a missing `.lst` file is read as an empty one.
    pub empty_lists: bool,
    /// Whether a name ends at its first byte below 0x20, or 0xFF.
    pub name_tails: bool,
    /// Whether `msftwindow` is acknowledged.
    pub windows: bool,
    /// Whether the options of tftp-hpa are acknowledged.
    pub tftp_hpa_options: bool,
}

impl Netboot {
    /// Returns the options that it turns on.
    #[doc(hidden)]
    pub fn options(&self) -> OptionRules {
        let on = |on: bool| on.then_some(OptionRule::Acknowledge);
        OptionRules {
            rollover: on(self.tftp_hpa_options),
            blksize2: on(self.tftp_hpa_options),
            utimeout: on(self.tftp_hpa_options),
            msftwindow: on(self.windows),
            ..OptionRules::default()
        }
    }
}
