//! The command line, and what it sets in motion.

use crate::cases::{CASES, Case};
use crate::files::Workplace;
use crate::generator::Generator;
use crate::install::{Workshop, on_this_machine};
use crate::limit::Floor;
use crate::measure::{Bench, Cores};
use crate::metric::Metric;
use crate::report;
use crate::results::{Results, Settings};
use crate::run;
use crate::scale::Scale;
use crate::server::{Contender, Places, SERVERS};
use crate::surroundings::{all_there, beside, two_cores};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tuffet_measure::Machine;

/// Runs the same cases against Tuffet and other TFTP servers and compares them.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Args {
    /// Only this case; may be given several times
    #[arg(long = "case", value_name = "NAME", value_parser = case_name)]
    cases: Vec<String>,
    /// Only these servers (tuffet among them, if named); may be given several times
    #[arg(long = "peer", value_name = "NAME", value_parser = server_name)]
    peers: Vec<String>,
    /// How often each case is measured on each server; the medians count
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// A quarter of the transfers and shorter waits: for work on the server, not for results
    #[arg(long, conflicts_with = "smoke")]
    quick: bool,
    /// Few transfers of small files, Tuffet and one peer that is on this machine: shows that all of it
    /// runs, and nothing about speed
    #[arg(long)]
    smoke: bool,
    /// List the cases and servers, and do nothing
    #[arg(long)]
    list: bool,
    /// Write the table and the plots of these results anew, and do nothing else
    #[arg(long, value_name = "FILE")]
    render: Option<PathBuf>,
    /// Where the results go: DATE.json, DATE.md and plots
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    out: PathBuf,
    /// Where peers are kept that were fetched or built
    #[arg(long, value_name = "DIR", default_value = "target/peers")]
    cache: PathBuf,
    /// Use what is here; fetch and build nothing
    #[arg(long)]
    no_install: bool,
    /// Get the peers and stop there
    #[arg(long, conflicts_with = "no_install")]
    install_only: bool,
    /// The server that is measured; the one beside this program unless given
    #[arg(long, value_name = "PROGRAM")]
    tuffet: Option<PathBuf>,
    /// The load generator; the one beside this program unless given
    #[arg(long, value_name = "PROGRAM")]
    load: Option<PathBuf>,
    /// What measures the limit; the one beside this program unless given
    #[arg(long, value_name = "PROGRAM")]
    limit: Option<PathBuf>,
    /// The core of the servers; a second worker gets one of its own where there are more than two
    #[arg(long, value_name = "CORE", default_value_t = 0)]
    server_core: usize,
    /// The core of everything else
    #[arg(long, value_name = "CORE", default_value_t = 1)]
    generator_core: usize,
}

/// Does what was asked; false if Tuffet did not do all that it should (targets are not part of it).
///
/// # Errors
/// When something that is needed is not here, or the results cannot be written.
pub(crate) fn obey(args: &Args) -> Result<bool, String> {
    if args.list {
        list();
        return Ok(true);
    }
    if let Some(file) = &args.render {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let results: Results = serde_json::from_str(&text)
            .map_err(|error| format!("{} holds no results: {error}", file.display()))?;
        report::write(&results, &file.with_extension(""))?;
        return Ok(true);
    }
    measure(args)
}

fn measure(args: &Args) -> Result<bool, String> {
    let programs = Programs::find(args)?;
    let workshop = Workshop {
        cache: std::path::absolute(&args.cache).map_err(|error| error.to_string())?,
        may_install: !args.no_install && !args.smoke,
    };
    let (mut ready, skipped) = run::gather(&workshop, &programs.places, |contender| args.wants(contender));
    if args.install_only {
        return Ok(true);
    }
    if args.smoke && args.peers.is_empty() {
        // Tuffet, its variants and the first peer that is there.
        match ready.iter().position(|(contender, _)| !contender.is_tuffet()) {
            Some(first) => ready.truncate(first + 1),
            None => {
                eprintln!("no peer is on this machine: Tuffet runs alone (apt-get install atftpd gets one)")
            }
        }
    }
    raise_descriptors();
    // Before this program keeps to one core.
    let machine = Machine::read();
    tuffet_measure::pin(args.generator_core).map_err(|error| error.to_string())?;
    let scale = args.scale();
    let bench = args.bench(&programs, &workshop.cache, scale)?;
    let elsewhere = idle_percent(&bench);
    if elsewhere > QUIET {
        eprintln!(
            "WARNING: core {} is {elsewhere:.0} % busy with other things: the figures of this run mean little",
            args.server_core
        );
    }
    let floor = scale.floor_seconds().map(|seconds| Floor {
        program: programs.limit,
        server_core: args.server_core,
        client_core: args.generator_core,
        seconds,
    });
    let cases: Vec<_> =
        CASES.iter().filter(|case| args.runs(case)).map(|case| (case, scale.kind(case.kind))).collect();
    let rounds = if args.smoke { 1 } else { args.rounds };
    let (cases, limit) = run::run(&bench, floor.as_ref(), &ready, &cases, rounds);
    let results = Results {
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        commit: commit(),
        machine,
        settings: Settings {
            scale: scale.name().to_owned(),
            rounds,
            server_core: args.server_core,
            generator_core: args.generator_core,
            idle_percent: idle_percent(&bench),
            files_in_memory: bench.place.in_memory,
        },
        versions: ready
            .iter()
            .map(|(contender, it)| (contender.name.to_owned(), it.version.clone()))
            .collect(),
        skipped,
        limit,
        cases,
    };
    let day = results.date.get(..10).unwrap_or("undated");
    report::write(&results, &args.out.join(day))?;
    Ok(sound(&results))
}

