//! The plan of a run: the checked command line, with defaults filled in.

use crate::args::Args;
use crate::files::{FileError, FileMix, Source};
use crate::loss::Loss;
use crate::schedule::Schedule;
use std::net::SocketAddr;
use std::time::Duration;
use tuffet_core::{DATA_HEADER, DEFAULT_BLKSIZE, Operation, OptionSet, Settings, Timing};

/// The kernel's approximate overhead for each received datagram, in bytes.
const KERNEL_OVERHEAD: usize = 1_024;

/// See the fields of [`Args`] for what each part means.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) server: SocketAddr,
    pub(crate) operation: Operation,
    pub(crate) files: FileMix,
    pub(crate) tag: String,
    pub(crate) concurrency: u32,
    pub(crate) schedule: Schedule,
    pub(crate) rate: Option<f64>,
    /// The requested options; `tsize` only records whether it is requested.
    options: OptionSet,
    pub(crate) settings: Settings,
    /// A fixed client time-out; `None` leaves it to the core.
    pub(crate) fixed_timeout: Option<Duration>,
    pub(crate) give_up: Duration,
    pub(crate) gro: bool,
    /// The receive buffer of a client in bytes, if it is not to hold two windows.
    pub(crate) receive_buffer: Option<usize>,
    pub(crate) gso: bool,
    pub(crate) loss: Loss,
    pub(crate) reuse_sockets: bool,
    pub(crate) stall: Option<Stall>,
    /// The interval of rate samples.
    pub(crate) report: Option<Duration>,
}

/// A client that stops answering.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stall {
    /// After this many blocks; with 0 it does not even answer an OACK.
    pub(crate) blocks: u64,
    pub(crate) hold: Duration,
}

