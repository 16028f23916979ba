//! A disk that is as slow as a test wants it: a file system in this process (FUSE), spoken to without a library.
//!
//! One flat folder of files in memory. Each operation on a name first asks how long it is to take: not at all, a
//! while, or until the test lets go. A request whose asker is killed is answered at once, as good file systems do.

use super::skipped;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// What can be made slow, of files whose name contains a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Whatever concerns the folder itself.
    Folder,
    Lookup,
    Open,
    Read,
    Write,
    Sync,
    Close,
}

/// How slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Takes(Duration),
    Hangs,
}

/// The file system; unmounted when dropped.
pub struct SlowDisk {
    folder: TempDir,
    shared: Arc<Shared>,
}

struct Shared {
    device: File,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Number 1 is the folder.
    names: BTreeMap<String, u64>,
    contents: HashMap<u64, Vec<u8>>,
    next: u64,
    paces: Vec<(Step, String, Pace)>,
    /// Requests that wait, by what they do and for which name.
    waiting: Vec<(Step, String)>,
    interrupted: HashSet<u64>,
    gone: bool,
}

const LOOKUP: u32 = 1;
const FORGET: u32 = 2;
const GETATTR: u32 = 3;
const SETATTR: u32 = 4;
const UNLINK: u32 = 10;
const RENAME: u32 = 12;
const OPEN: u32 = 14;
const READ: u32 = 15;
const WRITE: u32 = 16;
const STATFS: u32 = 17;
const RELEASE: u32 = 18;
const FSYNC: u32 = 20;
const FLUSH: u32 = 25;
const INIT: u32 = 26;
const OPENDIR: u32 = 27;
const READDIR: u32 = 28;
const RELEASEDIR: u32 = 29;
const FSYNCDIR: u32 = 30;
const CREATE: u32 = 35;
const INTERRUPT: u32 = 36;
const BATCH_FORGET: u32 = 42;
const RENAME2: u32 = 45;

const ENOENT: i32 = 2;
const EINTR: i32 = 4;
const EEXIST: i32 = 17;
const ENOSYS: i32 = 38;

const FOLDER: u64 = 1;
/// Bytes of a request before what belongs to its kind.
const HEADER: usize = 40;

impl SlowDisk {
    /// `None` where it cannot be mounted; says so.
    pub fn mount() -> Option<SlowDisk> {
        SlowDisk::mount_in(&std::env::temp_dir())
    }

    /// As [`SlowDisk::mount`], in a new folder of this one.
    pub fn mount_in(parent: &Path) -> Option<SlowDisk> {
        let folder = TempDir::new_in(parent).unwrap();
        let Ok(device) = OpenOptions::new().read(true).write(true).open("/dev/fuse") else {
            skipped("no /dev/fuse: slow and hung disks are not tested");
            return None;
        };
        let mut mount = Command::new("mount");
        mount.args([
            "-i",
            "-t",
            "fuse",
            "-o",
            "fd=0,rootmode=40000,user_id=0,group_id=0,allow_other",
            "slow",
        ]);
        mount.arg(folder.path()).stdin(Stdio::from(device.try_clone().unwrap()));
        if !mount.output().is_ok_and(|ran| ran.status.success()) {
            skipped(
                "no file system can be mounted here (root alone may): slow and hung disks are not tested",
            );
            return None;
        }
        let state = State { next: 2, ..State::default() };
        let shared = Arc::new(Shared { device, state: Mutex::new(state), changed: Condvar::new() });
        let its = Arc::clone(&shared);
        thread::spawn(move || its.serve());
        Some(SlowDisk { folder, shared })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a file there, past the kernel.
    pub fn file(&self, name: &str, content: &[u8]) {
        let mut state = self.shared.state.lock().unwrap();
        let number = state.number(name);
        state.contents.insert(number, content.to_vec());
    }

    /// What a file has, past the kernel.
    pub fn content(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.shared.state.lock().unwrap();
        state.names.get(name).and_then(|number| state.contents.get(number).cloned())
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        self.shared.state.lock().unwrap().names.keys().cloned().collect()
    }

    /// From now on, for files with this word in their names.
    pub fn set(&self, step: Step, word: &str, pace: Pace) {
        self.shared.state.lock().unwrap().paces.push((step, word.into(), pace));
    }

    /// Everything is as fast as it can be, and goes on if it hung.
    pub fn release(&self) {
        self.shared.state.lock().unwrap().paces.clear();
        self.shared.changed.notify_all();
    }

    /// Waits until so many requests hang in this step.
    #[track_caller]
    pub fn hangs(&self, step: Step, count: usize) {
        let state = self.shared.state.lock().unwrap();
        let hang = |state: &mut State| state.waiting.iter().filter(|(its, _)| *its == step).count() < count;
        let (state, waited) = self.shared.changed.wait_timeout_while(state, super::SOON, hang).unwrap();
        // A poisoned lock would end the file system, and what hangs in it could not be killed.
        drop(state);
        assert!(!waited.timed_out(), "fewer than {count} requests hang in {step:?}");
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock().unwrap();
        state.paces.clear();
        state.gone = true;
        drop(state);
        self.shared.changed.notify_all();
        let _ = Command::new("umount").arg("--lazy").arg(self.folder.path()).status();
    }
}

impl State {
    fn number(&mut self, name: &str) -> u64 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.next;
        self.next += 1;
        self.names.insert(name.into(), number);
        self.contents.insert(number, Vec::new());
        number
    }

