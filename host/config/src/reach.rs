//! Which folders answer: a disk that hangs holds whoever asks it for ever, so folders are looked at with a deadline.
//!
//! A running server looks on threads of their own. A start cannot: a thread that hangs could not give up its
//! privileges. So a start looks from a process of its own, which is this program under another name ([`NAME`]).

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

/// How long folders have to answer, all of them together.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// The name of the process that looks (`argv[0]`).
pub const NAME: &str = "tuffet-folders";

/// How long a process that is killed may take to end. One that a disk keeps for longer is left behind, with nothing
/// open.
const FAREWELL: Duration = Duration::from_millis(100);

static BY_PROCESS: AtomicBool = AtomicBool::new(false);

/// Folders that threads wait for. One that has not answered for long gets no further thread.
static WAITED_FOR: Mutex<BTreeMap<PathBuf, Waiters>> = Mutex::new(BTreeMap::new());

struct Waiters {
    count: usize,
    /// When the first of them began, or the last one ended.
    since: Instant,
}

/// A root whose folder did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silent {
    /// The name of the root.
    pub root: String,
    /// The nearest folder above it that did.
    pub above: Option<PathBuf>,
}

/// Whether folders are looked at from a process: from the beginning of a start until its privileges are dropped. Only
/// for a program that calls [`answer_as_process`].
pub fn look_by_process(by_process: bool) {
    BY_PROCESS.store(by_process, Relaxed);
}

/// Whether folders are looked at from a process.
pub fn looks_by_process() -> bool {
    BY_PROCESS.load(Relaxed)
}

/// Returns which of these roots do not answer.
pub fn silent(roots: &[RootSpec]) -> Vec<Silent> {
    let folders =
        roots.iter().map(|root| std::path::absolute(&root.path).unwrap_or_else(|_| root.path.clone()));
    let answers = look(&folders.collect::<Vec<_>>());
    let its = roots.iter().zip(answers);
    its.filter_map(|(root, answer)| Some(Silent { root: root.name.clone(), above: answer.err()? })).collect()
}

/// Whether this folder answers, with what it is or with an error.
pub fn answers(folder: &Path) -> bool {
    std::path::absolute(folder).is_ok_and(|folder| look(&[folder]) == [Ok(())])
}

/// Returns the folder if it answers, else the nearest one above it that does.
pub fn nearest(folder: &Path) -> Option<PathBuf> {
    match look(&[folder.to_owned()]).pop()? {
        Ok(()) => Some(folder.to_owned()),
        Err(above) => above,
    }
}

/// For each of these folders, whether it answers; where not, the nearest folder above it that does, if any.
pub(crate) fn look(folders: &[PathBuf]) -> Vec<Result<(), Option<PathBuf>>> {
    // Each folder and those above it, which may answer where it does not.
    let mut places: Vec<&Path> = folders.iter().flat_map(|folder| with_those_above(folder)).collect();
    places.sort_unstable();
    places.dedup();
    let answered = match BY_PROCESS.load(Relaxed) {
        // Where no process can be started, whoever comes to the folder waits for it.
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

/// All but `/`.
fn with_those_above(folder: &Path) -> impl Iterator<Item = &Path> {
    folder.ancestors().filter(|place| place.parent().is_some_and(|above| *above != *Path::new("")))
}

/// What a server does with a folder when it opens it, whatever comes of it.
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
            // Whoever comes to the folder waits for it.
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
        // Nobody waits any more where that took long.
        let _ = sender.send(index);
    };
    let spawned = thread::Builder::new().name("tuffet-folders".into()).spawn(touch);
    spawned.map(drop).inspect_err(|_| leave_waiters(&place))
}

/// Whether another thread may wait for this folder.
fn join_waiters(place: &Path) -> bool {
    let mut all = WAITED_FOR.lock();
    let its = all.entry(place.to_owned()).or_insert_with(|| Waiters { count: 0, since: Instant::now() });
    let may = its.since.elapsed() < PATIENCE;
    its.count += usize::from(may);
    may
}

fn leave_waiters(place: &Path) {
    let mut all = WAITED_FOR.lock();
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
    part_with(child);
    result.map(|()| answered)
}

/// Until all have answered, or time is up.
fn read_answers(child: &mut Child, answered: &mut [bool]) -> io::Result<()> {
    let Some(mut output) = child.stdout.take() else { return Err(io::ErrorKind::BrokenPipe.into()) };
    let (end, mut line, mut buffer) = (Instant::now() + PATIENCE, Vec::new(), [0; 512]);
    while answered.contains(&false) {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Ok(()),
            // A signal; it is kept.
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        let count = output.read(&mut buffer)?;
        if count == 0 {
            // It could not do its work.
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

/// Ends a process that looks at folders, or leaves it behind where a disk keeps it.
pub fn part_with(mut child: Child) {
    // It has ended, or waits for a disk.
    let _ = child.kill();
    let end = Instant::now() + FAREWELL;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The work of the process: writes the number of each of these folders when it answers.
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
    fn folders_answer_also_where_there_is_none_and_twice() {
        let folder = tempfile::tempdir().unwrap();
        let paths = [folder.path().to_owned(), folder.path().join("none"), folder.path().to_owned()];
        assert_eq!(look(&paths), [Ok(()), Ok(()), Ok(())]);
        assert_eq!(look(&["/".into()]), [Ok(())], "nothing is above it");
    }

    #[test]
    fn all_but_the_root_directory_is_looked_at() {
        let places: Vec<_> = with_those_above(Path::new("/srv/tftp/boot")).collect();
        assert_eq!(places, [Path::new("/srv/tftp/boot"), Path::new("/srv/tftp"), Path::new("/srv")]);
    }
}
