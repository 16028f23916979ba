//! Crashes: the server is killed at each system call of an upload, for each way to store one, and another
//! server starts on the remains. The effects of a power loss are computed from the same calls.

use super::trace::{Call, Step, is_possible, steps, traced};
use super::{STORED, ask_to_put, last_answer, new_content, power, put_at_once, send_content};
use crate::harness::{Answer, Folder, SOON, Server, Setup, wait_until};
use crate::policy::probe;
use std::collections::HashSet;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a crash at a step is tried.
const ATTEMPTS: usize = 5;

const OLD: &[u8] = b"the old file";

/// A way to store an upload.
struct Way {
    overwrite: bool,
    /// The rules of `write`.
    rules: &'static str,
    /// The requested name.
    name: &'static str,
    /// Faults that force the server to take this way.
    faults: &'static [&'static str],
    /// The policy that does so.
    policy: bool,
    /// The final path.
    target: &'static str,
    /// The required calls, in this order.
    calls: &'static str,
}

impl Way {
    /// Whether a second temporary file is created, by the thread that stores the upload.
    fn creates_again(&self) -> bool {
        self.calls.matches("create").count() > 1
    }
}

/// A folder for each crash, and one more for the run without a crash.
struct Roots(TempDir);

impl Roots {
    fn root(&self, number: usize, way: &Way) -> Folder {
        let root = Folder(self.0.path().canonicalize().unwrap().join(format!("r{number}")));
        root.write("kept/.keep", b"");
        if way.overwrite {
            root.write(way.target, OLD);
        }
        root
    }

    fn yaml(root: &Folder, way: &Way) -> String {
        let mut yaml = format!(
            "roots: [{{ name: in, path: '{}', writable: true, overwrite: {}, write: {{ {} }} }}]\n",
            root.0.display(),
            way.overwrite,
            way.rules
        );
        if way.policy {
            yaml += &format!(
                "state: state\nsinks: {{ out: {{ file: out.jsonl }} }}\npolicy: {{ accept-upload: [p], time-limit: \
                 40s }}\nplugins:\n  p:\n    component: \"{}\"\n    grants: [kv, files/in, sinks/out]\n    limits: {{ \
                 time: 20s, wall: 40s }}\n    settings: {{ upload: \"rename {}\" }}\n",
                probe(),
                way.target
            );
        }
        yaml
    }

    /// Starts a traced server on one of them; returns it with its trace.
    fn start(&self, root: &Folder, way: &Way, fault: Option<String>) -> (Server, std::path::PathBuf) {
        let trace = root.0.with_extension("trace");
        let faults: Vec<String> = way.faults.iter().map(|fault| (*fault).to_owned()).chain(fault).collect();
        let server = Setup::new().yaml(&Roots::yaml(root, way)).behind(traced(&trace, &faults)).start();
        if way.rules.contains("folders") {
            server.logged("counted the contents of a root");
        }
        (server, trace)
    }
}

/// Crashes at one step of a good run; returns the root, and the calls before the kill. `None` if the server stored the
/// upload, or was killed elsewhere: strace counts the calls of each thread, and on a busy machine they may be spread
/// over other threads than in the good run.
fn crash_at(
    roots: &Roots,
    way: &Way,
    (number, step): (usize, &Step),
    attempt: usize,
) -> Option<(Folder, Vec<Call>)> {
    let root = roots.root(number + 100 * attempt, way);
    let fault = format!("{}:signal=KILL:when={}", step.name, step.when);
    let (server, trace) = roots.start(&root, way, Some(fault));
    let mut peer = ask_to_put(&server, way.name);
    // A file is locked before its request is answered.
    let mut unsent = !matches!(step.call, Call::Lock(_));
    let end = Instant::now() + SOON;
    while !server.has_ended() {
        assert!(Instant::now() < end, "{step:?}: neither stored nor killed");
        match peer.receive_within(Duration::from_millis(10)) {
            Some(Answer::Oack(_)) if std::mem::take(&mut unsent) => send_content(&peer),
            Some(Answer::Oack(_) | Answer::Ack(0..5)) | None => {}
            Some(STORED) => return None,
            other => panic!("{step:?}: {other:?}"),
        }
    }
    assert_eq!(server.wait().signal(), Some(9), "{step:?}");
    while let Some(answer) = peer.receive_within(Duration::from_millis(1)) {
        assert!(matches!(answer, Answer::Oack(_) | Answer::Ack(0..5)), "{step:?}: {answer:?}");
    }
    // With policy, they run in different threads each time.
    let done: Vec<Call> = steps(&trace, &root.0).into_iter().map(|step| step.call).collect();
    (way.policy || done.len() == number).then_some((root, done))
}

