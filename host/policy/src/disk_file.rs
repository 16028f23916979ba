//! Files in place of those in memory: macOS has no such.

use std::fs::File;
use std::io;

/// Creates an empty file without a name, in the folder for temporary files.
pub(crate) fn create() -> io::Result<File> {
    tuffet_store::unnamed_file(&std::env::temp_dir()).map_err(io::Error::other)
}
