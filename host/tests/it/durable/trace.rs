//! strace(1) around the real server: its system calls in order, with injected faults.

use crate::harness::skipped;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The calls that store an upload. The question mark: not every machine has the call.
const CALLS: &str = "?openat,?openat2,flock,pwrite64,?pwritev,?pwritev2,fsync,fdatasync,?rename,?renameat,renameat2,\
                     ?link,linkat,?unlink,unlinkat,?mkdir,mkdirat,?ftruncate,sendmsg,sendmmsg,sendto";

/// Returns whether faults can be injected here; reports it as skipped if not.
pub fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    *POSSIBLE.get_or_init(|| {
        let mut strace = Command::new("strace");
        strace.args(["-f", "-D", "-o", "/dev/null", "-e", "inject=execve:error=ENOEXEC:when=2", "true"]);
        let ran = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        let why = match ran {
            Ok(ran) if ran.status.success() => return true,
            Ok(ran) => String::from_utf8_lossy(&ran.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        skipped(&format!("faults are injected with strace, which does not work here: {why}"));
        false
    })
}

/// Returns the command that traces a server into `file`, with faults such as `fsync:signal=KILL:when=2`.
/// `when` counts per thread.
pub fn traced(file: &Path, faults: &[String]) -> Vec<String> {
    // The tracer is a grandchild, so that signals reach the server itself.
    let mut words: Vec<String> = ["strace", "-f", "-D", "-y", "-s", "128", "-o"].map(String::from).into();
    words.push(file.to_str().unwrap().into());
    words.extend(["-e".into(), format!("trace={CALLS}"), "-e".into(), "signal=none".into()]);
    for fault in faults {
        words.extend(["-e".into(), format!("inject={fault}")]);
    }
    words
}

/// A successful call that affects the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    Create(PathBuf),
    Lock(PathBuf),
    Write {
        file: PathBuf,
        end: u64,
    },
    Sync(PathBuf),
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Link {
        from: PathBuf,
        to: PathBuf,
    },
    Unlink(PathBuf),
    MakeFolder(PathBuf),
    /// The client is notified that the upload is stored.
    Acknowledge,
}

impl Call {
    /// Returns the kind in one word: the actual system call depends on the kernel.
    pub fn kind(&self) -> &'static str {
        match self {
            Call::Create(_) => "create",
            Call::Lock(_) => "lock",
            Call::Write { .. } => "write",
            Call::Sync(_) => "sync",
            Call::Rename { .. } => "rename",
            Call::Link { .. } => "link",
            Call::Unlink(_) => "unlink",
            Call::MakeFolder(_) => "make-folder",
            Call::Acknowledge => "acknowledge",
        }
    }
}

/// A call, the count of its name in its thread, and its effect.
#[derive(Debug, Clone)]
pub struct Step {
    pub name: String,
    pub when: usize,
    pub call: Call,
}

/// Returns the steps of the one upload below `root` in this trace.
pub fn steps(trace: &Path, root: &Path) -> Vec<Step> {
    let text = std::fs::read_to_string(trace).unwrap();
    let mut unfinished: HashMap<&str, (&str, usize)> = HashMap::new();
    let mut counts: HashMap<(&str, String), usize> = HashMap::new();
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines() {
        let Some((thread, line)) = line.split_once(' ') else { continue };
        let line = line.trim_start();
        let (whole, begun) = if let Some(resumed) = line.strip_prefix("<... ") {
            let Some((_, rest)) = resumed.split_once(" resumed>") else { continue };
            let Some((first, begun)) = unfinished.remove(thread) else { continue };
            (format!("{first}{rest}"), begun)
        } else if let Some(first) = line.strip_suffix(" <unfinished ...>") {
            unfinished.insert(thread, (first, steps.len()));
            continue;
        } else {
            (line.to_owned(), steps.len())
        };
        let Some((name, _)) = whole.split_once('(') else { continue };
        let count = counts.entry((thread, name.to_owned())).or_default();
        *count += 1;
        let Some(call) = read(name, &whole, root) else { continue };
        // A send takes effect when it begins, a sync when it is done.
        let at = if call == Call::Acknowledge { begun } else { steps.len() };
        steps.insert(at, Step { name: name.into(), when: *count, call });
    }
    steps
}

fn read(name: &str, line: &str, root: &Path) -> Option<Call> {
    let (call, result) = line.rsplit_once(" = ")?;
    if result.starts_with(['-', '?']) {
        return None;
    }
    let (folders, names) = (between(call, '<', '>'), between(call, '"', '"'));
    let at = |number: usize| Some(PathBuf::from(folders.get(number)?).join(names.get(number)?));
    let opened = || folders.first().map(PathBuf::from);
    let path = match name {
        "openat" | "openat2" if call.contains("O_CREAT") => Call::Create(at(0)?),
        "pwrite64" => {
            let mut numbers = call.trim_end().trim_end_matches(')').rsplit(", ");
            let (offset, _) = (numbers.next()?.parse::<u64>().ok()?, numbers.next()?);
            Call::Write { file: opened()?, end: offset + result.trim().parse::<u64>().ok()? }
        }
        "fsync" | "fdatasync" => Call::Sync(opened()?),
        "renameat" | "renameat2" => Call::Rename { from: at(0)?, to: at(1)? },
        "linkat" => Call::Link { from: at(0)?, to: at(1)? },
        "unlinkat" => Call::Unlink(at(0)?),
        "mkdirat" => Call::MakeFolder(at(0)?),
        // ACK is 4 (RFC 1350 section 5); this is that of the last block.
        "sendmsg" | "sendmmsg" | "sendto" if call.contains(r#""\0\4\0\5""#) => {
            return Some(Call::Acknowledge);
        }
        // That of a folder keeps other processes out of it, and leaves nothing behind.
        "flock" => Call::Lock(opened().filter(|path| !path.is_dir())?),
        _ => return None,
    };
    let place = match &path {
        Call::Create(path)
        | Call::Lock(path)
        | Call::Sync(path)
        | Call::Unlink(path)
        | Call::MakeFolder(path) => path,
        Call::Write { file, .. } => file,
        Call::Rename { to, .. } | Call::Link { to, .. } => to,
        Call::Acknowledge => return Some(path),
    };
    place.starts_with(root).then_some(path)
}

/// Returns the texts between two marks, in order.
fn between(text: &str, open: char, close: char) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inside, behind)) = after.split_once(close) else { break };
        found.push(inside);
        rest = behind;
    }
    found
}
