use tuffet_sdk::{Plugin, parse};

use crate::{RaspberryPi, prefix};

#[test]
fn prefixes_of_boards() {
    for board in ["9ffefdef", "00000000", "dc-a6-32-01-36-c2"] {
        assert!(prefix::is_board(board), "{board}");
    }
    for other in [
        "",
        "9ffefde",
        "9ffefdef0",
        "9FFEFDEF",
        "9ffefdeg",
        "dc:a6:32:01:36:c2",
        "dc-a6-32-0136-c2",
        "overlays",
    ] {
        assert!(!prefix::is_board(other), "{other}");
    }
}

#[test]
fn every_mistake_is_pointed_at() {
    let settings = r#"{ "root": "", "common": "/common", "default-model": "../pi4",
        "boards": { "9FFEFDEF": {}, "9ffefdef": { "folder": "", "model": "a//b" } } }"#;
    let problems = parse(settings).and_then(RaspberryPi::configure).err().unwrap();
    let pointers: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.pointer).collect();
    let expected = [
        "/root",
        "/common",
        "/default-model",
        "/boards/9ffefdef/folder",
        "/boards/9ffefdef/model",
        "/boards/9FFEFDEF",
    ];
    assert_eq!(pointers, expected);
}
