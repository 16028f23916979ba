//! Compares numbers with the bounds of a schema.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::kinds::types;

/// Returns what is wrong with a number that is out of bounds, and the range.
pub(super) fn problem(schema: &Map<String, Value>, number: &Number) -> Option<String> {
    let bound = |key| schema.get(key).filter(|bound| bound.is_number());
    let (least, most) = (bound("minimum"), bound("maximum"));
    let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let compared = |bound: Option<&Value>| bound.map(|bound| compare(number, bound));
    let fits = compared(least).is_none_or(|order| order != Ordering::Less)
        && compared(most).is_none_or(|order| order != Ordering::Greater)
        && compared(above).is_none_or(|order| order == Ordering::Greater)
        && compared(below).is_none_or(|order| order == Ordering::Less);
    if fits {
        return None;
    }
    let kind = if types(schema).contains(&"number") { "number" } else { "whole number" };
    // `1.0` as `1`.
    let shown = |bound: &Value| match bound.as_f64() {
        Some(float) if bound.is_f64() => float.to_string(),
        _ => bound.to_string(),
    };
    let range = match (least, most) {
        (Some(least), Some(most)) => format!("from {} to {}", shown(least), shown(most)),
        (Some(least), None) if below.is_none() => format!("from {} up", shown(least)),
        (None, Some(most)) if above.is_none() => format!("up to {}", shown(most)),
        _ => {
            let ends = [("from", least), ("above", above), ("up to", most), ("below", below)];
            let ends: Vec<String> =
                ends.iter().filter_map(|(word, end)| Some(format!("{word} {}", shown((*end)?)))).collect();
            ends.join(" and ")
        }
    };
    Some(format!("{number} is out of range; give a {kind} {range}"))
}

/// Compares a number with a bound, exactly if both are whole.
fn compare(number: &Number, bound: &Value) -> Ordering {
    let whole = |number: Option<i64>, large: Option<u64>| number.map(i128::from).or(large.map(i128::from));
    match (whole(number.as_i64(), number.as_u64()), whole(bound.as_i64(), bound.as_u64())) {
        (Some(number), Some(bound)) => number.cmp(&bound),
        _ => {
            let float = |number: Option<f64>| number.unwrap_or(f64::NAN);
            float(number.as_f64()).total_cmp(&float(bound.as_f64()))
        }
    }
}
