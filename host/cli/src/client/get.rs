//! `tuffet get`: a download appears under its name only when it is complete.

use super::exchange::{LocalEnd, exchange};
use super::{ClientError, ClientOptions, Report, Url};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tuffet_core::netascii::Decoder;
use tuffet_core::{Mode, Operation};

/// The options of `get`.
pub struct GetOptions<'a> {
    /// The options of the transfer.
    pub client: ClientOptions,
    /// The output file; `-` is standard output.
    pub output: &'a Path,
    /// Called as bytes arrive, with their number and the total, if known.
    pub progress: &'a mut dyn FnMut(u64, Option<u64>),
}

/// Downloads a file.
///
/// # Errors
/// See [`ClientError`]; no file is left under the output's name then.
pub fn get(url: &Url, options: GetOptions<'_>) -> Result<Report, ClientError> {
    let decoder = (url.mode == Mode::Netascii).then(Decoder::default);
    let target = Target::create(options.output)
        .map_err(|error| ClientError::Output { path: options.output.to_owned(), error })?;
    let mut download = Download { target, decoder, decoded: Vec::new(), progress: options.progress };
    exchange(Operation::Read, url, 0, &options.client, &mut download)
}

struct Download<'a> {
    target: Target,
    decoder: Option<Decoder>,
    decoded: Vec<u8>,
    progress: &'a mut dyn FnMut(u64, Option<u64>),
}

impl LocalEnd for Download<'_> {
    fn read(&mut self, _offset: u64, _room: &mut [u8]) -> Result<(), ClientError> {
        Ok(())
    }

    fn scatter(&mut self) -> Result<(), ClientError> {
        self.target.scatter().map_err(|error| self.target.error(error))
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ClientError> {
        let written = match &mut self.decoder {
            None => self.target.write(offset, bytes),
            Some(decoder) => {
                self.decoded.clear();
                decoder.decode(bytes, &mut self.decoded);
                self.target.append(&self.decoded)
            }
        };
        written.map_err(|error| self.target.error(error))
    }

    fn store(&mut self) -> Result<(), ClientError> {
        if let Some(decoder) = &mut self.decoder {
            self.decoded.clear();
            decoder.finish(&mut self.decoded);
            self.target.append(&self.decoded).map_err(|error| self.target.error(error))?;
        }
        self.target.commit().map_err(|error| self.target.error(error))
    }

    fn progress(&mut self, done: u64, total: Option<u64>) {
        (self.progress)(done, total);
    }
}

/// Standard output, or a file that is renamed when it is complete.
struct Target {
    name: PathBuf,
    temporary: Option<PathBuf>,
    writer: Box<dyn Write>,
    /// The temporary file, to write anywhere in it.
    file: Option<File>,
    /// Where bytes go that come in any order.
    scattered: Option<File>,
}

impl Target {
    fn create(name: &Path) -> io::Result<Target> {
        if name == Path::new("-") {
            return Ok(Target {
                name: "standard output".into(),
                temporary: None,
                writer: Box::new(io::stdout()),
                file: None,
                scattered: None,
            });
        }
        // A device or FIFO is written in place.
        if fs::metadata(name).is_ok_and(|found| !found.is_file()) {
            let file = OpenOptions::new().write(true).open(name)?;
            let writer = Box::new(file);
            return Ok(Target { name: name.into(), temporary: None, writer, file: None, scattered: None });
        }
        let mut part = name.as_os_str().to_owned();
        part.push(format!(".{:08x}.part", fastrand::u32(..)));
        let part = PathBuf::from(part);
        let file = File::create_new(&part)?;
        let mut target = Target {
            name: name.into(),
            temporary: Some(part),
            writer: Box::new(io::sink()),
            file: None,
            scattered: None,
        };
        target.file = Some(file.try_clone()?);
        target.writer = Box::new(io::BufWriter::new(file));
        Ok(target)
    }

    /// Expects bytes in any order. What cannot be written so, such as a pipe, gets them from an unnamed file.
    fn scatter(&mut self) -> io::Result<()> {
        self.scattered = Some(match self.file.take() {
            Some(file) => file,
            None => unnamed()?,
        });
        Ok(())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match &self.scattered {
            Some(file) => file.write_all_at(bytes, offset),
            None => self.append(bytes),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    fn commit(&mut self) -> io::Result<()> {
        if let (Some(file), None) = (&mut self.scattered, &self.temporary) {
            file.rewind()?;
            io::copy(file, &mut self.writer)?;
        }
        self.writer.flush()?;
        if let Some(part) = self.temporary.take() {
            fs::rename(&part, &self.name).inspect_err(|_| drop(fs::remove_file(&part)))?;
        }
        Ok(())
    }

    fn error(&self, error: io::Error) -> ClientError {
        ClientError::Output { path: self.name.clone(), error }
    }
}

/// A file without a name.
fn unnamed() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("tuffet-{:016x}.part", fastrand::u64(..)));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(part) = &self.temporary {
            let _ = fs::remove_file(part);
        }
    }
}
