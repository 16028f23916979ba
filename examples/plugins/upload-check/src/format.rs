//! The first bytes of a file, which say what it is.

use tuffet_sdk::{Glob, Upload, upload};

/// What files with these names begin with.
pub(crate) struct Format {
    pub names: Vec<Glob>,
    /// Where in the file it is, in bytes.
    pub offset: u64,
    /// Any of these.
    pub magic: Vec<Vec<u8>>,
}

impl Format {
    /// Whether it is about this upload.
    pub fn concerns(&self, upload: &Upload) -> bool {
        self.names.iter().any(|name| name.matches(&upload.path))
    }

    /// Returns the bytes that the upload has instead; `None` if they are as they should be.
    ///
    /// # Errors
    /// The upload cannot be read; the reason is for the log.
    pub fn mismatch(&self) -> Result<Option<Vec<u8>>, String> {
        let longest = self.magic.iter().map(Vec::len).max().unwrap_or_default();
        let longest = u32::try_from(longest).map_err(|error| error.to_string())?;
        let read = upload::read(self.offset, longest);
        let found = read.map_err(|error| format!("the upload cannot be read: {error}"))?;
        let fits = self.magic.iter().any(|magic| found.starts_with(magic));
        Ok((!fits).then_some(found))
    }
}

/// Parses the digits of `7f454c46`.
pub(crate) fn hex(digits: &str) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

/// Writes bytes as [`hex`] reads them.
pub(crate) fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
