//! Runs `tuffet-relay` between the generator and a server on loopback: a long or narrow path.

use crate::command::{RunningProgram, tied};
use crate::setup::existing_program;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The time limit for its start.
const START: Duration = Duration::from_secs(20);

/// A running relay; dropping it ends it.
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    _running: RunningProgram,
}

impl Relay {
    /// # Errors It is missing or does not start.
    pub(crate) fn start(
        program: &Path,
        to: SocketAddr,
        flags: &[String],
        scratch: &Path,
    ) -> Result<Relay, String> {
        usable(program)?;
        let log = scratch.join("relay.log");
        let file = std::fs::File::create(&log).map_err(|error| error.to_string())?;
        let mut command = tied(program);
        command.args(["--listen", "127.0.0.1:0", "--to"]).arg(to.to_string()).args(flags);
        command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
        let mut running = RunningProgram::start(command).map_err(|error| error.to_string())?;
        let deadline = Instant::now() + START;
        loop {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            if let Some(address) = listening(&text) {
                return Ok(Relay { address, _running: running });
            }
            if running.ended().is_some() || Instant::now() >= deadline {
                return Err(format!("{} does not relay", program.display()));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Checks that the program exists.
///
/// # Errors How to get it.
pub(crate) fn usable(program: &Path) -> Result<(), String> {
    existing_program(program.to_owned(), "tuffet-relay").map(drop)
}

/// Parses the line `ADDRESS relays to ADDRESS`.
fn listening(text: &str) -> Option<SocketAddr> {
    let (line, _) = text.split_once('\n')?;
    line.strip_suffix(line.split_once(" relays to ")?.1)?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_first_line_says_where() {
        let address = listening("127.0.0.1:4711 relays to 127.0.0.1:69\n");
        assert_eq!(address, Some("127.0.0.1:4711".parse().unwrap()));
        assert_eq!(listening("127.0.0.1:4711 relays to 127.0.0.1:6"), None, "not whole yet");
        assert_eq!(listening("error\n"), None);
    }
}
