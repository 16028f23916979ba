//! Any request by HTTP for any content: its name comes from its path, its range lies within the content, and no condition
//! counts that it has not.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|request: &[u8]| {
    if let Err(wrong) = tuffet_http::fuzzing::request(request) {
        panic!("{wrong}");
    }
});
