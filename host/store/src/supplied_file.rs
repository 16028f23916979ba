//! Reading a content that the program supplies.

use super::ahead::Trust;
use super::facts::Facts;
use super::open_file::Body;
use super::remote_file::Elsewhere;
use super::supplied::Supply;
use super::{Ahead, ContentId, Disk, OpenFile, ReadAt, Room};
use bytes::{Bytes, BytesMut};
use std::io;
use std::sync::Arc;
use tuffet_request::ClientKey;

impl OpenFile {
    /// Wraps a content that the program supplies; `size` is in bytes.
    pub fn supplied(
        reader: Arc<dyn ReadAt>,
        size: u64,
        supply: Supply,
        disk: &Arc<Disk>,
        path: &str,
    ) -> Self {
        let content = match supply {
            Supply::Stream => ContentId::unused(),
            Supply::Ranged { content, .. } => content,
        };
        OpenFile {
            body: Body::Supplied { reader, supply },
            disk: Arc::clone(disk),
            path: path.to_owned(),
            opened: Facts::of_size(size),
            in_place: false,
            via: None,
            elsewhere: Some(Elsewhere::supplied(disk.root(), content)),
            client: ClientKey::SERVER,
        }
    }

    /// Whether the program supplies the content. Only [`OpenFile::read_supplied`] and
    /// [`OpenFile::read_whole_supplied`] read it.
    pub fn is_supplied(&self) -> bool {
        matches!(self.body, Body::Supplied { .. })
    }

    /// Whether each byte can be read only once, in order.
    pub fn is_sequential(&self) -> bool {
        matches!(self.body, Body::Supplied { supply: Supply::Stream, .. })
    }

    fn left(&self, offset: u64) -> usize {
        usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX)
    }

    fn reader(&self) -> io::Result<(&dyn ReadAt, Supply)> {
        match &self.body {
            Body::Supplied { reader, supply } => Ok((&**reader, *supply)),
            Body::File(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// As [`OpenFile::read_ahead`], of a content that the program supplies. `None` if it has become shorter.
    ///
    /// May return fewer bytes, but at least `least` and one. Returns more, a whole piece of a ranged content, if that needs
    /// no copy and `room` can be extended to it.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn read_supplied(
        &self,
        offset: u64,
        least: usize,
        length: usize,
        room: Option<Room>,
    ) -> io::Result<Option<Ahead>> {
        let (reader, supply) = self.reader()?;
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

    /// Reads the whole of a content that the program supplies; `None` if it has become shorter.
    ///
    /// # Errors
    /// The error of the program.
    pub async fn read_whole_supplied(&self) -> io::Result<Option<Arc<[u8]>>> {
        let (reader, _) = self.reader()?;
        // As in `read_shared`.
        let mut content: Arc<[u8]> = vec![0; self.length()?].into();
        let Some(mut room) = Arc::get_mut(&mut content) else { return Ok(None) };
        let mut offset = 0;
        while !room.is_empty() {
            let bytes = reader.read_at(offset, room.len()).await?;
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
    use crate::BoxFuture;
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
        let file = OpenFile::supplied(reader, content.len() as u64, supply, &disk, "x");
        let room = has_room.then(|| disk.room_ahead(length)).flatten();
        let mut reading = pin!(file.read_supplied(offset, least, length, room));
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
