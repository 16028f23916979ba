//! Memory, descriptors and threads over the run, one panel each.

use crate::judge::{Growth, Sample};
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const PANEL: f64 = 130.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;

/// Colours follow the reader's light or dark scheme.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}.unit{fill:#59636e}.grid{stroke:#d1d9e0}.bound{stroke:#bf8700;\
stroke-dasharray:5 4}polyline{fill:none;stroke:#0969da;stroke-width:1.5}.warm{fill:#8c959f;opacity:.12}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.unit{fill:#9198a1}.grid{stroke:#3d444d}.bound{stroke:#d29922}\
polyline{stroke:#4493f8}}";

/// The picture.
pub(crate) fn plot(title: &str, samples: &[Sample], growths: &[Growth]) -> String {
    let height = TOP + PANEL * growths.len() as f64 + 24.0;
    let mut body = String::new();
    let values: [fn(&Sample) -> f64; 3] =
        [|it| it.resident_kib as f64 / 1024.0, |it| it.descriptors as f64, |it| it.threads as f64];
    let end = samples.last().map_or(1.0, |it| it.seconds.max(1.0));
    for (number, (growth, of)) in growths.iter().zip(values).enumerate() {
        panel(&mut body, TOP + PANEL * number as f64, end, samples, growth, of);
    }
    let (minutes, base) = (end / 60.0, height - 8.0);
    let _ = write!(body, r#"<text class="unit" x="{LEFT}" y="{base}">0</text>"#);
    let _ = write!(
        body,
        r#"<text class="unit" x="{}" y="{base}" text-anchor="end">{minutes:.1} minutes</text>"#,
        WIDTH - RIGHT
    );
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{title}"><style>{STYLE}</style><text class="unit" x="16" y="22">{title}</text>{body}</svg>
"#
    )
}

fn panel(body: &mut String, top: f64, end: f64, samples: &[Sample], growth: &Growth, of: fn(&Sample) -> f64) {
    let most = samples.iter().map(of).fold(growth.bound, f64::max) * 1.1;
    let (low, high) = (top + PANEL - 24.0, top + 20.0);
    let x = |seconds: f64| LEFT + (WIDTH - LEFT - RIGHT) * seconds / end;
    let y = |value: f64| low - (low - high) * value / most.max(1.0);
    let _ = write!(
        body,
        r#"<rect class="warm" x="{LEFT}" y="{high}" width="{:.1}" height="{:.1}"/>"#,
        x(end / 3.0) - LEFT,
        low - high
    );
    for value in [0.0, most / 2.0, most] {
        let at = y(value);
        let _ = write!(
            body,
            r#"<line class="grid" x1="{LEFT}" x2="{}" y1="{at:.1}" y2="{at:.1}"/>"#,
            WIDTH - RIGHT
        );
        let _ = write!(
            body,
            r#"<text class="unit" x="{}" y="{:.1}" text-anchor="end">{value:.0}</text>"#,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let bound = y(growth.bound);
    let _ = write!(
        body,
        r#"<line class="bound" x1="{:.1}" x2="{}" y1="{bound:.1}" y2="{bound:.1}"/>"#,
        x(end / 3.0),
        WIDTH - RIGHT
    );
    let points: Vec<String> =
        samples.iter().map(|it| format!("{:.1},{:.1}", x(it.seconds), y(of(it)))).collect();
    let _ = write!(body, r#"<polyline points="{}"/>"#, points.join(" "));
    let unit = if growth.unit.is_empty() { String::new() } else { format!(" ({})", growth.unit) };
    let _ = write!(body, r#"<text x="{LEFT}" y="{:.1}">{}{unit}</text>"#, high - 6.0, growth.what);
}
