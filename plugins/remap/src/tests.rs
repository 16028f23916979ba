//! The settings, and what becomes of names.

mod beside;
mod hpa;
mod others;
mod settings;

use serde_json::{Value, json};
use tuffet_sdk::{Candidate, Operation, Plugin, Request, Resolution, Resolve, parse, testing};

use crate::Remap;

fn remap(settings: Value) -> Remap {
    Remap::configure(parse(&settings.to_string()).unwrap_or_else(|problems| panic!("{problems:?}")))
        .unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// A map in the root `boot`.
fn map(dialect: &str, map: &str) -> Remap {
    remap(json!({ "root": "boot", "dialect": dialect, "map": map }))
}

fn problems(settings: Value) -> Vec<String> {
    let problems = parse(&settings.to_string()).and_then(Remap::configure).err().unwrap();
    let shown = |problem: tuffet_sdk::Problem| format!("{}: {}", problem.pointer, problem.message);
    problems.into_vec().into_iter().map(shown).collect()
}

fn request(name: &str) -> Request {
    let path = name.replace('\\', "/");
    let mut request = Request { requested: name.into(), ..testing::request(path.trim_start_matches('/')) };
    request.client.address = "192.0.2.7".into();
    request
}

fn write(name: &str) -> Request {
    Request { operation: Operation::Write, ..request(name) }
}

/// `ROOT:PATH`, more of them separated by blanks, `-` for an abstention, `! TEXT` for a denial.
fn answer(remap: &Remap, request: &Request) -> String {
    let shown = |candidate: &Candidate| match candidate {
        Candidate::File(file) => format!("{}:{}", file.root, file.path),
        // It serves nothing else.
        other => format!("{other:?}"),
    };
    match remap.resolve(request) {
        Resolution::Abstain => "-".into(),
        Resolution::Serve(selection) => selection.candidates.iter().map(shown).collect::<Vec<_>>().join(" "),
        Resolution::Deny(denial) => format!("! {}", denial.message),
        Resolution::Drop(reason) => reason,
    }
}

fn read(remap: &Remap, name: &str) -> String {
    answer(remap, &request(name))
}
