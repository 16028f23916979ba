//! The result of a compiler.

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
