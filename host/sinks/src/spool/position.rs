//! The position of delivery: a segment and an offset, in a file of one line.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::backlog::Place;

/// Bytes of the line.
const LENGTH: usize = 16 + 1 + 16 + 1 + 16 + 1;

/// The file, which is written over and over.
#[derive(Debug)]
pub(super) struct Position(File);

impl Position {
    /// Opens and reads the file; `None` if it is invalid, and delivery begins with the oldest line.
    pub fn open(path: &Path) -> io::Result<(Position, Option<Place>)> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        let mut line = [0; LENGTH];
        let length = file.read_at(&mut line, 0)?;
        let place = std::str::from_utf8(&line[..length]).ok().and_then(parse);
        Ok((Position(file), place))
    }

    /// Writes the position in one write, which a crash of the process does not cut.
    pub fn write(&self, place: Place) -> io::Result<()> {
        self.0.write_all_at(show(place).as_bytes(), 0)
    }
}

/// The third number shows whether the first two belong together, after a crash of the machine.
fn show(place: Place) -> String {
    format!("{:016x} {:016x} {:016x}\n", place.segment, place.offset, mixed(place))
}

fn mixed(place: Place) -> u64 {
    (place.segment ^ place.offset.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn parse(line: &str) -> Option<Place> {
    let mut numbers = line.strip_suffix('\n')?.split(' ').map(|hex| u64::from_str_radix(hex, 16).ok());
    let place = Place { segment: numbers.next()??, offset: numbers.next()?? };
    (numbers.next()?? == mixed(place) && numbers.next().is_none()).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let place = Place { segment: 7, offset: u64::MAX };
        let line = show(place);
        assert_eq!((line.len(), parse(&line)), (LENGTH, Some(place)));
        for bad in ["", "\n", "0 0\n", "0 0 0 0\n", &line[..line.len() - 1], &line.replace('7', "8")] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
