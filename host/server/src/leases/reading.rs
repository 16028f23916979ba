//! Reads a lease file if it has changed. Blocks.

use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

/// The largest file in bytes.
pub(super) const MAX_BYTES: u64 = 256 << 20;
/// A file written less than this long ago may be incomplete.
const SETTLED: Duration = Duration::from_millis(100);
/// How often a file that is being written is read, before an incomplete one is accepted.
const MAX_ATTEMPTS: u32 = 10;

/// Identifies the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    status: (i64, i64),
}

impl Version {
    fn of(metadata: &Metadata) -> Version {
        Version {
            file: (metadata.dev(), metadata.ino()),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            status: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The result of a check.
#[derive(Debug)]
pub(super) enum ReadOutcome {
    Absent,
    /// The file has the known version.
    Unchanged,
    /// The content; the version is `None` if the file may still change without getting another version.
    Read(Vec<u8>, Option<Version>),
}

/// Reads the file if its version differs from `known`. Waits for a file that is being written.
///
/// # Errors
/// It cannot be read, is not a regular file, or is too large.
pub(super) fn read_if_changed(path: &Path, known: Option<Version>) -> io::Result<ReadOutcome> {
    read_at(path, known, SystemTime::now, || thread::sleep(SETTLED))
}

/// As [`read_if_changed`], with this clock and this pause between attempts.
fn read_at(
    path: &Path,
    known: Option<Version>,
    now: impl Fn() -> SystemTime,
    mut pause: impl FnMut(),
) -> io::Result<ReadOutcome> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let Some(mut file) = open(path)? else { return Ok(ReadOutcome::Absent) };
        let before = file.metadata()?;
        require_file(&before)?;
        let version = Version::of(&before);
        if known == Some(version) {
            return Ok(ReadOutcome::Unchanged);
        }
        let mut content = Vec::with_capacity(usize::try_from(version.size).unwrap_or(0).saturating_add(1));
        file.by_ref().take(MAX_BYTES + 1).read_to_end(&mut content)?;
        let settled = content.len() as u64 == version.size
            && Version::of(&file.metadata()?) == version
            && is_settled(&before, now());
        if settled || attempts == MAX_ATTEMPTS {
            return Ok(ReadOutcome::Read(content, settled.then_some(version)));
        }
        pause();
    }
}

fn open(path: &Path) -> io::Result<Option<File>> {
    // Opening a FIFO must not wait for its writer.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    match OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn require_file(metadata: &Metadata) -> io::Result<()> {
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if metadata.size() > MAX_BYTES {
        let message = format!("it has {} bytes, more than the limit of {MAX_BYTES}", metadata.size());
        return Err(io::Error::other(message));
    }
    Ok(())
}

/// Whether the last write was long enough ago. A time in the future counts as old.
fn is_settled(metadata: &Metadata, now: SystemTime) -> bool {
    let modified = metadata.modified().ok();
    modified.and_then(|then| now.duration_since(then).ok()).is_none_or(|ago| ago >= SETTLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::Write;

    fn read(outcome: io::Result<ReadOutcome>) -> (Vec<u8>, Option<Version>) {
        match outcome.unwrap() {
            ReadOutcome::Read(content, version) => (content, version),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_is_read_once_for_each_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leases");
        assert!(matches!(read_if_changed(&path, None), Ok(ReadOutcome::Absent)));
        std::fs::write(&path, "one").unwrap();
        let (content, version) = read(read_if_changed(&path, None));
        assert_eq!((content.as_slice(), version.is_some()), (&b"one"[..], true));
        assert!(matches!(read_if_changed(&path, version), Ok(ReadOutcome::Unchanged)));
        std::fs::write(&path, "two").unwrap();
        let (content, other) = read(read_if_changed(&path, version));
        assert_eq!(content, b"two");
        assert_ne!(other, version);
    }

    /// dnsmasq writes its file in place.
    #[test]
    fn a_file_that_is_being_written_is_read_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leases");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        // It is written to four times, and then no more.
        let written = Cell::new(0);
        let now = || {
            let last = std::fs::metadata(&path).unwrap().modified().unwrap();
            if written.get() < 4 { last + SETTLED / 2 } else { last + SETTLED }
        };
        let (content, version) = read(read_at(&path, None, now, || {
            file.write_all(b"more").unwrap();
            written.set(written.get() + 1);
        }));
        assert_eq!((content.len(), version.is_some(), written.get()), (20, true, 4));
        let now = || std::fs::metadata(&path).unwrap().modified().unwrap();
        let (content, version) = read(read_at(&path, None, now, || file.write_all(b"more").unwrap()));
        assert_eq!((content.len() as u32, version.is_some()), (20 + 4 * (MAX_ATTEMPTS - 1), false));
    }

    #[test]
    fn what_is_no_file_or_too_large_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| read_if_changed(path, None).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error(folder.path()), "it is not a regular file");
        let large = folder.path().join("large");
        File::create(&large).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert_eq!(error(&large), "it has 268435457 bytes, more than the limit of 268435456");
    }
}
