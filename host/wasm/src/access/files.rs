//! Reads files for plugins. Each read returns one consistent content, even if the file changes meanwhile.

use std::io::{self, IoSliceMut};
use std::thread::sleep;
use std::time::Duration;

use super::Code;
use crate::bindings::types::Error;
use tuffet_store::{OpenFile, StoreError};

/// The longest path in bytes (PATH_MAX of Linux).
pub(crate) const MAX_PATH: usize = 4096;
/// How often a changing file is read before the plugin gets an error.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt; it grows by as much with each later one. All together take 30 ms of a call's
/// `wall` limit.
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// Reads a whole file of at most `max_bytes`. If it changes meanwhile, opens and reads it again.
pub(super) fn read_steady(
    open: impl Fn() -> Result<OpenFile, StoreError>,
    root: &str,
    path: &str,
    max_bytes: u64,
) -> Result<Option<Vec<u8>>, Error> {
    for attempt in 0..ATTEMPTS {
        // Lets the writer finish.
        sleep(RETRY_PAUSE * attempt);
        let file = match open() {
            Ok(file) if file.size() > max_bytes => return Err(too_large(file.size(), max_bytes)),
            Ok(file) => file,
            Err(error) => return absent(&error),
        };
        if let Some(content) =
            one_content(&file).map_err(|error| Code::Unavailable.with(error.to_string()))?
        {
            return Ok(Some(content));
        }
    }
    Err(Code::Changed.with(format!(
        "{root}:{path} changed while it was read, {ATTEMPTS} times: write it under another name and rename it"
    )))
}

