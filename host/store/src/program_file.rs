//! Reading a content that the program supplies.

use super::ahead::Trust;
use super::supplied::Supply;
use super::{Ahead, ContentId, ReadAt, Room};
use bytes::{Bytes, BytesMut};
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::sync::Arc;

/// A content of the program. Its futures read it, so that no thread waits for them.
pub struct ProgramFile {
    reader: Arc<dyn ReadAt>,
    supply: Supply,
    pub(super) content: ContentId,
    pub(super) size: u64,
}

impl fmt::Debug for ProgramFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramFile").field("supply", &self.supply).finish_non_exhaustive()
    }
}

impl ProgramFile {
    /// `size` is in bytes.
    pub(super) fn new(reader: Arc<dyn ReadAt>, size: u64, supply: Supply) -> Self {
        let content = match supply {
            Supply::Stream => ContentId::unused(),
            Supply::Ranged { content, .. } => content,
        };
        ProgramFile { reader, supply, content, size }
    }

    pub(super) fn is_sequential(&self) -> bool {
        self.supply == Supply::Stream
    }

    fn left(&self, offset: u64) -> usize {
        usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX)
    }

    /// Reads `length` bytes from `offset` on; `None` if the content has become shorter.
    ///
    /// May return fewer bytes, but at least `least` and one. Returns more, a whole piece of a ranged content, if that needs
    /// no copy and `room` can be extended to it.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn read_ahead(
        &self,
        offset: u64,
        least: usize,
        length: usize,
        room: Option<Room>,
    ) -> io::Result<Option<Ahead>> {
        let (reader, supply) = (&self.reader, self.supply);
        let mut room = room;
        let least = least.max(1).min(length);
        let ahead = |bytes, room| Ok(Some(Ahead { offset, bytes, trust: Trust::Unchanged, _room: room }));
        let (until, piece) = match supply {
            Supply::Stream => (least, None),
            // As many pieces as are needed.
            Supply::Ranged { piece, .. } if piece < length => (length, None),
            Supply::Ranged { piece, .. } => (least, Some(piece)),
        };
        // A part of a piece would keep all of it in memory.
        let whole = piece.filter(|piece| room.is_some() && offset.is_multiple_of(*piece as u64));
        let wanted = whole.map_or(length, |piece| piece.min(self.left(offset)));
        let first = reader.read_at(offset, wanted).await?;
        if first.len() >= until {
            let is_covered = |room: &mut Room| first.len() <= length || room.extend(first.len());
            if supply == Supply::Stream || whole.is_some() && room.as_mut().is_some_and(is_covered) {
                return ahead(first, room);
            }
            return ahead(Bytes::copy_from_slice(&first[..first.len().min(length)]), room);
        }
        let mut bytes = BytesMut::with_capacity(length);
        bytes.extend_from_slice(&first);
        drop(first);
        while bytes.len() < until {
            let next = reader.read_at(offset + bytes.len() as u64, length - bytes.len()).await?;
            if next.is_empty() {
                break;
            }
            bytes.extend_from_slice(&next);
        }
        if bytes.len() < least { Ok(None) } else { ahead(bytes.freeze(), room) }
    }

    /// Reads the whole content, into shared memory; `None` if it has become shorter.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn read_shared(&self) -> io::Result<Option<Arc<[u8]>>> {
        let length = usize::try_from(self.size).map_err(|_| io::Error::from(Errno::FBIG))?;
        // As in `OpenFile::read_shared`.
        let mut content: Arc<[u8]> = vec![0; length].into();
        let Some(mut room) = Arc::get_mut(&mut content) else { return Ok(None) };
        let mut offset = 0;
        while !room.is_empty() {
            let bytes = self.reader.read_at(offset, room.len()).await?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let (now, later) = room.split_at_mut(bytes.len());
            now.copy_from_slice(&bytes);
            offset += bytes.len() as u64;
            room = later;
        }
        Ok(Some(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoxFuture, Disk};
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    const PIECE: usize = 100;

    /// Pieces in memory, up to here.
    struct Pieces(Bytes);

    impl ReadAt for Pieces {
        fn read_at(&self, offset: u64, length: usize) -> BoxFuture<'_, io::Result<Bytes>> {
            let offset = (offset as usize).min(self.0.len());
            let end = (offset / PIECE + 1) * PIECE;
            let bytes = self.0.slice(offset..end.min(offset + length).min(self.0.len()));
            Box::pin(async { Ok(bytes) })
        }
    }

    fn content() -> Bytes {
        (0..350).map(|n| n as u8).collect()
    }

    fn read(end: usize, offset: u64, (least, length): (usize, usize), has_room: bool) -> Option<Bytes> {
        let content = content();
        let disk = Disk::of_program();
        let supply = Supply::Ranged { content: ContentId::unused(), piece: PIECE };
        let reader = Arc::new(Pieces(content.slice(..end)));
        let file = ProgramFile::new(reader, content.len() as u64, supply);
        let room = has_room.then(|| disk.room_ahead(length)).flatten();
        let mut reading = pin!(file.read_ahead(offset, least, length, room));
        let Poll::Ready(read) = reading.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it waits for nothing");
        };
        let ahead = read.unwrap()?;
        let bytes = ahead.bytes.clone();
        assert_eq!(bytes, content[offset as usize..][..bytes.len()]);
        Some(bytes)
    }

    #[test]
    fn a_read_with_room_takes_a_whole_piece() {
        assert_eq!(read(350, 0, (20, 60), true).unwrap().len(), 100);
        assert_eq!(read(350, 200, (0, 100), true).unwrap().len(), 100);
        assert_eq!(read(350, 300, (0, 50), true).unwrap().len(), 50);
        // A part of a piece is a copy.
        assert_eq!(read(350, 110, (20, 60), true).unwrap().len(), 60);
        assert_eq!(read(350, 190, (0, 60), true).unwrap().len(), 10);
        assert_eq!(read(350, 190, (20, 60), true).unwrap().len(), 60);
        // Small pieces are joined.
        assert_eq!(read(350, 100, (20, 250), true).unwrap().len(), 250);
    }

    #[test]
    fn a_read_without_room_takes_what_is_needed() {
        assert_eq!(read(350, 0, (20, 20), false).unwrap().len(), 20);
        assert_eq!(read(350, 90, (20, 20), false).unwrap().len(), 20);
    }

    #[test]
    fn a_content_that_has_become_shorter_is_noticed() {
        assert_eq!(read(120, 100, (0, 60), true).unwrap().len(), 20);
        assert_eq!(read(120, 100, (40, 60), true), None);
        assert_eq!(read(120, 120, (0, 60), true), None);
    }

    #[test]
    fn what_is_shared_is_bounded() {
        let disk = Disk::of_program();
        let mut rooms: Vec<Room> = Vec::new();
        while let Some(mut room) = disk.room_ahead(64 << 10).filter(|_| rooms.len() < 1000) {
            if !room.extend(256 << 10) {
                break;
            }
            rooms.push(room);
        }
        // The second half of 32 MiB is for others.
        assert_eq!(rooms.len(), 64);
        assert!(disk.room_ahead(15 << 20).is_some());
    }
}
