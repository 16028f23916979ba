//! The position of delivery: a segment and an offset, in a file of one line.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::backlog::Position;

/// The length of the line in bytes.
const LENGTH: usize = 16 + 1 + 16 + 1 + 16 + 1;

/// The file, which is overwritten in place.
#[derive(Debug)]
pub(super) struct PositionFile(File);

impl PositionFile {
    /// Opens and reads the file. `None` if it is invalid: delivery then begins with the oldest line.
    pub fn open(path: &Path) -> io::Result<(PositionFile, Option<Position>)> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        let mut line = [0; LENGTH];
        let length = file.read_at(&mut line, 0)?;
        let position = std::str::from_utf8(&line[..length]).ok().and_then(parse);
        Ok((PositionFile(file), position))
    }

    /// Writes the position in one write, so that a crash of the process cannot cut it.
    pub fn write(&self, position: Position) -> io::Result<()> {
        self.0.write_all_at(encode(position).as_bytes(), 0)
    }
}

/// Encodes a position. The third number is a checksum: after a crash of the machine, the line may be a mix of two.
fn encode(position: Position) -> String {
    format!("{:016x} {:016x} {:016x}\n", position.segment, position.offset, checksum(position))
}

fn checksum(position: Position) -> u64 {
    (position.segment ^ position.offset.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn parse(line: &str) -> Option<Position> {
    let mut numbers = line.strip_suffix('\n')?.split(' ').map(|hex| u64::from_str_radix(hex, 16).ok());
    let position = Position { segment: numbers.next()??, offset: numbers.next()?? };
    (numbers.next()?? == checksum(position) && numbers.next().is_none()).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_position_is_read_and_nothing_else() {
        let position = Position { segment: 7, offset: u64::MAX };
        let line = encode(position);
        assert_eq!((line.len(), parse(&line)), (LENGTH, Some(position)));
        for bad in ["", "\n", "0 0\n", "0 0 0 0\n", &line[..line.len() - 1], &line.replace('7', "8")] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
