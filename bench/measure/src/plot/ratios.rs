//! Ratios: a row for each case, with our figure and those of others as multiples of the best of the others.

use super::bars::shortened;
use super::{MARGIN, TITLE, escaped, picture};
use crate::number::short;
use std::fmt::Write;

const ROW: u32 = 30;
const LABEL: u32 = 510;
const SCALE: u32 = 480;
const NOTE: u32 = 340;

/// A case with a comparison.
#[derive(Debug, Clone, Default)]
pub struct Ratio {
    /// The title of the case.
    pub title: String,
    /// Our figure as a multiple of the best other one.
    pub own: f64,
    /// The figures of the others as parts of the best of them, which is 1.
    pub peers: Vec<f64>,
    /// The figures themselves.
    pub note: String,
}

/// A picture on a logarithmic scale; `None` without any ratio. The others are dots, the best of them the line at 1.
pub fn ratios(title: &str, rows: &[Ratio]) -> Option<String> {
    let figures = || rows.iter().flat_map(|row| row.peers.iter().chain([&row.own]));
    let positive = || figures().copied().filter(|figure| *figure > 0.0);
    let least = positive().fold(1.0, f64::min).log10().floor().max(-3.0);
    let most = positive().fold(1.0, f64::max).log10().ceil().max(1.0);
    if rows.is_empty() || most > 9.0 {
        return None;
    }
    let x = |figure: f64| {
        let part = (figure.max(1e-9).log10().max(least) - least) / (most - least);
        f64::from(LABEL) + part * f64::from(SCALE)
    };
    let top = MARGIN + TITLE;
    let bottom = top + ROW * rows.len() as u32;
    let mut body = String::new();
    for power in least as i32..=most as i32 {
        let (at, class) = (x(10_f64.powi(power)), if power == 0 { "axis" } else { "grid" });
        let _ = write!(
            body,
            r#"<line class="{class}" x1="{at:.1}" y1="{top}" x2="{at:.1}" y2="{bottom}"/><text class="unit" x="{at:.1}" y="{}" text-anchor="middle">{}</text>"#,
            bottom + 16,
            if power == 0 { "best other = 1".to_owned() } else { format!("{}×", short(10_f64.powi(power))) }
        );
    }
    for (index, row) in rows.iter().enumerate() {
        let y = top + ROW * index as u32 + ROW / 2;
        let (text, own, one) = (y + 4, x(row.own), x(1.0));
        let _ = write!(
            body,
            r#"<text x="{}" y="{text}" text-anchor="end">{}</text><rect class="own" x="{:.1}" y="{}" width="{:.1}" height="10" rx="2"/>"#,
            LABEL - 12,
            escaped(&shortened(&row.title)),
            own.min(one),
            y - 5,
            (own - one).abs()
        );
        for peer in &row.peers {
            let _ = write!(body, r#"<circle class="peer" cx="{:.1}" cy="{y}" r="4"/>"#, x(*peer));
        }
        let _ = write!(
            body,
            r#"<circle class="own" cx="{own:.1}" cy="{y}" r="6"/><text x="{}" y="{text}"><tspan class="title">{}×</tspan><tspan class="unit"> {}</tspan></text>"#,
            LABEL + SCALE + 24,
            short(row.own),
            escaped(&row.note)
        );
    }
    Some(picture(title, LABEL + SCALE + 24 + NOTE, bottom + MARGIN + 14, &body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(own: f64, peers: &[f64]) -> Ratio {
        Ratio { title: "a < b".to_owned(), own, peers: peers.to_vec(), note: "900 MB/s".to_owned() }
    }

    #[test]
    fn the_scale_is_logarithmic_and_the_best_other_is_its_one() {
        let svg = ratios("beside", &[row(10.0, &[1.0, 0.1])]).unwrap();
        // From 0.1 to 10: 1 is in the middle.
        for part in [
            r#"<rect class="own" x="750.0" y="56" width="240.0""#,
            r#"<circle class="peer" cx="510.0""#,
            r#"<circle class="own" cx="990.0""#,
            "a &lt; b",
            r#"class="title">10×"#,
        ] {
            assert!(svg.contains(part), "{part} is missing in {svg}");
        }
    }

    #[test]
    fn who_is_behind_has_a_bar_to_the_left() {
        let svg = ratios("beside", &[row(0.1, &[1.0])]).unwrap();
        assert!(svg.contains(r#"<rect class="own" x="510.0" y="56" width="240.0""#), "{svg}");
    }

    #[test]
    fn without_figures_there_is_no_picture() {
        assert_eq!(ratios("beside", &[]), None);
        assert_eq!(ratios("beside", &[row(f64::INFINITY, &[1.0])]), None);
    }
}