    fn name(&self, number: u64) -> String {
        self.names.iter().find(|(_, its)| **its == number).map_or_else(String::new, |(name, _)| name.clone())
    }

    fn pace(&self, step: Step, name: &str) -> Option<Pace> {
        let its = self.paces.iter().rev().find(|(at, word, _)| *at == step && name.contains(word.as_str()));
        its.map(|(_, _, pace)| *pace)
    }

    /// `struct fuse_attr`.
    fn attributes(&self, number: u64) -> Vec<u8> {
        let is_folder = number == FOLDER;
        let size = self.contents.get(&number).map_or(0, Vec::len) as u64;
        let mode: u32 = if is_folder { 0o040_777 } else { 0o100_644 };
        let mut out = Vec::new();
        // Blocks: a file with a size and no block looks made up.
        for word in [number, size, size.div_ceil(512), 1, 1, 1] {
            out.extend(word.to_ne_bytes());
        }
        for word in [0, 0, 0, mode, 1, 0, 0, 0, 4096, 0] {
            out.extend(word.to_ne_bytes());
        }
        out
    }

    /// `struct fuse_entry_out`: valid for no time, so that each lookup comes here.
    fn entry(&self, number: u64) -> Vec<u8> {
        let mut out = Vec::new();
        for word in [number, 0, 0, 0] {
            out.extend(word.to_ne_bytes());
        }
        out.extend([0; 8]);
        out.extend(self.attributes(number));
        out
    }
}

struct Request {
    opcode: u32,
    unique: u64,
    node: u64,
    body: Vec<u8>,
}

impl Request {
    fn u32(&self, at: usize) -> u32 {
        u32::from_ne_bytes(self.body[at..at + 4].try_into().unwrap())
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_ne_bytes(self.body[at..at + 8].try_into().unwrap())
    }

    fn names(&self, at: usize) -> Vec<String> {
        let words = self.body[at..].split(|byte| *byte == 0);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }
}

