//! Resource usage of this process: CPU time, memory, threads, descriptors. The names are those of Prometheus' client
//! libraries and of OpenTelemetry's semantic conventions, so generic dashboards work.
//!
//! The files in /proc are opened at the start and read again for each scrape: without privileges, the server may not be
//! allowed to open them.

use rustix::fs::{Dir, Mode, OFlags, fstat, open};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// Units of CPU time in /proc (USER_HZ): 100 on all architectures that this server runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The size of the read buffer in bytes: larger than /proc/self/status and /proc/self/stat.
const MAX_FILE: usize = 8192;

/// The files of this process.
static FILES: OnceLock<Option<Files>> = OnceLock::new();

/// Opens the files. Must be called before privileges are dropped.
pub fn open_files() {
    files();
}

fn files() -> Option<&'static Files> {
    let open = || {
        Files::open().inspect_err(|error| {
            tracing::warn!(
                target: "tuffet::telemetry::process",
                %error, "/proc/self is not readable; there are no metrics of the process"
            )
        })
    };
    FILES.get_or_init(|| open().ok()).as_ref()
}

/// Files in /proc.
struct Files {
    stat: File,
    status: File,
    descriptors: OwnedFd,
    /// When the process started.
    started: SystemTime,
}

/// The current usage.
#[derive(Debug, PartialEq)]
pub(super) struct Usage {
    /// Seconds of CPU time of all threads, in user and kernel mode.
    pub(super) user: f64,
    pub(super) system: f64,
    /// Bytes.
    pub(super) resident: u64,
    pub(super) virtual_: u64,
    pub(super) threads: u64,
    /// Open descriptors.
    pub(super) descriptors: u64,
    /// The limit on descriptors; `None` without one.
    pub(super) max_descriptors: Option<u64>,
    /// When the process started.
    pub(super) started: SystemTime,
}

impl Usage {
    /// Reads the current values; `None` without /proc.
    pub(super) fn read() -> Option<Usage> {
        let files = files()?;
        let stat = text(&files.stat).ok()?;
        let status = text(&files.status).ok()?;
        let stat = Stat::parse(&stat)?;
        Some(Usage {
            user: stat.user,
            system: stat.system,
            resident: resident(&status)?,
            virtual_: stat.virtual_,
            threads: stat.threads,
            descriptors: files.count_descriptors().ok()?,
            max_descriptors: getrlimit(Resource::Nofile).current,
            started: files.started,
        })
    }
}

impl Files {
    fn open() -> io::Result<Files> {
        let stat = File::open("/proc/self/stat")?;
        let descriptors =
            open("/proc/self/fd", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let read = text(&stat)?;
        let since_boot = Stat::parse(&read).map(|stat| stat.started).ok_or(io::ErrorKind::InvalidData)?;
        let now = clock_gettime(ClockId::Boottime);
        let now = Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or_default());
        let started = SystemTime::now() - now.saturating_sub(Duration::from_secs_f64(since_boot));
        Ok(Files { stat, status: File::open("/proc/self/status")?, descriptors, started })
    }

    /// Since Linux 6.2 the size of the folder is the number of descriptors; on older kernels, counts the entries.
    fn count_descriptors(&self) -> io::Result<u64> {
        let size = u64::try_from(fstat(&self.descriptors)?.st_size).unwrap_or_default();
        if size > 0 {
            return Ok(size);
        }
        self.count_entries()
    }

    fn count_entries(&self) -> io::Result<u64> {
        let mut count: u64 = 0;
        for entry in Dir::read_from(&self.descriptors)? {
            count += u64::from(!entry?.file_name().to_bytes().starts_with(b"."));
        }
        // Without the descriptor that `Dir` has opened.
        Ok(count.saturating_sub(1))
    }
}

/// The used fields of /proc/self/stat.
#[derive(Debug, PartialEq)]
struct Stat {
    user: f64,
    system: f64,
    threads: u64,
    /// The start, in seconds after the boot.
    started: f64,
    virtual_: u64,
}

impl Stat {
    fn parse(text: &str) -> Option<Stat> {
        // The program name, field 2, may contain spaces and brackets.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let seconds = |number| field(number).map(|ticks| ticks as f64 / TICKS_PER_SECOND);
        Some(Stat {
            user: seconds(14)?,
            system: seconds(15)?,
            threads: field(20)?,
            started: seconds(22)?,
            virtual_: field(23)?,
        })
    }
}

/// Returns the resident memory in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn text(file: &File) -> io::Result<String> {
    let mut bytes = vec![0; MAX_FILE];
    let length = file.read_at(&mut bytes, 0)?;
    bytes.truncate(length);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Adds the metrics in the text format of Prometheus.
pub(super) fn write_exposition(text: &mut String) {
    let Some(usage) = Usage::read() else { return };
    let mut metric = |name: &str, kind: &str, help: &str, value: f64| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}\n{name} {value}");
    };
    let started = usage.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let cpu = (100.0 * (usage.user + usage.system)).round() / 100.0;
    metric("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds", cpu);
    metric("process_open_fds", "gauge", "Number of open file descriptors", usage.descriptors as f64);
    if let Some(max) = usage.max_descriptors {
        metric("process_max_fds", "gauge", "Maximum number of open file descriptors", max as f64);
    }
    metric("process_threads", "gauge", "Number of OS threads in the process", usage.threads as f64);
    metric("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes", usage.virtual_ as f64);
    metric("process_resident_memory_bytes", "gauge", "Resident memory size in bytes", usage.resident as f64);
    let started = (100.0 * started.as_secs_f64()).round() / 100.0;
    metric(
        "process_start_time_seconds",
        "gauge",
        "Start time of the process since unix epoch in seconds",
        started,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_program_name_is_skipped() {
        let text = "7 (a) b (c) S 1 7 7 0 -1 4194560 9 0 0 0 150 25 0 0 20 0 11 0 600 104857600 1234 18446744073709551615";
        let stat = Stat { user: 1.5, system: 0.25, threads: 11, started: 6.0, virtual_: 104_857_600 };
        assert_eq!(Stat::parse(text), Some(stat));
        assert_eq!(Stat::parse("7 (a) S 1"), None);
        assert_eq!(resident("Name:\tx\nVmRSS:\t    1024 kB\nRssAnon: 1 kB\n"), Some(1 << 20));
    }

    #[test]
    fn descriptors_are_counted_with_and_without_the_help_of_the_kernel() {
        let files = Files::open().unwrap();
        // Other tests open and close files concurrently.
        let opened: Vec<File> = (0..500).map(|_| File::open("/proc/self/stat").unwrap()).collect();
        let many = [files.count_descriptors().unwrap(), files.count_entries().unwrap()];
        drop(opened);
        let few = [files.count_descriptors().unwrap(), files.count_entries().unwrap()];
        assert!(many.iter().all(|count| *count > 500) && many[0].abs_diff(many[1]) < 200, "{many:?}");
        assert!(few.iter().zip(many).all(|(few, many)| few + 300 < many), "{few:?} {many:?}");
    }
}
