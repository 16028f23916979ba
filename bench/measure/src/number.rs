//! Numbers for people.

/// Formats a number with only the significant digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        _ if value == value.trunc() && value.abs() < 10_000.0 => format!("{value:.0}"),
        size if size >= 10_000.0 => {
            format!("{}{}", if value < 0.0 { "-" } else { "" }, grouped(value.abs().round() as u64))
        }
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// As [`short`], with a dash for a missing measurement.
pub fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), short)
}

/// Formats a number as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits() {
        for (value, text) in [
            (1_234_567.8, "1,234,568"),
            (-1_234_567.8, "-1,234,568"),
            (10_000.0, "10,000"),
            (2148.4, "2148"),
            (99.95, "100.0"),
            (0.423, "0.42"),
            (0.0123, "0.012"),
            (0.0, "0"),
            (3.0, "3"),
        ] {
            assert_eq!(short(value), text);
        }
        assert_eq!((known(None), known(Some(2.0))), ("–".to_owned(), "2".to_owned()));
        assert_eq!([999, 1_000, 12_345_678].map(grouped), ["999", "1,000", "12,345,678"]);
    }
}