impl Shared {
    fn serve(self: Arc<Self>) {
        let mut buffer = vec![0; 1 << 20];
        loop {
            let Ok(length) = (&self.device).read(&mut buffer) else {
                if self.state.lock().unwrap().gone {
                    return;
                }
                // It was unmounted, or a signal came.
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            let word = |at: usize| u64::from_ne_bytes(buffer[at..at + 8].try_into().unwrap());
            let request = Request {
                opcode: u32::from_ne_bytes(buffer[4..8].try_into().unwrap()),
                unique: word(8),
                node: word(16),
                body: buffer[HEADER..length].to_vec(),
            };
            match request.opcode {
                FORGET | BATCH_FORGET => {}
                INTERRUPT => {
                    self.state.lock().unwrap().interrupted.insert(request.u64(0));
                    self.changed.notify_all();
                }
                _ => {
                    let shared = Arc::clone(&self);
                    thread::spawn(move || shared.answer(&request));
                }
            }
        }
    }

    fn answer(&self, request: &Request) {
        let result = self.wait(request).and_then(|()| self.does(request));
        let (error, body) = match result {
            Ok(body) => (0, body),
            Err(errno) => (-errno, Vec::new()),
        };
        let mut out = Vec::new();
        out.extend((16 + body.len() as u32).to_ne_bytes());
        out.extend(error.to_ne_bytes());
        out.extend(request.unique.to_ne_bytes());
        out.extend(body);
        // Whoever asked may be gone.
        let _ = (&self.device).write(&out);
    }

    /// As slowly as is wanted.
    fn wait(&self, request: &Request) -> Result<(), i32> {
        let mut state = self.state.lock().unwrap();
        let (step, name) = match request.opcode {
            GETATTR | OPENDIR | STATFS if request.node == FOLDER => (Step::Folder, String::new()),
            LOOKUP => (Step::Lookup, request.names(0)[0].clone()),
            CREATE => (Step::Open, request.names(16)[0].clone()),
            OPEN => (Step::Open, state.name(request.node)),
            READ => (Step::Read, state.name(request.node)),
            WRITE => (Step::Write, state.name(request.node)),
            FSYNC => (Step::Sync, state.name(request.node)),
            FLUSH => (Step::Close, state.name(request.node)),
            _ => return Ok(()),
        };
        match state.pace(step, &name) {
            None => return Ok(()),
            Some(Pace::Takes(time)) => {
                drop(state);
                thread::sleep(time);
                return Ok(());
            }
            Some(Pace::Hangs) => {}
        }
        state.waiting.push((step, name.clone()));
        self.changed.notify_all();
        let hangs = |state: &mut State| {
            state.pace(step, &name) == Some(Pace::Hangs) && !state.interrupted.contains(&request.unique)
        };
        let mut state = self.changed.wait_while(state, hangs).unwrap();
        let at = state.waiting.iter().position(|its| *its == (step, name.clone()));
        at.map(|at| state.waiting.remove(at));
        if state.interrupted.remove(&request.unique) { Err(EINTR) } else { Ok(()) }
    }

    fn does(&self, request: &Request) -> Result<Vec<u8>, i32> {
        let mut state = self.state.lock().unwrap();
        let opened = [[1_u8; 8], [0; 8]].concat();
        match request.opcode {
            INIT => {
                // Version 7.31; `struct fuse_init_out`. FUSE_ASYNC_READ, FUSE_BIG_WRITES, FUSE_PARALLEL_DIROPS: what is
                // done for one name does not wait for another.
                let mut out = Vec::new();
                for word in [7_u32, 31, 128 << 10, 1 | 1 << 5 | 1 << 18] {
                    out.extend(word.to_ne_bytes());
                }
                out.extend(16_u16.to_ne_bytes());
                out.extend(12_u16.to_ne_bytes());
                for word in [128_u32 << 10, 1] {
                    out.extend(word.to_ne_bytes());
                }
                out.resize(64, 0);
                Ok(out)
            }
            LOOKUP => {
                let number = *state.names.get(&request.names(0)[0]).ok_or(ENOENT)?;
                Ok(state.entry(number))
            }
            GETATTR | SETATTR => {
                // FATTR_SIZE
                if request.opcode == SETATTR && request.u32(0) & 8 != 0 {
                    let size = request.u64(16) as usize;
                    state.contents.entry(request.node).or_default().resize(size, 0);
                }
                Ok([vec![0; 16], state.attributes(request.node)].concat())
            }
            OPEN | OPENDIR => Ok(opened),
            CREATE => {
                let number = state.number(&request.names(16)[0]);
                Ok([state.entry(number), opened].concat())
            }
            READ => {
                let (offset, size) = (request.u64(8) as usize, request.u32(16) as usize);
                let content = state.contents.get(&request.node).ok_or(ENOENT)?;
                let rest = content.get(offset..).unwrap_or_default();
                Ok(rest[..size.min(rest.len())].to_vec())
            }
            WRITE => {
                let (offset, size) = (request.u64(8) as usize, request.u32(16) as usize);
                let content = state.contents.entry(request.node).or_default();
                content.resize(content.len().max(offset + size), 0);
                content[offset..offset + size].copy_from_slice(&request.body[40..40 + size]);
                Ok([(size as u32).to_ne_bytes(), [0; 4]].concat())
            }
            UNLINK => state.names.remove(&request.names(0)[0]).map(|_| Vec::new()).ok_or(ENOENT),
            RENAME | RENAME2 => {
                let at = if request.opcode == RENAME { 8 } else { 16 };
                let keeps = request.opcode == RENAME2 && request.u32(8) & 1 != 0;
                let names = request.names(at);
                if keeps && state.names.contains_key(&names[1]) {
                    return Err(EEXIST);
                }
                let number = state.names.remove(&names[0]).ok_or(ENOENT)?;
                state.names.insert(names[1].clone(), number);
                Ok(Vec::new())
            }
            READDIR => Ok(entries(&state, request.u64(8))),
            STATFS => Ok(vec![0; 80]),
            RELEASE | RELEASEDIR | FSYNC | FSYNCDIR | FLUSH => Ok(Vec::new()),
            _ => Err(ENOSYS),
        }
    }
}

/// `struct fuse_dirent`, all at once.
fn entries(state: &State, offset: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for (position, (name, number)) in (1_u64..).zip(&state.names).skip(offset as usize) {
        out.extend(number.to_ne_bytes());
        out.extend(position.to_ne_bytes());
        out.extend((name.len() as u32).to_ne_bytes());
        out.extend(8_u32.to_ne_bytes());
        out.extend(name.as_bytes());
        out.resize(out.len().next_multiple_of(8), 0);
    }
    out
}
