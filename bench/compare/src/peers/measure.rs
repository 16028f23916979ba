//! Measures one server in one case, once.

use crate::files::{PROBE, Workplace};
use crate::generator::Generator;
use crate::install::Installed;
use crate::load::{Load, Report};
use crate::peers::cases::Kind;
use crate::peers::cold::ColdFiles;
use crate::peers::metric::{Figures, Metric};
use crate::server::{Contender, LogPosition, Server, quantile};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_core::{Operation, OptionSet};
use tuffet_measure::{Busy, CoreMeter, Footprint, MeasureError, Wakeups};

/// The most repeats of a case in one round. A round must last a while, because busy time counts in ticks of 10 ms.
const MAX_REPEATS: u32 = 12;

/// The interval between samples of a server's memory.
const SAMPLE: Duration = Duration::from_millis(500);

/// The settings of all servers and cases of a run.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) place: Workplace,
    /// A folder on a disk, for files read from a disk.
    pub(crate) disk: PathBuf,
    pub(crate) generator: Generator,
    /// The cores of servers with one worker, then with two.
    pub(crate) cores: Vec<ServerCores>,
    /// The minimum duration of a round, reached by repeating the case.
    pub(crate) least: Duration,
    /// The time from the last activity until a server counts as idle; with stalled clients four times as long, so that
    /// timers have backed off.
    pub(crate) settle: Duration,
    /// The duration of an idle measurement.
    pub(crate) rest: Duration,
    /// How long stalled clients keep their transfers open for a memory measurement.
    pub(crate) hold: Duration,
}

/// The cores of a server.
#[derive(Debug, Clone)]
pub(crate) struct ServerCores {
    pub(crate) numbers: Vec<usize>,
    /// The idle baseline.
    pub(crate) idle: Busy,
}

/// The outcome of a measurement.
#[derive(Debug)]
pub(crate) enum Outcome {
    Measured(Sample),
    /// The server does not support the case.
    Cannot(String),
    /// The server or the measurement failed.
    Failed(String),
}

