//! "Did you mean": the known word closest to a misspelt one.

/// Returns the candidate that differs from `word` in at most a third of its letters, if any does.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' ', '-'], "");
    let word = plain(word);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Builds the message about an unknown word.
pub(super) fn unknown<'a>(
    kind: &str,
    word: &str,
    like: Option<&str>,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let advice = like.map_or("remove or replace it.".into(), |like| format!("did you mean `{like}`?"));
    format!("unknown {kind} `{word}`; {advice} Known here: {}", list(known, "and"))
}

/// Formats words as "`a`, `b` and `c`".
pub(super) fn list<'a>(words: impl IntoIterator<Item = &'a str>, conjunction: &str) -> String {
    let quoted: Vec<_> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {conjunction} {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "none".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_find_their_like() {
        let known = ["address", "name", "single-port", "max-upload"];
        for (word, like) in [
            ("adress", Some("address")),
            ("Address", Some("address")),
            ("single_port", Some("single-port")),
            ("singlePort", Some("single-port")),
            ("nmae", Some("name")),
            ("maxuploads", Some("max-upload")),
            ("port", None),
            ("xyz", None),
        ] {
            assert_eq!(closest(word, known), like, "{word}");
        }
    }
}
