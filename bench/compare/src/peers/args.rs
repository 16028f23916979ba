//! The command line, and the run that it describes.

use crate::files::Workplace;
use crate::generator::Generator;
use crate::install::{Installer, on_this_machine};
use crate::peers::cases::{CASES, Case};
use crate::peers::measure::{Bench, ServerCores};
use crate::peers::metric::Metric;
use crate::peers::report;
use crate::peers::results::{Results, Settings};
use crate::peers::run;
use crate::scale::Scale;
use crate::server::{Contender, OwnPrograms, SERVERS};
use crate::setup::{QUIET, Setup, existing_program, program_path};
use std::path::{Path, PathBuf};
use tuffet_measure::report::Facts;

/// Run the same cases against Tuffet and other TFTP servers, and compare them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run this case only; may be repeated
    #[arg(long = "case", value_name = "NAME", value_parser = case_name)]
    cases: Vec<String>,
    /// Run this server only (tuffet included, if named); may be repeated
    #[arg(long = "peer", value_name = "NAME", value_parser = server_name)]
    peers: Vec<String>,
    /// The number of measurements of each case on each server; the result is their median
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Run a quarter of the transfers with shorter waits: for work on the server, not for results
    #[arg(long, conflicts_with = "smoke")]
    quick: bool,
    /// Run few transfers of small files on Tuffet and one installed peer: checks that everything works and says
    /// nothing about speed
    #[arg(long)]
    smoke: bool,
    /// List the cases and servers, and exit
    #[arg(long)]
    list: bool,
    /// Render the page and the plots of these results again, and exit
    #[arg(long, value_name = "FILE")]
    render: Option<PathBuf>,
    /// The folder for the results: DATE.json, DATE.md and plots
    #[arg(long, value_name = "DIR", default_value = "bench/results")]
    out: PathBuf,
    /// Fetch and build the peers, and exit
    #[arg(long, conflicts_with = "no_install")]
    install_only: bool,
    /// `tuffet-micro`, which has the floor [default: beside this program]
    #[arg(long, value_name = "PROGRAM")]
    micro: Option<PathBuf>,
    #[command(flatten)]
    setup: Setup,
}

/// Runs the cases. Returns false if a transfer of Tuffet failed or was wrong; missed targets do not count.
///
/// # Errors
/// A program or a core is missing, or the results cannot be written.
pub(crate) fn execute(args: &Args) -> Result<bool, String> {
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
    let installer =
        Installer { cache: args.setup.programs.cache()?, may_install: !args.setup.no_install && !args.smoke };
    let (mut ready, mut skipped) =
        run::gather(&installer, &programs.own_programs, |contender| args.wants(contender));
    if args.install_only {
        return Ok(true);
    }
    if args.smoke && args.peers.is_empty() {
        // Tuffet, its variants and the first installed peer.
        match ready.iter().position(|(contender, _)| contender.is_peer()) {
            Some(first) => ready.truncate(first + 1),
            None => {
                eprintln!("no peer is on this machine: Tuffet runs alone (apt-get install atftpd gets one)")
            }
        }
    }
    tuffet_measure::raise_descriptors();
    let facts = Facts::now();
    let cores = args.setup.cores;
    cores.keep().map_err(|error| error.to_string())?;
    let scale = args.scale();
    let bench = args.bench(&programs, &installer.cache, scale)?;
    let elsewhere = idle_percent(&bench);
    if elsewhere > QUIET {
        eprintln!(
            "WARNING: core {} is {elsewhere:.0} % busy with other things: the figures of this run mean little",
            cores.server
        );
    }
    let wanted = CASES.iter().filter(|case| args.runs(case));
    let possible = wanted.filter(|case| match case.client().map(|client| (client, client.program())) {
        Some((client, Err(why))) => {
            eprintln!("{} is skipped: {why}", case.name);
            skipped.insert(format!("{} (client)", client.name()), why);
            false
        }
        _ => true,
    });
    let cases: Vec<_> = possible.map(|case| (case, scale.kind(case.kind))).collect();
    let rounds = if args.smoke { 1 } else { args.rounds };
    let cases = run::run(&bench, &ready, &cases, rounds);
    let results = Results {
        facts,
        settings: Settings {
            scale: scale.name().to_owned(),
            rounds,
            server_core: cores.server,
            generator_core: cores.generator,
            idle_percent: idle_percent(&bench),
            files_in_memory: bench.place.in_memory,
        },
        versions: ready
            .iter()
            .map(|(contender, it)| (contender.name.to_owned(), it.version.clone()))
            .collect(),
        skipped,
        cases,
    };
    report::write(&results, &args.out.join(results.facts.day()))?;
    Ok(sound(&results))
}

/// Whether each transfer of Tuffet completed, with the right bytes.
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
        if self.smoke && contender.slow_start {
            return false;
        }
        // Naming Tuffet includes its variants and the floor.
        self.peers.is_empty() || named(contender.name) || (contender.variant && named("tuffet"))
    }

    fn runs(&self, case: &Case) -> bool {
        self.cases.is_empty() || self.cases.iter().any(|name| name == case.name)
    }

    fn bench(&self, programs: &Programs, cache: &Path, scale: Scale) -> Result<Bench, String> {
        let place = Workplace::new(cache).map_err(|error| error.to_string())?;
        let taken = self.setup.cores;
        let mut cores = vec![vec![taken.server]];
        // A second worker gets a separate core, if one is free.
        let spare = programs.cores.iter().find(|core| ![taken.server, taken.generator].contains(core));
        cores.extend(spare.map(|spare| vec![taken.server, *spare]));
        let cores = cores.into_iter().map(ServerCores::measure).collect::<Result<Vec<_>, _>>();
        let cores = cores.map_err(|error| error.to_string())?;
        let generator =
            Generator { program: programs.load.clone(), files: place.files(), downloads: place.downloads() };
        Ok(Bench {
            generator,
            place,
            disk: cache.to_owned(),
            cores,
            least: scale.least(),
            settle: scale.settle(),
            rest: scale.rest(),
            hold: scale.hold(),
        })
    }
}

/// The required programs and cores.
struct Programs {
    own_programs: OwnPrograms,
    load: PathBuf,
    cores: Vec<usize>,
}

/// The program with the floor.
const MICRO: &str = "tuffet-micro";

impl Programs {
    fn find(args: &Args) -> Result<Programs, String> {
        for tool in ["taskset", "setpriv"] {
            on_this_machine(tool).ok_or_else(|| format!("{tool} is not here: install util-linux"))?;
        }
        let programs = &args.setup.programs;
        Ok(Programs {
            cores: args.setup.cores.check().map_err(|error| error.to_string())?,
            load: programs.load()?,
            own_programs: OwnPrograms {
                tuffet: programs.tuffet()?,
                micro: Some(existing_program(program_path(args.micro.as_deref(), MICRO)?, MICRO)?),
            },
        })
    }
}

fn list() {
    println!("cases:");
    for case in CASES {
        println!("  {:<22} {}", case.name, case.title);
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn the_variants_of_tuffet_and_the_floor_come_with_it() {
        let line = Line::try_parse_from(["peers", "--peer", "tuffet", "--peer", "atftpd"]).unwrap();
        for contender in SERVERS {
            assert_eq!(line.args.wants(contender), !contender.is_peer() || contender.name == "atftpd");
        }
    }
}
