//! `tuffet put`: an upload.

use super::exchange::{LocalEnd, exchange};
use super::{ClientError, ClientOptions, Report, Url};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use tuffet_core::netascii::Encoder;
use tuffet_core::{Mode, Operation};

/// The options of `put`.
pub struct PutOptions<'a> {
    /// The options of the transfer.
    pub client: ClientOptions,
    /// The input file; `-` is standard input.
    pub input: &'a Path,
    /// Called as bytes are acknowledged, with their number and the total.
    pub progress: &'a mut dyn FnMut(u64, Option<u64>),
}

/// Uploads a file.
///
/// # Errors
/// See [`ClientError`].
pub fn put(url: &Url, options: PutOptions<'_>) -> Result<Report, ClientError> {
    let failed = |error| ClientError::File { path: options.input.to_owned(), error };
    let source = Source::open(options.input, url.mode).map_err(failed)?;
    let size = source.size().map_err(failed)?;
    let mut upload = Upload { source, name: options.input, progress: options.progress };
    exchange(Operation::Write, url, size, &options.client, &mut upload)
}

/// A file in place, or bytes in memory if the file cannot be read twice or must be encoded.
enum Source {
    File(File),
    Bytes(Vec<u8>),
}

impl Source {
    fn open(input: &Path, mode: Mode) -> io::Result<Source> {
        let mut bytes = Vec::new();
        if input == Path::new("-") {
            io::stdin().read_to_end(&mut bytes)?;
        } else {
            let mut file = File::open(input)?;
            if mode == Mode::Octet && file.metadata()?.is_file() {
                return Ok(Source::File(file));
            }
            file.read_to_end(&mut bytes)?;
        }
        if mode == Mode::Netascii {
            let mut wire = vec![0; bytes.len() + Encoder::growth(&bytes) as usize];
            Encoder::default().encode(&bytes, &mut wire);
            bytes = wire;
        }
        Ok(Source::Bytes(bytes))
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => Ok(file.metadata()?.len()),
            Source::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read(&self, offset: u64, room: &mut [u8]) -> io::Result<()> {
        match self {
            Source::File(file) => file.read_exact_at(room, offset),
            Source::Bytes(bytes) => {
                let start = offset as usize;
                room.copy_from_slice(
                    bytes.get(start..start + room.len()).ok_or(io::ErrorKind::UnexpectedEof)?,
                );
                Ok(())
            }
        }
    }
}

struct Upload<'a> {
    source: Source,
    name: &'a Path,
    progress: &'a mut dyn FnMut(u64, Option<u64>),
}

impl LocalEnd for Upload<'_> {
    fn read(&mut self, offset: u64, room: &mut [u8]) -> Result<(), ClientError> {
        let changed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file shrank while it was read"),
            _ => error,
        };
        self.source
            .read(offset, room)
            .map_err(|error| ClientError::File { path: self.name.to_owned(), error: changed(error) })
    }

    fn scatter(&mut self) -> Result<(), ClientError> {
        Ok(())
    }

    fn write(&mut self, _offset: u64, _bytes: &[u8]) -> Result<(), ClientError> {
        Ok(())
    }

    fn store(&mut self) -> Result<(), ClientError> {
        Ok(())
    }

    fn progress(&mut self, done: u64, total: Option<u64>) {
        (self.progress)(done, total);
    }
}
