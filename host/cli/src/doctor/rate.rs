//! Measures the rate of this machine from memory to memory: this program serves and downloads over loopback.

use super::finding::{Finding, Grade, Rate};
use serde_json::Value;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tuffet_client::{Client, Url};

/// The duration of the measurement for each window.
const TIME: Duration = Duration::from_secs(1);
const WINDOWS: [u16; 2] = [1, 64];
const BLKSIZE: u16 = 1_428;

/// The size of the file: small enough for the cache, large enough to hide the cost of the request.
const SIZE: u64 = 16 << 20;

/// The rate of a 1 Gbit/s link in bytes per second: below it, the machine is the bottleneck.
const GIGABIT: u64 = 125_000_000;

pub(super) fn measure() -> (Finding, Vec<Rate>) {
    const CHECK: &str = "rate over loopback";
    match rates() {
        Ok(rates) => {
            let text: Vec<String> = rates.iter().map(describe).collect();
            let fast = rates.last().is_some_and(|rate| rate.bytes_per_second >= GIGABIT);
            let (grade, judged) = match fast {
                true => (Grade::Good, ""),
                false => (Grade::CouldBeBetter, "; a link of 1 Gbit/s carries more than this machine moves"),
            };
            (Finding::new(CHECK, grade, format!("{}{judged}", text.join(", "))), rates)
        }
        Err(error) => {
            let says = format!("it could not be measured: {error}");
            (Finding::new(CHECK, Grade::CouldBeBetter, says), Vec::new())
        }
    }
}

fn describe(rate: &Rate) -> String {
    format!("{:.0} MB/s with windowsize {}", rate.bytes_per_second as f64 / 1e6, rate.windowsize)
}

fn rates() -> io::Result<Vec<Rate>> {
    let folder = TestFolder::new()?;
    let server = TestServer::start(&folder.0)?;
    let url: Url = format!("tftp://{}/file", server.address).parse().map_err(io::Error::other)?;
    WINDOWS.into_iter().map(|windowsize| rate(&url, windowsize)).collect()
}

/// Downloads until the time is up.
fn rate(url: &Url, windowsize: u16) -> io::Result<Rate> {
    let client = Client::builder()
        .blksize(BLKSIZE)
        .windowsize(Some(windowsize).filter(|windowsize| *windowsize != 1))
        .patience(Duration::from_secs(5))
        .build();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let started = Instant::now();
    let mut bytes = 0;
    while started.elapsed() < TIME {
        let got = runtime.block_on(client.get(url).writer(&mut tokio::io::sink()));
        bytes += got.map_err(io::Error::other)?.bytes;
    }
    let bytes_per_second = (bytes as f64 / started.elapsed().as_secs_f64()) as u64;
    Ok(Rate { windowsize, blksize: BLKSIZE, bytes_per_second })
}

/// A folder with a file of zeroes, removed on drop.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new() -> io::Result<TestFolder> {
        let folder =
            TestFolder(std::env::temp_dir().join(format!("tuffet-doctor-{:016x}", fastrand::u64(..))));
        fs::create_dir(&folder.0)?;
        fs::create_dir(folder.0.join("root"))?;
        fs::File::create(folder.0.join("root/file"))?.set_len(SIZE)?;
        Ok(folder)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// This program as a server; dropping it ends the server.
struct TestServer {
    child: Child,
    address: String,
}

impl TestServer {
    fn start(folder: &Path) -> io::Result<TestServer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--workers",
            "1",
            "--log-format",
            "json",
            "--root",
        ]);
        command.arg(folder.join("root"));
        // The folder belongs to this user.
        command.args(["--user", &rustix::process::geteuid().as_raw().to_string()]);
        // It has its own control socket, and exports nothing to a collector.
        command.env_clear().env("RUNTIME_DIRECTORY", folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let log = child.stderr.take();
        let mut server = TestServer { child, address: String::new() };
        let mut last = String::from("it ended without output");
        let mut lines = BufReader::new(log.ok_or(io::ErrorKind::BrokenPipe)?).lines().map_while(Result::ok);
        while let Some(line) = lines.next() {
            if let Some(address) = listening(&line) {
                server.address = address;
                // An unread log would fill the pipe, and block the server.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(server);
            }
            last = line;
        }
        Err(io::Error::other(format!("the server did not start: {last}")))
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listening(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    (line["message"] == "listening").then(|| line["address"].as_str().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_address() {
        let line = r#"{"level":"INFO","message":"listening","address":"127.0.0.1:4711","listener":"a"}"#;
        assert_eq!(listening(line).as_deref(), Some("127.0.0.1:4711"));
        assert_eq!(listening(r#"{"message":"serving"}"#), None);
        assert_eq!(listening("thread panicked"), None);
    }
}
