//! Whether files of a file system may be read where they lie: asked once for each, not for each file.

use super::Disk;
use rustix::fs::fstatfs;
use rustix::io::{Errno, ReadWriteFlags, preadv2};
use std::fs::File;
use std::io::IoSliceMut;
use std::sync::PoisonError;

/// File systems that remember no more than so many devices ask each time; a root has few.
const MOST: usize = 64;

/// File systems that ask a server or a program, also for what the kernel has in memory: statfs(2).
const ELSEWHERE: [u32; 8] = [
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
    /// Whether this file system says what of a file lies in memory, and never waits for anybody to tell its size and
    /// times. `device` is that of the file.
    pub(crate) fn reads_in_place(&self, device: u64, file: &File) -> bool {
        let mut known = self.in_place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, in_place)) = known.iter().find(|(its, _)| *its == device) {
            return *in_place;
        }
        drop(known);
        let in_place = is_here(file) && tells(file);
        known = self.in_place.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST {
            known.push((device, in_place));
        }
        in_place
    }
}

fn is_here(file: &File) -> bool {
    // The type is 32 bits wide, whatever the field.
    fstatfs(file).is_ok_and(|found| !ELSEWHERE.contains(&(found.f_type as u32)))
}

/// preadv2(2): `EOPNOTSUPP` where the file system does not know `RWF_NOWAIT`, `ENOSYS` where the kernel does not.
fn tells(file: &File) -> bool {
    let read = preadv2(file, &mut [IoSliceMut::new(&mut [0])], 0, ReadWriteFlags::NOWAIT);
    read.is_ok() || matches!(read, Err(Errno::AGAIN | Errno::INTR))
}
