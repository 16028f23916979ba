//! One, two and three transfers at once, by block size: a vendor's table.

use super::{Published, TableResult, curve, known, links, row, section_of, short};
use crate::load::Load;
use crate::published::bench::{Bench, Case, DOWNLOAD};
use tuffet_measure::plot::{Chart, Panel};

pub(super) const TABLE: Published = Published {
    number: 1,
    title: "One, two and three downloads of 100 MB at once, by block size",
    source: "Weird Solutions, [TFTP Broadband, performance guide]\
             (https://www.weird-solutions.com/documentation/tftp_broadband/tftp_broadband_performance.html): one, two \
             and three simultaneous transfers of a file of 100 MB without windows, on a link of 100 Mb/s. Theirs: 2 to \
             12.5 MB/s in total; three transfers of 16384 saturated the link.",
    run,
};

const PATHS: [(&str, Option<u32>); 3] =
    [("100 Mb/s link", Some(100)), ("1 Gb/s link", Some(1_000)), ("link without a limit", None)];
const BLOCKS: [u16; 4] = [512, 1_400, 8_192, 16_384];
const AT_ONCE: [u32; 3] = [1, 2, 3];

fn run(bench: &Bench) -> TableResult {
    let mut found = TableResult::default();
    let mut panels = Vec::new();
    for (path, link) in links(&mut found, &PATHS) {
        let mut section =
            section_of(bench, path, &["blksize", "at once"], &["each, MB/s", "total, MB/s", "% of its core"]);
        let first = found.measurements.len();
        for blksize in bench.scale.steps(&BLOCKS) {
            for at_once in bench.scale.steps(&AT_ONCE) {
                let load = Load {
                    transfers: at_once,
                    concurrency: at_once,
                    size: bench.scale.size(100_000_000),
                    blksize: Some(blksize).filter(|blksize| *blksize != 512),
                    gro: false,
                    ..DOWNLOAD
                };
                let case = Case { path, placement: link.server(), relay: None, load, flags: &[] };
                let cells =
                    row(bench, &mut found, &case, vec![blksize.to_string(), at_once.to_string()], |it| {
                        vec![short(it.each_mb_s), short(it.mb_s), known(it.cpu_percent.map(f64::round))]
                    });
                section.table.row(cells);
            }
        }
        let its = &found.measurements[first..];
        let servers = bench.servers.iter().map(|(server, _)| server.name);
        let curves = servers.flat_map(|server| {
            [1, 3].map(|at_once| {
                curve(format!("{server}, {at_once} at once"), server, its, |it| {
                    (it.at_once == at_once).then_some((f64::from(it.blksize), it.mb_s))
                })
            })
        });
        panels.push(Panel {
            title: path.to_owned(),
            x: "blksize, bytes".to_owned(),
            y: "MB/s in total".to_owned(),
            log_x: true,
            log_y: false,
            shaded: None,
            curves: curves.collect(),
        });
        found.sections.push(section);
    }
    found.chart = Chart { title: TABLE.title.to_owned(), panels };
    found
}
