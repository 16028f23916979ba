//! The reasons why a project does not become a component.

/// The reason why there is no component.
pub(super) enum BuildError {
    /// There is no project that can be built.
    NoProject(String),
    /// A required program is missing.
    Unavailable(String),
    /// The compiler printed the reason.
    Failed(String),
    /// The component cannot be written to its place.
    Unwritten(String),
}
