//! A build without origins: a configuration that has one is refused before it comes here.

use super::{CachedRow, FetchObserver, OriginFailure, OriginReport};
use std::time::Duration;
use tuffet_config::OriginSpec;

/// No origins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins;

/// No origins of a configuration that is not in force yet.
#[derive(Debug)]
pub(crate) struct Next;

impl Origins {
    pub(crate) fn open(&self, _: &[OriginSpec]) -> Result<Next, OriginFailure> {
        Ok(Next)
    }

    pub(crate) fn take(&self, _: Next) {}

    pub(crate) fn observe(&self, _: FetchObserver) {}

    pub(crate) fn reports(&self) -> Vec<OriginReport> {
        Vec::new()
    }

    pub(crate) fn cached(&self) -> Result<Vec<CachedRow>, String> {
        Ok(Vec::new())
    }

    pub(crate) fn warm(&self, root: &str, _: &str, _: Duration) -> Result<u64, String> {
        Err(format!("root `{root}` does not live elsewhere"))
    }

    pub(crate) fn forget(&self, root: &str, _: &str) -> Result<bool, String> {
        Err(format!("root `{root}` does not live elsewhere"))
    }
}

impl Next {
    pub(crate) fn of_roots(&self) -> tuffet_store::Origins {
        tuffet_store::Origins::new()
    }

    pub(crate) fn start(&self) -> Result<(), OriginFailure> {
        Ok(())
    }
}
