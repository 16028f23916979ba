//! What the type of a file system tells: statfs(2).

use rustix::fs::fstatfs;
use rustix::io::Errno;
use std::os::fd::AsFd;

/// File systems with files that the kernel generates on reading; their sizes mean nothing.
const GENERATED: [u32; 8] = [
    0x0000_9fa0, // procfs
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x7363_6673, // securityfs
    0x6265_6570, // configfs
];

/// File systems that ask a server or a program even for data in the page cache.
const REMOTE: [u32; 8] = [
    0x6573_5546, // FUSE
    0x0000_6969, // NFS
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x00c3_6400, // Ceph
    0x0102_1997, // 9P
    0x5346_414f, // AFS
    0x7461_636f, // OCFS2
];

/// Network file systems, where locks may not reach other machines.
const SHARED: [u32; 9] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x0102_1997, // 9p
    0x6573_5546, // FUSE
    0x5346_414f, // AFS
    0x00c3_6400, // Ceph
    0x7461_636f, // OCFS2
];

/// File systems that compare names byte by byte, except in case-folding folders.
const BY_BYTES: [u32; 8] = [
    0x0000_ef53, // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
    0x7371_7368, // SquashFS
    0xe0f5_e1e2, // EROFS
    0xf2f5_2010, // F2FS
];

/// Whether the kernel generates files on reading.
pub(super) fn is_generated(file: impl AsFd) -> Result<bool, Errno> {
    Ok(GENERATED.contains(&kind(file)?))
}

/// Whether a server or a program may be asked for data in the page cache.
pub(super) fn is_remote(file: impl AsFd) -> Result<bool, Errno> {
    Ok(REMOTE.contains(&kind(file)?))
}

/// Whether locks may not reach other machines.
pub(super) fn is_shared(file: impl AsFd) -> Result<bool, Errno> {
    Ok(SHARED.contains(&kind(file)?))
}

/// Whether names are known to be compared byte by byte, except for case folding.
pub(super) fn is_by_bytes(folder: impl AsFd) -> Result<bool, Errno> {
    Ok(BY_BYTES.contains(&kind(folder)?))
}

fn kind(file: impl AsFd) -> Result<u32, Errno> {
    // The value is 32 bits wide, whatever the type of the field.
    Ok(fstatfs(file)?.f_type as u32)
}
