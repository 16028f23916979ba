//! The pictures of the page, as plain SVG. Integers alone, so that they are the same on any machine.

use super::seconds;
use crate::ecmp::Rehash;
use crate::study::{LOSSES, Part, Result, SERVERS};
use std::fmt::Write;

/// As the pictures of `bench/peers`: colours follow the reader's light or dark scheme.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.unit{fill:#59636e}\
.axis{stroke:#8c959f}.grid{stroke:#d1d9e0}polyline{fill:none;stroke-width:2}\
.a{stroke:#0969da}.b{stroke:#bf8700}.c{stroke:#cf222e}\
circle.a,rect.a{fill:#0969da}circle.b,rect.b{fill:#bf8700}circle.c,rect.c{fill:#cf222e}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.unit{fill:#9198a1}\
.axis{stroke:#656c76}.grid{stroke:#3d444d}\
.a{stroke:#4493f8}.b{stroke:#d29922}.c{stroke:#f85149}\
circle.a,rect.a{fill:#4493f8}circle.b,rect.b{fill:#d29922}circle.c,rect.c{fill:#f85149}}";

const WIDTH: u64 = 720;
const HEIGHT: u64 = 340;
const LEFT: u64 = 64;
const RIGHT: u64 = 20;
const TOP: u64 = 44;
const BOTTOM: u64 = 48;
const CLASSES: [&str; 3] = ["a", "b", "c"];

/// How long it takes until 99 % have booted, over the number of servers.
pub(super) fn servers(results: &[Result]) -> String {
    let point = |servers: u16, loss: u32| {
        let result = results.iter().find(|result| {
            let scenario = &result.storm.scenario;
            result.storm.part == Part::Servers
                && (scenario.servers, scenario.loss, scenario.costs.policy) == (servers, loss, 0)
        });
        result.and_then(|result| result.summary.most)
    };
    let all = || SERVERS.iter().flat_map(|servers| LOSSES.map(|loss| point(*servers, loss))).flatten();
    let (least, most) = (decade(all().min().unwrap_or(1)), all().max().unwrap_or(10).max(10));
    let span = log(u64::from(most)).saturating_sub(log(least)).max(1);
    let y = |millis: u64| {
        HEIGHT - BOTTOM - (log(millis.max(least)) - log(least)) * (HEIGHT - TOP - BOTTOM) / span
    };
    let x =
        |index: usize| LEFT + 20 + index as u64 * (WIDTH - LEFT - RIGHT - 40) / (SERVERS.len() as u64 - 1);
    let mut body = String::new();
    let mut mark = least;
    while mark <= u64::from(most) {
        for step in [1, 2, 5] {
            let at = mark * step;
            if at <= u64::from(most) {
                grid(&mut body, y(at), &seconds(u32::try_from(at).ok()));
            }
        }
        mark *= 10;
    }
    for (index, servers) in SERVERS.iter().enumerate() {
        let _ = write!(
            body,
            r#"<text x="{}" y="{}" text-anchor="middle">{servers}</text>"#,
            x(index),
            HEIGHT - BOTTOM + 18
        );
    }
    for (index, servers) in SERVERS.iter().enumerate() {
        if LOSSES.iter().all(|loss| point(*servers, *loss).is_none()) {
            let (x, y) = (x(index), HEIGHT - BOTTOM - 8);
            let _ =
                write!(body, r#"<text class="unit" x="{x}" y="{y}" text-anchor="middle">not in time</text>"#);
        }
    }
    for (loss, class) in LOSSES.into_iter().zip(CLASSES) {
        let points: Vec<(u64, u64)> = SERVERS
            .iter()
            .enumerate()
            .filter_map(|(index, servers)| Some((x(index), y(u64::from(point(*servers, loss)?)))))
            .collect();
        line(&mut body, class, &points);
        for (x, y) in points {
            let _ = write!(body, r#"<circle class="{class}" cx="{x}" cy="{y}" r="3"/>"#);
        }
    }
    legend(&mut body, &["nothing lost", "0.1 % lost", "1 % lost"]);
    draw("time until 99 % of a million clients have booted", "servers", &body)
}

/// Which part has booted over time, when a server is lost.
pub(super) fn lost(results: &[Result]) -> String {
    let results: Vec<&Result> = results.iter().filter(|result| result.storm.part == Part::Lost).collect();
    let end =
        results.iter().filter_map(|result| result.figures.booted.last()).max().copied().unwrap_or(1).max(1);
    let end = end.div_ceil(10_000) * 10_000;
    let x = |millis: u32| LEFT + u64::from(millis) * (WIDTH - LEFT - RIGHT) / u64::from(end);
    let y = |permille: u64| HEIGHT - BOTTOM - permille * (HEIGHT - TOP - BOTTOM) / 1_000;
    let mut body = String::new();
    for permille in [0, 250, 500, 750, 1_000] {
        grid(&mut body, y(permille), &format!("{} %", permille / 10));
    }
    for tenth in 0..=10 {
        let at = end / 10 * tenth;
        let _ = write!(
            body,
            r#"<text x="{}" y="{}" text-anchor="middle">{}</text>"#,
            x(at),
            HEIGHT - BOTTOM + 18,
            at / 1_000
        );
    }
    let name = |result: &&Result| match (result.storm.scenario.lost, result.storm.scenario.rehash) {
        (None, _) => "none lost",
        (Some(_), Rehash::Resilient) => "one of 32 lost at 5 s, resilient hashing",
        (Some(_), Rehash::Full) => "everything spread anew",
    };
    for (result, class) in results.iter().zip(CLASSES) {
        let step = end / 600;
        let points: Vec<(u64, u64)> = (0..=600)
            .map(|nth| nth * step.max(1))
            .map(|millis| (x(millis), y(result.figures.booted_at(millis))))
            .collect();
        line(&mut body, class, &points);
    }
    legend(&mut body, &results.iter().map(name).collect::<Vec<_>>());
    draw("share of a million clients that have booted", "seconds", &body)
}

fn grid(body: &mut String, y: u64, label: &str) {
    let _ = write!(
        body,
        r#"<line class="grid" x1="{LEFT}" y1="{y}" x2="{}" y2="{y}"/><text x="{}" y="{}" text-anchor="end">{label}</text>"#,
        WIDTH - RIGHT,
        LEFT - 8,
        y + 4
    );
}

fn line(body: &mut String, class: &str, points: &[(u64, u64)]) {
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    let _ = write!(body, r#"<polyline class="{class}" points="{}"/>"#, points.join(" "));
}

fn legend(body: &mut String, names: &[&str]) {
    let mut x = LEFT;
    for (name, class) in names.iter().zip(CLASSES) {
        let _ = write!(
            body,
            r#"<rect class="{class}" x="{x}" y="{}" width="12" height="3"/><text x="{}" y="{}">{name}</text>"#,
            TOP - 15,
            x + 18,
            TOP - 10
        );
        x += 40 + name.len() as u64 * 7;
    }
}

fn draw(title: &str, axis: &str, body: &str) -> String {
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{title}"><style>{STYLE}</style><text class="unit" x="{LEFT}" y="16">{title}</text>{body}<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/><text class="unit" x="{right}" y="{under}" text-anchor="end">{axis}</text></svg>
"#,
        bottom = HEIGHT - BOTTOM,
        right = WIDTH - RIGHT,
        under = HEIGHT - 10,
    )
}

/// The power of ten at or below.
fn decade(millis: u32) -> u64 {
    10_u64.pow(millis.max(1).ilog10())
}

/// A logarithm to base 2, times 1,000, straight between powers: any monotone scale will do, as long as
/// marks and points share it.
fn log(number: u64) -> u64 {
    let whole = u64::from(number.max(1).ilog2());
    whole * 1_000 + (((number.max(1) - (1 << whole)) * 1_000) >> whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_of_powers() {
        assert_eq!([1, 2, 3, 4, 1_024].map(log), [0, 1_000, 1_500, 2_000, 10_000]);
        assert_eq!([1, 9, 10, 14_900].map(decade), [1, 1, 10, 10_000]);
    }
}