/// The figures of one run.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) figures: Figures,
    /// How often the case was repeated.
    pub(crate) repeats: u32,
    /// Options with a lower granted value than requested.
    pub(crate) note: Option<String>,
    /// Clients' errors with their counts.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Bench {
    /// Starts the server and measures the case.
    pub(crate) fn run(&self, contender: &Contender, installed: &Installed, kind: &Kind) -> Outcome {
        let on_disk = matches!(kind, Kind::ToDisk(_));
        let write = on_disk || matches!(kind, Kind::Transfers(load) if load.write);
        if write && !contender.uploads {
            return Outcome::Cannot("takes no uploads".to_owned());
        }
        let Some(cores) = self.cores.get(contender.cores - 1).or(self.cores.first()) else {
            return Outcome::Failed("no core was given to the servers".to_owned());
        };
        let cold = match kind {
            Kind::Cold(load) => Some((load, 1)),
            Kind::BesideCold { load, cold } => Some((cold, load.size)),
            _ => None,
        };
        let cold = cold.map(|(load, cached)| {
            ColdFiles::write(&self.disk, &self.place.files(), load.transfers, load.size, cached)
        });
        let cold = match cold.transpose() {
            Ok(cold) => cold,
            Err(error) => return Outcome::Failed(format!("{}: {error}", self.disk.display())),
        };
        let uploads = write.then(|| self.place.uploads(on_disk).map_err(|error| error.to_string()));
        let uploads = match uploads.transpose() {
            Ok(uploads) => uploads,
            Err(error) => return Outcome::Failed(error),
        };
        match self.started(contender, installed, cores, uploads, cold.as_ref()) {
            Ok(mut server) => match kind {
                Kind::Transfers(load) | Kind::ToDisk(load) => {
                    self.transfers(&mut server, cores, load, on_disk)
                }
                Kind::Beside { load, storm } => self.beside(&mut server, cores, load, storm),
                Kind::Cold(load) => self.cold(&mut server, cores, load, cold.as_ref()),
                Kind::BesideCold { load, cold: storm } => {
                    self.beside_cold(&mut server, cores, load, storm, cold.as_ref())
                }
                Kind::Memory { open, windowsize } => {
                    self.memory(&mut server, (*open).min(contender.max_open), *windowsize)
                }
                Kind::Idle { stalled } => self.idle(&mut server, cores, (*stalled).min(contender.max_open)),
            }
            .map(|outcome| if server.lives() { outcome } else { Outcome::Failed(server.last_words()) })
            .unwrap_or_else(|error| Outcome::Failed(format!("{error}; {}", server.last_words()))),
            Err(error) => Outcome::Failed(error),
        }
    }

    fn started(
        &self,
        contender: &Contender,
        installed: &Installed,
        cores: &ServerCores,
        uploads: Option<PathBuf>,
        cold: Option<&ColdFiles>,
    ) -> Result<Server, String> {
        let write = uploads.is_some();
        let (root, file) = if let Some(cold) = cold {
            (cold.folder().to_owned(), cold.cached().to_owned())
        } else if let Some(folder) = uploads {
            (folder, PROBE.to_owned())
        } else {
            (self.place.files(), self.place.file(1).map_err(|error| error.to_string())?)
        };
        let cores: Vec<String> = cores.numbers.iter().map(usize::to_string).collect();
        let folders = (root.as_path(), &*self.place.scratch());
        Server::start(contender, installed, &cores.join(","), folders, write, &file)
    }

    fn transfers(
        &self,
        server: &mut Server,
        cores: &ServerCores,
        load: &Load,
        on_disk: bool,
    ) -> Result<Outcome, String> {
        let file = self.place.file(load.size).map_err(|error| error.to_string())?;
        let note = match negotiate(server, load, &file)? {
            Negotiated::Granted(note) => note,
            Negotiated::Refused(why) => return Ok(Outcome::Cannot(why)),
        };
        if !load.write && load.loss == 0.0 {
            // Warms up: only the first read of a file is slow.
            self.generator.load(
                server.address,
                &Load { transfers: 1, concurrency: 1, ..*load },
                &file,
                "",
            )?;
        }
        let meter = CoreMeter::start(&cores.numbers).map_err(|error| error.to_string())?;
        let log_position = server.log_position();
        let (started, mut reports) = (Instant::now(), Vec::new());
        while reports.is_empty() || (started.elapsed() < self.least && reports.len() < MAX_REPEATS as usize) {
            reports.push(self.generator.load(
                server.address,
                load,
                &file,
                &format!("w{}-", reports.len()),
            )?);
        }
        let busy = meter.stop().map_err(|error| error.to_string())?;
        let mut sample = sample(load, &reports, &busy, &cores.idle);
        sample.note = note;
        if let Some(why) = server.unseen() {
            return Err(why.to_owned());
        }
        add_decisions(&mut sample.figures, &log_position);
        if load.write {
            let completed = reports.iter().map(|report| report.completed).sum();
            let wrong =
                self.place.wrong_uploads(on_disk, &file, completed).map_err(|error| error.to_string())?;
            for metric in [Metric::WrongBytes, Metric::Incomplete] {
                *sample.figures.entry(metric).or_default() += wrong as f64;
            }
        }
        Ok(Outcome::Measured(sample))
    }

    /// Measures the block times of a load, alone and during a storm of requests. The other figures are those of the
    /// storm.
    fn beside(
        &self,
        server: &mut Server,
        cores: &ServerCores,
        load: &Load,
        storm: &Load,
    ) -> Result<Outcome, String> {
        let file = self.place.file(load.size).map_err(|error| error.to_string())?;
        let small = self.place.file(storm.size).map_err(|error| error.to_string())?;
        for name in [&file, &small] {
            let warm_up = Load { transfers: 1, concurrency: 1, rate: None, ..*load };
            self.generator.load(server.address, &warm_up, name, "")?;
        }
        let alone = self.generator.load(server.address, load, &file, "")?;
        let log_position = server.log_position();
        let meter = CoreMeter::start(&cores.numbers).map_err(|error| error.to_string())?;
        let mut raging = self.generator.beside(server.address, storm, &small, &self.place.scratch())?;
        let mut within = Vec::new();
        let deadline = Instant::now() + storm.limit;
        while raging.runs() {
            if Instant::now() > deadline {
                return Err("the storm did not end in time".to_owned());
            }
            within.push(self.generator.load(server.address, load, &file, "")?);
        }
        let busy = meter.stop().map_err(|error| error.to_string())?;
        // The last transfer may have outlived the storm.
        within.truncate(within.len().max(2) - 1);
        let mut sample = sample(storm, &[raging.report()?], &busy, &cores.idle);
        let figures = &mut sample.figures;
        add_decisions(figures, &log_position);
        for metric in [Metric::CpuSPerGb, Metric::CpuUsPerBlock, Metric::CpuMsPerTransfer] {
            figures.remove(&metric); // of both loads
        }
        add_turnarounds(figures, &alone, &within);
        Ok(Outcome::Measured(sample))
    }

    /// Measures the growth of memory through open transfers, compared with the memory after some transfers: the first
    /// use of buffers must not count.
    fn memory(&self, server: &mut Server, open: u32, windowsize: u16) -> Result<Outcome, String> {
        let asked = (windowsize > 1).then_some(windowsize);
        let file = self.place.file(MEMORY_FILE).map_err(|error| error.to_string())?;
        let load = Load { size: MEMORY_FILE, windowsize: asked, ..WARM_UP };
        let note = match negotiate(server, &load, &file)? {
            Negotiated::Granted(note) => note,
            Negotiated::Refused(why) => return Ok(Outcome::Cannot(why)),
        };
        self.generator.load(server.address, &load, &file, "")?;
        let before = Footprint::read(server.id());
        let mut stalled =
            self.generator.stall(server.address, open, asked, self.hold, &file, &self.place.scratch())?;
        let (deadline, mut most) = (Instant::now() + self.hold + STALL_SLACK, before.resident_kib);
        while stalled.runs() && Instant::now() < deadline {
            most = most.max(Footprint::read(server.id()).resident_kib);
            thread::sleep(SAMPLE);
        }
        let opened = stalled.report()?.stalled;
        if opened == 0 {
            return Err("no transfer could be held open".to_owned());
        }
        let growth = (most - before.resident_kib) as f64 * 1024.0 / opened as f64;
        let figures = Figures::from([(Metric::GrowthBytes, growth), (Metric::Open, opened as f64)]);
        Ok(Outcome::Measured(Sample { figures, repeats: 1, note, ..Sample::default() }))
    }

    fn idle(&self, server: &mut Server, cores: &ServerCores, stalled: u32) -> Result<Outcome, String> {
        let file = self.place.file(MEMORY_FILE).map_err(|error| error.to_string())?;
        let settle = if stalled == 0 { self.settle } else { 4 * self.settle };
        let mut held = None;
        if stalled > 0 {
            let hold = settle + self.rest + STALL_SLACK;
            let scratch = self.place.scratch();
            held = Some(self.generator.stall(server.address, stalled, None, hold, &file, &scratch)?);
        }
        thread::sleep(settle);
        let (meter, before) = (CoreMeter::start(&cores.numbers), Wakeups::read(server.id()));
        let meter = meter.map_err(|error| error.to_string())?;
        thread::sleep(self.rest);
        let (busy, after) = (meter.stop().map_err(|error| error.to_string())?, Wakeups::read(server.id()));
        if held.as_mut().is_some_and(|held| !held.runs()) {
            return Err("the transfers were not held open for long enough".to_owned());
        }
        let seconds = busy.seconds.max(1e-6);
        let figures = Figures::from([
            (Metric::BusyPercent, busy.beyond(&cores.idle) * 100.0 / seconds),
            (Metric::WakeupsPerS, after.since(&before) as f64 / seconds),
            (Metric::StolenPercent, busy.stolen * 100.0 / seconds),
        ]);
        Ok(Outcome::Measured(Sample { figures, repeats: 1, ..Sample::default() }))
    }
}

