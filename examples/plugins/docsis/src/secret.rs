//! The secret that this server shares with the CMTS, in a file of a private root.

use tuffet_sdk::files;

/// The longest secret, in bytes.
const MAX_SECRET: u64 = 1024;

/// The place of the secret.
pub(crate) struct Secret {
    pub root: String,
    pub file: String,
}

impl Secret {
    /// Reads the secret, without the line feed at its end. A changed file counts from the next request on.
    ///
    /// # Errors
    /// The reason for the log; it never contains the secret.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        let at = format!("{}:{}", self.root, self.file);
        let read = files::read(&self.root, &self.file, MAX_SECRET);
        let read = read.map_err(|error| format!("the secret {at} cannot be read: {error}"))?;
        let secret = read.ok_or_else(|| format!("the secret {at} is not there"))?;
        let secret = secret.trim_ascii_end();
        if secret.is_empty() { Err(format!("the secret {at} is empty")) } else { Ok(secret.to_vec()) }
    }
}
