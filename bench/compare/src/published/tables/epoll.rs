//! Many transfers at once: a study of threads and epoll.

use super::{Published, TableResult, curve, known, row, section_of, short};
use crate::load::Load;
use crate::published::bench::{Bench, Case, DOWNLOAD};
use crate::scale::Scale;
use crate::server::Placement;
use tuffet_measure::plot::{Chart, Panel};

pub(super) const TABLE: Published = Published {
    number: 3,
    title: "Three uploads of 10 MB, then 10 to 10,000 transfers at once, in blocks of 512 bytes",
    source: "A study of a TFTP server with a thread for each transfer and with one thread and epoll: three uploads of \
             10 MB at once in blocks of 512 bytes, over loopback. Theirs: 0.36 s each with threads, 0.22 s each with \
             epoll, 92,000 packets/s for each. It left open what happens with more of them.",
    run,
};

const LOOPBACK: &str = "loopback";
const AT_ONCE: [u32; 4] = [10, 100, 1_000, 10_000];
/// The total bytes of all transfers.
const TOTAL: u64 = 200_000_000;
/// The smallest file.
const LEAST: u64 = 5_000;

fn run(bench: &Bench) -> TableResult {
    let mut found = TableResult::default();
    let plain = Load { gro: false, ..DOWNLOAD };

    let mut three = section_of(
        bench,
        "Three uploads at once",
        &["published", "bytes each"],
        &["each, s", "packets/s each", "total, MB/s", "% of its core"],
    );
    let load = Load {
        write: true,
        transfers: 3,
        concurrency: 3,
        size: if bench.scale == Scale::Smoke { 100_000 } else { 10_000_000 },
        ..plain
    };
    let theirs = "0.36 s (threads), 0.22 s (epoll), 92,000 packets/s each";
    let cells = row(bench, &mut found, &case(load), vec![theirs.to_owned(), load.size.to_string()], |it| {
        // Each block takes a DATA and an ACK.
        let packets = 2.0 * it.each_mb_s * 1e6 / 512.0;
        let seconds = it.completion_p50_ms.unwrap_or(0.0) / 1e3;
        vec![short(seconds), short(packets), short(it.mb_s), known(it.cpu_percent.map(f64::round))]
    });
    three.table.row(cells);
    found.sections.push(three);

    let first = found.measurements.len();
    for write in [false, true] {
        let title = if write { "Uploads" } else { "Downloads" };
        let mut section =
            section_of(bench, title, &["at once", "bytes each"], &["MB/s", "p50, ms", "p99, ms", "CPU s/GB"]);
        for at_once in bench.scale.steps(&AT_ONCE) {
            let at_once = if bench.scale.count(at_once) < at_once { at_once.min(200) } else { at_once };
            let size = (bench.scale.size(TOTAL) / u64::from(at_once)).max(LEAST);
            let load = Load { write, transfers: at_once, concurrency: at_once, size, ..plain };
            let first = vec![at_once.to_string(), size.to_string()];
            let cells = row(bench, &mut found, &case(load), first, |it| {
                vec![
                    short(it.mb_s),
                    known(it.completion_p50_ms),
                    known(it.completion_p99_ms),
                    known(it.cpu_s_per_gb),
                ]
            });
            section.table.row(cells);
        }
        found.sections.push(section);
    }
    let its = &found.measurements[first..];
    let panel = |write: bool| Panel {
        title: if write { "uploads" } else { "downloads" }.to_owned(),
        x: "transfers at once".to_owned(),
        y: "MB/s in total".to_owned(),
        log_x: true,
        log_y: false,
        shaded: None,
        curves: bench
            .servers
            .iter()
            .map(|(server, _)| {
                curve(server.name, server.name, its, |it| {
                    (it.write == write && it.complete()).then_some((f64::from(it.at_once), it.mb_s))
                })
            })
            .collect(),
    };
    found.chart = Chart { title: TABLE.title.to_owned(), panels: vec![panel(false), panel(true)] };
    found
}

fn case(load: Load) -> Case<'static> {
    Case { path: LOOPBACK, placement: Placement::default(), relay: None, load, flags: &[] }
}
