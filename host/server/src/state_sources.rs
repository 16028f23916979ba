//! The states of what a server uses beside its own parts, behind features.

use crate::status::StateSource;

#[cfg(feature = "wasm")]
impl StateSource for tuffet_wasm::PolicyRuntime {
    fn sinks(&self) -> Vec<tuffet_request::SinkCounted> {
        tuffet_wasm::PolicyRuntime::sinks(self).counted()
    }

    fn kv(&self) -> Option<tuffet_request::KvState> {
        tuffet_wasm::PolicyRuntime::kv(self)
    }

    fn compilers(&self) -> Option<bool> {
        self.has_compilers()
    }
}

#[cfg(feature = "origins")]
impl StateSource for crate::origins::Origins {
    fn origins(&self) -> Vec<crate::origins::OriginReport> {
        self.reports()
    }
}
