//! Checks which folders answer. A hanging disk blocks its callers forever, so the checks have a deadline.
//!
//! A running server checks on separate threads. A starting server cannot, because a hanging thread could not drop its
//! privileges. So it checks from a separate process: this program under another name ([`NAME`]).

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tuffet_request::RootSpec;

use super::unopened::UnopenedRoot;

/// The time limit for the answers of all folders together.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// The name of the checking process (`argv[0]`).
pub const NAME: &str = "tuffet-folders";

/// How long to wait for the end of a killed process. If a disk blocks it for longer, it is left behind, without open
/// files.
const KILL_WAIT: Duration = Duration::from_millis(100);

static BY_PROCESS: AtomicBool = AtomicBool::new(false);

/// Folders with waiting threads. A folder that has not answered for some time gets no further thread.
static WAITERS: Mutex<BTreeMap<PathBuf, Waiters>> = Mutex::new(BTreeMap::new());

struct Waiters {
    count: usize,
    /// The start of the first wait, or the end of the last one.
    since: Instant,
}

/// Selects whether to check folders from a separate process: from the beginning of a start until privileges are
/// dropped. Only for a program that calls [`answer_as_process`].
pub fn check_by_process(by_process: bool) {
    BY_PROCESS.store(by_process, Relaxed);
}

/// Returns whether folders are checked from a separate process.
pub fn checks_by_process() -> bool {
    BY_PROCESS.load(Relaxed)
}

/// Returns which of these roots do not answer.
pub fn unresponsive(roots: &[RootSpec]) -> Vec<UnopenedRoot> {
    let folders =
        roots.iter().map(|root| std::path::absolute(&root.path).unwrap_or_else(|_| root.path.clone()));
    let answers = probe(&folders.collect::<Vec<_>>());
    let its = roots.iter().zip(answers);
    its.filter_map(|(root, answer)| Some(UnopenedRoot::unresponsive(&root.name, answer.err()?))).collect()
}

/// Returns whether this folder answers, even with an error.
pub fn answers(folder: &Path) -> bool {
    std::path::absolute(folder).is_ok_and(|folder| probe(&[folder]) == [Ok(())])
}

/// Returns the folder if it answers, otherwise the nearest answering one above it.
pub fn nearest(folder: &Path) -> Option<PathBuf> {
    match probe(&[folder.to_owned()]).pop()? {
        Ok(()) => Some(folder.to_owned()),
        Err(above) => above,
    }
}

/// Returns for each folder whether it answers; if not, the nearest answering folder above it, if any.
pub(crate) fn probe(folders: &[PathBuf]) -> Vec<Result<(), Option<PathBuf>>> {
    // Each folder, and those above it, because they may answer if it does not.
    let mut places: Vec<&Path> = folders.iter().flat_map(|folder| with_those_above(folder)).collect();
    places.sort_unstable();
    places.dedup();
    let answered = match BY_PROCESS.load(Relaxed) {
        // Without a process, treat all as answering; their users will wait.
        true => ask_process(&places).unwrap_or_else(|_| vec![true; places.len()]),
        false => ask_threads(&places),
    };
    let answers = |place: &Path| places.binary_search(&place).is_ok_and(|index| answered[index]);
    let of = |folder: &PathBuf| {
        let mut around = with_those_above(folder).peekable();
        if around.peek().is_none_or(|place| answers(place)) {
            return Ok(());
        }
        Err(around.find(|place| answers(place)).map(Path::to_owned))
    };
    folders.iter().map(of).collect()
}

/// All folders of the path except `/`.
fn with_those_above(folder: &Path) -> impl Iterator<Item = &Path> {
    folder.ancestors().filter(|place| place.parent().is_some_and(|above| *above != *Path::new("")))
}

/// Accesses a folder as the server does when opening it; ignores errors.
fn touch(place: &Path) {
    let _ = std::fs::metadata(place).map(|_| std::fs::File::open(place));
}

