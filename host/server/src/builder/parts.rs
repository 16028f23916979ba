//! The roots and hooks of a service, before they are open.

use super::BuildError;
use super::policy::ProgramHooks;
use crate::content::{OpenRoots, Root, SourceOpener, SuppliedOrigin, SuppliedRoots};
use std::sync::Arc;
use tuffet_policy::{PluginRecords, Policy};
use tuffet_request::RootSpec;
use tuffet_store::{Disks, Origin, Origins, Roots};

/// The roots and hooks of a service.
#[derive(Clone, Default)]
pub(crate) struct Parts {
    pub(super) roots: Vec<RootSpec>,
    pub(super) supplied: Vec<(String, Arc<dyn Root>)>,
    /// Roots that are open already.
    pub(crate) opened: Option<Roots>,
    pub(super) hooks: ProgramHooks,
    pub(crate) policy: Option<Policy>,
}

impl Parts {
    /// Opens the roots.
    pub(crate) fn open(&mut self, disks: &Disks) -> Result<OpenRoots, BuildError> {
        let supplied = SuppliedRoots::new(std::mem::take(&mut self.supplied));
        if let Some(roots) = self.opened.take() {
            return Ok(OpenRoots { roots, supplied });
        }
        let origin = |name: &Arc<str>| (name.to_string(), Arc::new(SuppliedOrigin) as Arc<dyn Origin>);
        let origins: Origins = supplied.names().map(origin).collect();
        let roots = Roots::open_without(&self.roots, disks, &[], None, &origins)?;
        Ok(OpenRoots { roots, supplied })
    }

    /// Returns the loaded policy with the hooks of the program.
    pub(crate) fn into_policy(
        self,
        records: &PluginRecords,
        sources: &SourceOpener,
        ipv6_prefix: u8,
    ) -> Policy {
        self.hooks.policy(self.policy, records, sources, ipv6_prefix)
    }
}
