//! The table in docs/logs.md, "Outcomes": each row has a test named after its number, `rNN_…`, which asserts
//! the outcome and its facts.

mod classes;
mod client_ends;
mod limits;
mod refused;
mod server_ends;
mod storm;

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Asserts outcome, decision, bytes and blocks, and the invariants of the facts of any request.
#[track_caller]
fn assert_facts(line: &Value, outcome: &str, decision: &str, bytes: usize, blocks: u64) {
    let got = (&line["outcome"], &line["decision"], &line["bytes"], &line["blocks"]);
    assert_eq!(got, (&outcome.into(), &decision.into(), &bytes.into(), &blocks.into()), "{line:#}");
    for text in ["id", "client", "class", "operation", "path", "listener"] {
        assert!(line[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {line:#}");
    }
    for number in ["plugin_calls", "retransmissions", "duplicates", "timeouts", "blksize", "windowsize"] {
        assert!(line[number].is_u64(), "{number}: {line:#}");
    }
    let time = |name: &str| line[name].as_u64();
    assert!(time("decision_us").unwrap() <= time("duration_us").unwrap(), "{line:#}");
    assert_eq!(line["mac"].is_string(), line["mac_source"].is_string(), "{line:#}");
    assert_eq!(time("first_block_us").is_some(), blocks > 0, "{line:#}");
    if let Some(first_block) = time("first_block_us") {
        // The worker's clock may lag by a turn when it handles a block.
        assert!(first_block <= time("duration_us").unwrap() + 1_000, "{line:#}");
    }
    if decision != "granted" {
        assert_eq!((bytes, blocks, time("rtt_us")), (0, 0, None), "{line:#}");
        assert_eq!((&line["tsize"], &line["size"]), (&Value::Null, &Value::Null), "{line:#}");
    }
}

/// Every row of the table has a test, and every such test a row.
#[test]
fn the_table_is_tested_row_by_row() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = fs::read_to_string(folder.join("../docs/logs.md")).unwrap();
    let table = docs.split("\n## Outcomes\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<u32> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next()?.trim().parse().ok())
        .collect();
    assert_eq!(rows, (1..=rows.len() as u32).collect::<Vec<_>>(), "numbered without gaps");
    let mut tested: Vec<u32> = fs::read_dir(folder.join("tests/it/outcomes"))
        .unwrap()
        .flat_map(|file| {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let names = text.lines().filter_map(|line| line.strip_prefix("fn r")?.get(..2)?.parse().ok());
            names.collect::<Vec<u32>>()
        })
        .collect();
    tested.sort_unstable();
    tested.dedup();
    assert_eq!(tested, rows);
}
