//! The listeners that exist, for errors about one that does not.

/// Returns a clause that names the listeners.
pub(crate) fn known_listeners<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "there is none".into(),
        [only] => format!("the only one is {only}"),
        [all @ .., last] => format!("there are {} and {last}", all.join(", ")),
    }
}
