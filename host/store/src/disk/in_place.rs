//! Determines, once per file system, whether its files can be read in place without blocking.

use super::Disk;
use crate::file_systems::is_remote;
use crate::system::read_cached;
use rustix::io::Errno;
use std::fs::File;
use std::io::IoSliceMut;

/// The limit of devices remembered for a root; others are checked each time. A root has few.
const MAX_DEVICES: usize = 64;

impl Disk {
    /// Whether a file of this device was found to be as [`Disk::reads_in_place`] says.
    pub(crate) fn is_known_in_place(&self, device: u64) -> bool {
        self.in_place.lock().contains(&(device, true))
    }

    /// Returns whether this file system reports the cached parts of a file, and returns size and times without
    /// blocking. `device` is the device of the file.
    pub(crate) fn reads_in_place(&self, device: u64, file: &File) -> bool {
        let mut known = self.in_place.lock();
        if let Some((_, in_place)) = known.iter().find(|(its, _)| *its == device) {
            return *in_place;
        }
        drop(known);
        let in_place = is_local(file) && supports_nowait(file);
        known = self.in_place.lock();
        if known.len() < MAX_DEVICES {
            known.push((device, in_place));
        }
        in_place
    }
}

fn is_local(file: &File) -> bool {
    is_remote(file).is_ok_and(|remote| !remote)
}

/// preadv2(2): `EOPNOTSUPP` if the file system lacks `RWF_NOWAIT`, `ENOSYS` if the kernel does.
fn supports_nowait(file: &File) -> bool {
    let read = read_cached(file, &mut [IoSliceMut::new(&mut [0])], 0);
    read.is_ok() || matches!(read, Err(Errno::AGAIN | Errno::INTR))
}
