//! The roots of a server: folders and origins, and those of the program.

use super::SuppliedRoots;
use tuffet_store::Roots;

/// The roots of a server.
#[derive(Clone)]
pub(crate) struct OpenRoots {
    pub(crate) roots: Roots,
    pub(crate) supplied: SuppliedRoots,
}
