//! Installed third-party clients: curl, atftp and tftp-hpa.
//!
//! Each of them sends and receives one datagram per system call, so no figure depends on the batches of `tuffet-load`.
//! They run on the generator's core and mostly saturate it: they show the server's CPU time, but often limit the
//! throughput themselves.

use crate::command::{ProgramOutput, last_lines, run, tied};
use crate::install::{first_output_line, on_this_machine};
use crate::load::{Client, Load, Quantiles, Report};
use crate::server::quantile;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

/// Concurrent transfers of one curl process.
const CURL_AT_ONCE: u32 = 300;

/// The outcomes of the transfers of a run.
#[derive(Debug, Default)]
struct Tally {
    seconds: Vec<f64>,
    errors: BTreeMap<String, u64>,
}

impl Client {
    /// The name of its package.
    pub fn name(self) -> &'static str {
        match self {
            Client::Curl => "curl",
            Client::Atftp => "atftp",
            Client::TftpHpa => "tftp-hpa",
        }
    }

    /// Finds the program on this machine.
    ///
    /// # Errors It is missing, or another program has its name.
    pub fn program(self) -> Result<PathBuf, String> {
        let name = if self == Client::TftpHpa { "tftp" } else { self.name() };
        let program = on_this_machine(name)
            .ok_or_else(|| format!("{name} is not on this machine: install the package {}", self.name()))?;
        let other = self == Client::TftpHpa
            && !first_output_line(&program, "-V").is_some_and(|version| version.starts_with("tftp-hpa"));
        if other { Err(format!("{} is not of tftp-hpa", program.display())) } else { Ok(program) }
    }

    /// Runs a load to its end. Downloads go to the folder `downloads` and are compared at the end.
    ///
    /// # Errors The client is missing or cannot run this load, or a file cannot be read or written.
    pub fn load(
        self,
        server: SocketAddr,
        load: &Load,
        file: &Path,
        downloads: &Path,
        tag: &str,
    ) -> Result<Report, String> {
        if load.gro || load.gso || load.loss > 0.0 || load.take.is_some() || load.rate.is_some() {
            return Err(format!(
                "{} cannot do what this load asks for: GRO, GSO, a rate, or loss",
                self.name()
            ));
        }
        let sent = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let job = Job { client: self, program: self.program()?, server, load, file, name, downloads, tag };
        job.empty()?;
        let started = Instant::now();
        let ended = if self == Client::Curl { job.many_each()? } else { job.one_each() };
        let seconds = started.elapsed().as_secs_f64();
        let mut report = Report { seconds, errors: ended.errors, ..Report::default() };
        report.failed = report.errors.values().sum();
        report.wrong_bytes = if load.write { 0 } else { job.wrong_downloads(&sent, ended.seconds.len())? };
        report.completed = (ended.seconds.len() as u64).saturating_sub(report.wrong_bytes);
        report.bytes = report.completed * load.size;
        report.completion_ms = quantiles(&ended.seconds);
        job.empty()?;
        Ok(report)
    }
}

/// A load and its client.
struct Job<'a> {
    client: Client,
    program: PathBuf,
    server: SocketAddr,
    load: &'a Load,
    /// The requested file or, in uploads, the sent one.
    file: &'a Path,
    /// Its name at the server.
    name: String,
    downloads: &'a Path,
    tag: &'a str,
}

