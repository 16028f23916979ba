//! The initial content of a component's memories: files in memory that all its instances map.
//!
//! wasmtime seals these files, and the kernel refuses that with EBUSY while anything else holds one of their pages
//! (fcntl(2), `F_ADD_SEALS`): reclaim, compaction, or the list of new pages of a processor that has not run yet.
//! wasmtime waits for 150 ms; on a busy machine, with 10 MB and more of an interpreter, that may be too short. Then
//! the first call of the plugin would fail, and with it the start of the server.

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use wasmtime::component::Component;

/// The maximum number of attempts, and the pause between them.
const MAX_ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Creates the images that instances need. Blocks.
///
/// # Errors
/// There is no memory for them, or their pages stay busy.
pub(super) fn make(component: &Component) -> wasmtime::Result<()> {
    retry_while_busy(PAUSE, || component.initialize_copy_on_write_image())
}

fn retry_while_busy(pause: Duration, mut make: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<()> {
    for _ in 1..MAX_ATTEMPTS {
        match make() {
            Err(error) if is_busy(&error) => std::thread::sleep(pause),
            done => return done,
        }
    }
    make()
}

fn is_busy(error: &wasmtime::Error) -> bool {
    let is_busy = |cause: &io::Error| Errno::from_io_error(cause) == Some(Errno::BUSY);
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_busy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create, sendfile};
    use std::fs::File;
    use std::io::{Read, Write};

    /// Seals as wasmtime does, while a pipe holds a page.
    #[test]
    fn sealing_waits_for_pages_that_something_else_holds() {
        let image = memfd_create("image", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        let mut image = File::from(image);
        image.write_all(&[7; 8192]).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        sendfile(&writer, &image, Some(&mut 0), 4096).unwrap();
        let mut held = Some(reader);
        let mut refused = 0;
        retry_while_busy(Duration::ZERO, || {
            let sealed = fcntl_add_seals(&image, SealFlags::WRITE | SealFlags::SEAL).map_err(io::Error::from);
            if sealed.is_err() {
                refused += 1;
                held.take().map(|mut pipe| pipe.read_exact(&mut [0; 4096])).transpose()?;
            }
            Ok(sealed?)
        })
        .unwrap();
        assert_eq!(refused, 1);
        let other = retry_while_busy(Duration::ZERO, || Err(io::Error::from(Errno::NOMEM).into()));
        assert!(other.is_err_and(|error| !is_busy(&error)));
    }
}
