//! The section `netboot`: help for boot chains. A reload may change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ceilings::{OptionRule, OptionRules};

/// Help for boot chains; each changes what some other clients get, so all are off by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Netboot {
    /// Whether files that shim asks for at the top (`grub*.efi`, `mm*.efi`, `revocations*.efi`,
    /// `shim_certificate*.efi`) are also looked for in the folder of the last `.efi` file that the client got within a
    /// minute, after the name itself: shim forgets the folder that it was loaded from.
    pub shim_folder: bool,
    /// Whether a missing file whose name ends in `.lst` is read as an empty one. GRUB asks for several that need not be
    /// there: `command.lst`, `fs.lst`, `crypto.lst`, `terminal.lst`.
    pub empty_lists: bool,
    /// Whether the server acknowledges `msftwindow` of Windows' boot manager: each ACK then chooses the size of the
    /// next window, up to `max-windowsize`.
    pub windows: bool,
    /// Whether the server acknowledges the options of tftp-hpa: `rollover`, `blksize2` and `utimeout`.
    pub tftp_hpa_options: bool,
}

impl Netboot {
    /// Returns the options that it switches on.
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