/// An invalid combination of arguments.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error("--{0} is 0, so nothing would run; give at least 1 or leave it out")]
    Nothing(&'static str),
    #[error("--rate must be a number above 0, of transfers per second")]
    Rate,
    #[error("--{0} must be at least 1ms")]
    TooShort(&'static str),
    #[error("--write needs the bytes to send: --expect DIR (a folder with each --file) or --size BYTES")]
    NothingToWrite,
    #[error("--size is more than this machine can address")]
    Size,
    #[error("the name {name:?} cannot be asked for: a request has room for 1 to 400 bytes without NUL")]
    Name { name: String },
    #[error(transparent)]
    File(#[from] FileError),
}

impl Plan {
    pub(crate) fn new(args: Args) -> Result<Plan, PlanError> {
        check(&args)?;
        let made_up = args.size.map(|size| usize::try_from(size.as_u64())).transpose();
        let source = match (&args.expect, made_up.map_err(|_| PlanError::Size)?) {
            (Some(folder), _) => Source::Folder(folder),
            (None, Some(size)) => Source::MadeUp(size),
            (None, None) if args.write => return Err(PlanError::NothingToWrite),
            (None, None) => Source::Unknown,
        };
        let mut files = FileMix::load(&args.files, &source, args.seed)?;
        if !args.write {
            files.prepare(&[args.blksize.unwrap_or(DEFAULT_BLKSIZE), DEFAULT_BLKSIZE]);
        }
        let endless = if args.duration.is_some() { u64::MAX } else { 32 };
        let usual = if args.rate.is_some() { 4_096 } else { 8 };
        let total = args.transfers.unwrap_or(endless);
        let fixed_timeout = (!args.adaptive).then_some(args.client_timeout);
        Ok(Plan {
            server: args.server,
            operation: if args.write { Operation::Write } else { Operation::Read },
            files,
            tag: args.tag,
            concurrency: args.concurrency.unwrap_or(usual).min(u32::try_from(total).unwrap_or(u32::MAX)),
            schedule: Schedule::new(total, args.rate, args.duration),
            rate: args.rate,
            options: OptionSet {
                tsize: args.tsize.then_some(0),
                blksize: args.blksize,
                windowsize: args.windowsize,
                timeout: args.timeout_option,
                ..OptionSet::default()
            },
            settings: Settings { timing: timing(fixed_timeout, args.timeout), ..Settings::default() },
            fixed_timeout,
            give_up: args.timeout,
            gro: args.gro,
            receive_buffer: args
                .receive_buffer
                .map(|size| usize::try_from(size.as_u64()).unwrap_or(usize::MAX)),
            gso: args.gso,
            loss: Loss::new(args.loss.0, args.take, args.seed),
            reuse_sockets: args.reuse_sockets,
            stall: args.stall.map(|blocks| Stall { blocks, hold: args.stall_for }),
            report: args.report,
        })
    }

    /// The options of a request; `size` is the number of bytes to write, 0 for a read (RFC 2349).
    pub(crate) fn options(&self, size: u64) -> OptionSet {
        OptionSet { tsize: self.options.tsize.map(|_| size), ..self.options }
    }

    /// Whether at most one datagram is in flight to a client at any time.
    pub(crate) fn lockstep(&self) -> bool {
        self.options.window_size() == 1
    }

    /// The size of two windows of DATA in a client's receive buffer, in bytes.
    pub(crate) fn buffer_room(&self) -> usize {
        let datagram = DATA_HEADER + usize::from(self.options.block_size()) + KERNEL_OVERHEAD;
        match self.operation {
            Operation::Read => 2 * datagram * usize::from(self.options.window_size()),
            Operation::Write => 0,
        }
    }
}

fn check(args: &Args) -> Result<(), PlanError> {
    if args.concurrency == Some(0) {
        return Err(PlanError::Nothing("concurrency"));
    }
    if args.transfers == Some(0) {
        return Err(PlanError::Nothing("transfers"));
    }
    if args.rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
        return Err(PlanError::Rate);
    }
    let short = |time: Duration| time < Duration::from_millis(1);
    if args.report.is_some_and(short) {
        return Err(PlanError::TooShort("report"));
    }
    if short(args.client_timeout) {
        return Err(PlanError::TooShort("client-timeout"));
    }
    if short(args.timeout) {
        return Err(PlanError::TooShort("timeout"));
    }
    let fits = |name: &str| name.len() <= 400 && !name.contains('\0');
    match args.files.iter().find(|file| !fits(&file.name)) {
        Some(file) => Err(PlanError::Name { name: file.name.clone() }),
        None => Ok(()),
    }
}

/// With a fixed time-out, the event loop fires the core's timer early; the core's own time-out only has to
/// expire before it gives up.
fn timing(fixed: Option<Duration>, give_up: Duration) -> Timing {
    let ms = Duration::from_millis;
    match fixed {
        Some(wait) => Timing::new(wait, wait, wait, Duration::MAX, Duration::ZERO),
        None => Timing::new(ms(20), ms(250), ms(4_000), give_up, Duration::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn plan(more: &[&str]) -> Result<Plan, PlanError> {
        let line = ["tuffet-load", "--file", "a"].iter().chain(more);
        Plan::new(Args::try_parse_from(line).unwrap())
    }

    #[test]
    fn defaults_follow_from_the_kind_of_load() {
        let closed = plan(&[]).unwrap();
        assert_eq!(closed.concurrency, 8);
        assert!(closed.options(5).is_empty());
        let few = plan(&["--transfers", "3", "--tsize"]).unwrap();
        assert_eq!((few.concurrency, few.options(5).tsize), (3, Some(5)));
        let open = plan(&["--rate", "100", "--duration", "1s"]).unwrap();
        assert_eq!(open.concurrency, 4_096);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_flag_to_change() {
        for (line, flag) in [
            (&["--transfers", "0"][..], "--transfers"),
            (&["--concurrency", "0"], "--concurrency"),
            (&["--rate", "0"], "--rate"),
            (&["--rate", "nan"], "--rate"),
            (&["--client-timeout", "0s"], "--client-timeout"),
            (&["--timeout", "0s"], "--timeout"),
            (&["--write"], "--size"),
            (&["--expect", "/nowhere"], "--expect"),
        ] {
            let error = plan(line).unwrap_err().to_string();
            assert!(error.contains(flag), "{line:?}: {error}");
        }
        let long = "n".repeat(401);
        assert!(plan(&["--file", &long]).unwrap_err().to_string().contains("400 bytes"));
    }
}
