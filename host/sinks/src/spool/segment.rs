//! A segment of a spool: lines, each after its checksum.
//!
//! `4f2a90c1 {"seq":1,…}` and a line feed: people can read it, and a crash may cut it anywhere. A damaged line is
//! skipped up to its line feed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The length of the checksum and the space after it.
const CHECKSUM_LENGTH: usize = 9;
/// Bytes per read.
const CHUNK: usize = 256 << 10;

/// Returns the size of a line in a segment, in bytes.
pub(super) fn size_of(line: &str) -> u64 {
    (CHECKSUM_LENGTH + line.len() + 1) as u64
}

/// Returns the line as stored in a segment.
pub(super) fn record(line: &str) -> Vec<u8> {
    let mut record = format!("{:08x} ", checksum(line.as_bytes())).into_bytes();
    record.extend_from_slice(line.as_bytes());
    record.push(b'\n');
    record
}

/// The FNV-1a hash. It detects truncation and corruption, not forgery.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Parses a stored line; `None` if it is damaged.
fn parse(record: &[u8]) -> Option<String> {
    let (sum, line) = record.split_at_checked(CHECKSUM_LENGTH)?;
    let sum = std::str::from_utf8(sum).ok()?.strip_suffix(' ')?;
    if u32::from_str_radix(sum, 16).ok()? != checksum(line) {
        return None;
    }
    String::from_utf8(line.to_vec()).ok()
}

/// Returns the path of the segment with this number.
pub(super) fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:016x}.lines"))
}

/// Returns the numbers of the segments in a folder, sorted.
pub(super) fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".lines"));
        numbers
            .extend(number.filter(|hex| hex.len() == 16).and_then(|hex| u64::from_str_radix(hex, 16).ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Opens or creates a segment for reading and appending.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

/// Counts the lines from `offset` on. Returns their number, and the offset after the last complete one.
pub(super) fn scan(file: &mut File, offset: u64) -> io::Result<(u64, u64)> {
    file.seek(SeekFrom::Start(offset))?;
    let (mut lines, mut at, mut whole) = (0, offset, offset);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = file.read(&mut chunk)?;
        if length == 0 {
            return Ok((lines, whole));
        }
        for (index, _) in chunk[..length].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            lines += 1;
            whole = at + index as u64 + 1;
        }
        at += length as u64;
    }
}

/// The lines read from a segment.
#[derive(Debug, Default)]
pub(super) struct SegmentLines {
    /// The lines, each with the offset after it; `None` is a damaged one.
    pub lines: Vec<(Option<String>, u64)>,
}

/// Reads lines between two offsets: at most `max_lines` lines, and at most `max_bytes` bytes unless the first line is
/// longer.
pub(super) fn read(
    file: &File,
    from: u64,
    to: u64,
    max_lines: usize,
    max_bytes: usize,
) -> io::Result<SegmentLines> {
    let mut read = SegmentLines::default();
    let (mut begun, mut taken) = (Vec::new(), 0_usize);
    let (mut at, mut end) = (from, from);
    let mut chunk = vec![0; CHUNK.min(usize::try_from(to - from).unwrap_or(CHUNK)).max(1)];
    while at < to {
        let want = chunk.len().min(usize::try_from(to - at).unwrap_or(CHUNK));
        let length = file.read_at(&mut chunk[..want], at)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += length as u64;
        for piece in chunk[..length].split_inclusive(|byte| *byte == b'\n') {
            begun.extend_from_slice(piece);
            let Some(record) = begun.strip_suffix(b"\n") else { continue };
            let size = record.len().saturating_sub(CHECKSUM_LENGTH);
            if read.lines.len() == max_lines || (!read.lines.is_empty() && taken + size > max_bytes) {
                return Ok(read);
            }
            taken += size;
            end += begun.len() as u64;
            read.lines.push((parse(record), end));
            begun.clear();
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_damaged_lines_are_left_out() {
        let good = record("{\"é\":1}");
        assert_eq!(parse(&good[..good.len() - 1]).as_deref(), Some("{\"é\":1}"));
        for at in 0..good.len() - 1 {
            let mut bad = good[..good.len() - 1].to_vec();
            bad[at] ^= 1;
            assert_eq!(parse(&bad), None, "{at}");
        }
        assert_eq!((parse(b""), parse(b"0"), parse("é0000000 x".as_bytes())), (None, None, None));
        assert_eq!(size_of("{\"é\":1}"), good.len() as u64);
    }
}
