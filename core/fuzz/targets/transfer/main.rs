//! A whole transfer, in either role and direction, against a peer that sends anything at any time. Nothing
//! panics; no block is sent that was not granted; bytes are accepted in order and once; there is one outcome;
//! and when the peer falls silent, every transfer ends after its time-outs.
#![no_main]

mod host;
mod plan;

use host::Host;
use libfuzzer_sys::fuzz_target;
use plan::Plan;

fuzz_target!(|plan: Plan<'_>| {
    let mut host = Host::new(&plan);
    for step in plan.steps.iter().take(plan::MOST_STEPS) {
        host.take(step);
    }
    host.left_alone();
});
