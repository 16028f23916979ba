//! Bars: a panel for each case, a bar for each server.

use super::{COLUMNS, MARGIN, TITLE, escaped, picture};
use crate::number::short;
use std::fmt::Write;

const PANEL: u32 = 580;
const ROW: u32 = 20;
const LABEL: u32 = 124;
const BAR: u32 = 340;

/// Bars that share a unit.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    /// The title above.
    pub title: String,
    /// The unit.
    pub unit: &'static str,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Debug, Clone, Default)]
pub struct Bar {
    /// Its label.
    pub name: String,
    /// Its colour: `own` or `peer`.
    pub class: &'static str,
    /// `None` if the server cannot do the case, or failed.
    pub value: Option<f64>,
}

/// A picture of several panels; `None` without any.
pub fn bars(title: &str, panels: &[Bars]) -> Option<String> {
    if panels.is_empty() {
        return None;
    }
    let mut body = String::new();
    let mut top = MARGIN + TITLE;
    for row in panels.chunks(COLUMNS) {
        for (column, panel) in row.iter().enumerate() {
            panel.draw(&mut body, MARGIN + column as u32 * (PANEL + MARGIN), top);
        }
        top += row.iter().map(Bars::height).max().unwrap_or(0);
    }
    let width = MARGIN + COLUMNS as u32 * (PANEL + MARGIN);
    Some(picture(title, width, top, &body))
}

impl Bars {
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
                escaped(&bar.name)
            );
            match bar.value {
                Some(value) => {
                    let width = if most > 0.0 { value / most * f64::from(BAR) } else { 0.0 };
                    let _ = write!(
                        svg,
                        r#"<rect class="{}" x="{LABEL}" y="{y}" width="{width:.1}" height="14" rx="2"/><text x="{:.1}" y="{text}">{}</text>"#,
                        bar.class,
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

/// Shortens a title to fit a panel, or the label of a row; the table shows the whole title. Cases often differ at the end.
pub(super) fn shortened(title: &str) -> String {
    const MAX_CHARS: usize = 76;
    const TAIL: usize = 22;
    let chars = title.chars().count();
    if chars <= MAX_CHARS {
        return title.to_owned();
    }
    let (head, tail) = (title.chars().take(MAX_CHARS - TAIL - 1), title.chars().skip(chars - TAIL));
    head.chain(['…']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_figures() {
        let bar = |name: &str, class, value| Bar { name: name.to_owned(), class, value };
        let panel = Bars {
            title: "12 × 10 MiB".to_owned(),
            unit: "MB/s",
            bars: vec![
                bar("tuffet", "own", Some(900.0)),
                bar("dnsmasq", "peer", Some(200.0)),
                bar("x", "peer", None),
            ],
        };
        let svg = bars("throughput", &[panel]).unwrap();
        assert!(svg.contains(r#"<rect class="own" x="124" y="30" width="340.0""#), "{svg}");
        assert!(svg.contains(r#"<rect class="peer" x="124" y="50" width="75.6""#), "{svg}");
        assert!(svg.contains("cannot"));
        assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        assert!(bars("nothing", &[]).is_none());
    }

    #[test]
    fn titles_fit() {
        assert_eq!(shortened(&"ä".repeat(100)).chars().count(), 76);
    }
}
