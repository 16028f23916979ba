//! Plots: plain SVG with colours that follow the reader's light or dark scheme.

mod bars;
mod curves;
mod ratios;

pub use bars::{Bar, Bars, bars};
pub use curves::{Chart, Curve, Panel};
pub use ratios::{Ratio, ratios};

/// The margin of a picture.
const MARGIN: u32 = 16;

/// Columns of panels in a picture.
const COLUMNS: usize = 2;

/// The height of a panel's title.
const TITLE: u32 = 30;

/// `own` is Tuffet, `peer` another server, `theirs` a published figure or a bound, `worst` a failure.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#1f2328}\
.title{font-weight:600}.unit,.none{fill:#59636e}\
.peer{fill:#afb8c1}.own{fill:#0969da}.theirs{fill:#bf8700}.worst{fill:#cf222e}.shaded{fill:#8c959f;opacity:.12}.axis{stroke:#8c959f}.grid{stroke:#d1d9e0}\
polyline{fill:none;stroke-width:2}polyline.own{fill:none;stroke:#0969da}polyline.peer{fill:none;stroke:#8c959f}\
polyline.theirs{fill:none;stroke:#bf8700;stroke-dasharray:5 4}polyline.worst{fill:none;stroke:#cf222e}\
@media(prefers-color-scheme:dark){\
text{fill:#e6edf3}.unit,.none{fill:#9198a1}.peer{fill:#59636e}.own{fill:#4493f8}.theirs{fill:#d29922}.worst{fill:#f85149}\
.axis{stroke:#656c76}.grid{stroke:#3d444d}polyline.own{stroke:#4493f8}polyline.peer{stroke:#9198a1}\
polyline.theirs{stroke:#d29922}polyline.worst{stroke:#f85149}}";

/// A whole picture.
fn picture(title: &str, width: u32, height: u32, body: &str) -> String {
    let title = escaped(title);
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{title}"><style>{STYLE}</style><text class="unit" x="{MARGIN}" y="{}">{title}</text>{body}</svg>
"#,
        MARGIN + 10,
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_text() {
        assert_eq!(escaped("a<b&\"c\""), "a&lt;b&amp;&quot;c&quot;");
    }
}
