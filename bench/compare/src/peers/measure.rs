//! One server in one case, once.

use crate::files::{PROBE, Workplace};
use crate::generator::Generator;
use crate::install::Installed;
use crate::load::{Load, Report};
use crate::peers::cases::Kind;
use crate::peers::cold::ColdFiles;
use crate::peers::metric::{Figures, Metric};
use crate::server::{Contender, Mark, Server, quantile};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};
use tuffet_core::{Operation, OptionSet};
use tuffet_measure::{Busy, CoreMeter, Footprint, MeasureError, Wakeups};

/// A round is repeated until it took so long in all, because ticks of 10 ms are what the busy time is
/// counted in; but no more often than this.
const MOST_REPEATS: u32 = 12;

/// Between two looks at the memory of a server.
const SAMPLE: Duration = Duration::from_millis(500);

/// What is the same for all servers and cases of a run.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) place: Workplace,
    /// A folder on a disk, for files that are to be read from there.
    pub(crate) disk: PathBuf,
    pub(crate) generator: Generator,
    /// The first is that of servers with one worker.
    pub(crate) cores: Vec<Place>,
    /// How long a round lasts at least, by repeating the case.
    pub(crate) least: Duration,
    /// From the last activity until a server counts as idle; four times as long where clients stall, so
    /// that timers have backed off.
    pub(crate) settle: Duration,
    /// How long idleness is measured.
    pub(crate) rest: Duration,
    /// How long stalled clients hold their transfers for the memory.
    pub(crate) hold: Duration,
}

/// Where a server runs.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) numbers: Vec<usize>,
    /// How busy they are with nothing to do.
    pub(crate) idle: Busy,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Outcome {
    Measured(Sample),
    /// The server does not have what the case is about.
    Cannot(String),
    /// It has, but it did not work.
    Failed(String),
}

/// The figures of one run.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) figures: Figures,
    /// How often the case was repeated for it.
    pub(crate) repeats: u32,
    /// Options that the server granted less of than was asked.
    pub(crate) note: Option<String>,
    /// Errors that clients got, and how many got each.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Bench {
    /// Starts the server anew and measures.
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
        cores: &Place,
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
        cores: &Place,
        load: &Load,
        on_disk: bool,
    ) -> Result<Outcome, String> {
        let file = self.place.file(load.size).map_err(|error| error.to_string())?;
        let note = match negotiate(server, load, &file)? {
            Negotiated::Granted(note) => note,
            Negotiated::Refused(why) => return Ok(Outcome::Cannot(why)),
        };
        if !load.write && load.loss == 0.0 {
            // What is read for the first time is read from where it lies; afterwards it is as it will stay.
            self.generator.load(
                server.address,
                &Load { transfers: 1, concurrency: 1, ..*load },
                &file,
                "",
            )?;
        }
        let meter = CoreMeter::start(&cores.numbers).map_err(|error| error.to_string())?;
        let mark = server.mark();
        let (started, mut reports) = (Instant::now(), Vec::new());
        while reports.is_empty() || (started.elapsed() < self.least && reports.len() < MOST_REPEATS as usize)
        {
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
        tell_decisions(&mut sample.figures, &mark);
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

    /// A load alone, and again while a storm of requests is admitted: how long its blocks take. The other
    /// figures are those of the storm.
    fn beside(
        &self,
        server: &mut Server,
        cores: &Place,
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
        let mark = server.mark();
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
        // The last one may have outlived the storm.
        within.truncate(within.len().max(2) - 1);
        let mut sample = sample(storm, &[raging.report()?], &busy, &cores.idle);
        let figures = &mut sample.figures;
        tell_decisions(figures, &mark);
        for metric in [Metric::CpuSPerGb, Metric::CpuUsPerBlock, Metric::CpuMsPerTransfer] {
            figures.remove(&metric); // of both loads
        }
        tell_turnarounds(figures, &alone, &within);
        Ok(Outcome::Measured(sample))
    }

    /// The most memory that is seen while the transfers are held, against that after some transfers: buffers
    /// that are used for the first time are not what an open transfer costs.
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

    fn idle(&self, server: &mut Server, cores: &Place, stalled: u32) -> Result<Outcome, String> {
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

fn tell_decisions(figures: &mut Figures, mark: &Mark) {
    let decisions = mark.decisions().unwrap_or_default();
    for (metric, part) in [(Metric::DecisionP50Us, 0.5), (Metric::DecisionP99Us, 0.99)] {
        quantile(&decisions, part).map(|value| figures.insert(metric, value));
    }
}

/// How long the blocks of a transfer took alone, and beside others.
pub(super) fn tell_turnarounds(figures: &mut Figures, alone: &Report, within: &[Report]) {
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

/// What the generator reports of all repeats, and what the cores did meanwhile.
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

impl Place {
    /// Takes the baseline of these cores.
    pub(crate) fn measure(numbers: Vec<usize>) -> Result<Place, MeasureError> {
        let idle = CoreMeter::baseline(&numbers, BASELINE)?;
        Ok(Place { numbers, idle })
    }
}

/// Time over which the idle baseline is taken.
const BASELINE: Duration = Duration::from_secs(2);

/// Large enough that no window holds all of it.
const MEMORY_FILE: u64 = 256 * crate::peers::cases::KIB;

/// What opening many transfers may take beyond the time that they are held.
const STALL_SLACK: Duration = Duration::from_secs(10);

/// Before memory is measured.
const WARM_UP: Load = Load { transfers: 32, concurrency: 8, limit: Duration::from_secs(30), ..Load::READ };

/// What a server makes of the options of a load.
pub(super) enum Negotiated {
    /// All of them are granted; if less than was asked, how much.
    Granted(Option<String>),
    /// One is not.
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
