//! The load generator, `tuffet-load`: its command line and its report.

use crate::command::{RunningProgram, run, tied};
use crate::load::{Load, Report};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The program, and the settings of all its runs.
#[derive(Debug)]
pub struct Generator {
    pub program: PathBuf,
    /// The served files.
    pub files: PathBuf,
    /// The folder for downloads of third-party clients.
    pub downloads: PathBuf,
}

/// How long a client that stalls waits for the server's first answer.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// A load in the background.
pub struct Background {
    running: RunningProgram,
    output: PathBuf,
}

impl Generator {
    /// Runs a load to its end. `tag` keeps uploads of several runs apart.
    ///
    /// # Errors It cannot be run, takes longer than the load's limit, or reports nothing.
    pub fn load(&self, server: SocketAddr, load: &Load, file: &str, tag: &str) -> Result<Report, String> {
        self.load_with(server, load, file, tag, &[])
    }

    /// As [`Generator::load`], with more flags.
    ///
    /// # Errors
    /// As [`Generator::load`].
    pub fn load_with(
        &self,
        server: SocketAddr,
        load: &Load,
        file: &str,
        tag: &str,
        flags: &[&str],
    ) -> Result<Report, String> {
        if let Some(client) = load.client {
            return client.load(server, load, &self.files.join(file), &self.downloads, tag);
        }
        let mut command = self.loading(server, load, file, tag);
        command.args(flags);
        let done = run(command, load.limit).map_err(|error| error.to_string())?;
        // Its exit code is not 0 after failed transfers; the report has the details.
        parse(&done.stdout).map_err(|error| {
            format!(
                "the generator ended with {} and {error}: {}",
                done.status,
                crate::command::last_lines(&done.stderr)
            )
        })
    }

    /// Runs a load in the background, with a lower priority than measuring generators.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn beside(
        &self,
        server: SocketAddr,
        load: &Load,
        file: &str,
        scratch: &Path,
    ) -> Result<Background, String> {
        self.beside_with(server, load, file, scratch, &[])
    }

    /// As [`Generator::beside`], with more flags.
    ///
    /// # Errors
    /// As [`Generator::beside`].
    pub fn beside_with(
        &self,
        server: SocketAddr,
        load: &Load,
        file: &str,
        scratch: &Path,
        flags: &[&str],
    ) -> Result<Background, String> {
        let mut command = self.loading(server, load, file, "");
        command.args(flags);
        let inner: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        let program = command.get_program().to_owned();
        command = Command::new("nice");
        command.args(["-n", "10"]).arg(program).args(inner);
        Background::start(command, scratch.join("beside.json"))
    }

    fn loading(&self, server: SocketAddr, load: &Load, file: &str, tag: &str) -> Command {
        let mut command = self.command(server, file, load.blksize, load.windowsize);
        command.arg("--transfers").arg(load.transfers.to_string());
        command.arg("--concurrency").arg(load.concurrency.to_string());
        command.arg("--expect").arg(&self.files);
        if let Some(rate) = load.rate {
            command.arg("--rate").arg(rate.to_string());
        }
        if load.gro {
            command.arg("--gro");
        }
        if let Some(kib) = load.receive_buffer {
            command.arg("--receive-buffer").arg(format!("{kib}KiB"));
        }
        if load.gso {
            command.arg("--gso");
        }
        if let Some(take) = load.take {
            command.arg("--take").arg(take.to_string());
        }
        if load.loss > 0.0 {
            command.arg("--loss").arg(load.loss.to_string());
        }
        if load.write {
            command.args(["--write", "--tag", tag]);
        }
        command
    }

    /// Opens transfers and keeps each of them open for some time.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn stall(
        &self,
        server: SocketAddr,
        open: u32,
        windowsize: Option<u16>,
        hold: Duration,
        file: &str,
        scratch: &Path,
    ) -> Result<Background, String> {
        let mut command = self.command(server, file, None, windowsize);
        command.arg("--transfers").arg(open.to_string()).arg("--concurrency").arg(open.to_string());
        // The clients acknowledge the first block: a server may drop a client early that never answered, because its
        // address is unproven.
        command.args(["--stall", "2", "--stall-for"]).arg(format!("{}ms", hold.as_millis()));
        command.arg("--timeout").arg(format!("{}ms", STALL_TIMEOUT.as_millis()));
        Background::start(command, scratch.join("stalled.json"))
    }

    fn command(
        &self,
        server: SocketAddr,
        file: &str,
        blksize: Option<u16>,
        windowsize: Option<u16>,
    ) -> Command {
        let mut command = tied(&self.program);
        command.args(["--json", "--server"]).arg(server.to_string()).args(["--file", file]);
        if let Some(blksize) = blksize {
            command.arg("--blksize").arg(blksize.to_string());
        }
        if let Some(windowsize) = windowsize {
            command.arg("--windowsize").arg(windowsize.to_string());
        }
        command
    }
}

impl Background {
    fn start(mut command: Command, output: PathBuf) -> Result<Background, String> {
        let file = std::fs::File::create(&output).map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
        let running = RunningProgram::start(command).map_err(|error| error.to_string())?;
        Ok(Background { running, output })
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        self.running.ended().is_none()
    }

    /// The report, after its end.
    ///
    /// # Errors It reported nothing.
    pub fn report(&self) -> Result<Report, String> {
        parse(&std::fs::read_to_string(&self.output).map_err(|error| error.to_string())?)
    }
}

fn parse(json: &str) -> Result<Report, String> {
    serde_json::from_str(json).map_err(|error| format!("its report is not what is expected ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports() {
        let report = parse(
            r#"{"transfers":3,"completed":1,"failed":1,"timed_out":1,"wrong_bytes":0,"bytes":512,"seconds":0.5,
                "errors":{"no such file":1},"first_block_ms":{"p50":1.5,"p99":null},"completion_ms":{"p50":2.0},
                "client_timeouts":4,"cpu_user_s":0.1,"cpu_system_s":0.2,"unknown":1}"#,
        )
        .unwrap();
        assert_eq!((report.incomplete(), report.first_block_ms.p50), (2, Some(1.5)));
        assert!(parse("").is_err());
    }
}
