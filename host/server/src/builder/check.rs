//! Checks what a program asks for, and opens the roots.

use super::{BuildError, Builder};
use crate::content::{OpenRoots, SuppliedOrigin, SuppliedRoots};
use std::sync::Arc;
use tuffet_request::RootSpec;
use tuffet_request::settings::{MaxBlksize, Settings};
use tuffet_store::{Disks, Origin, Origins, Roots};

impl Builder {
    /// Opens the roots.
    pub(crate) fn open(&mut self, disks: &Disks) -> Result<(OpenRoots, Disks), BuildError> {
        let supplied = std::mem::take(&mut self.supplied);
        let supplied = supplied.into_iter().map(|(name, root)| (name.as_str().into(), root));
        let supplied = SuppliedRoots(Arc::new(supplied.collect()));
        if let Some((roots, disks)) = self.opened.take() {
            return Ok((OpenRoots { roots, supplied }, disks));
        }
        let origin = |name: &Arc<str>| (name.to_string(), Arc::new(SuppliedOrigin) as Arc<dyn Origin>);
        let origins: Origins = supplied.0.keys().map(origin).collect();
        let roots = Roots::open_without(&self.roots, disks, &[], None, &origins)?;
        Ok((OpenRoots { roots, supplied }, disks.clone()))
    }

    /// Returns the first contradiction. `listens`: whether it needs a listener.
    pub(crate) fn check(&self, listens: bool) -> Result<(), BuildError> {
        let wrong = |why: String| Err(BuildError::Usage(why));
        let Settings { listeners, workers, transfer, limits, .. } = &self.settings;
        if listens && listeners.is_empty() {
            return wrong("the server has no listener: add one with `listener`".into());
        }
        if self.roots.is_empty()
            && self.opened.is_none()
            && self.hooks.resolve.is_empty()
            && self.policy.is_none()
        {
            return wrong(
                "the server has no content: add a `folder`, a `root`, or a hook with `resolve`".into(),
            );
        }
        if let Some(name) = repeated(listeners.iter().map(|its| its.name.as_str())) {
            return wrong(format!(
                "two listeners have the name `{name}`: give one another with `Listener::name`"
            ));
        }
        if let Some(name) = repeated(self.roots.iter().map(|root: &RootSpec| root.name.as_str())) {
            return wrong(format!("two roots have the name `{name}`: give one another"));
        }
        for listener in listeners {
            let known = |name: &&String| !self.roots.iter().any(|root| root.name == **name);
            let missing = listener.roots.iter().flatten().find(known).filter(|_| self.opened.is_none());
            if let Some(name) = missing {
                let its = &listener.name;
                return wrong(format!(
                    "listener `{its}` serves the root `{name}`, which does not exist: add it"
                ));
            }
        }
        let times = transfer.retransmit;
        let bounds = [
            ("workers", (1..=1024).contains(workers), "1 to 1024"),
            ("transfer.max_windowsize", (1..=32767).contains(&transfer.max_windowsize), "1 to 32767 blocks"),
            (
                "transfer.max_blksize",
                !matches!(transfer.max_blksize, MaxBlksize::Bytes(bytes) if !(8..=65464).contains(&bytes)),
                "8 to 65464 bytes",
            ),
            ("transfer.rollover", transfer.rollover <= 1, "0 or 1"),
            (
                "transfer.rate",
                transfer.rate.is_none_or(|rate| rate >= 1024),
                "at least 1024 bytes per second",
            ),
            (
                "transfer.retransmit",
                !times.floor.is_zero()
                    && times.floor <= times.initial
                    && times.initial <= times.cap
                    && times.cap <= times.give_up,
                "times that ascend: floor, initial, cap, give_up",
            ),
            ("limits.transfers", limits.transfers > 0, "at least 1"),
            ("limits.pending", limits.pending > 0, "at least 1"),
            ("limits.events", limits.events > 0, "at least 1"),
            ("limits.uploads_per_name", limits.uploads_per_name > 0, "at least 1"),
            ("limits.errors_per_second", limits.errors_per_second > 0, "at least 1"),
        ];
        match bounds.into_iter().find(|(_, good, _)| !good) {
            Some((what, _, range)) => wrong(format!("`{what}` is out of range: give it {range}")),
            None => Ok(()),
        }
    }
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.array_windows().find(|[one, other]| one == other).map(|[name, _]| *name)
}