impl Job<'_> {
    /// Runs many transfers in each process.
    fn many_each(&self) -> Result<Tally, String> {
        let processes = self.load.concurrency.div_ceil(CURL_AT_ONCE).max(1);
        let share = |all: u32, process: u32| all / processes + u32::from(process < all % processes);
        let mut first = 0;
        let mut commands = Vec::new();
        for process in 0..processes {
            let transfers = share(self.load.transfers, process);
            let list = self.downloads.join(format!("list-{process}"));
            fs::write(&list, self.list(first..first + transfers))
                .map_err(|error| format!("{}: {error}", list.display()))?;
            first += transfers;
            commands.push((self.curl(&list, share(self.load.concurrency, process)), transfers));
        }
        let mut ended = Tally::default();
        let done = thread::scope(|scope| {
            let running: Vec<_> = commands
                .into_iter()
                .map(|(command, transfers)| {
                    (
                        scope.spawn(|| run(command, self.load.limit).map_err(|error| error.to_string())),
                        transfers,
                    )
                })
                .collect();
            running.into_iter().map(|(thread, transfers)| (thread.join(), transfers)).collect::<Vec<_>>()
        });
        for (done, transfers) in done {
            let done = done.map_err(|_| "a thread panicked".to_owned())??;
            ended.of_curl(&done, transfers);
        }
        Ok(ended)
    }

    fn curl(&self, list: &Path, at_once: u32) -> Command {
        let mut command = tied(&self.program);
        command.args(["--silent", "--show-error", "--parallel", "--parallel-immediate"]);
        command.args(["--write-out", "%{exitcode} %{time_total} %{errormsg}\\n"]);
        command.arg("--parallel-max").arg(at_once.to_string());
        match self.load.blksize {
            Some(blksize) => command.arg("--tftp-blksize").arg(blksize.to_string()),
            None => command.arg("--tftp-no-options"),
        };
        command.arg("--config").arg(list);
        command
    }

    /// The curl configuration with the transfers of one process.
    fn list(&self, transfers: std::ops::Range<u32>) -> String {
        let mut list = String::new();
        for transfer in transfers {
            let (server, tag) = (self.server, self.tag);
            let lines = if self.load.write {
                let file = self.file.display();
                writeln!(list, "upload-file = \"{file}\"\nurl = \"tftp://{server}/{tag}{transfer}\"")
            } else {
                let local = self.download(transfer);
                writeln!(list, "url = \"tftp://{server}/{}\"\noutput = \"{}\"", self.name, local.display())
            };
            let _ = lines; // Writing to a String cannot fail.
        }
        list
    }

    /// Runs a process for each transfer.
    fn one_each(&self) -> Tally {
        let (next, ended) = (AtomicU32::new(0), Mutex::new(Tally::default()));
        thread::scope(|scope| {
            for _ in 0..self.load.concurrency.min(self.load.transfers) {
                scope.spawn(|| {
                    loop {
                        let transfer = next.fetch_add(1, Ordering::Relaxed);
                        if transfer >= self.load.transfers {
                            return;
                        }
                        let started = Instant::now();
                        let done = run(self.single(transfer), self.load.limit);
                        let seconds = started.elapsed().as_secs_f64();
                        ended.lock().of_one(done, seconds);
                    }
                });
            }
        });
        ended.into_inner()
    }

    fn single(&self, transfer: u32) -> Command {
        let mut command = tied(&self.program);
        let (host, port) = (self.server.ip().to_string(), self.server.port().to_string());
        let (local, remote) = match self.load.write {
            true => (self.file.to_owned(), format!("{}{transfer}", self.tag)),
            false => (self.download(transfer), self.name.clone()),
        };
        if self.client == Client::TftpHpa {
            command.args(["-m", "binary", &host, &port, "-c"]);
            match self.load.write {
                true => command.arg("put").arg(local).arg(remote),
                false => command.arg("get").arg(remote).arg(local),
            };
            return command;
        }
        let options = [("blksize", self.load.blksize), ("windowsize", self.load.windowsize)];
        for (option, value) in options.into_iter().filter_map(|(option, value)| Some((option, value?))) {
            command.arg("--option").arg(format!("{option} {value}"));
        }
        command.arg(if self.load.write { "--put" } else { "--get" });
        command.arg("--local-file").arg(local).arg("--remote-file").arg(remote).args([host, port]);
        command
    }

    fn download(&self, transfer: u32) -> PathBuf {
        self.downloads.join(format!("download-{transfer}"))
    }

    /// The number of completed downloads with wrong content.
    fn wrong_downloads(&self, sent: &[u8], ended: usize) -> Result<u64, String> {
        let mut right = 0;
        for transfer in 0..self.load.transfers {
            // A failed download may have left no file.
            right += u64::from(fs::read(self.download(transfer)).is_ok_and(|bytes| bytes == sent));
        }
        Ok((ended as u64).saturating_sub(right))
    }

    /// Empties the folder for downloads.
    fn empty(&self) -> Result<(), String> {
        let folder = self.downloads;
        let removed = match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(folder),
        };
        removed.map_err(|error| format!("{}: {error}", folder.display()))
    }
}

