//! The result of building a project.

use std::path::PathBuf;

use super::scratch::Scratch;

/// A component from its compiler.
pub(super) struct BuiltComponent {
    /// The name of the project.
    pub name: String,
    pub component: PathBuf,
    /// The folder that contains it, if it is temporary.
    pub scratch: Option<Scratch>,
}

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