/// Stores an upload; returns the root, and the steps. On a busy machine several threads may take part, and the first
/// calls of two threads have the same count: a crash at the later one would always come at the earlier one.
fn good_run(roots: &Roots, way: &Way) -> (Folder, Vec<Step>) {
    for attempt in 0..ATTEMPTS {
        // Those of crashes have another number in their last two digits.
        let root = roots.root(100 * attempt, way);
        let (server, trace) = roots.start(&root, way, None);
        assert_eq!(last_answer(&mut put_at_once(&server, way.name)), STORED);
        assert_eq!(server.stop().len(), 1);
        assert!(root.read(way.target) == new_content());
        let steps = steps(&trace, &root.0);
        let counted: HashSet<(&str, usize)> =
            steps.iter().map(|step| (step.name.as_str(), step.when)).collect();
        if way.policy || way.creates_again() || counted.len() == steps.len() {
            return (root, steps);
        }
    }
    panic!("{ATTEMPTS} uploads, and each by several threads");
}

/// Crashes at each step of a good run that `wanted` selects.
fn crash_at_each(way: &Way, wanted: impl Fn(usize, &[Step]) -> bool) {
    if !is_possible() {
        return;
    }
    let roots = Roots(TempDir::new().unwrap());
    if way.policy {
        // Compiles the plugin now, so that compiling adds no call to the count.
        drop(Setup::new().yaml(&Roots::yaml(&roots.root(0, way), way)).start());
    }
    let (root, steps) = good_run(&roots, way);
    let kinds: Vec<&str> = steps.iter().map(|step| step.call.kind()).collect();
    assert_eq!(kinds.join(" "), way.calls);
    let calls: Vec<Call> = steps.iter().map(|step| step.call.clone()).collect();
    let size = new_content().len() as u64;
    let earlier = way.rules.contains("versions").then(|| root.path(&version(way)));
    let target = root.path(way.target);
    let broken = power::broken(&calls, &target, way.overwrite, size, earlier.as_deref());
    assert_eq!(broken, [""; 0], "a loss of power could leave this; the calls were {calls:#?}");

    let mut crashed = Vec::new();
    // Before the first step there is nothing; after the last, the state no longer changes.
    for (number, step) in steps.iter().enumerate().take(steps.len() - 1).skip(1) {
        if !wanted(number, &steps) {
            continue;
        }
        let crash = (0..ATTEMPTS).find_map(|attempt| crash_at(&roots, way, (number, step), attempt));
        let (root, done) =
            crash.unwrap_or_else(|| panic!("{ATTEMPTS} servers, and none was killed at {step:?}"));
        let target = root.path(way.target);
        let is_new = done
            .iter()
            .any(|call| matches!(call, Call::Rename { to, .. } | Call::Link { to, .. } if *to == target));
        assert_file(&root, way, is_new, step);
        let is_left = !is_new || matches!(done.last(), Some(Call::Link { .. }));
        assert_eq!(has_part(&root), is_left, "{step:?}: {:?}", root.names());
        crashed.push((root, is_new, step));
    }
    assert!(!crashed.is_empty());

    // One server for all of them, as after the restart.
    let roots: String = crashed
        .iter()
        .enumerate()
        .map(|(number, (root, ..))| {
            format!("  - {{ name: r{number}, path: '{}', writable: true }}\n", root.0.display())
        })
        .collect();
    let server = Setup::new().yaml(&format!("roots:\n{roots}")).start();
    for (root, is_new, step) in &crashed {
        let mut left = vec!["kept".to_owned()];
        if !way.target.contains('/') && (*is_new || way.overwrite) {
            left.push(way.target.to_owned());
        }
        // A crash may leave a version that is the file itself, and an empty folder.
        left.extend(["a", &version(way)].into_iter().filter(|name| root.has(name)).map(str::to_owned));
        left.sort();
        wait_until(&format!("nothing is left of the crash at {step:?}"), || {
            root.names() == left && !has_part(root)
        });
        assert_file(root, way, *is_new, step);
    }
    server.stop();
}

/// Whether there is an unfinished upload, at the top or in the folder that is there.
fn has_part(root: &Folder) -> bool {
    let names = [root.names(), Folder(root.path("kept")).names()].concat();
    names.iter().any(|name| name.ends_with(".part"))
}

/// The first version of the target.
fn version(way: &Way) -> String {
    format!("{}.~1~", way.target)
}

#[track_caller]
fn assert_file(root: &Folder, way: &Way, is_new: bool, step: &Step) {
    if way.rules.contains("versions") && (is_new || root.has(&version(way))) {
        assert_eq!(root.read(&version(way)), OLD, "{step:?}");
    }
    match (is_new, way.overwrite) {
        (true, _) => assert!(root.read(way.target) == new_content(), "{step:?}"),
        (false, true) => assert_eq!(root.read(way.target), OLD, "{step:?}"),
        (false, false) => assert!(!root.has(way.target), "{step:?}"),
    }
}