fn ask_threads(places: &[&Path]) -> Vec<bool> {
    let (sender, answers) = channel();
    let mut answered = vec![false; places.len()];
    let mut awaited = 0;
    for (index, place) in places.iter().enumerate() {
        if !join_waiters(place) {
            continue;
        }
        match touch_on_thread(place, index, sender.clone()) {
            Ok(()) => awaited += 1,
            // Without a thread, treat it as answering; its users will wait.
            Err(_) => answered[index] = true,
        }
    }
    let end = Instant::now() + PATIENCE;
    for _ in 0..awaited {
        let Ok(index) = answers.recv_timeout(end.saturating_duration_since(Instant::now())) else { break };
        answered[index] = true;
    }
    answered
}

fn touch_on_thread(place: &Path, index: usize, sender: Sender<usize>) -> io::Result<()> {
    let place = place.to_owned();
    let its = place.clone();
    let touch = move || {
        touch(&its);
        leave_waiters(&its);
        // The receiver may have stopped waiting.
        let _ = sender.send(index);
    };
    let spawned = thread::Builder::new().name("tuffet-folders".into()).spawn(touch);
    spawned.map(drop).inspect_err(|_| leave_waiters(&place))
}

/// Registers a thread that waits for this folder; `false` if no further thread may wait.
fn join_waiters(place: &Path) -> bool {
    let mut all = WAITERS.lock();
    let its = all.entry(place.to_owned()).or_insert_with(|| Waiters { count: 0, since: Instant::now() });
    let may = its.since.elapsed() < PATIENCE;
    its.count += usize::from(may);
    may
}

fn leave_waiters(place: &Path) {
    let mut all = WAITERS.lock();
    let Some(its) = all.get_mut(place) else { return };
    its.count -= 1;
    its.since = Instant::now();
    if its.count == 0 {
        all.remove(place);
    }
}

fn ask_process(places: &[&Path]) -> io::Result<Vec<bool>> {
    let mut child = Command::new("/proc/self/exe")
        .arg0(NAME)
        .args(places)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut answered = vec![false; places.len()];
    let result = read_answers(&mut child, &mut answered);
    end_child(child);
    result.map(|()| answered)
}

/// Reads answers until all folders have answered, or the time is over.
fn read_answers(child: &mut Child, answered: &mut [bool]) -> io::Result<()> {
    let Some(mut output) = child.stdout.take() else { return Err(io::ErrorKind::BrokenPipe.into()) };
    let (end, mut line, mut buffer) = (Instant::now() + PATIENCE, Vec::new(), [0; 512]);
    while answered.contains(&false) {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Ok(()),
            // Interrupted by a signal.
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let count = output.read(&mut buffer)?;
        if count == 0 {
            // The process failed.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for byte in &buffer[..count] {
            if *byte != b'\n' {
                line.push(*byte);
                continue;
            }
            let index = std::str::from_utf8(&line).ok().and_then(|line| line.parse::<usize>().ok());
            if let Some(answered) = index.and_then(|index| answered.get_mut(index)) {
                *answered = true;
            }
            line.clear();
        }
    }
    Ok(())
}

/// Ends a checking process, or leaves it behind if a disk blocks it.
pub fn end_child(mut child: Child) {
    // The process has ended, or a disk blocks it.
    let _ = child.kill();
    let end = Instant::now() + KILL_WAIT;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The main function of the checking process: writes the number of each folder when it answers.
pub fn answer_as_process(places: impl Iterator<Item = OsString>) {
    let (sender, answers) = channel();
    let mut awaited = 0;
    for (index, place) in places.enumerate() {
        let sender = sender.clone();
        let touch = move || {
            touch(Path::new(&place));
            let _ = sender.send(index);
        };
        if thread::Builder::new().spawn(touch).is_err() {
            return;
        }
        awaited += 1;
    }
    let mut output = io::stdout();
    for index in answers.into_iter().take(awaited) {
        if writeln!(output, "{index}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_repeated_folders_answer() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().to_owned(), folder.path().join("none"), folder.path().to_owned()];
        assert_eq!(probe(&paths), [Ok(()), Ok(()), Ok(())]);
        assert_eq!(probe(&["/".into()]), [Ok(())], "no folder is above it");
    }

    #[test]
    fn all_folders_except_the_root_directory_are_checked() {
        let places: Vec<_> = with_those_above(Path::new("/srv/tftp/boot")).collect();
        assert_eq!(places, [Path::new("/srv/tftp/boot"), Path::new("/srv/tftp"), Path::new("/srv")]);
    }
}
