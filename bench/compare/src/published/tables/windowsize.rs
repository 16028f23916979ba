//! One download, by windowsize: barebox's table.

use super::{Published, TableResult, curve, known, links, row, section_of, short};
use crate::load::Load;
use crate::published::bench::{Bench, Case, DOWNLOAD};
use crate::published::relay::usable;
use crate::server::Placement;
use tuffet_measure::plot::{Chart, Curve, Panel};

pub(super) const TABLE: Published = Published {
    number: 2,
    title: "One download, by windowsize",
    source: "The boot loader [barebox](https://barebox.org/doc/latest/filesystems/tftp.html), as it got the option \
             windowsize: a download over a VPN (ADSL, 50 Mb/s), over 1 Gb/s and over 100 Mb/s. Theirs, in MB/s: VPN \
             0.14 (windowsize 1) to 3.87; 1 Gb/s 10.4 (1), 50.9 (8), 98.6 (64 to 128); 100 Mb/s 2.97 (1) to 11.43.",
    run,
};

const WINDOWS: [u16; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128];
/// The block size that barebox requests.
const BLKSIZE: u16 = 1_432;
/// Their 0.14 MB/s with a window of one block is a round trip of 10 ms.
const VPN: &str = "VPN, 50 Mb/s, 10 ms";
const VPN_FLAGS: [&str; 6] = ["--delay", "5ms", "--rate-down", "50mbit", "--rate-up", "10mbit"];
const GIGABIT: &str = "1 Gb/s link";
const LINKS: [(&str, Option<u32>); 2] = [(GIGABIT, Some(1_000)), ("100 Mb/s link", Some(100))];
const THEIRS: [(f64, f64); 4] = [(1.0, 10.4), (8.0, 50.9), (64.0, 98.6), (128.0, 98.6)];

/// A path, its rate, and its round-trip time.
struct Path<'a> {
    name: &'a str,
    placement: Placement,
    relay: Option<Vec<String>>,
    bytes_per_second: f64,
    round_trip: f64,
}

fn run(bench: &Bench) -> TableResult {
    let mut found = TableResult::default();
    let cables = links(&mut found, &LINKS);
    let mut paths = Vec::new();
    match usable(&bench.programs.relay) {
        Ok(()) => paths.push(Path {
            name: VPN,
            placement: Placement::default(),
            relay: Some(VPN_FLAGS.map(str::to_owned).into()),
            bytes_per_second: 6.25e6,
            round_trip: 0.01,
        }),
        Err(why) => {
            eprintln!("  {VPN} is left out: {why}");
            found.skipped.push(format!("{VPN}: {why}"));
        }
    }
    for (name, link) in &cables {
        let bytes_per_second = if *name == GIGABIT { 125e6 } else { 12.5e6 };
        paths.push(Path { name, placement: link.server(), relay: None, bytes_per_second, round_trip: 50e-6 });
    }
    let mut panels = Vec::new();
    for path in &paths {
        let mut section =
            section_of(bench, path.name, &["windowsize", "published, MB/s"], &["MB/s", "CPU s/GB"]);
        let first = found.measurements.len();
        for windowsize in bench.scale.steps(&WINDOWS) {
            let expected = f64::from(windowsize) * f64::from(BLKSIZE) / path.round_trip;
            let load = Load {
                size: bench.scale.bytes_at(expected.min(path.bytes_per_second)),
                blksize: Some(BLKSIZE),
                windowsize: Some(windowsize).filter(|windowsize| *windowsize != 1),
                ..DOWNLOAD
            };
            let case = Case {
                path: path.name,
                placement: path.placement.clone(),
                relay: path.relay.clone(),
                load,
                flags: &[],
            };
            let theirs = published(path.name, windowsize);
            let cells = row(bench, &mut found, &case, vec![windowsize.to_string(), theirs], |it| {
                vec![short(it.mb_s), known(it.cpu_s_per_gb)]
            });
            section.table.row(cells);
        }
        let its = &found.measurements[first..];
        let point = |it: &crate::published::bench::Measurement| Some((f64::from(it.windowsize), it.mb_s));
        let mut curves: Vec<Curve> =
            bench.servers.iter().map(|(server, _)| curve(server.name, server.name, its, point)).collect();
        if path.name == GIGABIT {
            curves.push(Curve { name: "published".to_owned(), class: "theirs", points: THEIRS.into() });
        }
        panels.push(Panel {
            title: path.name.to_owned(),
            x: "windowsize, blocks of 1432 bytes".to_owned(),
            y: "MB/s".to_owned(),
            log_x: true,
            log_y: false,
            shaded: None,
            curves,
        });
        found.sections.push(section);
    }
    found.chart = Chart { title: TABLE.title.to_owned(), panels };
    found
}

/// The published figure, if known.
fn published(path: &str, windowsize: u16) -> String {
    let theirs = match (path, windowsize) {
        (VPN, 1) => Some(0.14),
        (GIGABIT, _) => {
            THEIRS.iter().find(|(window, _)| *window == f64::from(windowsize)).map(|(_, rate)| *rate)
        }
        (_, 1) => Some(2.97),
        _ => None,
    };
    theirs.map_or_else(String::new, short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_published_stands_beside() {
        assert_eq!(published(GIGABIT, 8), "50.9");
        assert_eq!(published(VPN, 1), "0.14");
        assert_eq!((published("100 Mb/s link", 1), published(VPN, 64)), ("2.97".to_owned(), String::new()));
    }
}
