//! A slow or hanging disk for any server: a FUSE file system in this process, without a library. It has two files:
//! reads of [`SLOW`] are slow, and opening [`HUNG`] never returns.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub(crate) const SLOW: &str = "slow.bin";
pub(crate) const HUNG: &str = "hung.bin";

/// Bytes in each file.
const SIZE: u64 = 16 << 20;

/// How long a read takes.
const READ_TIME: Duration = Duration::from_millis(100);

/// The interval of checks whether to stop.
const STEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

const LOOKUP: u32 = 1;
const FORGET: u32 = 2;
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const READ: u32 = 15;
const STATFS: u32 = 17;
const RELEASE: u32 = 18;
const FLUSH: u32 = 25;
const INIT: u32 = 26;
const OPENDIR: u32 = 27;
const READDIR: u32 = 28;
const RELEASEDIR: u32 = 29;
const INTERRUPT: u32 = 36;
const BATCH_FORGET: u32 = 42;

const ENOENT: i32 = 2;
const EINTR: i32 = 4;
const ENOSYS: i32 = 38;

const FOLDER: u64 = 1;
const SLOW_FILE: u64 = 2;
const HUNG_FILE: u64 = 3;

/// Bytes of a request's header.
const HEADER: usize = 40;

/// A mounted disk. Dropping it unmounts it, and hanging calls return with an error.
pub(crate) struct SlowDisk {
    folder: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SlowDisk {
    /// Creates this folder and mounts the disk there.
    ///
    /// # Errors It cannot be mounted.
    pub(crate) fn mount(folder: &Path) -> Result<SlowDisk, String> {
        let failed = |error: std::io::Error| format!("no slow disk: {error}");
        std::fs::create_dir_all(folder).map_err(failed)?;
        let device = OpenOptions::new().read(true).write(true).open("/dev/fuse").map_err(failed)?;
        let stdin = Stdio::from(device.try_clone().map_err(failed)?);
        let options = "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other";
        let mut mount = Command::new("mount");
        mount.args(["-i", "-t", "fuse", "-o", options, "slow"]).arg(folder).stdin(stdin);
        let ran = mount.output().map_err(failed)?;
        if !ran.status.success() {
            let why = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
            return Err(format!("no slow disk can be mounted (only root may): {why}"));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let its = Arc::clone(&stop);
        // Once the device is closed, the kernel ends hanging calls.
        let thread = thread::spawn(move || serve(&Arc::new(device), &its));
        Ok(SlowDisk { folder: folder.to_owned(), stop, thread: Some(thread) })
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_dir(&self.folder);
    }
}

struct Request {
    opcode: u32,
    unique: u64,
    node: u64,
    body: Vec<u8>,
}

fn serve(device: &Arc<File>, stop: &AtomicBool) {
    let mut buffer = vec![0; 1 << 20];
    while !stop.load(Relaxed) {
        if !matches!(poll(&mut [PollFd::new(&**device, PollFlags::IN)], Some(&STEP)), Ok(1..)) {
            continue;
        }
        // The disk was unmounted, or the caller has ended.
        let Ok(length) = (&**device).read(&mut buffer) else {
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        let Some(request) = Request::parse(&buffer[..length]) else { continue };
        match (request.opcode, request.node) {
            // These requests expect no answer, or must hang.
            (FORGET | BATCH_FORGET, _) | (OPEN, HUNG_FILE) => {}
            // The caller was killed, and cannot end before it gets an answer.
            (INTERRUPT, _) => send(device, request.u64(0), Err(EINTR)),
            (READ, _) => {
                let device = Arc::clone(device);
                thread::spawn(move || {
                    thread::sleep(READ_TIME);
                    answer(&device, &request);
                });
            }
            _ => answer(device, &request),
        }
    }
}

impl Request {
    fn parse(bytes: &[u8]) -> Option<Request> {
        let word = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let opcode = u32::from_ne_bytes(bytes.get(4..8)?.try_into().ok()?);
        Some(Request { opcode, unique: word(8)?, node: word(16)?, body: bytes.get(HEADER..)?.to_vec() })
    }

    fn u64(&self, at: usize) -> u64 {
        let bytes = self.body.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_ne_bytes)
    }

    fn name(&self) -> String {
        let name = self.body.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }
}

fn answer(device: &File, request: &Request) {
    send(device, request.unique, reply(request));
}

fn send(device: &File, unique: u64, reply: Result<Vec<u8>, i32>) {
    let (error, body) = match reply {
        Ok(body) => (0, body),
        Err(errno) => (-errno, Vec::new()),
    };
    let mut out = (16 + body.len() as u32).to_ne_bytes().to_vec();
    out.extend(error.to_ne_bytes());
    out.extend(unique.to_ne_bytes());
    out.extend(body);
    // The caller may have ended.
    let _ = (&*device).write(&out);
}

fn reply(request: &Request) -> Result<Vec<u8>, i32> {
    match request.opcode {
        INIT => {
            // Version 7.31, `struct fuse_init_out`: concurrent reads (1) and lookups (1 << 18).
            let mut out = words(&[7, 31, 128 << 10, 1 | 1 << 18]);
            out.extend([16_u16, 12].map(u16::to_ne_bytes).concat());
            out.extend(words(&[128 << 10, 1]));
            out.resize(64, 0);
            Ok(out)
        }
        LOOKUP => {
            let node = match request.name().as_str() {
                SLOW => SLOW_FILE,
                HUNG => HUNG_FILE,
                _ => return Err(ENOENT),
            };
            Ok([long_words(&[node, 0, 0, 0, 0]), attributes(node)].concat())
        }
        GETATTR => Ok([vec![0; 16], attributes(request.node)].concat()),
        // Bypass the page cache, so that each read comes here.
        OPEN | OPENDIR => Ok(long_words(&[1, 1])),
        READ => {
            let size = request.u64(16) & 0xffff_ffff;
            let left = SIZE.saturating_sub(request.u64(8));
            Ok(vec![b's'; size.min(left) as usize])
        }
        STATFS => Ok(vec![0; 80]),
        READDIR | RELEASE | RELEASEDIR | FLUSH => Ok(Vec::new()),
        _ => Err(ENOSYS),
    }
}

/// `struct fuse_attr`.
fn attributes(node: u64) -> Vec<u8> {
    let (mode, size) = if node == FOLDER { (0o040_555, 0) } else { (0o100_444, SIZE) };
    let mut out = long_words(&[node, size, size / 512, 1, 1, 1]);
    out.extend(words(&[0, 0, 0, mode, 1, 0, 0, 0, 4096, 0]));
    out
}

fn words(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn long_words(all: &[u64]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_two_files() {
        let lookup = |name: &str| {
            let body = [name.as_bytes(), b"\0"].concat();
            reply(&Request { opcode: LOOKUP, unique: 1, node: FOLDER, body }).map(|entry| entry.len())
        };
        // `struct fuse_entry_out`
        assert_eq!((lookup(SLOW), lookup(HUNG), lookup("none")), (Ok(128), Ok(128), Err(ENOENT)));
    }
}
