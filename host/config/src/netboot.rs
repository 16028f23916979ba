//! The section `netboot`: what chains of boot loaders need. A reload may change it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What chains of boot loaders need beyond the protocol.
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
}
