//! Rotation: adds the time to the name of a full file, so that names sort by age, and removes the oldest.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Rotate;

/// The length of a time in a name, such as `20261121T152233.123Z`.
const STAMP_LENGTH: usize = 20;

/// The state of the current file.
#[derive(Debug)]
pub(super) struct Rotation {
    rotate: Rotate,
    bytes: u64,
    /// The period of the last write. A period lasts `rotate.every`.
    period: u64,
    /// Only regular files are rotated.
    regular: bool,
    /// The time in the last name, and the number among files of that time.
    stamp: String,
    number: u32,
}

impl Rotation {
    pub fn of(rotate: Rotate, file: &File) -> io::Result<Rotation> {
        let mut rotation =
            Rotation { rotate, bytes: 0, period: 0, regular: false, stamp: String::new(), number: 0 };
        rotation.begin(file)?;
        Ok(rotation)
    }

    /// Starts with another file.
    pub fn begin(&mut self, file: &File) -> io::Result<()> {
        let metadata = file.metadata()?;
        self.bytes = metadata.len();
        // Data from before a restart belongs to the period of its last write.
        self.period = self.period_of(metadata.modified()?);
        self.regular = metadata.is_file();
        Ok(())
    }

    /// Returns whether to rotate the file before writing this many bytes.
    pub fn is_due(&self, next: usize) -> bool {
        let too_large = self.rotate.size.is_some_and(|max| self.bytes + next as u64 > max);
        let period_ended = self.period != self.period_of(SystemTime::now());
        self.regular && self.bytes > 0 && (too_large || period_ended)
    }

    /// Returns whether this many bytes fit into the file.
    pub fn has_room(&self, bytes: usize) -> bool {
        !self.regular || self.rotate.size.is_none_or(|max| self.bytes + bytes as u64 <= max)
    }

    /// Corrects the size of the file.
    pub fn measured(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    pub fn written(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        self.period = self.period_of(SystemTime::now());
    }

    /// Renames the file, and removes old files beyond the limit.
    pub fn archive(&mut self, path: &Path) -> io::Result<()> {
        let stamp = self.next_stamp(path, SystemTime::now())?;
        // Files of the same millisecond are numbered, even if the first was already removed.
        self.number = if self.stamp == stamp { self.number + 1 } else { 0 };
        self.stamp.clone_from(&stamp);
        let mut archived;
        loop {
            archived = match self.number {
                0 => beside(path, &stamp),
                number => beside(path, &format!("{stamp}-{number:03}")),
            };
            if !archived.try_exists()? {
                break;
            }
            self.number += 1;
        }
        fs::rename(path, archived)?;
        if let Err(error) = self.remove_old(path) {
            tracing::warn!(target: "tuffet::sinks::rotate", file = %path.display(), %error, "old files cannot be removed");
        }
        Ok(())
    }

    /// Returns the time, or that of the newest file if the clock was set back since: names must sort by age, or the
    /// newest file would be removed as the oldest.
    fn next_stamp(&self, path: &Path, now: SystemTime) -> io::Result<String> {
        let mut newest = self.stamp.clone();
        if let (true, Some(folder)) = (newest.is_empty(), path.parent()) {
            newest =
                archived_files(folder, path)?.into_iter().map(|(stamp, ..)| stamp).max().unwrap_or_default();
        }
        Ok(stamp(now).max(newest))
    }

    fn remove_old(&self, path: &Path) -> io::Result<()> {
        let (Some(keep), Some(folder)) = (self.rotate.keep, path.parent()) else { return Ok(()) };
        let mut old = archived_files(folder, path)?;
        old.sort();
        old.truncate(old.len().saturating_sub(keep));
        old.into_iter().try_for_each(|(.., path)| fs::remove_file(path))
    }

    fn period_of(&self, time: SystemTime) -> u64 {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        self.rotate.every.map_or(0, |every| since.as_secs() / every.as_secs().max(1))
    }
}

fn stamp(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string().replace(['-', ':'], "")
}

fn beside(path: &Path, stamp: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(stamp);
    name.into()
}

/// Returns the archived files of `path`, with their times and their numbers within that time.
fn archived_files(folder: &Path, path: &Path) -> io::Result<Vec<(String, u32, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        let stamp = path.file_name().and_then(|name| {
            let name = name.to_str()?;
            file.file_name()?.to_str()?.strip_prefix(name)?.strip_prefix('.')
        });
        if let Some((stamp, number)) = stamp.and_then(read_stamp) {
            found.push((stamp.to_owned(), number, file));
        }
    }
    Ok(found)
}

/// Parses the time in a name, and the number within that time.
fn read_stamp(text: &str) -> Option<(&str, u32)> {
    let (stamp, more) = text.split_at_checked(STAMP_LENGTH).unwrap_or((text, ""));
    let shape = |(at, byte): (usize, u8)| match at {
        8 => byte == b'T',
        15 => byte == b'.',
        19 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    let number = match more.strip_prefix('-') {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok()?,
        None if more.is_empty() => 0,
        _ => return None,
    };
    (stamp.len() == STAMP_LENGTH && stamp.bytes().enumerate().all(shape)).then_some((stamp, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_the_time_and_sort_by_it() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_042);
        assert_eq!(stamp(time), "20231114T221320.042Z");
        for good in ["20231114T221320.042Z", "20231114T221320.042Z-001"] {
            assert!(read_stamp(good).is_some(), "{good}");
        }
        for bad in ["", "1", "20231114T221320.042", "20231114T221320.042Z.gz", "20231114T221320.042Zé", "old"]
        {
            assert!(read_stamp(bad).is_none(), "{bad}");
        }
    }
    /// The clock was a year ahead at the last rotation.
    #[test]
    fn a_clock_that_is_set_back_does_not_make_the_newest_file_the_oldest() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("audit.jsonl");
        let ahead = stamp(SystemTime::now() + Duration::from_secs(365 * 86_400));
        fs::write(beside(&path, &ahead), "older").expect("written");
        let rotate = Rotate { size: None, every: None, keep: Some(2) };
        for content in ["newer", "newest"] {
            fs::write(&path, content).expect("written");
            let file = File::open(&path).expect("opened");
            Rotation::of(rotate.clone(), &file)
                .and_then(|mut rotation| rotation.archive(&path))
                .expect("put away");
        }
        let mut left = archived_files(folder.path(), &path).expect("listed");
        left.sort();
        let left: Vec<_> = left.iter().map(|(.., path)| fs::read_to_string(path).expect("read")).collect();
        assert_eq!(left, ["newer", "newest"]);
    }
}
