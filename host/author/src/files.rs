//! Files that a server may be reading.

use std::io::Write;
use std::path::Path;
use std::{fs, io};

/// Replaces a file atomically: a reloading server finds the old one or the new one, also where two builds write it at
/// once.
pub(crate) fn replace(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut temporary = file.as_os_str().to_owned();
    temporary.push(format!(".{:016x}.new", fastrand::u64(..)));
    // Opens no file and follows no link that is there already.
    let written = fs::File::create_new(&temporary).and_then(|mut new| new.write_all(content));
    let written = written.and_then(|()| fs::rename(&temporary, file));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}
