//! `make test` that is interrupted or killed leaves nothing behind.

use crate::harness::{Disk, Network, is_root, skipped, wait_until};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A suite with the test [`hangs`].
const SUITES: &str = "test hangs
  when   default
  about  hangs
  run    \"$TUFFET_IT\" --exact interrupted::hangs --ignored --test-threads=2
";

/// A user without privileges, if root runs the tests.
const NOBODY: &str = "65534";

#[test]
#[ignore = "hangs, for the tests of interrupted runs"]
fn hangs() {
    let folder = PathBuf::from(std::env::var_os("TUFFET_HANGS").unwrap());
    // Another user may not have the folder of compiled plugins.
    let place = TempDir::new().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    server.args(["serve", "--listen", "127.0.0.1:0", "--root"]).arg(place.path());
    if is_root() {
        server.args(["--user", "root"]);
    }
    server.env("RUNTIME_DIRECTORY", place.path()).env("CACHE_DIRECTORY", place.path());
    let mut server = server.spawn().unwrap();
    wait_until("the server has its control socket", || place.path().join("control").exists());
    // In a process group of its own, as other servers that tests start.
    let mut other = Command::new("sh");
    let mut other = other.args(["-c", "sleep 3600; :"]).arg(&folder).process_group(0).spawn().unwrap();
    let disk = is_root().then(|| Disk::new("size=64k")).flatten();
    let network = is_root().then(|| Network::new("02:00:00:00:00:01")).flatten();
    fs::write(folder.join("namespace"), network.as_ref().map_or("none", Network::client_name)).unwrap();
    fs::rename(folder.join("namespace"), folder.join("hangs")).unwrap();
    // The latter ends by itself after an hour.
    let _ = (other.wait(), server.wait());
    drop(disk);
}

/// A run of `make test` with two suites, in the first of which a test hangs.
struct Run {
    make: Child,
    folder: TempDir,
}

impl Run {
    /// Returns nothing if the user cannot run the tests.
    fn start(user: Option<&str>) -> Option<Run> {
        let folder = TempDir::new().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
        fs::write(folder.path().join("suites.txt"), SUITES).unwrap();
        let tests = std::env::current_exe().unwrap();
        // Who ignores SIGINT, such as a shell in the background, passes that on.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT");
        if let Some(user) = user {
            let switch = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"];
            let mut reads = Command::new(switch[0]);
            reads.args(&switch[1..]).args(["test", "-x"]).arg(&tests).args(["-a", "-r"]).arg(REPOSITORY);
            if !reads.status().is_ok_and(|status| status.success()) {
                skipped(&format!("interrupted tests of another user, who may not read {}", tests.display()));
                return None;
            }
            command.args(switch);
        }
        command.args(["make", "test", "SUITE=hangs hangs"]).current_dir(REPOSITORY).process_group(0);
        // It is no part of the run of this test.
        for variable in ["TUFFET_SUPERVISED", "PREPARED", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
            command.env_remove(variable);
        }
        command.env("SUITES", folder.path().join("suites.txt")).env("TUFFET_IT", tests);
        command.env("CARGO_TARGET_DIR", folder.path().join("target"));
        command.env("TMPDIR", folder.path()).env("TUFFET_HANGS", folder.path());
        let make = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mut run = Run { make, folder };
        wait_until("the test hangs", || {
            assert_eq!(run.make.try_wait().unwrap(), None, "make ended");
            run.folder.path().join("hangs").exists()
        });
        // Make, the runner and what supervises it, the test, its server, and the other one, each with a shell.
        assert!(run.processes().len() > 5, "{:?}", run.processes());
        Some(run)
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.make)
    }

    /// Returns the command lines of its processes: they have its folder as an argument or in their environment.
    fn processes(&self) -> Vec<String> {
        let folder = self.folder.path().to_str().unwrap().as_bytes();
        let has_it = |file: &Path| {
            fs::read(file).is_ok_and(|text| text.windows(folder.len()).any(|part| part == folder))
        };
        let own = std::process::id().to_string();
        let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        all.filter(|process| !process.ends_with(&own))
            .filter(|process| has_it(&process.join("cmdline")) || has_it(&process.join("environ")))
            .map(|process| {
                String::from_utf8_lossy(&fs::read(process.join("cmdline")).unwrap_or_default()).into_owned()
            })
            .collect()
    }

    /// Asserts that all of it goes, once it has been interrupted.
    #[track_caller]
    fn leaves_nothing(mut self) {
        assert!(!self.make.wait().unwrap().success());
        wait_until("no process is left", || self.processes().is_empty());
        let folder = self.folder.path();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        assert!(!mounts.contains(folder.to_str().unwrap()), "{mounts}");
        let namespace = fs::read_to_string(folder.join("hangs")).unwrap();
        assert!(!Path::new("/run/netns").join(&namespace).exists(), "{namespace}");
        let mut left: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["hangs", "suites.txt", "target"], "temporary files");
    }
}

#[test]
fn a_killed_run_leaves_nothing() {
    let run = Run::start(None).unwrap();
    kill_process(run.id(), Signal::KILL).unwrap();
    run.leaves_nothing();
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let run = Run::start(None).unwrap();
    kill_process_group(run.id(), Signal::INT).unwrap();
    run.leaves_nothing();
}

#[test]
fn nor_does_a_killed_run_without_privileges() {
    let Some(run) = is_root().then(|| Run::start(Some(NOBODY))).flatten() else { return };
    kill_process(run.id(), Signal::KILL).unwrap();
    run.leaves_nothing();
}

#[test]
fn nor_does_an_interrupted_run_without_privileges() {
    let Some(run) = is_root().then(|| Run::start(Some(NOBODY))).flatten() else { return };
    kill_process_group(run.id(), Signal::INT).unwrap();
    run.leaves_nothing();
}
