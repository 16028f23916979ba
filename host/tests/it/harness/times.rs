//! How long tests take: a test that hangs ends the run with its name, and `TUFFET_TEST_TIMES` names a file that gets
//! a line `seconds<TAB>name` for each test that used the harness.

use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{env, process, thread};

/// How long a test may run; `TUFFET_TEST_LIMIT` replaces it, in seconds. On a slow machine a plugin in Python or JavaScript
/// takes minutes to build: only tests that hang take longer.
const LIMIT: Duration = Duration::from_secs(900);

/// Tests that run, by name.
static RUNNING: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

thread_local! {
    static TEST: Option<Running> = Running::begin();
}

/// Notes that a test runs on this thread, until the thread ends. Other threads are not noted, nor are tests on the
/// main thread, with one test thread: that runs them all.
pub(super) fn note() {
    TEST.with(|_| ());
}

struct Running {
    name: String,
    begun: Instant,
}

impl Running {
    fn begin() -> Option<Running> {
        // libtest names its threads by the tests.
        let name = thread::current().name().filter(|name| name.contains("::"))?.to_owned();
        let begun = Instant::now();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), begun));
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| drop(thread::spawn(watch)));
        Some(Running { name, begun })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).retain(|(name, _)| *name != self.name);
        let Some(list) = env::var_os("TUFFET_TEST_TIMES") else { return };
        let line = format!("{:.1}\t{}\n", self.begun.elapsed().as_secs_f64(), self.name);
        let file = OpenOptions::new().create(true).append(true).open(&list);
        // One write, so that parallel tests do not mix their lines. A panic would abort the run here.
        if let Err(error) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
            let _ = writeln!(stderr(), "TUFFET_TEST_TIMES={}: {error}", list.display());
        }
    }
}

/// Ends the process when a test has run for too long.
fn watch() {
    let limit = env::var("TUFFET_TEST_LIMIT").ok().and_then(|seconds| seconds.parse().ok());
    let limit = limit.map_or(LIMIT, Duration::from_secs);
    loop {
        thread::sleep(Duration::from_millis(500));
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((name, begun)) = running.iter().find(|(_, begun)| begun.elapsed() > limit) {
            // Not by `eprintln`: libtest would keep it.
            let hung = format!("\ntest {name} hangs: it has run for {} s\n", begun.elapsed().as_secs());
            let _ = stderr().write_all(hung.as_bytes());
            process::exit(101);
        }
    }
}

mod tests {
    use super::LIMIT;
    use crate::harness::{Ran, Setup, run};
    use std::process::Command;

    const HERE: &str = "harness::times::tests::";

    /// Runs a test of this module in a process of its own.
    fn run_test(name: &str, variable: (&str, &str)) -> Ran {
        let mut tests = Command::new(std::env::current_exe().unwrap());
        tests.args(["--include-ignored", "--test-threads=2", "--exact"]).arg(format!("{HERE}{name}"));
        run(tests.env(variable.0, variable.1))
    }

    #[test]
    #[ignore = "hangs, for the test of the limit"]
    fn hangs() {
        let _setup = Setup::new();
        std::thread::sleep(2 * LIMIT);
    }

    #[test]
    fn a_test_that_hangs_is_named_and_ends() {
        let ran = run_test("hangs", ("TUFFET_TEST_LIMIT", "1"));
        ran.assert_fails(101, &[&format!("test {HERE}hangs hangs")]);
    }

    #[test]
    fn ends() {
        let _setup = Setup::new();
    }

    #[test]
    fn times_are_listed() {
        let setup = Setup::new();
        let list = setup.outside().path("times");
        run_test("ends", ("TUFFET_TEST_TIMES", list.to_str().unwrap())).assert_good();
        let listed = std::fs::read_to_string(&list).unwrap();
        let (seconds, name) = listed.trim_end().split_once('\t').unwrap();
        assert!(seconds.parse::<f64>().is_ok() && name == format!("{HERE}ends"), "{listed}");
    }
}
