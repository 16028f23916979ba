//! The section `netboot`: help for boot chains. A reload may change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::settings::Netboot;

/// Help for boot chains. Each key changes the answers to some other clients, so all are off by default.
// Not `Netboot` itself: two keys make one value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenNetboot {
    /// Turns on all of the keys below, except those set to `false`: for a server that only boots machines.
    pub preset: bool,
    /// Whether files that shim requests at the top (`grub*.efi`, `mm*.efi`, `revocations*.efi`,
    /// `shim_certificate*.efi`) are also looked for in the folder of the last `.efi` file that the client got within a
    /// minute, after the name itself: shim forgets the folder that it was loaded from. Default: as `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub shim_folder: Option<bool>,
    /// Whether a missing file with a name that ends in `.lst` is read as an empty one. GRUB requests several optional
    /// ones: `command.lst`, `fs.lst`, `crypto.lst`, `terminal.lst`. Default: as `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub empty_lists: Option<bool>,
    /// Whether a name ends before its first byte below 0x20, or 0xFF: old ROMs append the rest of their buffer to the
    /// name, such as further options of DHCP. Default: as `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub name_tails: Option<bool>,
    /// Whether the server acknowledges `msftwindow` of Windows' boot manager: each ACK then chooses the size of the
    /// next window, up to `max-windowsize`. Default: as `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub windows: Option<bool>,
    /// Whether the server acknowledges the options of tftp-hpa: `rollover`, `blksize2` and `utimeout`. Default: as
    /// `preset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub tftp_hpa_options: Option<bool>,
}

impl From<WrittenNetboot> for Netboot {
    fn from(written: WrittenNetboot) -> Netboot {
        let WrittenNetboot { preset, shim_folder, empty_lists, name_tails, windows, tftp_hpa_options } =
            written;
        let is_on = |key: Option<bool>| key.unwrap_or(preset);
        Netboot {
            shim_folder: is_on(shim_folder),
            empty_lists: is_on(empty_lists),
            name_tails: is_on(name_tails),
            windows: is_on(windows),
            tftp_hpa_options: is_on(tftp_hpa_options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn netboot(yaml: &str) -> [bool; 5] {
        let Netboot { shim_folder, empty_lists, name_tails, windows, tftp_hpa_options } =
            serde_yaml::from_str::<WrittenNetboot>(yaml).unwrap().into();
        [shim_folder, empty_lists, name_tails, windows, tftp_hpa_options]
    }

    #[test]
    fn the_preset_turns_all_on_that_is_not_turned_off() {
        assert_eq!(netboot("{}"), [false; 5]);
        assert_eq!(netboot("{ preset: true }"), [true; 5]);
        assert_eq!(netboot("{ preset: true, windows: false }"), [true, true, true, false, true]);
        assert_eq!(netboot("{ preset: false, empty-lists: true }"), [false, true, false, false, false]);
    }
}