/// The ways differ from here on.
fn from_sync_on(number: usize, steps: &[Step]) -> bool {
    number >= steps.iter().position(|step| matches!(step.call, Call::Sync(_))).unwrap()
}

/// Without the calls that another thread makes as often before: a crash would come there.
fn from_sync_on_by_one_thread(number: usize, steps: &[Step]) -> bool {
    from_sync_on(number, steps) && is_first(number, steps)
}

fn from_folders_on_by_one_thread(number: usize, steps: &[Step]) -> bool {
    let first = steps.iter().position(|step| matches!(step.call, Call::MakeFolder(_))).unwrap();
    number >= first && is_first(number, steps)
}

fn is_first(number: usize, steps: &[Step]) -> bool {
    let step = &steps[number];
    // Each thread opens files, and the first temporary file was created and locked by another one.
    !matches!(step.call, Call::Create(_) | Call::Lock(_))
        && !steps[..number].iter().any(|other| (&other.name, other.when) == (&step.name, step.when))
}

fn from_link_on(number: usize, steps: &[Step]) -> bool {
    number >= steps.iter().position(|step| matches!(step.call, Call::Link { .. })).unwrap()
}

/// One thread seals the upload, and the same or another one commits it: each has its own count, and only the
/// common part is certain to be reached.
fn from_sync_on_by_any_thread(number: usize, steps: &[Step]) -> bool {
    from_sync_on(number, steps) && steps[number].when <= 2 && is_first(number, steps)
}

#[test]
fn over_a_file_that_is_there() {
    let way = Way {
        overwrite: true,
        faults: &[],
        policy: false,
        rules: "",
        name: "up",
        target: "up",
        calls: "create lock write write write sync rename sync acknowledge",
    };
    crash_at_each(&way, |_, _| true);
}

#[test]
fn under_a_free_name() {
    let way = Way {
        overwrite: false,
        faults: &[],
        policy: false,
        rules: "",
        name: "up",
        target: "up",
        calls: "create lock write write write sync rename sync acknowledge",
    };
    crash_at_each(&way, from_sync_on);
}

/// On file systems that cannot rename without replacing.
#[test]
fn under_a_free_name_by_a_link() {
    let way = Way {
        overwrite: false,
        faults: &["renameat2:error=EINVAL"],
        policy: false,
        rules: "",
        name: "up",
        target: "up",
        calls: "create lock write write write sync link unlink sync acknowledge",
    };
    crash_at_each(&way, from_link_on);
}

/// A plugin has examined it and named another folder.
#[test]
fn in_another_folder() {
    let way = Way {
        overwrite: false,
        faults: &[],
        policy: true,
        rules: "",
        name: "up",
        target: "kept/there",
        calls: "create lock write write write sync sync rename sync acknowledge",
    };
    crash_at_each(&way, from_sync_on_by_any_thread);
}

#[test]
fn over_a_file_that_stays_as_a_version() {
    let way = Way {
        overwrite: true,
        faults: &[],
        policy: false,
        rules: "versions: { keep: 3 }",
        name: "up",
        target: "up",
        calls: "create lock write write write sync link sync rename sync acknowledge",
    };
    crash_at_each(&way, from_sync_on);
}

/// On file systems without links.
#[test]
fn over_a_file_that_stays_as_a_copy() {
    let way = Way {
        overwrite: true,
        faults: &["linkat:error=EPERM"],
        policy: false,
        rules: "versions: { keep: 3 }",
        name: "up",
        target: "up",
        calls: "create lock write write write sync create lock sync rename sync rename sync acknowledge",
    };
    crash_at_each(&way, from_sync_on_by_one_thread);
}

#[test]
fn in_folders_that_it_makes() {
    let way = Way {
        overwrite: false,
        faults: &[],
        policy: false,
        rules: "folders: true",
        name: "a/b/up",
        target: "a/b/up",
        calls: "create lock write write write make-folder sync make-folder sync create lock unlink sync rename sync \
                acknowledge",
    };
    crash_at_each(&way, from_folders_on_by_one_thread);
}

/// Another upload may have made the folder, and not have synced the one above.
#[test]
fn in_a_folder_that_is_there() {
    let way = Way {
        overwrite: false,
        faults: &[],
        policy: false,
        rules: "folders: true",
        name: "kept/up",
        target: "kept/up",
        calls: "create lock write write write sync sync rename sync acknowledge",
    };
    crash_at_each(&way, from_sync_on);
}
