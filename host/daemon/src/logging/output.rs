//! Where lines go: standard error, or the file or syslog server of the configuration.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use tuffet_config::{LogSpec, LogTarget, reach};
use tuffet_sinks::LogOutput;

/// The most bytes of one write to standard error. A pipe takes up to this many atomically (PIPE_BUF), so lines of other
/// processes in the same pipe end up between ours, never within one.
pub(super) const CHUNK: usize = 4096;

/// The most bytes of one delivery to a file or a syslog server.
const DELIVERY: usize = 64 << 10;

/// An open output.
pub(super) enum Output {
    /// Standard error.
    Stderr(Arc<OwnedFd>),
    /// A file or a syslog server, with its name for people.
    Elsewhere(Box<LogOutput>, String),
}

/// What a write has done.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The bytes that need not be written again.
    pub(super) bytes: usize,
    /// The lines among them that are lost.
    pub(super) lost: u64,
    /// What stopped it.
    pub(super) error: Option<String>,
    /// Whether the rest is to be written later.
    pub(super) retry: bool,
}

impl Output {
    /// Opens what the configuration names; `None` for standard error.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn open(spec: &LogSpec) -> io::Result<Option<Output>> {
        let output = match &spec.to {
            LogTarget::Stderr => return Ok(None),
            LogTarget::File(file) => {
                if !file.path.parent().is_none_or(reach::answers) {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "its disk does not answer"));
                }
                LogOutput::file(file)?
            }
            LogTarget::Syslog(syslog) => LogOutput::syslog(syslog),
        };
        Ok(Some(Output::Elsewhere(Box::new(output), spec.to.to_string())))
    }

    /// Returns its name for people.
    pub(super) fn name(&self) -> &str {
        match self {
            Output::Stderr(_) => "standard error",
            Output::Elsewhere(_, name) => name,
        }
    }

    pub(super) fn is_elsewhere(&self) -> bool {
        matches!(self, Output::Elsewhere(..))
    }

    /// Opens the file anew if another program has renamed it, or connects again.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        match self {
            Output::Stderr(_) => Ok(()),
            Output::Elsewhere(output, _) => output.reopen(),
        }
    }

    /// Writes the first lines of the text, however long that takes.
    pub(super) fn write(&mut self, text: &[u8]) -> Written {
        match self {
            Output::Stderr(stderr) => write_chunk(&**stderr, &text[..whole_lines(text, CHUNK)]),
            Output::Elsewhere(output, _) => deliver(output, &text[..whole_lines(text, DELIVERY)]),
        }
    }
}

fn write_chunk(stderr: impl AsFd, chunk: &[u8]) -> Written {
    let mut rest = chunk;
    let result = loop {
        match rustix::io::write(&stderr, rest) {
            Ok(0) => break Err(Errno::IO),
            Ok(count) => rest = &rest[count..],
            Err(Errno::INTR) => {}
            // Another process that shares it has made it non-blocking.
            Err(Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], None);
            }
            Err(error) => break Err(error),
        }
        if rest.is_empty() {
            break Ok(());
        }
    };
    let bytes = chunk.len();
    match result {
        Ok(()) => Written { bytes, ..Written::default() },
        Err(error) => Written { bytes, lost: lines(chunk), error: Some(error.to_string()), retry: false },
    }
}

fn deliver(output: &mut LogOutput, text: &[u8]) -> Written {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match output.deliver(&lines) {
        Ok(()) => Written { bytes: text.len(), ..Written::default() },
        Err(failure) => {
            let over = lines.iter().take(failure.done + failure.refused);
            Written {
                bytes: over.map(|line| line.len() + 1).sum::<usize>().min(text.len()),
                lost: failure.refused as u64,
                retry: failure.refused == 0,
                error: Some(failure.error),
            }
        }
    }
}

/// Writes a line to standard error as far as that does not block.
pub(super) fn write_unless_it_blocks(stderr: impl AsFd, line: &str) {
    let line = &line.as_bytes()[..line.len().min(CHUNK)];
    if is_ready(&stderr) {
        let _ = rustix::io::write(&stderr, line);
    }
}

/// Returns whether a write does not block.
pub(super) fn is_ready(stderr: impl AsFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], Some(&now)).is_ok_and(|ready| ready > 0)
}

/// Returns the number of bytes to write next: as many whole lines as fit, at least one.
pub(super) fn whole_lines(text: &[u8], most: usize) -> usize {
    let line_end = |&byte: &u8| byte == b'\n';
    let within = &text[..text.len().min(most)];
    within
        .iter()
        .rposition(line_end)
        .or_else(|| text.iter().position(line_end))
        .map_or(text.len(), |at| at + 1)
}

fn lines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_end_with_a_line() {
        assert_eq!(whole_lines(b"a\nb\nc", CHUNK), 4);
        assert_eq!(whole_lines(b"a", CHUNK), 1);
        let long = [vec![b'x'; 5000], b"\nrest\n".to_vec()].concat();
        assert_eq!(whole_lines(&long, CHUNK), 5001);
    }
}
