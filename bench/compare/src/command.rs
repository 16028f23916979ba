//! Runs other programs with a time limit, so that none of them can block a run.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The interval of checks on a child that has closed its output.
const STEP: Duration = Duration::from_millis(1);

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// A program of util-linux.
const SETPRIV: &str = "setpriv";

/// The output and the exit status of a program.
#[derive(Debug)]
pub struct ProgramOutput {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// A program with all processes that it starts; dropping it ends them.
#[derive(Debug)]
pub struct RunningProgram {
    child: Child,
}

/// Creates a command that ends with this process, even if a signal ends it (PR_SET_PDEATHSIG).
pub fn tied(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(SETPRIV);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// Runs a command to its end, or stops it with its children after `limit`.
///
/// # Errors It cannot be started or read, or takes longer than `limit`.
pub fn run(mut command: Command, limit: Duration) -> io::Result<ProgramOutput> {
    let name = name_of(&command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let deadline = Instant::now() + limit;
    let late = || {
        let after = humantime::format_duration(limit);
        io::Error::new(io::ErrorKind::TimedOut, format!("{name} was stopped: not finished after {after}"))
    };
    let mut running = RunningProgram::start(command)?;
    let (stdout, stderr) = (reader(running.child.stdout.take()), reader(running.child.stderr.take()));
    let wait = |text: &mpsc::Receiver<String>| {
        text.recv_timeout(deadline.saturating_duration_since(Instant::now())).map_err(|_| late())
    };
    let (stdout, stderr) = (wait(&stdout)?, wait(&stderr)?);
    loop {
        if let Some(status) = running.child.try_wait()? {
            return Ok(ProgramOutput { status, stdout, stderr });
        }
        if Instant::now() >= deadline {
            return Err(late());
        }
        thread::sleep(STEP);
    }
}

/// As [`run`], but anything but success is an error with the last lines of the output.
pub fn succeed(command: Command, limit: Duration) -> Result<String, String> {
    let shown = format!("{command:?}");
    match run(command, limit) {
        Ok(done) if done.status.success() => Ok(done.stdout),
        Ok(done) => Err(format!("{shown} ended with {}: {}", done.status, last_lines(&done.stderr))),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

/// The last lines of an error output.
pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(3)..].join(" / ")
}

impl RunningProgram {
    /// Starts a command in a new process group.
    pub fn start(mut command: Command) -> io::Result<RunningProgram> {
        let name = name_of(&command);
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("{name} cannot be started: {error}")))?;
        Ok(RunningProgram { child })
    }

    /// Starts a command with its output in a file.
    pub fn start_logged(mut command: Command, log: &Path) -> io::Result<RunningProgram> {
        let file = File::create(log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        RunningProgram::start(command)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(id) = id {
            // The process may have ended already.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::TERM);
        let deadline = Instant::now() + GRACE;
        while self.ended().is_none() && Instant::now() < deadline {
            thread::sleep(STEP);
        }
        // In some servers, children outlive their parent.
        self.signal(rustix::process::Signal::KILL);
        let _ = self.child.wait();
    }
}

/// The name of the program, without the wrapper of [`tied`].
fn name_of(command: &Command) -> String {
    let tied_to = command.get_args().skip_while(|argument| *argument != "--").nth(1);
    let program = tied_to.filter(|_| command.get_program() == SETPRIV).unwrap_or(command.get_program());
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // Output before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = tied("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status() {
        let done = run(shell("echo out; echo err >&2; exit 3"), Duration::from_secs(20)).unwrap();
        assert_eq!(
            (done.stdout.as_str(), done.stderr.as_str(), done.status.code()),
            ("out\n", "err\n", Some(3))
        );
        let error = succeed(shell("echo why >&2; exit 1"), Duration::from_secs(20)).unwrap_err();
        assert!(error.ends_with("why"), "{error}");
    }

    #[test]
    fn whatever_takes_too_long_ends_with_its_children() {
        let started = Instant::now();
        let error = run(shell("sleep 300 & sleep 300"), Duration::from_millis(200)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().starts_with("sh was stopped"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(100));
    }

    #[test]
    fn children_that_left_their_parent_end_too() {
        let running = RunningProgram::start(shell("sleep 300 & exec sleep 301")).unwrap();
        let id = running.id();
        while tuffet_measure::descendants(id).len() < 2 {
            thread::sleep(STEP);
        }
        let all = tuffet_measure::descendants(id);
        drop(running);
        let state =
            |process: &u32| std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let lives = |process: &u32| !state(process).is_empty() && !state(process).contains(") Z ");
        let deadline = Instant::now() + Duration::from_secs(20);
        while all.iter().any(lives) {
            assert!(Instant::now() < deadline, "{:?}", all.iter().map(state).collect::<Vec<_>>());
            thread::sleep(STEP);
        }
    }
}
