//! Memory and wake-ups of a process with all its descendants.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The memory of a process and its descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Footprint {
    /// The number of processes.
    pub processes: usize,
    /// Resident memory in KiB: `VmRSS` of a single process, or the sum of the proportional shares (`Pss`) of
    /// several, so that shared pages count once.
    pub resident_kib: u64,
}

/// Voluntary context switches of each thread of a process and its descendants: how often they went to sleep,
/// and so how often they woke up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wakeups(BTreeMap<u32, u64>);

impl Wakeups {
    /// Reads the counts of `root` and all its descendants.
    pub fn read(root: u32) -> Self {
        Wakeups(descendants(root).into_iter().flat_map(switches).collect())
    }

    /// Returns the number of wake-ups since `before`. Threads that ended meanwhile are not counted.
    pub fn since(&self, before: &Wakeups) -> u64 {
        let of = |(thread, now): (&u32, &u64)| now.saturating_sub(before.0.get(thread).copied().unwrap_or(0));
        self.0.iter().map(of).sum()
    }
}

impl Footprint {
    /// Reads the memory of `root` and all its descendants; processes that end meanwhile are not counted.
    pub fn read(root: u32) -> Self {
        let processes = descendants(root);
        let several = processes.len() > 1;
        let mut sum = Footprint { processes: processes.len(), ..Footprint::default() };
        for pid in processes {
            sum.resident_kib += resident(pid, several).unwrap_or(0);
        }
        sum
    }
}

/// Reads a number from `/proc/PID/status`, such as `Threads`; `None` if the process has ended.
pub fn status(pid: u32, key: &str) -> Option<u64> {
    number(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, &format!("{key}:"))
}

/// Raises the limit of open files as far as this process may: for a thousand sockets in a generator, and for
/// servers that use one per transfer. If that is too low, binding reports it.
pub fn raise_descriptors() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

/// Returns `root` and all its living descendants.
pub fn descendants(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut alive = BTreeSet::new();
    for pid in numbers("/proc") {
        let Some(parent) = parent(pid) else { continue };
        alive.insert(pid);
        children.entry(parent).or_default().push(pid);
    }
    let mut found = if alive.contains(&root) { vec![root] } else { Vec::new() };
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        found.extend(children.get(&pid).into_iter().flatten());
        next += 1;
    }
    found
}

/// Returns the fourth field of `/proc/PID/stat`; the second, the name, may contain spaces and brackets.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn resident(pid: u32, shared: bool) -> Option<u64> {
    let (file, key) = if shared { ("smaps_rollup", "Pss:") } else { ("status", "VmRSS:") };
    number(&fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?, key)
}

fn switches(pid: u32) -> Vec<(u32, u64)> {
    numbers(&format!("/proc/{pid}/task"))
        .into_iter()
        .filter_map(|thread| {
            let status = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status")).ok()?;
            Some((thread, number(&status, "voluntary_ctxt_switches:")?))
        })
        .collect()
}

fn number(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

fn numbers(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    // A shell of the test's own, since other tests of this process start programs, too.
    #[test]
    fn a_child_counts_with_its_parent() {
        let script = "exec 3<&0; cat <&3 & echo; wait";
        let (piped, mut line) = (Stdio::piped, [0]);
        let mut shell =
            Command::new("sh").args(["-c", script]).stdin(piped()).stdout(piped()).spawn().unwrap();
        shell.stdout.take().unwrap().read_exact(&mut line).unwrap();
        let both = Footprint::read(shell.id());
        assert!(both.processes == 2 && both.resident_kib > 0, "{both:?}");
        assert!(descendants(std::process::id()).contains(&shell.id()));
        let id = shell.id();
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert_eq!(Footprint::read(id), Footprint::default());
    }

    #[test]
    fn a_thread_that_ends_takes_nothing_away() {
        let before = Wakeups(BTreeMap::from([(1, 10), (2, 900)]));
        let after = Wakeups(BTreeMap::from([(1, 14), (3, 2)]));
        assert_eq!(after.since(&before), 6);
    }

    #[test]
    fn a_thread_that_sleeps_has_woken() {
        let before = Wakeups::read(std::process::id());
        for _ in 0..3 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(Wakeups::read(std::process::id()).since(&before) >= 3);
    }

    #[test]
    fn the_first_of_two_similar_keys() {
        let status = "nonvoluntary_ctxt_switches:\t9\nvoluntary_ctxt_switches:\t4\n";
        assert_eq!(number(status, "voluntary_ctxt_switches:"), Some(4));
    }
}
