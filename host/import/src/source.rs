//! Reads the files of other servers. None is read without a bound, and none can block the import.

use crate::error::ImportError;
use crate::location::Location;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// The largest file that is read, in bytes. Maps of a thousand rules have 100 KiB.
const MAX_FILE: u64 = 1 << 20;

/// Reads a text. Bytes that are not UTF-8 are read as Latin-1: these servers compare bytes, and old files have
/// comments in any encoding.
pub(crate) fn read(path: &Path) -> Result<String, ImportError> {
    let location = Location::file(path);
    bytes(path).map(decoded).map_err(|error| ImportError::invalid(&location, error.to_string()))
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Not opened before its kind is known: opening a FIFO would wait for a writer.
    let kind = path.metadata()?.file_type();
    if kind.is_char_device() && path == Path::new("/dev/null") {
        return Ok(Vec::new());
    }
    if kind.is_dir() {
        return Err(io::Error::other("a folder; name a file in it"));
    }
    if !kind.is_file() {
        return Err(io::Error::other("not a regular file; write its content to one and import that"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("larger than {} KiB", MAX_FILE >> 10)));
    }
    Ok(bytes)
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> String {
        read(path).unwrap_err().to_string()
    }

    #[test]
    fn texts_in_utf8_and_latin1() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (content, text) in [("gr\u{fc}n".as_bytes(), "gr\u{fc}n"), (b"gr\xfcn", "gr\u{fc}n")] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(read(&path).unwrap(), text);
        }
        assert_eq!(read(Path::new("/dev/null")).unwrap(), "");
    }

    #[test]
    fn what_is_no_small_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(refused(folder.path()).ends_with(": a folder; name a file in it"));
        assert!(
            refused(Path::new("/dev/zero"))
                .contains("/dev/zero: not a regular file; write its content to one")
        );
        let missing = folder.path().join("missing");
        let error = refused(&missing);
        assert!(error.starts_with(&format!("{}: No such file", missing.display())), "{error}");
        let large = folder.path().join("large");
        File::create(&large).unwrap().set_len(MAX_FILE + 1).unwrap();
        assert!(refused(&large).ends_with(": larger than 1024 KiB"));
    }
}
