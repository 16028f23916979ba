//! The table.

use crate::bench::{Row, Scale};
use crate::kind::Kind;
use std::fmt::Write;
use tuffet_measure::Machine;

/// When, of what and where.
pub(crate) fn head(machine: &Machine) -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now());
    let commit = tuffet_peers::commit();
    format!("# Abuse\n\nMeasured {now} at revision {commit}, on {machine}. One run of each.\n")
}

/// What honest clients of one server saw, as Markdown.
pub(crate) fn table(
    server: &str,
    version: &str,
    scale: &Scale,
    rows: &[Result<Row, (Option<Kind>, String)>],
) -> String {
    let mut text = format!(
        "### {server} {version}\n\nHonest clients: {} transfers of 64 KiB begun in a second, for {} s.\n\n\
         | beside | abusers' packets/s | first block p50, ms | p99, ms | whole file p50, ms | p99, ms | served | \
         not served | repeated | % of its core | MiB |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        scale.honest, scale.seconds
    );
    for row in rows {
        // Writing to a String cannot fail.
        let _ = match row {
            Ok(row) => writeln!(
                text,
                "| {} | {:.0} | {} | {} | {} | {} | {} | {} | {} | {:.0} | {:.0} |",
                row.what,
                row.sent_per_s,
                ms(row.first_block.p50),
                ms(row.first_block.p99),
                ms(row.completion.p50),
                ms(row.completion.p99),
                row.completed,
                row.failed,
                row.client_timeouts,
                row.cpu_percent,
                row.memory_mib
            ),
            Err((kind, why)) => {
                let kind = kind.map_or("none", Kind::what);
                writeln!(text, "| {kind} | {} |||||||||| ", why.replace('|', "/"))
            }
        };
    }
    text.push('\n');
    text
}

fn ms(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |ms| match ms {
        ms if ms < 10.0 => format!("{ms:.2}"),
        ms => format!("{ms:.0}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_as_many_cells_as_the_head() {
        let scale = Scale { seconds: 1, honest: 2, factor: 1.0 };
        let row = Row {
            what: "none".into(),
            sent_per_s: 0.0,
            completed: 1,
            failed: 0,
            wrong_bytes: 0,
            first_block: tuffet_peers::Quantiles { p50: Some(0.123), p99: Some(12.3) },
            completion: tuffet_peers::Quantiles::default(),
            client_timeouts: 0,
            cpu_percent: 1.0,
            memory_mib: 30.0,
        };
        let text = table("tuffet", "1", &scale, &[Ok(row), Err((Some(Kind::HalfOpen), "a|b".into()))]);
        let cells: Vec<usize> =
            text.lines().filter(|line| line.starts_with('|')).map(|line| line.matches('|').count()).collect();
        assert_eq!(cells, [12, 12, 12, 12], "{text}");
        assert!(text.contains("| 0.12 | 12 | – |"), "{text}");
    }
}
