//! Curves as plain SVG: a panel for each path, a curve for each server.

use super::{COLUMNS, MARGIN, TITLE, escaped, picture};
use crate::number::short;
use std::fmt::Write;

const PANEL: u32 = 560;
const LEFT: f64 = 54.0;
const RIGHT: f64 = 116.0;
const HEIGHT: f64 = 220.0;
const BELOW: u32 = 44;
/// Vertical distance between the labels of curves that end at the same height.
const LINE: f64 = 14.0;

/// A picture of several panels.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    /// The title above all panels.
    pub title: String,
    /// The panels, two in a row.
    pub panels: Vec<Panel>,
}

/// Curves that share their axes.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The title above.
    pub title: String,
    /// The label of the horizontal axis.
    pub x: String,
    /// The label of the vertical axis.
    pub y: String,
    /// Whether the horizontal axis is logarithmic; only values above 0 are drawn then.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic; only values above 0 are drawn then.
    pub log_y: bool,
    /// A highlighted range of the horizontal axis, such as a warm-up.
    pub shaded: Option<(f64, f64)>,
    /// The curves; a label stands at the right end.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Its label.
    pub name: String,
    /// Its colour: `own`, `peer`, `theirs` (dashed) or `worst`.
    pub class: &'static str,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// An axis: maps values to positions (0 to 1).
struct Axis {
    least: f64,
    most: f64,
    log: bool,
}

