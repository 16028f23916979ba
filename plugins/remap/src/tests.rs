//! The settings, and what becomes of names.

mod beside;
mod hpa;
mod others;
mod settings;

use serde_json::{Value, json};
use tuffet_sdk::{Client, Mode, Operation, Plugin, Request, Resolution, Resolve, parse};

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
    Request {
        id: "1".into(),
        listener: "lan".into(),
        operation: Operation::Read,
        mode: Mode::Octet,
        requested: name.into(),
        path: name.replace('\\', "/").trim_start_matches('/').into(),
        client: Client { address: "192.0.2.7".into(), port: 2000, macs: vec![], class: "unknown".into() },
        options: vec![],
        attributes: vec![],
    }
}

fn write(name: &str) -> Request {
    Request { operation: Operation::Write, ..request(name) }
}

/// `ROOT:PATH`, more of them separated by blanks, `-` for an abstention, `! TEXT` for a denial.
fn answer(remap: &Remap, request: &Request) -> String {
    match remap.resolve(request) {
        Resolution::Abstain => "-".into(),
        Resolution::Files(files) => {
            files.iter().map(|file| format!("{}:{}", file.root, file.path)).collect::<Vec<_>>().join(" ")
        }
        Resolution::Deny(denial) => format!("! {}", denial.message),
        // Answers that it never gives.
        Resolution::Content(_) | Resolution::Rendered(_) | Resolution::FilesElseNext(_) => "another".into(),
    }
}

fn read(remap: &Remap, name: &str) -> String {
    answer(remap, &request(name))
}
