//! A plugin from the package of the interface alone, without an SDK: a test builds it from what `wkg` has fetched.

wit_bindgen::generate!({
    path: "policy.wasm",
    inline: "
        package local:gate;
        world gate {
            export tuffet:policy/lifecycle@VERSION;
            export tuffet:policy/authorize@VERSION;
        }
    ",
    generate_all,
});
use exports::tuffet::policy::{authorize, lifecycle};
use tuffet::policy::types::{Denial, ErrorCode, Operation};

struct Gate;

impl lifecycle::Guest for Gate {
    fn configure(_: String) -> Result<(), Vec<lifecycle::Problem>> {
        Ok(())
    }
}

impl authorize::Guest for Gate {
    fn authorize(request: authorize::Request) -> authorize::Verdict {
        match request.operation {
            Operation::Read => authorize::Verdict::Abstain,
            Operation::Write => authorize::Verdict::Deny(Denial {
                code: ErrorCode::AccessViolation,
                message: "read only".into(),
                reason: "built from the package".into(),
            }),
        }
    }
}

export!(Gate);
