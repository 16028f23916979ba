//! A long path: windows, parallel streams, and the rate over time.

use super::{Published, TableResult, curve, row, section_of, short};
use crate::load::Load;
use crate::published::bench::{Bench, Case, DOWNLOAD, Measurement};
use crate::published::relay::usable;
use crate::scale::Scale;
use crate::server::Placement;
use tuffet_measure::plot::{Chart, Curve, Panel};

pub(super) const TABLE: Published = Published {
    number: 4,
    title: "A path of 65 ms: throughput by window and parallel streams, and over time",
    source: "L. Cottrell, SLAC, [Bulk throughput measurements: University of Florida]\
             (http://www-iepm.slac.stanford.edu/monitoring/bulk/ufl.html), September 2001, by TCP: OC3 (155 Mb/s), round \
             trip 65 ms, windows and parallel streams; and the incremental and cumulative rate with 8 streams of 512 KB. \
             Theirs: about 100 Mb/s (12.5 MB/s) at most, 80 % of that by one stream with a window of 512 KB; the round \
             trip times the rate is about 650 KB.",
    run,
};

const PATH: &str = "155 Mb/s, 65 ms";
const FLAGS: [&str; 4] = ["--delay", "32500us", "--rate", "155mbit"];
const BYTES_PER_SECOND: f64 = 155e6 / 8.0;
const ROUND_TRIP: f64 = 0.065;
const BLKSIZE: u16 = 1_428;
const WINDOWS: [u16; 6] = [8, 32, 128, 512, 1_024, 2_048];
const STREAMS: [u32; 3] = [1, 4, 8];
/// A window of 512 KB in blocks.
const THEIR_WINDOW: u16 = 367;

fn run(bench: &Bench) -> TableResult {
    let mut found = TableResult::default();
    if let Err(why) = usable(&bench.programs.relay) {
        eprintln!("  {PATH} is left out: {why}");
        found.skipped.push(format!("{PATH}: {why}"));
        return found;
    }
    let mut section = section_of(
        bench,
        "By window and streams",
        &["windowsize", "window, KB", "streams"],
        &["MB/s", "% of the line"],
    );
    section.text = format!(
        "The line carries {:.1} MB/s of packets; in a round trip that is {:.0} KB, or {:.0} blocks of {BLKSIZE} bytes: from \
         there on one stream can fill it.",
        BYTES_PER_SECOND / 1e6,
        BYTES_PER_SECOND * ROUND_TRIP / 1e3,
        BYTES_PER_SECOND * ROUND_TRIP / f64::from(BLKSIZE),
    );
    for windowsize in bench.scale.steps(&WINDOWS) {
        for streams in bench.scale.steps(&STREAMS) {
            let window = f64::from(windowsize) * f64::from(BLKSIZE);
            let expected = (window * f64::from(streams) / ROUND_TRIP).min(BYTES_PER_SECOND);
            // At least a few windows, so that the first does not dominate.
            let bytes = (bench.scale.bytes_at(expected) / u64::from(streams)).max(window as u64 * 4);
            let size = if bench.scale == Scale::Smoke { bytes.min(50_000) } else { bytes };
            let first = vec![windowsize.to_string(), format!("{:.0}", window / 1e3), streams.to_string()];
            let cells = row(bench, &mut found, &case(windowsize, streams, size, &[]), first, |it| {
                vec![short(it.mb_s), format!("{:.0}", it.mb_s * 1e8 / BYTES_PER_SECOND)]
            });
            section.table.row(cells);
        }
    }
    let servers: Vec<&str> = bench.servers.iter().map(|(server, _)| server.name).collect();
    let by_window = |server: &str, streams: u32| {
        curve(format!("{server}, {streams}"), server, &found.measurements, |it| {
            (it.at_once == streams)
                .then_some((f64::from(it.windowsize) * f64::from(it.blksize) / 1e3, it.mb_s))
        })
    };
    let mut panels = vec![Panel {
        title: format!("{PATH}: by window, 1 and 8 streams"),
        x: "window, KB".to_owned(),
        y: "MB/s in total".to_owned(),
        log_x: true,
        log_y: false,
        shaded: None,
        curves: servers.iter().flat_map(|server| [by_window(server, 1), by_window(server, 8)]).collect(),
    }];
    found.sections.push(section);

    let size = (BYTES_PER_SECOND * 4.0 / 8.0) as u64;
    let size = if bench.scale == Scale::Smoke { 50_000 } else { size };
    let mut over_time = section_of(
        bench,
        "Over time: 8 streams with windows of 512 KB",
        &[],
        &["MB/s", "s", "client time-outs"],
    );
    let first = found.measurements.len();
    let long = case(THEIR_WINDOW, 8, size, &["--report", "100ms"]);
    let cells = row(bench, &mut found, &long, Vec::new(), |it| {
        vec![short(it.mb_s), short(it.seconds), it.client_timeouts.to_string()]
    });
    over_time.table.row(cells);
    found.sections.push(over_time);
    let its = &found.measurements[first..];
    panels.push(Panel {
        title: "8 streams of 512 KB over time".to_owned(),
        x: "s".to_owned(),
        y: "MB/s in total".to_owned(),
        log_x: false,
        log_y: false,
        shaded: None,
        curves: its.iter().flat_map(rates).collect(),
    });
    found.chart = Chart { title: TABLE.title.to_owned(), panels };
    found
}

/// The rates of each interval, and since the start.
fn rates(measured: &Measurement) -> [Curve; 2] {
    let class = if measured.server == "tuffet" { "own" } else { "peer" };
    let curve = |what: &str, of: usize| Curve {
        name: format!("{}, {what}", measured.server),
        class,
        points: measured.over_time.iter().map(|sample| (sample[0], sample[of])).collect(),
    };
    [curve("interval", 1), curve("from start", 2)]
}

fn case(windowsize: u16, streams: u32, size: u64, flags: &'static [&'static str]) -> Case<'static> {
    let load = Load {
        transfers: streams,
        concurrency: streams,
        size,
        blksize: Some(BLKSIZE),
        windowsize: Some(windowsize),
        ..DOWNLOAD
    };
    Case {
        path: PATH,
        placement: Placement::default(),
        relay: Some(FLAGS.map(str::to_owned).into()),
        load,
        flags,
    }
}