impl Chart {
    /// Draws the picture.
    pub fn svg(&self) -> String {
        let height = TITLE + HEIGHT as u32 + BELOW + MARGIN;
        let mut body = String::new();
        for (index, panel) in self.panels.iter().enumerate() {
            let left = MARGIN + (index % COLUMNS) as u32 * (PANEL + MARGIN);
            let top = MARGIN + TITLE + (index / COLUMNS) as u32 * height;
            let _ = write!(body, r#"<g transform="translate({left} {top})">"#);
            panel.draw(&mut body);
            body += "</g>";
        }
        let rows = self.panels.len().div_ceil(COLUMNS) as u32;
        let columns = self.panels.len().min(COLUMNS) as u32;
        picture(&self.title, MARGIN + columns * (PANEL + MARGIN), MARGIN + TITLE + rows * height, &body)
    }
}

impl Panel {
    fn draw(&self, svg: &mut String) {
        let width = f64::from(PANEL) - LEFT - RIGHT;
        let top = f64::from(TITLE);
        let bottom = top + HEIGHT;
        let _ = write!(svg, r#"<text class="title" x="0" y="14">{}</text>"#, escaped(&self.title));
        let all = || {
            self.curves
                .iter()
                .flat_map(|curve| curve.points.iter().copied())
                .filter(|point| self.shows(*point))
        };
        let x_axis = Axis::of(all().map(|(x, _)| x), self.log_x);
        let y_axis = Axis::of(all().map(|(_, y)| y), self.log_y);
        if let Some((from, to)) = self.shaded {
            let at = |value: f64| LEFT + width * x_axis.place(value).clamp(0.0, 1.0);
            let _ = write!(
                svg,
                r#"<rect class="shaded" x="{:.1}" y="{top}" width="{:.1}" height="{HEIGHT}"/>"#,
                at(from),
                (at(to) - at(from)).max(0.0)
            );
        }
        for value in y_axis.ticks() {
            let y = bottom - HEIGHT * y_axis.place(value);
            let _ = write!(
                svg,
                r#"<line class="grid" x1="{LEFT}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}"/><text class="unit" x="{}" y="{:.1}" text-anchor="end">{}</text>"#,
                LEFT + width,
                LEFT - 6.0,
                y + 4.0,
                short(value)
            );
        }
        for value in x_axis.ticks() {
            let x = LEFT + width * x_axis.place(value);
            let _ = write!(
                svg,
                r#"<text class="unit" x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                bottom + 16.0,
                short(value)
            );
        }
        let _ = write!(
            svg,
            r#"<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{:.1}" y2="{bottom}"/><text class="unit" x="{:.1}" y="{:.1}" text-anchor="middle">{}</text><text class="unit" x="{LEFT}" y="{:.1}">{}</text>"#,
            LEFT + width,
            LEFT + width / 2.0,
            bottom + 34.0,
            escaped(&self.x),
            top - 4.0,
            escaped(&self.y)
        );
        let mut ends = Vec::new();
        for curve in &self.curves {
            let place =
                |(x, y): (f64, f64)| (LEFT + width * x_axis.place(x), bottom - HEIGHT * y_axis.place(y));
            let points: Vec<(f64, f64)> =
                curve.points.iter().copied().filter(|point| self.shows(*point)).map(place).collect();
            let text: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = write!(svg, r#"<polyline class="{}" points="{}"/>"#, curve.class, text.join(" "));
            for (x, y) in points.iter().filter(|_| points.len() <= 40) {
                let _ = write!(svg, r#"<circle class="{}" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#, curve.class);
            }
            if let Some(&(x, y)) = points.last() {
                ends.push((y, x, curve));
            }
        }
        // Places labels from the top, each below the previous one.
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut last = f64::NEG_INFINITY;
        for (y, _, curve) in ends {
            let y = y.max(last + LINE);
            last = y;
            let _ = write!(
                svg,
                r#"<text class="{}" x="{:.1}" y="{:.1}">{}</text>"#,
                curve.class,
                LEFT + width + 8.0,
                y + 4.0,
                escaped(&curve.name)
            );
        }
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        (!self.log_x || x > 0.0) && (!self.log_y || y > 0.0) && x.is_finite() && y.is_finite()
    }
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, log: bool) -> Axis {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (least, most) = (least.min(value), most.max(value));
        }
        if least > most {
            (least, most) = (1.0, 1.0);
        }
        if !log {
            least = least.min(0.0);
            most *= 1.05;
        }
        Axis { least, most, log }
    }

    /// Returns the position of a value: 0 for the least, 1 for the largest.
    fn place(&self, value: f64) -> f64 {
        let on = |value: f64| if self.log { value.ln() } else { value };
        let length = on(self.most) - on(self.least);
        if length > 0.0 { (on(value) - on(self.least)) / length } else { 0.5 }
    }

    /// Returns about five round values.
    fn ticks(&self) -> Vec<f64> {
        if self.log {
            // Powers of ten if there are several, otherwise powers of two.
            let base: f64 = if self.most / self.least >= 1e4 { 10.0 } else { 2.0 };
            let first = (self.least.ln() / base.ln() - 1e-9).ceil() as i32;
            let values = (first..first + 40).map(|power| base.powi(power));
            let values: Vec<f64> = values.take_while(|value| *value <= self.most * 1.000_001).collect();
            let every = values.len().div_ceil(8).max(1);
            return values.into_iter().step_by(every).collect();
        }
        let span = self.most - self.least;
        if span <= 0.0 {
            return vec![self.least];
        }
        let rough = span / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        (0..20).map(|index| f64::from(index) * step).take_while(|value| *value <= self.most).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(log_x: bool) -> Panel {
        let curve = |name: &str, class, points: &[(f64, f64)]| Curve {
            name: name.into(),
            class,
            points: points.into(),
        };
        Panel {
            title: "a < b".into(),
            x: "windowsize".into(),
            y: "MB/s".into(),
            log_x,
            log_y: false,
            shaded: Some((0.5, 2.0)),
            curves: vec![
                curve("tuffet", "own", &[(1.0, 10.0), (128.0, 100.0)]),
                curve("another", "peer", &[(1.0, 10.0), (128.0, 100.0), (0.0, 50.0)]),
            ],
        }
    }

    #[test]
    fn curves_reach_from_edge_to_edge() {
        let svg = Chart { title: "t".into(), panels: vec![panel(true)] }.svg();
        assert!(svg.contains(r#"<polyline class="own" points="54.0,"#), "{svg}");
        assert!(svg.contains("444.0,"), "the last point is at the right: {svg}");
        assert!(svg.contains(r#"<rect class="shaded" x="54.0" y="30" width="55.7""#), "{svg}");
        // A value that a logarithm has not is left out; labels do not lie on each other.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("a &lt; b") && svg.matches("<g ").count() == svg.matches("</g>").count());
    }

    #[test]
    fn ticks_are_round_and_few() {
        let linear = Axis { least: 0.0, most: 105.0, log: false };
        assert_eq!(linear.ticks(), [0.0, 50.0, 100.0]);
        let windows = Axis { least: 1.0, most: 128.0, log: true };
        assert_eq!(windows.ticks(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
        let tens = Axis { least: 10.0, most: 1e5, log: true };
        assert_eq!(tens.ticks().len(), 5);
    }

    #[test]
    fn no_points_and_one_point_are_no_trouble() {
        let empty = Panel { curves: Vec::new(), ..panel(true) };
        let one = Curve { name: "x".into(), class: "own", points: vec![(5.0, 0.0)] };
        let one = Panel { curves: vec![one], ..panel(false) };
        let svg = Chart { title: "t".into(), panels: vec![empty, one] }.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