fn add_decisions(figures: &mut Figures, log_position: &LogPosition) {
    let decisions = log_position.decisions().unwrap_or_default();
    for (metric, part) in [(Metric::DecisionP50Us, 0.5), (Metric::DecisionP99Us, 0.99)] {
        quantile(&decisions, part).map(|value| figures.insert(metric, value));
    }
}

/// Adds the block times of a transfer, alone and beside others.
pub(super) fn add_turnarounds(figures: &mut Figures, alone: &Report, within: &[Report]) {
    *figures.entry(Metric::Incomplete).or_default() +=
        within.iter().chain([alone]).map(|report| report.incomplete() as f64).sum::<f64>();
    let median = |of: Quantile| tuffet_measure::median(within.iter().filter_map(of));
    let turnarounds = [
        (Metric::TurnaroundP50Ms, alone.turnaround_ms.p50),
        (Metric::TurnaroundP99Ms, alone.turnaround_ms.p99),
        (Metric::TurnaroundStormP50Ms, median(|report| report.turnaround_ms.p50)),
        (Metric::TurnaroundStormP99Ms, median(|report| report.turnaround_ms.p99)),
    ];
    for (metric, value) in turnarounds {
        value.map(|value| figures.insert(metric, value));
    }
}

type Quantile = fn(&Report) -> Option<f64>;

