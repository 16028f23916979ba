//! Determines, once per file system, whether its files can be read in place without blocking.

use super::Disk;
use rustix::fs::fstatfs;
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::fs::File;
use std::io::IoSliceMut;

/// The limit of devices remembered for a root; others are checked each time. A root has few.
const MAX_DEVICES: usize = 64;

/// File systems that ask a server or a program even for data in the page cache: statfs(2).
const REMOTE_FILE_SYSTEMS: [u32; 8] = [
    0x6573_5546, // FUSE
    0x0000_6969, // NFS
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x00c3_6400, // Ceph
    0x0102_1997, // 9P
    0x5346_414f, // AFS
    0x7461_636f, // OCFS2
];

impl Disk {
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
    // The value is 32 bits wide, whatever the type of the field.
    fstatfs(file).is_ok_and(|found| !REMOTE_FILE_SYSTEMS.contains(&(found.f_type as u32)))
}

/// preadv2(2): `EOPNOTSUPP` if the file system lacks `RWF_NOWAIT`, `ENOSYS` if the kernel does.
fn supports_nowait(file: &File) -> bool {
    let read = preadv2(file, &mut [IoSliceMut::new(&mut [0])], 0, ReadWriteFlags::NOWAIT);
    read.is_ok() || matches!(read, Err(Errno::AGAIN | Errno::INTR))
}
