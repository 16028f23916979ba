//! Where the bytes of a download go.

use crate::error::ClientError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::task::spawn_blocking;

/// Bytes that are written at once: a call on another thread costs more than a block.
const PIECE: usize = 256 << 10;

/// Where bytes go while they come.
pub enum Destination<'a> {
    /// Memory.
    Bytes(Vec<u8>),
    /// A file that appears when it is complete.
    File(Target),
    /// A writer.
    Writer {
        /// Gets the bytes in their order.
        writer: &'a mut (dyn AsyncWrite + Send + Unpin),
        /// Bytes that come in any order, until all are here.
        spool: Option<Pieces>,
    },
}

impl Destination<'_> {
    /// Expects bytes in any order from now on; before, each write continues the one before.
    pub(crate) async fn scatter(&mut self) -> Result<(), ClientError> {
        match self {
            Destination::Bytes(_) => Ok(()),
            Destination::File(target) => target.scatter().await,
            Destination::Writer { spool, .. } => {
                *spool = Some(unnamed().await.map_err(ClientError::Local)?);
                Ok(())
            }
        }
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// They cannot be written.
    pub async fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ClientError> {
        match self {
            Destination::Bytes(content) => {
                let (start, end) = (offset as usize, offset as usize + bytes.len());
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[start..end].copy_from_slice(bytes);
                Ok(())
            }
            Destination::File(target) => target.write(offset, bytes).await,
            Destination::Writer { spool: Some(spool), .. } => {
                spool.write(offset, bytes).await.map_err(ClientError::Local)
            }
            Destination::Writer { writer, .. } => writer.write_all(bytes).await.map_err(ClientError::Local),
        }
    }

    /// Ends after all bytes have come.
    ///
    /// # Errors
    /// The rest cannot be written, or a file not be renamed.
    pub async fn store(&mut self) -> Result<(), ClientError> {
        match self {
            Destination::Bytes(_) => Ok(()),
            Destination::File(target) => target.commit().await,
            Destination::Writer { writer, spool } => {
                write_all(spool.as_mut(), &mut **writer).await.map_err(ClientError::Local)
            }
        }
    }
}

/// A file that appears under its name when it is complete. A device or FIFO is written in place.
pub struct Target {
    name: PathBuf,
    temporary: Option<PathBuf>,
    pieces: Pieces,
    /// Bytes for a device or FIFO that come in any order, until all are here.
    spool: Option<Pieces>,
}

impl Target {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// It cannot be created.
    pub async fn create(name: PathBuf) -> Result<Target, ClientError> {
        let path = name.clone();
        blocking(move || open(name)).await.map_err(|error| ClientError::File { path, error })
    }

    async fn scatter(&mut self) -> Result<(), ClientError> {
        if self.temporary.is_none() {
            self.spool = Some(unnamed().await.map_err(|error| self.error(error))?);
        }
        Ok(())
    }

    async fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), ClientError> {
        let pieces = self.spool.as_mut().unwrap_or(&mut self.pieces);
        let written = pieces.write(offset, bytes).await;
        written.map_err(|error| self.error(error))
    }

    async fn commit(&mut self) -> Result<(), ClientError> {
        let stored = self.store().await;
        stored.map_err(|error| self.error(error))
    }

    async fn store(&mut self) -> io::Result<()> {
        if let Some(spool) = &mut self.spool {
            spool.flush().await?;
            let mut offset = 0;
            while let Some(bytes) = spool.next(&mut offset).await? {
                self.pieces.write(offset - bytes.len() as u64, &bytes).await?;
            }
        }
        self.pieces.flush().await?;
        if let Some(temporary) = self.temporary.clone() {
            let name = self.name.clone();
            // If it fails, the temporary file is removed on drop.
            blocking(move || fs::rename(temporary, name)).await?;
            self.temporary = None;
        }
        Ok(())
    }

    fn error(&self, error: io::Error) -> ClientError {
        ClientError::File { path: self.name.clone(), error }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Opens a file for writing: a temporary one, unless the name is that of a device or FIFO.
fn open(name: PathBuf) -> io::Result<Target> {
    if fs::metadata(&name).is_ok_and(|found| !found.is_file()) {
        let file = OpenOptions::new().write(true).open(&name)?;
        return Ok(Target { name, temporary: None, pieces: Pieces::new(file, true), spool: None });
    }
    let mut temporary = name.clone().into_os_string();
    temporary.push(format!(".{:08x}.part", fastrand::u32(..)));
    let temporary = PathBuf::from(temporary);
    let file = File::create_new(&temporary)?;
    Ok(Target { name, temporary: Some(temporary), pieces: Pieces::new(file, false), spool: None })
}

/// A file that is written in large pieces.
pub struct Pieces {
    file: Arc<File>,
    /// Whether it has no offsets, as a device or FIFO.
    is_stream: bool,
    /// The offset of the bytes that wait.
    start: u64,
    waiting: Vec<u8>,
}

impl Pieces {
    fn new(file: File, is_stream: bool) -> Pieces {
        Pieces { file: Arc::new(file), is_stream, start: 0, waiting: Vec::new() }
    }

    async fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if offset != self.start + self.waiting.len() as u64 {
            self.flush().await?;
            self.start = offset;
        }
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let (file, start, is_stream) = (Arc::clone(&self.file), self.start, self.is_stream);
        let bytes = std::mem::take(&mut self.waiting);
        self.start += bytes.len() as u64;
        self.waiting = blocking(move || {
            if is_stream { (&*file).write_all(&bytes) } else { file.write_all_at(&bytes, start) }?;
            Ok(bytes)
        })
        .await?;
        self.waiting.clear();
        Ok(())
    }

    /// Reads the next bytes, and moves the offset behind them; `None` at the end.
    async fn next(&self, offset: &mut u64) -> io::Result<Option<Vec<u8>>> {
        let (file, start) = (Arc::clone(&self.file), *offset);
        let bytes = blocking(move || {
            let mut bytes = vec![0; PIECE];
            let length = file.read_at(&mut bytes, start)?;
            bytes.truncate(length);
            Ok(bytes)
        });
        let bytes = bytes.await?;
        *offset += bytes.len() as u64;
        Ok((!bytes.is_empty()).then_some(bytes))
    }
}

async fn write_all(
    spool: Option<&mut Pieces>,
    writer: &mut (dyn AsyncWrite + Send + Unpin),
) -> io::Result<()> {
    if let Some(spool) = spool {
        spool.flush().await?;
        let mut offset = 0;
        while let Some(bytes) = spool.next(&mut offset).await? {
            writer.write_all(&bytes).await?;
        }
    }
    writer.flush().await
}

/// A file without a name.
async fn unnamed() -> io::Result<Pieces> {
    blocking(|| {
        let path = std::env::temp_dir().join(format!("tuffet-{:016x}.part", fastrand::u64(..)));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        fs::remove_file(&path)?;
        Ok(Pieces::new(file, false))
    })
    .await
}

/// Runs what may wait for a disk.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(run).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
