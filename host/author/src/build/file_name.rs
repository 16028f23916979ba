//! The name of a project, which becomes the name of its component.

/// Returns whether a component can have this name.
pub(super) fn is_file_name(name: &str) -> bool {
    !name.starts_with('.')
        && !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}
