//! Medians: one disturbed round does not move them.

/// The middle value, or the mean of the two in the middle; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values = sorted(values);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(values[middle - 1], upper) })
}

/// The spread of values: (largest − smallest) / median; `None` without values or with a median of 0.
pub fn spread(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values = sorted(values);
    let middle = median(values.iter().copied())?;
    let (first, last) = (values.first()?, values.last()?);
    (middle != 0.0).then(|| (last - first) / middle)
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_even_none() {
        assert_eq!(median([3.0, 1.0, 200.0]), Some(3.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([f64::NAN]), None);
        assert_eq!(spread([2.0, 1.0, 4.0]), Some(1.5));
        assert_eq!(spread([0.0, 0.0]), None);
    }
}
