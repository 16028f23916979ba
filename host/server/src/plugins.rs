//! Plugins as WebAssembly components (`tuffet-wasm`).

use crate::status::StateSource;
use tuffet_request::{KvState, SinkCounted};
use tuffet_wasm::PolicyRuntime;

impl StateSource for PolicyRuntime {
    fn sinks(&self) -> Vec<SinkCounted> {
        PolicyRuntime::sinks(self).counted()
    }

    fn kv(&self) -> Option<KvState> {
        PolicyRuntime::kv(self)
    }
}
