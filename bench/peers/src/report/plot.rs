//! Plots as plain SVG: a panel of bars for each case. Colours follow the reader's light or dark scheme.

use super::{headline, is_own};
use crate::metric::{Metric, short};
use crate::results::{CaseResult, Results};
use crate::svg::{MARGIN, escaped, picture};
use std::fmt::Write;

const PANEL: u32 = 580;
const COLUMNS: usize = 2;
const TITLE: u32 = 30;
const ROW: u32 = 20;
const LABEL: u32 = 124;
const BAR: u32 = 340;

/// Throughput of each case; `None` if no case has any.
pub(super) fn throughput(results: &Results) -> Option<String> {
    let panels = results.cases.iter().filter_map(|case| {
        let metric = headline(case);
        matches!(metric, Metric::ThroughputMbS | Metric::TransfersPerS).then(|| Panel::of(case, metric))?
    });
    draw("throughput: longer is better", panels.collect())
}

/// CPU of the server's core for each GB; `None` if no case has any.
pub(super) fn cpu(results: &Results) -> Option<String> {
    let panels = results.cases.iter().filter_map(|case| Panel::of(case, Metric::CpuSPerGb));
    draw("busy seconds of the server's core for each GB: shorter is better", panels.collect())
}

struct Panel {
    title: String,
    unit: &'static str,
    bars: Vec<Bar>,
}

struct Bar {
    server: String,
    /// `None` where the server cannot do the case, or failed.
    value: Option<f64>,
}

impl Panel {
    fn of(case: &CaseResult, metric: Metric) -> Option<Panel> {
        let bar = |server: &crate::results::ServerResult| Bar {
            server: server.server.clone(),
            value: server.median.get(&metric).copied(),
        };
        let bars: Vec<Bar> = case.servers.iter().map(bar).collect();
        let any = bars.iter().any(|bar| bar.value.is_some());
        any.then(|| Panel { title: case.title.clone(), unit: metric.heading(), bars })
    }

    fn height(&self) -> u32 {
        TITLE + ROW * self.bars.len() as u32 + MARGIN
    }

    fn draw(&self, svg: &mut String, left: u32, top: u32) {
        let most = self.bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
        let _ = write!(svg, r#"<g transform="translate({left} {top})">"#);
        let _ = write!(
            svg,
            r#"<text class="title" x="0" y="14">{}<tspan class="unit" font-weight="400"> · {}</tspan></text>"#,
            escaped(&shortened(&self.title)),
            escaped(self.unit)
        );
        for (index, bar) in self.bars.iter().enumerate() {
            let y = TITLE + ROW * index as u32;
            let text = y + 11;
            let _ = write!(
                svg,
                r#"<text x="{}" y="{text}" text-anchor="end">{}</text>"#,
                LABEL - 8,
                escaped(&bar.server)
            );
            match bar.value {
                Some(value) => {
                    let width = if most > 0.0 { value / most * f64::from(BAR) } else { 0.0 };
                    let class = if is_own(&bar.server) { "own" } else { "peer" };
                    let _ = write!(
                        svg,
                        r#"<rect class="{class}" x="{LABEL}" y="{y}" width="{width:.1}" height="14" rx="2"/><text x="{:.1}" y="{text}">{}</text>"#,
                        f64::from(LABEL) + width + 6.0,
                        short(value)
                    );
                }
                None => {
                    let _ = write!(svg, r#"<text class="none" x="{}" y="{text}">cannot</text>"#, LABEL + 6);
                }
            }
        }
        let bottom = TITLE - 3 + ROW * self.bars.len() as u32;
        let _ = write!(
            svg,
            r#"<line class="axis" x1="{LABEL}" y1="{}" x2="{LABEL}" y2="{bottom}"/></g>"#,
            TITLE - 3
        );
    }
}

fn draw(title: &str, panels: Vec<Panel>) -> Option<String> {
    if panels.is_empty() {
        return None;
    }
    let mut body = String::new();
    let mut top = MARGIN + TITLE;
    for row in panels.chunks(COLUMNS) {
        for (column, panel) in row.iter().enumerate() {
            panel.draw(&mut body, MARGIN + column as u32 * (PANEL + MARGIN), top);
        }
        top += row.iter().map(Panel::height).max().unwrap_or(0);
    }
    let width = MARGIN + COLUMNS as u32 * (PANEL + MARGIN);
    Some(picture(title, width, top, &body))
}

/// A title that fits a panel; the whole of it stands in the table.
fn shortened(title: &str) -> String {
    const MOST: usize = 76;
    if title.chars().count() <= MOST {
        return title.to_owned();
    }
    title.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::results;

    #[test]
    fn bars_are_as_long_as_their_figures() {
        let svg = throughput(&results()).unwrap();
        assert!(svg.contains(r#"<rect class="own" x="124" y="30" width="340.0""#), "{svg}");
        assert!(svg.contains(r#"<rect class="peer" x="124" y="50" width="75.6""#), "{svg}");
        assert!(svg.contains("cannot"));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(cpu(&results()).is_none(), "no case has a CPU figure");
    }

    #[test]
    fn titles_fit() {
        assert_eq!(shortened(&"ä".repeat(100)).chars().count(), 76);
    }
}