/// Sums up the reports of all repeats and the busy time of the cores.
pub(super) fn sample(load: &Load, reports: &[Report], busy: &Busy, idle: &Busy) -> Sample {
    let sum = |of: fn(&Report) -> f64| reports.iter().map(of).sum::<f64>();
    let (bytes, seconds) = (sum(|report| report.bytes as f64), sum(|report| report.seconds).max(1e-6));
    let completed = sum(|report| report.completed as f64);
    let cpu = busy.beyond(idle);
    let mut figures = Figures::from([
        (Metric::ThroughputMbS, bytes / 1e6 / seconds),
        (Metric::TransfersPerS, completed / seconds),
        (Metric::Incomplete, sum(|report| report.incomplete() as f64)),
        (Metric::WrongBytes, sum(|report| report.wrong_bytes as f64)),
        (Metric::StolenPercent, busy.stolen * 100.0 / busy.seconds.max(1e-6)),
    ]);
    if load.client.is_none() {
        let all = sum(|report| report.client_timeouts as f64);
        figures.insert(Metric::ClientTimeouts, all / reports.len().max(1) as f64);
        let generator = sum(|report| report.cpu_user_s + report.cpu_system_s);
        figures.insert(Metric::GeneratorCpuSPerGb, generator * 1e9 / bytes.max(1.0));
    }
    if bytes > 0.0 {
        figures.insert(Metric::CpuSPerGb, cpu * 1e9 / bytes);
        figures.insert(Metric::CpuUsPerBlock, cpu * 1e6 * f64::from(load.block()) / bytes);
    }
    if completed > 0.0 {
        figures.insert(Metric::CpuMsPerTransfer, cpu * 1e3 / completed);
    }
    let quantiles: [(Metric, Quantile); 8] = [
        (Metric::AnswerP50Ms, |report| report.answer_ms.p50),
        (Metric::AnswerP99Ms, |report| report.answer_ms.p99),
        (Metric::TurnaroundP50Ms, |report| report.turnaround_ms.p50),
        (Metric::TurnaroundP99Ms, |report| report.turnaround_ms.p99),
        (Metric::FirstBlockP50Ms, |report| report.first_block_ms.p50),
        (Metric::FirstBlockP99Ms, |report| report.first_block_ms.p99),
        (Metric::CompletionP50Ms, |report| report.completion_ms.p50),
        (Metric::CompletionP99Ms, |report| report.completion_ms.p99),
    ];
    for (metric, of) in quantiles {
        if let Some(value) = tuffet_measure::median(reports.iter().filter_map(of)) {
            figures.insert(metric, value);
        }
    }
    let mut errors = BTreeMap::new();
    for (text, count) in reports.iter().flat_map(|report| &report.errors) {
        *errors.entry(text.clone()).or_default() += count;
    }
    Sample { figures, repeats: u32::try_from(reports.len()).unwrap_or(u32::MAX), note: None, errors }
}

