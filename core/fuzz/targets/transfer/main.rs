//! A whole transfer, in either role and direction, against a peer that sends whatever it likes whenever it
//! likes. Nothing panics; no block goes out that was not granted; bytes are accepted in order and once; there
//! is one outcome; and when nothing more comes, every transfer ends after its time-outs.
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