/// Reads bytes of this version of a file; fewer at its end.
pub(super) fn read_part(
    opened: Result<OpenFile, StoreError>,
    version: &str,
    offset: u64,
    length: usize,
) -> Result<Vec<u8>, Error> {
    let unavailable = |error: io::Error| Code::Unavailable.with(error.to_string());
    let file = match opened {
        Ok(file) => file,
        Err(error) => return absent(&error)?.ok_or_else(|| changed("it is gone")),
    };
    if !file.has_version(version) {
        return Err(changed("it has another version"));
    }
    // Never allocates more than the file has.
    let available = usize::try_from(file.size().saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut content = vec![0; length.min(available)];
    let mut filled = 0;
    while filled < content.len() {
        match file.read_at(offset + filled as u64, &mut [IoSliceMut::new(&mut content[filled..])]) {
            Ok(0) => return Err(changed("it became shorter")),
            Ok(read) => filled += read,
            Err(error) => return Err(unavailable(error)),
        }
    }
    if !file.unchanged().map_err(unavailable)? {
        return Err(changed("it changed while it was read"));
    }
    Ok(content)
}

pub(super) fn changed(how: &str) -> Error {
    Code::Changed.with(format!("this is not the version of the file that was asked for: {how}"))
}

pub(crate) fn too_large(bytes: u64, max_bytes: u64) -> Error {
    Code::TooLarge.with(format!("there are {bytes} bytes, and {max_bytes} may be read"))
}

/// Returns the content of the file at one moment; `None` if it changed meanwhile.
fn one_content(file: &OpenFile) -> io::Result<Option<Vec<u8>>> {
    let settled = file.is_settled();
    let Some(content) = file.read_whole()? else { return Ok(None) };
    // A write within one step of the clock leaves no trace; two equal readings prove the content in between.
    Ok(if settled || file.read_whole()?.as_ref() == Some(&content) { Some(content) } else { None })
}

/// Returns `None` if the file is absent, otherwise why it cannot be read.
pub(super) fn absent<T>(error: &StoreError) -> Result<Option<T>, Error> {
    match error {
        StoreError::NotFound => Ok(None),
        error if error.is_about_names() => Ok(None),
        StoreError::NotRegular(_) => Err(Code::NotAFile.with(error.to_string())),
        StoreError::Denied(_)
        | StoreError::LeadsOut { .. }
        | StoreError::Forbidden { .. }
        | StoreError::NotPublic { .. } => Err(Code::BadPath.with(error.to_string())),
        error => Err(Code::Unavailable.with(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;
    use tuffet_request::RootSpec;
    use tuffet_store::Roots;

    const OLD: &[u8] = b"aaaaaaaa";

    fn writes_over(path: &Path) {
        let before = fs::metadata(path).unwrap().modified().unwrap();
        fs::write(path, "bbbbbbbb").unwrap();
        // The size stays, and the time changes by more than the step of the clock.
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(before + Duration::from_secs(1)).unwrap();
    }

    /// Reads a file that changes after each of the first `times` opens. Returns also how often it was opened.
    fn read(times: u32, change: fn(&Path), max_bytes: u64) -> (Result<Option<Vec<u8>>, Error>, u32) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, OLD).unwrap();
        let spec = RootSpec { private: true, ..RootSpec::read_only("r", folder.path()) };
        let roots = Roots::open(&[spec]).unwrap();
        let opened = Cell::new(0);
        let open = || {
            let file = roots.open_read(Some("r"), "f")?;
            opened.set(opened.get() + 1);
            if opened.get() <= times {
                change(&path);
            }
            Ok(file)
        };
        (read_steady(open, "r", "f", max_bytes), opened.get())
    }

    fn changed(result: Result<Option<Vec<u8>>, Error>) -> String {
        match result {
            Err(Error { code, message }) if code == "changed" => message,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_file_that_changes_is_read_again() {
        let grows = |path: &Path| fs::write(path, [&fs::read(path).unwrap()[..], b"+"].concat()).unwrap();
        let shrinks = |path: &Path| fs::write(path, "aaaa").unwrap();
        for (change, content) in
            [(writes_over as fn(&Path), &b"bbbbbbbb"[..]), (grows, b"aaaaaaaa+"), (shrinks, b"aaaa")]
        {
            let (read, opened) = read(1, change, 100);
            assert_eq!((read.unwrap().as_deref(), opened), (Some(content), 2));
        }
        assert_eq!(read(0, writes_over, 100).0.unwrap().as_deref(), Some(OLD));
    }

    #[test]
    fn one_that_changes_each_time_is_an_error() {
        for change in [writes_over as fn(&Path), |path| {
            fs::write(path, [&fs::read(path).unwrap()[..], b"+"].concat()).unwrap();
        }] {
            let (read, opened) = read(u32::MAX, change, 100);
            let text = changed(read);
            assert!(text.starts_with("r:f changed while it was read, 4 times: "), "{text}");
            assert_eq!(opened, ATTEMPTS);
        }
    }

    /// The open file is the whole old one.
    #[test]
    fn one_that_is_replaced_or_removed_is_whole() {
        let replaced = |path: &Path| {
            fs::write(path.with_extension("next"), "b").unwrap();
            fs::rename(path.with_extension("next"), path).unwrap();
        };
        for change in [replaced, |path: &Path| fs::remove_file(path).unwrap()] {
            let (read, opened) = read(1, change, 100);
            assert_eq!((read.unwrap().as_deref(), opened), (Some(OLD), 1));
        }
    }

    #[test]
    fn one_that_grows_beyond_the_limit_is_too_large() {
        let grows = |path: &Path| fs::write(path, [b'a'; 9]).unwrap();
        assert_eq!(read(1, grows, 8).0, Err(too_large(9, 8)));
    }

    #[test]
    fn parts_are_those_of_one_version() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, OLD).unwrap();
        let past = fs::metadata(&path).unwrap().modified().unwrap() - Duration::from_secs(60);
        let spec = RootSpec { private: true, ..RootSpec::read_only("r", folder.path()) };
        let roots = Roots::open(&[spec]).unwrap();
        let open = || roots.open_read(Some("r"), "f");
        // A file written just now has no stable version.
        let unsettled = open().unwrap().version();
        assert!(read_part(open(), &unsettled, 0, 1).is_err() || open().unwrap().is_settled());
        while !open().unwrap().is_settled() {
            sleep(RETRY_PAUSE);
        }
        let version = open().unwrap().version();
        assert_eq!(read_part(open(), &version, 2, 3), Ok(OLD[2..5].to_vec()));
        assert_eq!(read_part(open(), &version, 6, 100), Ok(OLD[6..].to_vec()));
        assert_eq!(read_part(open(), &version, u64::MAX, 1), Ok(Vec::new()));
        fs::File::options().write(true).open(&path).unwrap().set_modified(past).unwrap();
        let code = |result: Result<Vec<u8>, Error>| result.unwrap_err().code;
        assert_eq!(code(read_part(open(), &version, 0, 1)), "changed");
        fs::remove_file(&path).unwrap();
        assert_eq!(code(read_part(open(), &version, 0, 1)), "changed");
    }
}
