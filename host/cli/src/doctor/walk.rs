//! Walks through the files of a root in a separate process: a hanging folder blocks the process that lists it, but the
//! doctor must finish. The process is this program under another name ([`NAME`]).

use nix::unistd::{Gid, Uid};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::process::{getegid, geteuid};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_config::reach;
use tuffet_daemon::privileges::{Account, acting_as};
use tuffet_store::{Right, SecurityLabel, find_obstacle};

/// The name of the process (`argv[0]`).
pub(in super::super) const NAME: &str = "tuffet-files";

/// The limits of a walk: a large root on a slow disk would take minutes.
pub(super) const LIMITS: WalkLimits = WalkLimits { entries: 200_000, time: Duration::from_secs(3) };
/// The additional time for a walk: it cannot check its limits while it waits for a folder.
const GRACE: Duration = Duration::from_secs(2);
/// The limit of listed names.
const MAX_NAMES: usize = 3;

#[derive(Debug, Clone, Copy)]
pub(super) struct WalkLimits {
    pub(super) entries: usize,
    pub(super) time: Duration,
}

/// The result of a walk through a root.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WalkResult {
    /// The number of files and folders.
    pub(super) entries: usize,
    /// The number of unreadable ones, and the first of their names, relative to the root.
    pub(super) closed: usize,
    pub(super) named: Vec<ClosedName>,
    /// Whether a limit ended the walk.
    pub(super) cut: bool,
}

/// An unreadable file or folder.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClosedName {
    /// Its path, relative to the root.
    pub(super) name: String,
    /// Which part of its path refuses which right, and why.
    pub(super) why: Option<String>,
    /// The command that gives the user just that right.
    pub(super) command: Option<String>,
}

/// How a walk ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WalkOutcome {
    Finished(WalkResult),
    /// This folder has not answered for this long.
    Hangs(String, Duration),
}

/// A line of the process's output.
#[derive(Debug, Serialize, Deserialize)]
enum Line {
    /// The folder that it accesses now.
    At(String),
    Seen(WalkResult),
    Failed(String),
}

/// Walks through the files of a folder with the rights of this process's user or of the server's user. Returns within a
/// few seconds.
pub(super) fn through(root: &Path, account: Option<&Account>) -> io::Result<WalkOutcome> {
    if !reach::checks_by_process() {
        return as_user(account, || Ok(walk(root, LIMITS, &mut |_| ()))).map(WalkOutcome::Finished);
    }
    let mut walker = Command::new("/proc/self/exe");
    walker.arg0(NAME).arg(root).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(Account { uid, gid, groups, .. }) = account {
        walker.args(
            [uid.as_raw(), gid.as_raw()]
                .into_iter()
                .chain(groups.iter().map(|group| group.as_raw()))
                .map(|id| id.to_string()),
        );
    }
    let mut walker = walker.spawn()?;
    let walked = walker.stdout.take().map_or_else(|| Err(io::ErrorKind::BrokenPipe.into()), read_outcome);
    reach::end_child(walker);
    walked
}

/// Reads lines until the result comes, or the time is up.
fn read_outcome(output: ChildStdout) -> io::Result<WalkOutcome> {
    let (sender, lines) = channel();
    // The thread is left behind together with a hanging process.
    thread::Builder::new().name("tuffet-files".into()).spawn(move || forward_lines(output, &sender))?;
    let end = Instant::now() + LIMITS.time + GRACE;
    let (mut at, mut since) = (String::new(), Instant::now());
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Line::At(folder)) => (at, since) = (folder, Instant::now()),
            Ok(Line::Seen(seen)) => return Ok(WalkOutcome::Finished(seen)),
            Ok(Line::Failed(error)) => return Err(io::Error::other(error)),
            Err(RecvTimeoutError::Timeout) => return Ok(WalkOutcome::Hangs(at, since.elapsed())),
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn forward_lines(output: ChildStdout, to: &Sender<Line>) {
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    for line in lines.map_while(|line| serde_json::from_str(&line).ok()) {
        if to.send(line).is_err() {
            return;
        }
    }
}

