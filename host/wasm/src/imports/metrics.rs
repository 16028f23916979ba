//! The import `metrics`.

use crate::access::{Code, in_configure, not_granted};
use crate::answer_texts::hide;
use crate::bindings::metrics::Host;
use crate::bindings::types::Error;
use crate::sandbox::Sandbox;
use tuffet_policy::{SeriesError, SeriesName, SeriesValue};

/// The maximum length of the name of a series or a label, in bytes.
const MAX_NAME: usize = 64;
/// The maximum number of labels of a series.
const MAX_LABELS: usize = 4;
/// The maximum length of a label value, in bytes.
const MAX_LABEL: usize = 128;
/// Labels that the server sets. Prometheus reserves `le` for histograms.
const RESERVED_LABELS: [&str; 3] = ["plugin", "name", "le"];

impl Host for Sandbox {
    fn add(&mut self, name: String, by: u64, labels: Vec<(String, String)>) -> Result<(), Error> {
        self.measure(name, labels, SeriesValue::Counter(by))
    }

    fn set(&mut self, name: String, value: f64, labels: Vec<(String, String)>) -> Result<(), Error> {
        if !value.is_finite() {
            return Err(Code::BadArgument.with(format!("the gauge {name:.64} cannot be {value}")));
        }
        self.measure(name, labels, SeriesValue::Gauge(value))
    }
}

impl Sandbox {
    fn measure(
        &mut self,
        mut name: String,
        mut labels: Vec<(String, String)>,
        change: SeriesValue,
    ) -> Result<(), Error> {
        if !self.usage.configured {
            return Err(in_configure());
        }
        let Some(table) = &self.access.metrics else { return Err(not_granted("metrics")) };
        self.usage.operation()?;
        if !self.access.secrets.is_empty() {
            let texts = labels.iter_mut().flat_map(|(label, value)| [label, value]);
            for text in texts.chain([&mut name]) {
                hide(text, &self.access.secrets);
            }
        }
        let series = series(name, labels).map_err(|why| Code::BadArgument.with(why))?;
        if self.usage.rehearses {
            return Ok(());
        }
        table.change(series, change).map_err(|error| match error {
            SeriesError::Full => Code::Quota.with("the plugin has as many series as it may have"),
            SeriesError::OtherKind => {
                Code::BadArgument.with("a counter and a gauge cannot have the same name")
            }
        })
    }
}

fn series(name: String, mut labels: Vec<(String, String)>) -> Result<SeriesName, String> {
    check_name(&name)?;
    if labels.len() > MAX_LABELS {
        return Err(format!("the series has {} labels: {MAX_LABELS} are allowed", labels.len()));
    }
    labels.sort_unstable();
    for (index, (label, value)) in labels.iter().enumerate() {
        check_name(label)?;
        if RESERVED_LABELS.contains(&label.as_str()) || label.starts_with("__") {
            return Err(format!("the label `{label}` is not for plugins"));
        }
        if index > 0 && labels[index - 1].0 == *label {
            return Err(format!("the label `{label}` is given twice"));
        }
        if value.len() > MAX_LABEL {
            return Err(format!("a value of `{label}` has {} bytes: {MAX_LABEL} are allowed", value.len()));
        }
    }
    Ok(SeriesName { name, labels })
}

fn check_name(name: &str) -> Result<(), String> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if begins && goes_on && name.len() <= MAX_NAME {
        return Ok(());
    }
    Err(format!("{name:.64?} is no name: write 1 to {MAX_NAME} letters, digits and `_`, no digit first"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels_follow_the_rules_of_prometheus() {
        let made = |name: &str, labels: &[(&str, &str)]| {
            let labels = labels.iter().map(|(label, value)| ((*label).into(), (*value).into()));
            series(name.into(), labels.collect()).map(|series| series.to_string())
        };
        let shown = made("hits", &[("site", "b \"x\""), ("_a", "é\n")]);
        assert_eq!(shown.as_deref(), Ok("hits{_a=\"é\\n\",site=\"b \\\"x\\\"\"}"));
        for name in ["", "1a", "a-b", "a:b", "é", &"n".repeat(65)] {
            assert!(made(name, &[]).is_err(), "{name}");
            assert!(made("a", &[(name, "x")]).is_err(), "{name}");
        }
        let long = "v".repeat(129);
        for labels in [
            &[("plugin", "x")][..],
            &[("name", "x")],
            &[("le", "x")],
            &[("__a", "x")],
            &[("a", "x"), ("a", "y")],
            &[("a", &long)],
            &[("a", ""), ("b", ""), ("c", ""), ("d", ""), ("e", "")],
        ] {
            assert!(made("a", labels).is_err(), "{labels:?}");
        }
    }
}
