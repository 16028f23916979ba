//! The first content of the memories of a component: files in memory that all of its instances map.
//!
//! wasmtime seals these files, and the kernel refuses that with EBUSY while anything else holds one of their pages
//! (fcntl(2), `F_ADD_SEALS`): reclaim, compaction, or the list of new pages of a processor that did not get to its turn. It
//! waits for 150 ms by itself; on a busy machine, and with the 10 MB and more of an interpreter, that may be too short. The
//! first call of the plugin would fail, and with it the start of the server.

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use wasmtime::component::Component;

/// How often sealing is tried, and the pause in between.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Makes the images that instances need. Blocks.
///
/// # Errors
/// There is no room for them, or their pages are never free.
pub(super) fn make(component: &Component) -> wasmtime::Result<()> {
    patiently(PAUSE, || component.initialize_copy_on_write_image())
}

fn patiently(pause: Duration, mut make: impl FnMut() -> wasmtime::Result<()>) -> wasmtime::Result<()> {
    for _ in 1..TRIES {
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

    /// As wasmtime does it, while a pipe holds a page.
    #[test]
    fn sealing_waits_for_pages_that_something_else_holds() {
        let image = memfd_create("image", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        let mut image = File::from(image);
        image.write_all(&[7; 8192]).unwrap();
        let (reader, writer) = io::pipe().unwrap();
        sendfile(&writer, &image, Some(&mut 0), 4096).unwrap();
        let mut held = Some(reader);
        let mut refused = 0;
        patiently(Duration::ZERO, || {
            let sealed = fcntl_add_seals(&image, SealFlags::WRITE | SealFlags::SEAL).map_err(io::Error::from);
            if sealed.is_err() {
                refused += 1;
                held.take().map(|mut pipe| pipe.read_exact(&mut [0; 4096])).transpose()?;
            }
            Ok(sealed?)
        })
        .unwrap();
        assert_eq!(refused, 1);
        let other = patiently(Duration::ZERO, || Err(io::Error::from(Errno::NOMEM).into()));
        assert!(other.is_err_and(|error| !is_busy(&error)));
    }
}
