//! The lines that this command prints about itself.

use tuffet_terminal::print;

/// Prints a line.
pub(super) fn say(what: &str) {
    print(&format!("dev: {what}\n"));
}