/// Whether Tuffet did everything, with the right bytes.
fn sound(results: &Results) -> bool {
    let mut sound = true;
    for case in &results.cases {
        for result in &case.servers {
            let ours =
                SERVERS.iter().any(|contender| contender.name == result.server && contender.is_tuffet());
            let wrong = result.median.get(&Metric::WrongBytes).is_some_and(|count| *count > 0.0);
            if (ours && !result.complete()) || wrong {
                let why = result
                    .failed
                    .as_deref()
                    .or(result.cannot.as_deref())
                    .unwrap_or("not every transfer was right");
                eprintln!("{}: {}: {why}", case.name, result.server);
                sound &= !ours;
            }
        }
    }
    sound
}

impl Args {
    fn scale(&self) -> Scale {
        match (self.smoke, self.quick) {
            (true, _) => Scale::Smoke,
            (_, true) => Scale::Quick,
            _ => Scale::Full,
        }
    }

    fn wants(&self, contender: &Contender) -> bool {
        let named = |name: &str| self.peers.iter().any(|peer| peer == name);
        // Variants come with the server that they are variants of.
        self.peers.is_empty() || named(contender.name) || (contender.variant && named("tuffet"))
    }

    fn runs(&self, case: &Case) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|name| name == case.name)
    }

    fn bench(&self, programs: &Programs, cache: &Path, scale: Scale) -> Result<Bench, String> {
        std::fs::create_dir_all(cache).map_err(|error| format!("{}: {error}", cache.display()))?;
        let place = Workplace::new(cache).map_err(|error| error.to_string())?;
        let mut cores = vec![vec![self.server_core]];
        // A second worker gets a core of its own where there is one that nothing here uses.
        let spare =
            programs.cores.iter().find(|core| ![self.server_core, self.generator_core].contains(core));
        cores.extend(spare.map(|spare| vec![self.server_core, *spare]));
        let cores = cores.into_iter().map(Cores::measure).collect::<Result<Vec<_>, _>>();
        let cores = cores.map_err(|error| error.to_string())?;
        let generator = Generator { program: programs.load.clone(), files: place.files() };
        Ok(Bench {
            generator,
            place,
            cores,
            least: scale.least(),
            settle: scale.settle(),
            rest: scale.rest(),
            hold: scale.hold(),
        })
    }
}

/// A core that is busier than this (in percent) with nothing to do is not for measuring.
pub(crate) const QUIET: f64 = 5.0;

/// What has to be here.
struct Programs {
    places: Places,
    load: PathBuf,
    limit: PathBuf,
    cores: Vec<usize>,
}

impl Programs {
    fn find(args: &Args) -> Result<Programs, String> {
        for tool in ["taskset", "setpriv"] {
            on_this_machine(tool).ok_or_else(|| format!("{tool} is not here: install util-linux"))?;
        }
        let cores = two_cores(args.server_core, args.generator_core)?;
        let load = beside(args.load.as_deref(), "tuffet-load")?;
        all_there([&load], "cargo build --release -p tuffet-load")?;
        Ok(Programs {
            places: Places { tuffet: beside(args.tuffet.as_deref(), "tuffet")? },
            cores,
            load,
            limit: beside(args.limit.as_deref(), "tuffet-limit")?,
        })
    }
}

fn list() {
    println!("cases:");
    for case in CASES {
        println!("  {:<18} {}", case.name, case.title);
    }
    println!("servers:");
    for contender in SERVERS {
        println!("  {}", contender.name);
    }
}

fn case_name(name: &str) -> Result<String, String> {
    let known = CASES.iter().any(|case| case.name == name);
    known.then(|| name.to_owned()).ok_or_else(|| "no such case; --list shows them".to_owned())
}

fn server_name(name: &str) -> Result<String, String> {
    let known = SERVERS.iter().any(|contender| contender.name == name);
    known.then(|| name.to_owned()).ok_or_else(|| "no such server; --list shows them".to_owned())
}

fn idle_percent(bench: &Bench) -> f64 {
    bench.cores.first().map_or(0.0, |cores| cores.idle.busy * 100.0 / cores.idle.seconds.max(1e-6))
}

/// The revision of the tree, where it is one.
pub fn commit() -> String {
    let mut describe = Command::new("git");
    describe.args(["describe", "--always", "--dirty", "--abbrev=12"]);
    crate::command::succeed(describe, Duration::from_secs(10))
        .map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

/// A thousand sockets in the generator, and in servers that use one for each transfer.
pub fn raise_descriptors() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        assert!(Args::try_parse_from(["tuffet-peers", "--case", "nothing"]).is_err());
        let args = Args::try_parse_from(["tuffet-peers", "--peer", "tuffet", "--peer", "atftpd"]).unwrap();
        // The variants of Tuffet come with it.
        for contender in SERVERS {
            assert_eq!(args.wants(contender), contender.is_tuffet() || contender.name == "atftpd");
        }
    }
}
