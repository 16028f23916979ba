//! Where the server's own log goes, if not to standard error: the outputs of sinks, without their queue.

use std::io;

use super::file::FileOutput;
use super::output::{Failure, Output as _, Remedy};
use super::syslog::SyslogOutput;
use tuffet_config::sinks::{FileTarget, SyslogTarget};

/// A file or a syslog server. All methods may block.
pub struct LogOutput(Kind);

enum Kind {
    File(FileOutput),
    Syslog(SyslogOutput),
}

/// A failed delivery.
#[derive(Debug)]
pub struct LogFailure {
    /// The number of lines that were delivered before the failure.
    pub done: usize,
    /// The number of lines after them that the receiver will never take.
    pub refused: usize,
    /// The error.
    pub error: String,
}

impl LogOutput {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn file(target: &FileTarget) -> io::Result<LogOutput> {
        FileOutput::open(target).map(|file| LogOutput(Kind::File(file)))
    }

    /// Names the server, which is contacted with the first delivery.
    pub fn syslog(target: &SyslogTarget) -> LogOutput {
        LogOutput(Kind::Syslog(SyslogOutput::of_log(target)))
    }

    /// Delivers lines in order, without their line ends. A line for syslog begins with its severity, as `<6>`.
    ///
    /// # Errors
    /// The failure; the remaining lines may be delivered later.
    pub fn deliver(&mut self, lines: &[String]) -> Result<(), LogFailure> {
        let delivered = match &mut self.0 {
            Kind::File(file) => file.deliver(lines),
            Kind::Syslog(syslog) => syslog.deliver(lines),
        };
        delivered.map_err(|Failure { done, remedy, error }| {
            let refused = match remedy {
                Remedy::Drop(lines) => lines,
                Remedy::Retry(_) => 0,
            };
            LogFailure { done, refused, error }
        })
    }

    /// Opens the file anew if another program has renamed it, or connects again.
    ///
    /// # Errors
    /// The file cannot be opened; lines go on into the old one.
    pub fn reopen(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::File(file) => file.reopen(),
            Kind::Syslog(syslog) => {
                syslog.reopen();
                Ok(())
            }
        }
    }
}