impl ServerCores {
    /// Measures the idle baseline of these cores.
    pub(crate) fn measure(numbers: Vec<usize>) -> Result<ServerCores, MeasureError> {
        let idle = CoreMeter::baseline(&numbers, BASELINE)?;
        Ok(ServerCores { numbers, idle })
    }
}

/// The duration of the idle baseline.
const BASELINE: Duration = Duration::from_secs(2);

/// Larger than any window.
const MEMORY_FILE: u64 = 256 * crate::peers::cases::KIB;

/// The time limit for opening many transfers.
const STALL_SLACK: Duration = Duration::from_secs(10);

/// The warm-up before memory is measured.
const WARM_UP: Load = Load { transfers: 32, concurrency: 8, limit: Duration::from_secs(30), ..Load::READ };

/// A server's answer to the options of a load.
pub(super) enum Negotiated {
    /// All are granted; with a note about lower values.
    Granted(Option<String>),
    /// One is refused.
    Refused(String),
}

pub(super) fn negotiate(server: &mut Server, load: &Load, file: &str) -> Result<Negotiated, String> {
    let asked = OptionSet { blksize: load.blksize, windowsize: load.windowsize, ..OptionSet::default() };
    if asked.is_empty() {
        return Ok(Negotiated::Granted(None));
    }
    let (operation, name) =
        if load.write { (Operation::Write, "probe-options") } else { (Operation::Read, file) };
    Ok(compare(&asked, &server.granted(operation, name, &asked)?))
}

fn compare(asked: &OptionSet, granted: &OptionSet) -> Negotiated {
    let options =
        [("blksize", asked.blksize, granted.blksize), ("windowsize", asked.windowsize, granted.windowsize)];
    let missing = options.iter().find(|(_, asked, granted)| asked.is_some() && granted.is_none());
    if let Some((name, ..)) = missing {
        return Negotiated::Refused(format!("no {name}"));
    }
    let less = options.iter().filter(|(_, asked, granted)| granted < asked);
    let less: Vec<String> =
        less.map(|(name, _, granted)| format!("{name} {}", granted.unwrap_or(0))).collect();
    Negotiated::Granted((!less.is_empty()).then(|| format!("grants {} at most", less.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_noted_none_is_refused() {
        let options = |blksize, windowsize| OptionSet { blksize, windowsize, ..OptionSet::default() };
        let asked = options(Some(1400), Some(64));
        let note = |granted| match compare(&asked, &granted) {
            Negotiated::Granted(note) => note.unwrap_or_default(),
            Negotiated::Refused(why) => why,
        };
        assert_eq!(note(options(Some(1400), Some(64))), "");
        assert_eq!(note(options(Some(1400), Some(32))), "grants windowsize 32 at most");
        assert_eq!(note(options(Some(1400), None)), "no windowsize");
        assert_eq!(note(options(None, None)), "no blksize");
    }

    #[test]
    fn a_sample_adds_up_repeats_and_takes_the_idle_share_off() {
        let report = Report {
            completed: 4,
            failed: 1,
            bytes: 500_000_000,
            seconds: 2.0,
            client_timeouts: 3,
            ..Report::default()
        };
        let load = Load { blksize: Some(1000), ..WARM_UP };
        let busy = Busy { seconds: 5.0, busy: 3.0, stolen: 0.5 };
        let idle = Busy { seconds: 1.0, busy: 0.2, stolen: 0.0 };
        let sample = sample(&load, &[report.clone(), report], &busy, &idle);
        let figure = |metric| sample.figures.get(&metric).copied();
        assert_eq!(figure(Metric::ThroughputMbS), Some(250.0));
        assert_eq!(figure(Metric::TransfersPerS), Some(2.0));
        assert_eq!(figure(Metric::CpuSPerGb), Some(2.0));
        assert_eq!(figure(Metric::CpuUsPerBlock), Some(2.0));
        assert_eq!(figure(Metric::Incomplete), Some(2.0));
        assert_eq!(figure(Metric::ClientTimeouts), Some(3.0), "for each repeat");
        assert_eq!(figure(Metric::StolenPercent), Some(10.0));
        assert_eq!(sample.repeats, 2);
    }
}