/// The main function of the process. `words`: the folder, then perhaps the IDs of the user, the group and the groups to
/// act as.
pub(in super::super) fn work_as_process(mut words: impl Iterator<Item = OsString>) {
    let root = PathBuf::from(words.next().unwrap_or_default());
    let mut ids = words.filter_map(|word| word.to_str()?.parse::<u32>().ok());
    let account = ids.next().zip(ids.next()).map(|(uid, gid)| Account {
        name: uid.to_string(),
        uid: Uid::from_raw(uid),
        gid: Gid::from_raw(gid),
        groups: ids.map(Gid::from_raw).collect(),
    });
    let mut output = io::stdout();
    let mut say = |line: &Line| {
        // The reader may have ended.
        let _ =
            serde_json::to_string(line).map(|line| writeln!(output, "{line}").and_then(|()| output.flush()));
    };
    let walked = as_user(account.as_ref(), || {
        Ok(walk(&root, LIMITS, &mut |folder| say(&Line::At(shown(folder.as_os_str())))))
    });
    say(&walked.map_or_else(|error| Line::Failed(error.to_string()), Line::Seen));
}

/// Only the kernel knows everything that matters: groups, access control lists, mounts.
fn as_user<T>(account: Option<&Account>, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    match account {
        Some(account) => acting_as(account, work),
        None => work(),
    }
}

/// Calls `at` with each folder before accessing it.
pub(super) fn walk(root: &Path, limits: WalkLimits, at: &mut dyn FnMut(&Path)) -> WalkResult {
    let end = Instant::now() + limits.time;
    let mut seen = WalkResult::default();
    let mut folders = vec![root.to_owned()];
    // Only the search for an obstacle opens what may be read.
    let by_opening = SecurityLabel::of_this_process().is_some_and(|label| label.decides_at_opening());
    while let Some(folder) = folders.pop() {
        at(&folder);
        // Only permissions count here. A folder may vanish meanwhile, or not be listable for another reason.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            // A link is served as its target, if that is in a root.
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            if seen.entries == limits.entries || Instant::now() >= end {
                seen.cut = true;
                return seen;
            }
            seen.entries += 1;
            let path = entry.path();
            let needed = if kind.is_dir() {
                // The folder may hang.
                at(&path);
                Access::READ_OK | Access::EXEC_OK
            } else {
                Access::READ_OK
            };
            let is_closed = accessat(CWD, &path, needed, AtFlags::EACCESS) == Err(rustix::io::Errno::ACCESS);
            if is_closed || by_opening && find_obstacle(&path, rights(kind.is_dir())).is_some() {
                seen.closed += 1;
                if seen.named.len() < MAX_NAMES {
                    seen.named.push(closed_name(root, &path, kind.is_dir()));
                }
            } else if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    seen.named.sort_by(|one, other| one.name.cmp(&other.name));
    seen
}

fn closed_name(root: &Path, path: &Path, is_folder: bool) -> ClosedName {
    let obstacle = find_obstacle(path, rights(is_folder));
    let (uid, group) = (geteuid().as_raw(), getegid().as_raw());
    ClosedName {
        name: shown(path.strip_prefix(root).unwrap_or(path).as_os_str()),
        why: obstacle.as_ref().map(ToString::to_string),
        command: obstacle.and_then(|obstacle| obstacle.command(&uid.to_string(), group)),
    }
}

/// Returns the rights that serving takes.
fn rights(is_folder: bool) -> &'static [Right] {
    if is_folder { &[Right::Read, Right::Enter] } else { &[Right::Read] }
}

fn shown(name: &OsStr) -> String {
    String::from_utf8_lossy(name.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_counts_files_and_folders_up_to_its_bounds() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/c"), "").unwrap();
        std::os::unix::fs::symlink("/nowhere", folder.path().join("link")).unwrap();
        let mut folders = Vec::new();
        let all = walk(folder.path(), LIMITS, &mut |at| folders.push(at.to_owned()));
        assert_eq!(all, WalkResult { entries: 3, ..WalkResult::default() });
        folders.dedup();
        assert_eq!(folders, ["", "a", "a/b"].map(|name| folder.path().join(name)));
        let cut = walk(folder.path(), WalkLimits { entries: 2, ..LIMITS }, &mut |_| ());
        assert_eq!((cut.entries, cut.cut), (2, true));
        assert!(walk(folder.path(), WalkLimits { time: Duration::ZERO, ..LIMITS }, &mut |_| ()).cut);
    }
}