impl Tally {
    fn failed(&mut self, why: &str) {
        *self.errors.entry(why.to_owned()).or_default() += 1;
    }

    /// Parses a line for each transfer: exit code, seconds, and perhaps an error.
    fn of_curl(&mut self, done: &ProgramOutput, transfers: u32) {
        let mut reported = 0;
        for line in done.stdout.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(code), Some(seconds)) = (words.next(), words.next()) else { continue };
            reported += 1;
            match seconds.parse() {
                Ok(seconds) if code == "0" => self.seconds.push(seconds),
                _ => self.failed(words.next().unwrap_or(line)),
            }
        }
        for _ in reported..transfers {
            self.failed(&format!("curl reported nothing: {}", last_lines(&done.stderr)));
        }
    }

    fn of_one(&mut self, done: std::io::Result<ProgramOutput>, seconds: f64) {
        match done {
            // tftp-hpa exits with 0 even after an ERROR, but prints it.
            Ok(done) if done.status.success() && !done.stdout.contains("Error code") => {
                self.seconds.push(seconds);
            }
            Ok(done) => self.failed(&last_lines(&format!("{}\n{}", done.stdout, done.stderr))),
            Err(error) => self.failed(&error.to_string()),
        }
    }
}

fn quantiles(seconds: &[f64]) -> Quantiles {
    let mut micros: Vec<u64> = seconds.iter().map(|seconds| (seconds * 1e6).round() as u64).collect();
    micros.sort_unstable();
    let at = |part| quantile(&micros, part).map(|micros| micros / 1e3);
    Quantiles { p50: at(0.5), p99: at(0.99) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn done(stdout: &str) -> ProgramOutput {
        ProgramOutput { status: ExitStatus::from_raw(0), stdout: stdout.to_owned(), stderr: String::new() }
    }

    #[test]
    fn each_transfer_of_curl_is_counted_once() {
        let mut ended = Tally::default();
        ended.of_curl(&done("0 0.25 \n68 0.1 TFTP: File Not Found\n"), 3);
        assert_eq!(ended.seconds, [0.25]);
        let errors: Vec<_> = ended.errors.into_iter().collect();
        assert_eq!(
            errors,
            [("TFTP: File Not Found".to_owned(), 1), ("curl reported nothing: ".to_owned(), 1)]
        );
    }

    #[test]
    fn an_error_that_tftp_hpa_prints_is_one() {
        let mut ended = Tally::default();
        ended.of_one(Ok(done("Error code 1: File not found\n")), 0.1);
        ended.of_one(Ok(done("")), 0.2);
        assert_eq!((ended.seconds, ended.errors.len()), (vec![0.2], 1));
    }

    #[test]
    fn transfers_are_shared_between_processes_and_named_once() {
        let load = Load { transfers: 5, concurrency: 1, size: 7, ..Load::READ };
        let job = Job {
            client: Client::Curl,
            program: PathBuf::from("curl"),
            server: ([127, 0, 0, 1], 6969).into(),
            load: &load,
            file: Path::new("/f/7.img"),
            name: "7.img".to_owned(),
            downloads: Path::new("/d"),
            tag: "w",
        };
        let list = job.list(3..5);
        assert!(list.contains("tftp://127.0.0.1:6969/7.img\"\noutput = \"/d/download-3\""), "{list}");
        assert_eq!(list.matches("url = ").count(), 2);
    }
}
